"""What an adapter's class says of its program, checked once when the class is made."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final, get_args

from pydantic import ValidationError

from claw_adapter.command import failures as table
from claw_adapter.command.answers import Answer, Json, JsonUsage, LastLine, Reported, Stored, Text
from claw_adapter.command.data import check_path
from claw_adapter.command.failures import Failures
from claw_adapter.command.places import PLACES, PROMPT, names_in, refuse_unknown
from claw_adapter.command.program import INSTALLED, Version
from claw_adapter.command.store import JsonStore
from claw_adapter.errors import AdapterError
from claw_adapter.protocol.capabilities import Capabilities, Dialect, HistoryRoute

__all__ = ["CommandOptions", "Description", "Terminal"]


_PATHS: Final[Mapping[type, Sequence[str]]] = {
    Json: ("path",),
    JsonUsage: ("input", "output", "cached"),
    Reported: ("text", "status"),
    JsonStore: ("messages", "role", "text", "time", "calls", "call_id", "call_name", "call_arguments", "result_of"),
}
"""Which arguments are paths in JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandOptions:
    """What an experiment may set; a subclass adds fields, whose names are places then."""

    program: str = ""
    """Path of the program, in place of that of its name on PATH."""


@dataclass(frozen=True, slots=True)
class Terminal:
    r"""How to speak with a program on a terminal; one process for the whole conversation.

    Attributes:
        ready: what it writes when it waits for a prompt, as a regular expression over bytes.
        before, after: what is written around a prompt; the defaults are those of a paste, in which line ends are text.
        size: rows and columns.
    """

    ready: bytes
    before: bytes = b"\x1b[200~"
    after: bytes = b"\x1b[201~"
    size: tuple[int, int] = (50, 200)


