"""What a call of a shell is to do, if it is one of the few commands whose effect is plain from their words."""

from __future__ import annotations

import contextlib
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.looking import said_first
from claw_adapter.patterns import WORKING_FOLDER, key_of
from claw_adapter.reading import strings_of

__all__ = [
    "PutByCommand",
    "ShownByCommand",
    "asks_for",
    "asks_where",
    "counts",
    "echoed_by",
    "exported_by",
    "gone_by",
    "newer_by",
    "put_by",
    "run_by",
    "said_by",
    "shown_by",
    "told_by",
    "went_by",
]

AROUND: Final = re.compile(r"^sleep [\d.]+ && |; exit \d+$")
"""What a command waits for before, and the status with which it ends."""
FAILS: Final = re.compile(r"; exit [1-9]\d*$")
"""That status, where it is one of a failure."""
WAITS: Final = re.compile(r"sleep ([\d.]+) && ")
LONG: Final = 10.0
"""Seconds from which on a command may go on in the background."""
LINES: Final = re.compile(r"(\d+),(\d+)p")
HERE: Final = re.compile(r"cat > (?P<path>[^\n]+) <<'(?P<end>\w+)'\n(?P<text>.*\n)(?P=end)\n?", re.DOTALL)
"""A command that writes a file as it stands in the command."""
COUNTS: Final = re.compile(r'echo "\$\(ls -A \S+ \| wc -l\) entries"')
"""A command that counts the names in a folder."""
EXPORTS: Final = re.compile(r"(?:trap '\w+ \w+' EXIT; )?export (\w+)=(?:\"\$PATH:/(\w+)\"|(\w+)|'([^']+)')")
ASKS: Final = re.compile(r"""printf '%s\\n' "\[\$(\w+)\]["]""")
"""Not ``echo``, which takes signs in a value for its own."""
DEFINES: Final = re.compile(r"(\w+)\(\) \{ echo (\w+); \}; export -f \1 2> /dev/null; true")
"""Where a shell exports no functions, it may keep them all the same."""
CALLS: Final = re.compile(r"(\w+) 2> /dev/null; true")
ECHOES: Final = re.compile(
    r"(?:trap '' TERM; )?echo (?P<first>[\w ]+)"
    r"(?:(?:; printf \w+; touch [\w.]+)?; (?:sleep \d+|(?:\$\([^)]*\) )?sh [^;]+); echo (?P<last>\w+))?"
)


@dataclass(frozen=True, slots=True)
class ShownByCommand:
    """A command that shows a file, or lines of it, as a reading."""

    path: str
    arguments: dict[str, JsonValue]
    slow: bool = False
    """Whether it waits so long before that a program may put it into the background."""
    fails: bool = False
    """Whether it ends with an error behind it."""


def shown_by(arguments: dict[str, JsonValue]) -> ShownByCommand | None:
    """The reading that a command is: ``cat FILE``, also in its folder, or ``sed -n 'A,Bp' FILE``; None for any other."""
    slow = any(float(found[1]) >= LONG for found in map(WAITS.match, strings_of(arguments)) if found)
    fails = any(map(FAILS.search, strings_of(arguments)))
    for said in _commands(AROUND.sub("", text) for text in strings_of(arguments)):
        match said:
            case ["cat", path]:
                return ShownByCommand(_placed(path, arguments), {}, slow, fails)
            case ["cd", folder, "&&", "cat", name]:
                return ShownByCommand(_placed(f"{folder}/{name}", arguments), {})
            case ["sed", "-n", lines, path] if found := LINES.fullmatch(lines):
                path = _placed(path, arguments)
                return ShownByCommand(path, {"start_line": int(found[1]), "end_line": int(found[2])})
    return None


@dataclass(frozen=True, slots=True)
class PutByCommand:
    """What a command writes into a file, in place of what was there, or behind it."""

    path: str
    content: str
    behind: bool


def put_by(arguments: dict[str, JsonValue]) -> PutByCommand | None:
    r"""What ``printf '%s\n' TEXT > FILE``, ``echo TEXT > FILE``, or ``cat > FILE`` with a here-document writes; else None."""
    for found in map(HERE.fullmatch, strings_of(arguments)):
        if found is not None and len(words := shlex.split(found["path"])) == 1:
            return PutByCommand(_placed(words[0], arguments), found["text"], behind=False)
    for said in _commands(strings_of(arguments)):
        match said:
            case ["printf", r"%s\n", content, (">" | ">>") as how, path]:
                return PutByCommand(_placed(path, arguments), f"{content}\n", how == ">>")
    for line, sign, path in filter(None, map(said_first, strings_of(arguments))):
        return PutByCommand(_placed(path, arguments), f"{line}\n", sign == ">>")
    return None


