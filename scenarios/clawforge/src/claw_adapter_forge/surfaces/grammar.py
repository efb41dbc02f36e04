"""The grammar every surface is declared in. Parser, ``--help``, hints, fuzzers and shims all read these records.

A command is a path (``openclaw cron add``), then flags (``--name X`` or ``--name=X``) and positional arguments in any order.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from claw_adapter_forge.world.cron import is_schedule
from claw_adapter_forge.world.state import MAX_TEXT, World
from claw_adapter_forge.world.times import ZONES, parse_date, parse_moment

__all__ = ["Arg", "Args", "Flag", "FlagKind", "Group", "Output", "Refused", "UsageError", "Verb", "parse_args"]

FlagKind = Literal["text", "switch", "number", "date", "moment", "schedule", "zone", "path", "addresses", "choice"]


class Refused(Exception):  # an answer to the agent, like a tool's exit status, not a fault
    """A well-formed command that cannot be done; the message goes to stderr."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


class UsageError(Refused):
    """A command that does not fit the grammar: exit 2."""

    def __init__(self, message: str) -> None:
        super().__init__(message, 2)


@dataclass(frozen=True, slots=True)
class Output:
    """What a command printed and its exit status."""

    stdout: str = ""
    stderr: str = ""
    code: int = 0


@dataclass(frozen=True, slots=True)
class Flag:
    """A named argument. Aliases are spelled without dashes too."""

    name: str
    help: str
    kind: FlagKind = "text"
    required: bool = False
    choices: tuple[str, ...] = ()
    default: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def synopsis(self) -> str:
        """``--title TEXT`` or ``[--due DATE]``."""
        value = "" if self.kind == "switch" else " " + ("|".join(self.choices) or self.kind.upper())
        return f"--{self.name}{value}" if self.required else f"[--{self.name}{value}]"


@dataclass(frozen=True, slots=True)
class Arg:
    """A positional argument; `rest` takes all the words that are left."""

    name: str
    help: str
    required: bool = True
    kind: FlagKind = "text"
    rest: bool = False

    @property
    def synopsis(self) -> str:
        """``NAME`` or ``[NAME]``."""
        word = self.name.upper() + ("…" if self.rest else "")
        return word if self.required else f"[{word}]"


