"""Running one command line on a world: what is printed, the exit status, and the difference it made.

Exit statuses: 0 done · 1 refused (not found, not logged in) · 2 does not fit the grammar · 127 no such command.
"""

from __future__ import annotations

from dataclasses import dataclass

from claw_adapter_forge.surfaces.answers import answer
from claw_adapter_forge.surfaces.grammar import Args, Group, Output, Refused, UsageError, Verb, parse_args
from claw_adapter_forge.surfaces.registry import bare_verb, find, group_help, hints, nearest, programs
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.world.difference import Change, table_changes
from claw_adapter_forge.world.state import MAX_TEXT, TableFull, World

__all__ = ["UNKNOWN", "Execution", "execute", "execute_words", "resolve"]

UNKNOWN = 127
_HELP = {"--help", "-h"}


@dataclass(frozen=True, slots=True)
class Execution:
    """One executed command."""

    line: str
    verb: Verb | None
    output: Output
    changes: tuple[Change, ...] = ()

    @property
    def text(self) -> str:
        """What a terminal would show."""
        return "\n".join(t for t in (self.output.stdout, self.output.stderr) if t)


def resolve(words: list[str]) -> tuple[Verb, Args] | str:
    """The verb and arguments of a command, or a text to print instead (help).

    Raises:
        Refused: unknown command (127) or bad usage (2).
    """
    if not words:
        raise UsageError("empty command")
    if words[0] == "help":
        return hints()
    found, size = find(words)
    if found is None:
        raise Refused(f"{words[0]}: command not found; available: {', '.join(programs())}", UNKNOWN)
    rest = words[size:]
    if isinstance(found, Group):
        return _group(found, rest)
    if rest and rest[-1] in _HELP:
        return found.usage()
    return found, parse_args(found, rest)


def _group(group: Group, rest: list[str]) -> tuple[Verb, Args] | str:
    name = " ".join(group.path)
    if any(word in _HELP for word in rest):
        return group_help(group)
    if rest and not rest[0].startswith("-"):
        near = nearest(group.path, rest[0])
        hint = f"; did you mean `{name} {near}`?" if near else f"; see `{name} --help`"
        raise Refused(f"unknown command: {name} {rest[0]}{hint}", UNKNOWN)
    verb = bare_verb(group)
    if verb is None:
        raise UsageError(f"`{name}` needs a command\n{group_help(group)}")
    return verb, parse_args(verb, rest)


def execute_words(world: World, words: list[str], line: str) -> Execution:
    """Run a command that is split already; the world is left as it was when the command is refused."""
    verb: Verb | None = None
    before = world.tables()
    try:
        resolved = resolve(words)
        if isinstance(resolved, str):
            return Execution(line, None, Output(resolved))
        verb, args = resolved
        stdout = verb.run(world, args)
        if verb.mutates:
            answer(world, before)
    except Refused as refusal:
        return Execution(line, verb, Output("", str(refusal), refusal.code))
    except TableFull as full:
        return Execution(line, verb, Output("", f"no room left: {full}", 1))
    if len(stdout) > MAX_TEXT:
        stdout = stdout[:MAX_TEXT] + "\n[output cut]"
    changes = table_changes(before, world.tables()) if verb.mutates else ()
    return Execution(line, verb, Output(stdout), changes)


def execute(world: World, line: str) -> Execution:
    """Run one command line."""
    try:
        words = split_words(line)
    except UsageError as error:
        return Execution(line, None, Output("", str(error), error.code))
    return execute_words(world, words, line)
