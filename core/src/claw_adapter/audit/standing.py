"""What stands in front of a conversation, in a harness's instructions: behind a restart it is still there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import takewhile
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import RequestUnit

__all__ = ["Standing"]

LEAST: Final = 6
"""Characters of a path by which a line is known to be about a file."""


class Standing:
    """Follows the lines of a trial's instructions that name a file of the workspace.

    A line that was in every request of the two turns before a restart, about a file that is still there, and is in none
    behind it, not with other figures either (dates, ids of processes), tells of something that only a process knew.
    """

    def __init__(self, book: Book) -> None:
        self.book = book
        self._turns: list[set[str]] = []
        """What was in every request, of the two last turns."""
        self._process = -1

    def judge(self, turn: RequestTurn, files: Collection[str], *, restarted: bool) -> None:
        """One turn that has requests.

        Args:
            turn: the turn.
            files: paths of the workspace when it began.
            restarted: whether the session was closed and opened again before it.
        """
        found = [_instructions(turn.units[one.number]) for one in turn.chain]
        if not found:
            return
        if restarted or 0 <= self._process < turn.process:
            self._compare(set().union(*found), [path for path in files if len(path) >= LEAST], turn.chain[0].number)
            self._turns = []
        self._turns = [*self._turns[-1:], set.intersection(*found)]
        self._process = turn.process

    def _compare(self, lines: Collection[str], files: Collection[str], request: int) -> None:
        if len(self._turns) < 2:
            return
        shapes = {_shape(line) for line in lines}
        for line in sorted(set.intersection(*self._turns)):
            if _shape(line) not in shapes and any(path in line for path in files):
                what = f"{line.strip()[:80]!r}, in front of all requests of the two turns before a restart, is gone behind it"
                self.book.find("M24", "instructions-forgotten", what, request=request)
                return


def _instructions(units: Iterable[RequestUnit]) -> set[str]:
    """The lines before the conversation; what is said in it as the system belongs to it."""
    first = takewhile(lambda unit: unit.kind == "system", units)
    return {line for unit in first for line in unit.text.splitlines()}


def _shape(line: str) -> str:
    return re.sub(r"[\W\d_]+", "", line)
