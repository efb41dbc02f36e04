"""A reference taken apart for mutation: its commands, their words, which of them write, and what they wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from claw_adapter_forge.surfaces.grammar import Verb
from claw_adapter_forge.surfaces.registry import find
from claw_adapter_forge.surfaces.words import join_words, split_words
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.difference import Change

__all__ = ["Line", "Mutant", "Script", "take_apart"]


@dataclass(frozen=True, slots=True)
class Line:
    """One command. `changes` is what it did in the reference run."""

    words: tuple[str, ...]
    verb: Verb | None
    changes: tuple[Change, ...] = ()

    @property
    def text(self) -> str:
        """The command line."""
        return join_words(self.words)

    @property
    def writes(self) -> bool:
        """Whether its verb changes the world."""
        return self.verb is not None and self.verb.mutates

    def flag(self, name: str) -> str:
        """The value of a flag, or an empty string."""
        head = f"--{name}"
        return next(iter(self.words[self.words.index(head) + 1 :]), "") if head in self.words else ""

    def put(self, name: str, value: str) -> Line:
        """The line with another value of a flag (added if it was not there)."""
        head, words = f"--{name}", list(self.words)
        if head in words:
            words[words.index(head) + 1] = value
        else:
            words += [head, value]
        return replace(self, words=tuple(words))


def parse_line(text: str, changes: tuple[Change, ...] = ()) -> Line:
    """A command line taken apart."""
    words = split_words(text)
    verb, _ = find(words)
    return Line(tuple(words), verb if isinstance(verb, Verb) else None, changes)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed reference: the operator that made it and what it did."""

    operator: str
    note: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """The reference of a task and of its minimal pair."""

    task: ForgeTask
    lines: tuple[Line, ...]
    sibling: tuple[Line, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        """The command lines."""
        return tuple(line.text for line in self.lines)

    @property
    def writes(self) -> tuple[int, ...]:
        """Positions of the commands that write."""
        return tuple(i for i, line in enumerate(self.lines) if line.writes)

    def swapped(self, position: int, *lines: str) -> tuple[str, ...]:
        """The command lines with one replaced by others (by none: dropped)."""
        texts = self.texts
        return (*texts[:position], *lines, *texts[position + 1 :])


def take_apart(
    task: ForgeTask, reference: Sequence[str], changes: Sequence[tuple[Change, ...]], sibling: Sequence[str]
) -> Script:
    """A `Script` of executed commands and of the minimal pair's commands."""
    lines = tuple(parse_line(t, c) for t, c in zip(reference, changes, strict=True))
    return Script(task, lines, tuple(parse_line(t) for t in sibling))
