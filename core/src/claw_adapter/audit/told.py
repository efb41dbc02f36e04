"""Commands of which a plan says what they do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.reading import strings_of
from claw_adapter.runs.transcript import Exchange

__all__ = ["ToldCommand", "told_of"]


@dataclass(frozen=True, slots=True)
class ToldCommand:
    """A command that does this for certain where files are as `given`; None stands for a file that is not there."""

    command: str
    given: Mapping[str, str | None] = field(default_factory=dict)
    leaves: Mapping[str, str | None] = field(default_factory=dict)
    """Files that it changes, with their texts behind it."""
    prints: str = ""
    stopped: bool = False
    """It is told to end before it would, and has printed that by then."""
    misses: Sequence[str] = ()
    """Files that parts of a patch do not fit."""
    aside: bool = False
    """It goes on in the background, and other calls ask what it has printed."""


def told_of(
    steps: Sequence[tuple[RequestUnit, RequestUnit, Exchange]], told: Sequence[ToldCommand]
) -> list[ToldCommand | None]:
    """Of each call, what was said of its command: of calls that are equal, one after another."""
    waiting: dict[str, list[ToldCommand]] = {}
    for one in told:
        waiting.setdefault(one.command, []).append(one)
    found = list[ToldCommand | None]()
    for call, _, _ in steps:
        mine = next((waiting[text] for text in strings_of(arguments_of(call)) if waiting.get(text)), [])
        found.append(mine.pop(0) if mine else None)
    return found
