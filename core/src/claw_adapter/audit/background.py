"""What commands that go on in the background have printed comes back to those who ask for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from claw_adapter.audit.answered import cuts, plain_of, printed
from claw_adapter.audit.book import Book
from claw_adapter.audit.course import Steps
from claw_adapter.audit.results import flat_of
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.units import arguments_of
from claw_adapter.protocol.limits import Clip, Loss
from claw_adapter.reading import strings_of

__all__ = ["judge_begun"]

HANDLE: Final = re.compile(r"[\w-]{3,}")
"""What a command that goes on may be called."""
NUMBER: Final = re.compile(r"\d+")


def judge_begun(
    steps: Steps, told: Sequence[ToldCommand | None], after: Mapping[str, str], losses: Collection[Loss], book: Book
) -> set[int]:
    """Hold what commands print that go on in the background against all that calls show of each who ask for it.

    Which call asks for which of them is known by the words that the answer to it has, and that to no other has. A command is
    judged whose end is known by what it has left; and what it printed is to come back where some of what such commands print
    does: else those who ask may be told where it lies.

    Args:
        steps: the calls of a turn with their results.
        told: of each, what its command does, if that is known.
        after: the workspace's texts behind the turn.
        losses: what is declared to be lost.
        book: takes the findings.

    Returns:
        The numbers of these commands, and of the calls that ask for them.
    """
    begun = {at: one for at, one in enumerate(told) if one is not None and one.aside}
    asked = _asked(steps, begun)
    shown = {at: [plain_of(flat_of(steps[number][1].text)) for number in (at, *asked[at])] for at in begun}
    lines = {at: printed(one) for at, one in begun.items()}
    every = [line for its in lines.values() for line in its]
    shows = any(line in result for results in shown.values() for result in results[1:] for line in every)
    for at, one in begun.items():
        ended = all(after.get(path) == text for path, text in one.leaves.items())
        if not (shows and asked[at] and ended):
            continue
        request, mine = steps[asked[at][-1]][2].number, lines[at]
        lost = [line for line in mine if not any(line in result for result in shown[at])]
        clip = next(
            (loss for loss in losses if isinstance(loss, Clip) and any(cuts(loss, one) for one in shown[at])), None
        )
        if lost and clip is not None:
            book.bite(clip)
        elif lost and not _says_how_many(one, lost, shown[at]):
            what = f"{one.command[:60]!r} printed {lost[0][:60]!r} in the background, and no result that is asked for has it"
            book.find("M17", "background-lost", what, owner="harness", request=request)
        others = (line for line in every if line not in mine and any(line in result for result in shown[at]))
        if foreign := next(others, ""):
            what = f"what {one.command[:60]!r} prints in the background is asked for, and shown is another's: {foreign[:60]!r}"
            book.find("M17", "output-foreign", what, owner="harness", request=request)
    return {*begun, *(number for numbers in asked.values() for number in numbers)}


def _asked(steps: Steps, begun: Collection[int]) -> dict[int, list[int]]:
    """Of each command that goes on, the calls that name it, and nothing that any other is called."""
    said = {at: {*HANDLE.findall(steps[at][1].text)} for at in begun}
    names = {at: said[at].difference(*(said[other] for other in begun if other != at)) for at in begun}
    later = [(at, {*strings_of(arguments_of(call))}) for at, (call, _, _) in enumerate(steps) if at not in begun]
    return {at: [number for number, texts in later if number > at and texts & names[at]] for at in begun}


def _says_how_many(one: ToldCommand, lost: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether a result says beside it how much was printed, or how much of that is left out, in lines or characters."""
    mine, left = printed(one), "\n".join(lost)
    sizes = {len(mine), len(lost), *(len(text) + end for text in (one.prints, left) for end in (0, 1))}
    besides = (line for result in shown for line in result.splitlines() if not any(own in line for own in mine))
    return any(int(number) in sizes for line in besides for number in NUMBER.findall(line))