def run_by(arguments: dict[str, JsonValue]) -> str:
    """The script of ``sh FILE``; nothing for any other command."""
    for said in _commands(strings_of(arguments)):
        match said:
            case ["sh", path]:
                return _placed(path, arguments)
    return ""


def gone_by(arguments: dict[str, JsonValue]) -> tuple[str, str] | None:
    """The file that is gone behind ``rm FILE`` or ``mv FILE NEW``, and what it is called then; None for any other command."""
    for said in _commands(strings_of(arguments)):
        match said:
            case ["rm", path]:
                return _placed(path, arguments), ""
            case ["mv", path, new]:
                return _placed(path, arguments), _placed(new, arguments)
    return None


def newer_by(arguments: dict[str, JsonValue]) -> tuple[str, str] | None:
    """The two files of ``find FILE -newer OTHER``, which names the first if it was changed later; else None."""
    for said in _commands(strings_of(arguments)):
        match said:
            case ["find", path, "-newer", other]:
                return _placed(path, arguments), _placed(other, arguments)
    return None


def said_by(arguments: dict[str, JsonValue]) -> list[str]:
    r"""What a command must print: ``echo TEXT``, and ``printf '%s\n' TEXT >&2`` behind it."""
    for said in _commands(strings_of(arguments)):
        match said:
            case ["echo", first, "printf", r"%s\n", second, ">&2"] if first.endswith(";"):
                return [first[:-1], second]
    return []


def counts(arguments: dict[str, JsonValue]) -> bool:
    """Whether a command says how many names are in a folder, before the word ``entries``."""
    return _whole(COUNTS, arguments) is not None


def went_by(arguments: dict[str, JsonValue]) -> tuple[str, bool] | None:
    """The folder of ``cd FOLDER && true``, or ``false``, and whether it is the first; None for any other command."""
    for said in _commands(strings_of(arguments)):
        match said:
            case ["cd", folder, "&&", ("true" | "false") as how]:
                return _placed(folder, arguments), how == "true"
    return None


def asks_where(arguments: dict[str, JsonValue]) -> bool:
    """Whether a command says in which folder it runs."""
    return "pwd" in strings_of(arguments)


def exported_by(arguments: dict[str, JsonValue]) -> tuple[str, str] | None:
    """Name and value of ``export NAME=VALUE`` or ``'VALUE'``, of ``"$PATH:/VALUE"`` what is new in it; else None.

    ``trap 'COMMAND WORD' EXIT;`` may stand before it. A function is exported as ``NAME()``, with what it prints.
    """
    if (made := _whole(DEFINES, arguments)) is not None:
        return f"{made[1]}()", made[2]
    found = _whole(EXPORTS, arguments)
    return None if found is None else (found[1], found[2] or found[3] or found[4])


def asks_for(arguments: dict[str, JsonValue]) -> str:
    r"""The name for whose value a command asks, ``printf '%s\n' "[$NAME]"``; nothing for any other command."""
    if (called := _whole(CALLS, arguments)) is not None:
        return f"{called[1]}()"
    found = _whole(ASKS, arguments)
    return "" if found is None else found[1]


def echoed_by(arguments: dict[str, JsonValue]) -> tuple[str, str] | None:
    """What ``echo TEXT`` prints, and, where it waits behind that and prints a word then, that word; else None."""
    found = _whole(ECHOES, arguments)
    return None if found is None else (found["first"], found["last"] or "")


def told_by(arguments: dict[str, JsonValue]) -> str:
    """All that a call says, as it is and as a shell reads it: a name with a quotation mark is spelt otherwise there."""
    texts = list(strings_of(arguments))
    return "\n".join([*texts, *(word for words in _commands(texts) for word in words)])


def _whole(pattern: re.Pattern[str], arguments: dict[str, JsonValue]) -> re.Match[str] | None:
    """The first text of a call that is such a command from end to end."""
    return next(filter(None, map(pattern.fullmatch, strings_of(arguments))), None)


def _placed(path: str, arguments: Mapping[str, JsonValue]) -> str:
    """A path that a command names, from the workspace on: another argument of the call may say in which folder it runs."""
    folders = (str(value) for name, value in arguments.items() if key_of(name) in WORKING_FOLDER and value)
    return posixpath.normpath(posixpath.join(next(folders, ""), path)) if path else path


def _commands(texts: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text that a shell could read."""
    for text in texts:
        with contextlib.suppress(ValueError):
            yield shlex.split(text)
