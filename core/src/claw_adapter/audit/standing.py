"""What stands in front of a conversation, instructions and tools: behind a restart it is still there."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import takewhile
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import RequestUnit
from claw_adapter.runs.transcript import Exchange

__all__ = ["StandingLines"]

TOOL: Final = "\n"
LEAST: Final = 6
"""Characters of a path by which a line is known to be about a file."""


class StandingLines:
    """Follows the lines of a trial's instructions that name a file of the workspace.

    A line that was in every request of the two turns before a restart, about a file that is still there, and is in none
    behind it, not with other figures either (dates, ids of processes), tells of something that only a process knew. So does
    a tool that was offered in all of them, and is in none.
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
        found = [_instructions(turn.units[one.number]) | _tools(one) for one in turn.chain]
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
            tool = line.removeprefix(TOOL) if line.startswith(TOOL) else ""
            if line in lines or not (tool or (_shape(line) not in shapes and any(path in line for path in files))):
                continue
            cause, name = ("tools", f"the tool {tool}") if tool else ("instructions", repr(line.strip()[:80]))
            what = f"{name}, in front of all requests of the two turns before a restart, is gone behind it"
            self.book.find("M24", f"{cause}-forgotten", what, request=request)
            return


def _tools(exchange: Exchange) -> set[str]:
    """The names of the tools that are offered, each as a line that no text can have."""
    functions = [tool.get("function") for tool in exchange.tools]
    return {f"{TOOL}{one.get('name')}" for one in functions if isinstance(one, dict)}


def _instructions(units: Iterable[RequestUnit]) -> set[str]:
    """The lines before the conversation; what is said in it as the system belongs to it."""
    first = takewhile(lambda unit: unit.kind == "system", units)
    return {line for unit in first for line in unit.text.splitlines()}


def _shape(line: str) -> str:
    return re.sub(r"[\W\d_]+", "", line)
