"""What tools are told: one that searches, a text or a pattern, and each written as the other; one that runs commands, where."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

__all__ = [
    "ANY_CASE",
    "INSERT_LINE",
    "LINES_AROUND",
    "WORKING_FOLDER",
    "Parameter",
    "as_pattern",
    "as_text",
    "key_of",
    "takes_patterns",
    "takes_patterns_in",
    "takes_regular",
    "words",
]

WORKING_FOLDER: Final = frozenset({"workdir", "workingdir", "workingdirectory", "cwd", "directory", "dir"})
"""Names of parameters, without case and separators, that say in which folder a command runs."""
ANY_CASE: Final = {
    "ignorecase": True, "caseinsensitive": True, "insensitive": True, "i": True, "casesensitive": False, "matchcase": False,
}  # fmt: skip
"""The same of those that say whether capitals count in a search, with what says that they do not."""
LINES_AROUND: Final = ("context", "contextlines", "linesofcontext", "surroundinglines", "c")
"""The same of those that say how many lines around one that is found are shown."""
INSERT_LINE: Final = ("insertline", "afterline", "insertafter", "insertafterline", "insertat")
"""The same of those that say at which line a text is put in."""
SIGNS: Final = r"\.[]{}()*+?^$|"
"""Signs that mean something in a pattern, in whatever dialect."""
SIGN: Final = re.compile(f"[{re.escape(SIGNS)}]")
REGULAR: Final = frozenset({"regex", "regexp", "regexes", "regular"})
PATTERNS: Final = REGULAR | {"pattern", "patterns"}
"""Words with which a tool says that it takes patterns."""
OTHERS: Final = PATTERNS | {"glob", "globs", "wildcard", "wildcards"}
"""The same, if only for names of files."""
PLAIN: Final = frozenset({"fixed", "literal", "literally", "plain"})
"""Words with which a tool says that it takes a text; of a switch, that it takes either."""
NOT: Final = frozenset({"no", "not", "never", "without", "t"})
"""Words, the end of ``isn't`` among them, with which it says in a clause that it takes none."""
CLAUSE: Final = re.compile(r"[.;:,()]")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a tool: its name with its description, its type as JSON Schema has it, and whether it has to be given."""

    about: str
    kind: str
    required: bool


def takes_patterns(said: str, parameters: Sequence[Parameter]) -> bool | None:
    """Whether a tool that searches takes patterns: what has to be given, or the tool's name and description, speak of them.

    None where a switch says so, where it speaks of texts as well, or says that it takes none, or where it is not clear what the
    patterns are for.
    """
    switch = any(one.kind == "boolean" and (PATTERNS | PLAIN).intersection(words(one.about)) for one in parameters)
    needed = words(" ".join(one.about for one in parameters if one.required))
    if PATTERNS.intersection(needed) or REGULAR.intersection(words(said)):
        clauses = (words(one) for text in (said, *(one.about for one in parameters)) for one in CLAUSE.split(text))
        refused = any(PATTERNS.intersection(clause) and NOT.intersection(clause) for clause in clauses)
        return None if switch or refused or PLAIN.intersection((*needed, *words(said))) else True
    others = (OTHERS.intersection(words(text)) for text in (said, *(one.about for one in parameters)))
    return None if switch or any(others) else False


def takes_regular(said: str, parameters: Sequence[Parameter]) -> bool:
    """Whether a tool that searches says that what it takes are regular expressions, in whatever dialect."""
    spoken = {*words(" ".join((said, *(one.about for one in parameters if one.required))))}
    named = spoken & (REGULAR - {"regular"}) or ("regular" in spoken and spoken & {"expression", "expressions"})
    return bool(named) and takes_patterns(said, parameters) is True


def takes_patterns_in(name: str, tools: Iterable[Mapping[str, Any]]) -> bool | None:
    """The same of the tool of a name among those that a request offers; None where it is not there."""
    for tool in tools:
        function = tool.get("function")
        if isinstance(function, Mapping) and function.get("name") == name:
            schema = function.get("parameters")
            schema = schema if isinstance(schema, Mapping) else {}
            known, required = schema.get("properties") or {}, schema.get("required") or ()
            parameters = [
                Parameter(f"{key} {one.get('description', '')}", str(one.get("type")), key in required)
                for key, one in known.items()
                if isinstance(one, Mapping)
            ]
            return takes_patterns(f"{name} {function.get('description', '')}", parameters)
    return None


def as_pattern(text: str) -> str:
    """A pattern that finds this text and no other."""
    return SIGN.sub(r"\\\g<0>", text)


def as_text(pattern: str) -> str | None:
    """The text that alone a pattern finds; None of one that finds others too."""
    text = re.sub(rf"\\([{re.escape(SIGNS)}])", r"\1", pattern)
    return text if as_pattern(text) == pattern else None


def key_of(name: str) -> str:
    """A name without case and separators: ``filePath``, ``file_path`` and ``file-path`` are one."""
    return "".join(words(name))


@functools.lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier in camel, snake or kebab case, lower-cased."""
    return tuple(re.findall(r"[^\W_]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).lower()))
