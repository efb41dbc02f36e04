"""What commands answer that show no file: what they print, how many names there are, and whether they have failed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.commands import counts, echoed_by, run_by, shown_by
from claw_adapter.audit.course import Steps
from claw_adapter.audit.removals import Removals
from claw_adapter.audit.results import LEAST, flat_of
from claw_adapter.audit.told import ToldCommand
from claw_adapter.audit.units import arguments_of
from claw_adapter.protocol.limits import Clip, Drop, Loss

__all__ = ["cuts", "is_answered", "judge_count", "judge_status", "judge_stopped", "judge_told", "plain_of", "printed"]

STOPPED: Final = Drop(what="stopped_output")
GROUPS: Final = Drop(what="stopped_groups")
LIMITED: Final = "timeout "
"""What stands in a command of which a part has a process group of its own."""
CUT: Final = 0.8
"""Of what is left of a result, the share that it has at least."""
BLANKS: Final = re.compile(r"[ \t]+")
ENDS: Final = re.compile(r"exit (\d+)\n")
COUNTED: Final = re.compile(r"(\d+) entries")


def is_answered(arguments: dict[str, JsonValue]) -> bool:
    """Whether a call is one whose answer is held against those of others here, where a plan has drawn it."""
    return bool(counts(arguments) or run_by(arguments) or echoed_by(arguments))


def judge_count(steps: Steps, before: Collection[str], after: Collection[str], book: Book) -> None:
    """What commands count in the workspace, in a turn that leaves the names there as they were before."""
    names, left = ({path.partition("/")[0] for path in paths} for paths in (before, after))
    for call, result, exchange in steps if names == left else ():
        counted = COUNTED.search(result.text) if counts(arguments_of(call)) else None
        if counted and int(counted[1]) != len(names):
            what = f"before and after the turn {len(names)} names are in the workspace, and {counted[1]} while a command runs"
            book.find("M20", "workspace-added", what, owner="harness", request=exchange.number)


def judge_status(steps: Steps, before: Mapping[str, str], after: Mapping[str, str], book: Book) -> None:
    """What commands are answered that say the same, nothing or a file, of which some end with an error and others do not."""
    told: dict[tuple[str, str, bool], str] = {}
    for call, result, exchange in steps:
        arguments = arguments_of(call)
        script, shown = run_by(arguments), shown_by(arguments)
        path = shown.path if shown else script
        ends = ENDS.fullmatch(before.get(script, ""))
        fails = shown.fails if shown else ends[1] != "0" if ends else None
        if fails is None or before.get(path) != after.get(path):
            continue
        tool, prints = call.tool, shown.path if shown else ""
        said = result.text.replace(path, "").strip()
        told[tool, prints, fails] = said
        if told.get((tool, prints, not fails)) == said:
            what = f"a command that ends with an error is answered as one that does not: {said[:60]!r}"
            book.find("M17", "status-untold", what, owner="harness", request=exchange.number)


def judge_stopped(
    steps: Steps, told: Sequence[ToldCommand | None], after: Mapping[str, str], losses: Collection[Loss], book: Book
) -> None:
    """A command that is stopped before its end is not answered as one that has come to its end, and does nothing more."""
    ended: set[tuple[str, str]] = set()
    for (call, result, exchange), does in zip(steps, told, strict=True):
        tool, echoed = call.tool, echoed_by(arguments_of(call))
        if echoed is None or echoed[0] not in result.text:
            continue
        first, last = echoed
        said = result.text.replace(first, "").strip()
        if not last:
            ended.add((tool, said))
        elif last not in result.text and (tool, said) in ended:
            what = f"a command is stopped after {first!r}, and answered as one that has come to its end: {said[:60]!r}"
            book.find("M17", "status-untold", what, owner="harness", request=exchange.number)
        given = does.given if last not in result.text and does is not None else {}
        path = next((path for path, text in given.items() if after.get(path) != text), "")
        if path and does is not None and LIMITED in does.command and GROUPS in losses:
            book.bite(GROUPS)
        elif path:
            what = f"a command is stopped after {first!r}, and what it has begun goes on: {path} is changed behind that"
            book.find("M17", "stopped-goes-on", what, owner="harness", request=exchange.number)


def judge_told(
    steps: Steps,
    told: Sequence[ToldCommand | None],
    after: Mapping[str, str],
    silence: Removals,
    losses: Collection[Loss],
    book: Book,
) -> None:
    """Hold what commands print against their results.

    What shows nothing of it may have been refused: not where the command has done what it was to do, nor where the answer is
    that of commands which print nothing and have worked. Nor has one of them what another one of the same reply prints.

    Args:
        steps: the calls of a turn with their results.
        told: of each, what its command does; None where that is not known, or files were others than it takes for given.
        after: the workspace's texts behind the turn.
        silence: knows what commands are answered that print nothing.
        losses: what is declared to be lost.
        book: takes the findings.
    """
    every = [printed(one) if one is not None and not one.aside else [] for one in told]
    for (call, result, exchange), one, lines in zip(steps, told, every, strict=True):
        if one is None or not lines:
            continue
        shown = plain_of(flat_of(result.text))
        beside = [other for other, (_, _, reply) in zip(every, steps, strict=True) if reply.number == exchange.number]
        others = (
            line for other in beside for line in other if len(line) >= LEAST and not any(line in own for own in lines)
        )
        if foreign := next((line for line in others if line in shown), ""):
            what = f"the result of {one.command[:80]!r} has what another command prints: {foreign[:60]!r}"
            book.find("M17", "output-foreign", what, owner="harness", request=exchange.number)
        done = bool(one.leaves) and all(after.get(path) == text for path, text in one.leaves.items())
        if one.stopped and done and not any(line in shown for line in lines):
            if STOPPED in losses:
                book.bite(STOPPED)
                continue
            what = f"a command was stopped at its time limit, and what it had printed, {lines[0][:60]!r}, is not in its result"
            book.find("M17", "stopped-output", what, owner="harness", request=exchange.number)
        elif any(line in shown for line in lines) or done or silence.answers_so(call, result):
            clip = next((loss for loss in losses if isinstance(loss, Clip) and cuts(loss, result.text)), None)
            _judge_lines(one, lines, shown, clip, exchange.number, book)


def printed(one: ToldCommand) -> list[str]:
    """The lines that a command prints, blanks in them made one, without empty ones."""
    return list(filter(None, map(plain_of, one.prints.splitlines())))


def cuts(loss: Clip, result: str) -> bool:
    """Whether a declared cut may have taken some of a command's result, by how long that is."""
    return loss.of in ("result", "command") and len(result) >= CUT * min(loss.left or loss.characters, loss.characters)


def _judge_lines(
    one: ToldCommand, lines: Sequence[str], shown: str, clip: Clip | None, request: int, book: Book
) -> None:
    at = 0
    for line in lines:
        found = shown.find(line, at)
        if found < 0 and clip is not None:
            book.bite(clip)
            return
        if found < 0:
            how = "not in its place" if line in shown else "not there"
            what = f"{one.command[:80]!r} prints {line[:60]!r}, and that is {how} in its result: {shown[:60]!r}"
            book.find("M17", "command-otherwise", what, owner="harness", request=request)
            return
        at = found + len(line)


def plain_of(text: str) -> str:
    """A text with one blank for several, and none at its ends."""
    return BLANKS.sub(" ", text).strip()
