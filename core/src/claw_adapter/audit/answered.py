"""What commands answer that show no file: how many names there are, and whether they have failed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.commands import counts, run_by
from claw_adapter.audit.course import Steps
from claw_adapter.audit.units import arguments_of

__all__ = ["judge_count", "judge_status"]

ENDS: Final = re.compile(r"exit (\d+)\n")
COUNTED: Final = re.compile(r"(\d+) entries")


def judge_count(steps: Steps, before: Collection[str], after: Collection[str], book: Book) -> None:
    """What commands count in the workspace, in a turn that leaves the names there as they were before."""
    names, left = ({path.partition("/")[0] for path in paths} for paths in (before, after))
    for call, result, exchange in steps if names == left else ():
        counted = COUNTED.search(result.text) if counts(arguments_of(call)) else None
        if counted and int(counted[1]) != len(names):
            what = f"before and after the turn {len(names)} names are in the workspace, and {counted[1]} while a command runs"
            book.find("M20", "workspace-added", what, owner="harness", request=exchange.number)


def judge_status(steps: Steps, before: Mapping[str, str], after: Mapping[str, str], book: Book) -> None:
    """What scripts are answered that say nothing, of which some end with an error and others do not."""
    told: dict[tuple[str, bool], str] = {}
    for call, result, exchange in steps:
        script = run_by(arguments_of(call))
        ends = ENDS.fullmatch(before.get(script, "")) if before.get(script) == after.get(script) else None
        if ends is None:
            continue
        tool, works = call.text.partition(" ")[0], ends[1] == "0"
        said = told[tool, works] = result.text.replace(script, "").strip()
        if told.get((tool, not works)) == said:
            what = f"a command that ends with an error is answered as one that does not: {said[:60]!r}"
            book.find("M17", "status-untold", what, owner="harness", request=exchange.number)