class Args:
    """Parsed arguments, by the canonical name of the flag or positional argument."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        """The value, or an empty string."""
        return self._values.get(name, "")

    def given(self, name: str) -> bool:
        """Whether it was on the command line (or has a default)."""
        return name in self._values

    def number(self, name: str) -> int:
        """The value as a number; 0 when it was not given."""
        return int(self._values.get(name, "0"))

    def listed(self, name: str) -> tuple[str, ...]:
        """A comma-separated value, parts stripped, empty parts left out."""
        return tuple(p.strip() for p in self._values.get(name, "").split(",") if p.strip())


Handler = Callable[[World, Args], str]


@dataclass(frozen=True, eq=False)
class Verb:
    """A command. `run` returns what is printed, or raises `Refused`.

    `one_of` names flags of which one must be there; with `only_one` no more than one.
    """

    path: tuple[str, ...]
    help: str
    run: Handler
    flags: tuple[Flag, ...] = ()
    args: tuple[Arg, ...] = ()
    mutates: bool = False
    one_of: tuple[str, ...] = ()
    only_one: bool = False
    index: Mapping[str, Flag] = field(init=False)

    def __post_init__(self) -> None:
        index = {name: f for f in self.flags for name in (f.name, *f.aliases)}
        object.__setattr__(self, "index", index)

    @property
    def name(self) -> str:
        """The command as typed."""
        return " ".join(self.path)

    @property
    def synopsis(self) -> str:
        """One line: the command, its arguments and flags."""
        return " ".join([self.name, *(a.synopsis for a in self.args), *(f.synopsis for f in self.flags)])

    def usage(self) -> str:
        """The text of ``--help``."""
        lines = [f"Usage: {self.synopsis}", "", self.help]
        rows = [(a.name.upper(), a.help) for a in self.args]
        rows += [(_flag_head(f), f.help + (f" (default: {f.default})" if f.default else "")) for f in self.flags]
        if rows:
            width = max(len(head) for head, _ in rows)
            lines += ["", *(f"  {head:<{width}}  {text}" for head, text in rows)]
        if self.one_of:
            head = "Exactly one of " if self.only_one else "One of "
            lines += ["", head + ", ".join(f"--{n}" for n in self.one_of) + " is needed."]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Group:
    """A word that verbs hang under. `bare` is the verb run when nothing follows it."""

    path: tuple[str, ...]
    help: str
    bare: tuple[str, ...] = ()


def _flag_head(flag: Flag) -> str:
    names = ", ".join(f"--{n}" for n in (flag.name, *flag.aliases))
    return names if flag.kind == "switch" else f"{names} {'|'.join(flag.choices) or flag.kind.upper()}"


def parse_args(verb: Verb, words: list[str]) -> Args:
    """The arguments of one command.

    Raises:
        UsageError: an unknown flag, a missing or malformed value, a word too many.
    """
    values: dict[str, str] = {}
    loose: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if not word.startswith("--") or word == "--":
            loose.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        flag = verb.index.get(name) or _unknown(verb, name)
        if flag.kind == "switch":
            values[flag.name] = "true"
            continue
        if not equals:
            if position >= len(words) or (words[position].startswith("--") and words[position][2:] in verb.index):
                raise UsageError(f"--{name} needs a value")
            value = words[position]
            position += 1
        values[flag.name] = _checked(f"--{name}", flag.kind, flag.choices, value)
    _positional(verb, loose, values)
    _complete(verb, values)
    return Args(values)


def _unknown(verb: Verb, name: str) -> Flag:
    near = difflib.get_close_matches(name, list(verb.index), n=1)
    hint = f"; did you mean --{near[0]}?" if near else f"; see `{verb.name} --help`"
    raise UsageError(f"unknown flag --{name}{hint}")


def _positional(verb: Verb, loose: list[str], values: dict[str, str]) -> None:
    left = list(loose)
    for arg in verb.args:
        if arg.rest and left:
            values[arg.name], left = " ".join(left), []
        elif left:
            values[arg.name] = _checked(arg.name, arg.kind, (), left.pop(0))
        elif arg.required:
            raise UsageError(f"{arg.name.upper()} is required; usage: {verb.synopsis}")
    if left:
        raise UsageError(f"unexpected argument {left[0]!r}; usage: {verb.synopsis}")


def _complete(verb: Verb, values: dict[str, str]) -> None:
    for flag in verb.flags:
        if flag.name in values:
            continue
        if flag.required:
            raise UsageError(f"--{flag.name} is required")
        if flag.default:
            values[flag.name] = flag.default
    _one_of(verb, values)


def _one_of(verb: Verb, values: dict[str, str]) -> None:
    given = [name for name in verb.one_of if name in values]
    listed = ", ".join(f"--{n}" for n in verb.one_of)
    if verb.one_of and not given:
        raise UsageError(f"one of {listed} is required")
    if verb.only_one and len(given) > 1:
        raise UsageError(f"only one of {listed} may be given")


def _checked(label: str, kind: FlagKind, choices: tuple[str, ...], value: str) -> str:
    if len(value) > MAX_TEXT:
        raise UsageError(f"{label} is longer than {MAX_TEXT} characters")
    if kind == "text":
        return value
    if kind == "choice":
        if value not in choices:
            raise UsageError(f"{label} must be one of {', '.join(choices)}, not {value!r}")
        return value
    checker, wanted = _CHECKERS[kind]
    checked = checker(value)
    if checked is None:
        raise UsageError(f"{label} must be {wanted}, not {value!r}")
    return checked


def _number(value: str) -> str | None:
    return value if value.isdigit() and value.isascii() and len(value) < 7 else None


def _schedule(value: str) -> str | None:
    return value if is_schedule(value) else None


def _zone(value: str) -> str | None:
    return value if value in ZONES else None


def _path(value: str) -> str | None:
    parts = [p for p in value.split("/") if p not in {"", "."}]
    return "/" + "/".join(parts) if parts and ".." not in parts and "\0" not in value else None


def _addresses(value: str) -> str | None:
    parts = [p.strip() for p in value.split(",") if p.strip()]
    good = parts and all(p.count("@") == 1 and p[0] != "@" and "." in p.split("@")[1] and " " not in p for p in parts)
    return ",".join(parts) if good else None


_CHECKERS: dict[str, tuple[Callable[[str], str | None], str]] = {
    "number": (_number, "a whole number"),
    "date": (parse_date, "a date YYYY-MM-DD"),
    "moment": (parse_moment, "a moment YYYY-MM-DDTHH:MM, wall time without a zone"),
    "schedule": (_schedule, "a cron expression of five fields, or an interval such as 30m"),
    "zone": (_zone, "a known time zone such as Europe/Oslo"),
    "path": (_path, "a file path without '..'"),
    "addresses": (_addresses, "one or more mail addresses separated by commas"),
}