@dataclass(frozen=True, slots=True)
class Description:
    """The class attributes of a `CommandHarness`, which has their meaning."""

    name: str
    command: Sequence[str]
    env: Mapping[str, str]
    files: Mapping[str, Any]
    options: type[CommandOptions]
    dialects: Sequence[Dialect]
    answer: Answer
    usage: JsonUsage | None
    reported: Reported | None
    failures: Failures
    no_answers: Failures
    store: JsonStore | None
    keep: Sequence[str]
    histories: HistoryRoute
    terminal: Terminal | None
    version: Version
    framework: Path | None
    readable: Sequence[Path]
    remedy: str
    declares: Mapping[str, Any]

    @classmethod
    def of(cls, kind: type) -> Description:
        """Read and check the attributes of a class.

        Raises:
            AdapterError: one of them cannot be; it says which, and what to do.
        """
        made = cls(**{item.name: getattr(kind, item.name) for item in fields(cls)})
        where = f"class {kind.__name__}"
        made._check_types(where)
        made._check_places(where)
        made._check_answer(where)
        if unknown := sorted(set(made.declares) - set(Capabilities.model_fields)):
            remedy = f"There are: {', '.join(sorted(Capabilities.model_fields))}."
            raise AdapterError(f"no capability {unknown[0]!r}", where=f"{where}, declares", remedy=remedy)
        made._check_values(where)
        table.check(made.failures, f"{where}, failures")
        table.check(made.no_answers, f"{where}, no_answers")
        return made

    def _check_values(self, where: str) -> None:
        """Whether dialects and capabilities have values that there are."""
        for name, said in (
            ("dialects", {"endpoint_override": tuple(self.dialects)}),
            ("declares", dict(self.declares)),
        ):
            try:
                Capabilities.model_validate(said)
            except ValidationError as error:
                found = error.errors()[0]
                what = f"{found['loc'][0]} cannot be {found['input']!r}: {found['msg']}"
                remedy = (
                    f"There are: {', '.join(get_args(Dialect))}."
                    if name == "dialects"
                    else 'A capability is `Support.full()` or `Support.unsupported("why")` of claw_adapter.harness.'
                )
                raise AdapterError(what, where=f"{where}, {name}", remedy=remedy) from None

    @classmethod
    def check_names(cls, kind: type) -> None:
        """Refuse an attribute that nobody reads, such as a misspelt one.

        Raises:
            AdapterError: there is one; a constant of the adapter's own is in capitals or begins with ``_``.
        """
        known = {item.name for item in fields(cls)}
        base = next(one for one in kind.__mro__ if "__init_subclass__" in vars(one))
        for name, value in vars(kind).items():
            if hasattr(base, name) or name in known or not name.islower() or name.startswith("_"):
                continue
            if isinstance(value, type) or not (callable(value) or hasattr(value, "__get__")):
                near = difflib.get_close_matches(name, known, n=1)
                remedy = f"Did you mean {near[0]!r}? " if near else f"There are: {', '.join(sorted(known))}. "
                remedy += "A constant of your own is written in capitals, or begins with _."
                raise AdapterError(f"no attribute {name!r}", where=f"class {kind.__name__}", remedy=remedy)

    @property
    def stdin(self) -> bool:
        """Whether the prompt goes to standard input: no argument names it."""
        return PROMPT not in names_in(self.command)

    def _check_types(self, where: str) -> None:
        expected: dict[str, tuple[Callable[[Any], bool], str]] = {
            "command": (_texts, 'a tuple of texts, the program first: ("my-agent", "--session", "{session}")'),
            "env": (lambda v: isinstance(v, Mapping) and _texts([*v, *v.values()], 0), "a mapping of texts"),
            "files": (lambda v: isinstance(v, Mapping) and _texts([*v], 0), "a mapping of path → text or JSON data"),
            "options": (
                lambda v: is_dataclass(v) and isinstance(v, type) and issubclass(v, CommandOptions),
                "a subclass of CommandOptions that is a dataclass",
            ),
            "answer": (
                lambda v: isinstance(v, Text | LastLine | Json | Stored),
                "Text(), LastLine(), Json(…) or Stored()",
            ),
            "usage": (lambda v: v is None or isinstance(v, JsonUsage), "JsonUsage(…)"),
            "reported": (lambda v: v is None or isinstance(v, Reported), "Reported(…)"),
            "store": (lambda v: v is None or isinstance(v, JsonStore), "JsonStore(…)"),
            "keep": (
                lambda v: _texts(v, 0) and not any(one.startswith(("/", "{")) for one in v),
                'a tuple of patterns below the state directory, without {state}: ("memory/*.json",)',
            ),
            "terminal": (lambda v: v is None or isinstance(v, Terminal), "Terminal(…)"),
            "version": (lambda v: isinstance(v, Version), "Version(…)"),
            "dialects": (_texts, 'a tuple of dialects: ("openai-chat",)'),
        }
        for name, (fits, wanted) in expected.items():
            if not fits(getattr(self, name)):
                what = f"{getattr(self, name)!r} is not {wanted}"
                raise AdapterError(what, where=f"{where}, {name}", remedy=f"Write {wanted}.")

    def _check_places(self, where: str) -> None:
        known = PLACES | {item.name for item in fields(self.options)}
        if clash := sorted(PLACES & {item.name for item in fields(self.options)}):
            raise AdapterError(
                f"{clash[0]!r} is the name of a place", where=f"{where}, options", remedy="Choose another."
            )
        known |= {*INSTALLED} if self.framework else set()
        quiet = known - {PROMPT}
        for name, value, allowed in (
            ("command", self.command, known),
            ("env", self.env, quiet),
            ("files, a path", [*self.files], quiet),
            ("files", self.files, quiet),
        ):
            refuse_unknown(value, allowed, f"{where}, {name}")
        if "key" in names_in(self.command):
            remedy = "Hand it over in env or in files."
            raise AdapterError("the key would stand on the command line", where=f"{where}, command", remedy=remedy)
        for path, content in self.files.items():
            if "key" in names_in(content) and any(PurePosixPath(path).match(pattern) for pattern in self.keep):
                raise AdapterError(f"{path} has the key in it and would go into checkpoints", where=f"{where}, keep")

    def _check_answer(self, where: str) -> None:
        files = [getattr(part, "file", "") for part in (self.answer, self.usage, self.reported) if part is not None]
        for part in (self.answer, self.usage, self.reported, self.store):
            for name in _PATHS.get(type(part), ()):
                check_path(getattr(part, name), f"{where}, {type(part).__name__}({name}=…)")
        for path in (*files, self.store.path if self.store else ""):
            refuse_unknown(path, PLACES - {PROMPT, "key"}, where)
            if path and not path.startswith("{state}/"):
                remedy = "Let it begin with {state}/."
                raise AdapterError(f"{path!r} is not below the state directory", where=where, remedy=remedy)
        if isinstance(self.answer, Stored) and self.store is None:
            raise AdapterError("answer = Stored() needs a store", where=where, remedy="Give store = JsonStore(…).")
        spoken = [part for part in (self.answer, self.usage, self.reported) if part and not isinstance(part, Stored)]
        if self.terminal and any(not part.file for part in spoken):
            what = "a terminal shows pictures of texts, nothing exact"
            raise AdapterError(what, where=where, remedy="Name a file, or use answer = Stored().")
        if self.terminal and not self.stdin:
            raise AdapterError(
                "a terminal gets its prompts typed", where=where, remedy="Leave {prompt} out of command."
            )
        if self.histories == "native" and "session" not in names_in(self.store.path if self.store else ""):
            remedy = "Put {session} into the path of the store."
            raise AdapterError("native histories need a file for each session", where=where, remedy=remedy)


def _texts(value: Any, least: int = 1) -> bool:
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and len(value) >= least
        and all(isinstance(part, str) for part in value)
    )
