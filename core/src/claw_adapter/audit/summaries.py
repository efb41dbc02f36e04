"""Whether a summary stays that stands for what a conversation no longer has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import LEAST, flat_of, split_lines
from claw_adapter.audit.units import RequestUnit

__all__ = ["Summaries"]


@dataclass(slots=True)
class Summaries:
    """What the model has said when a harness asked it to sum the conversation up."""

    held: tuple[str, ...] = ()
    """The lines of that one of them which was in a request last, as far as they were there first."""
    new: list[str] = field(default_factory=list)
    """Those asked for since, which are in none so far."""
    beside: bool = False
    """Whether anything was asked for beside the conversation since: that may have been another one."""

    def judge(
        self, asked: Iterable[str], units: Sequence[RequestUnit], request: int, book: Book, *, lacks: bool
    ) -> None:
        """A request, before which these summaries were asked for, and which lacks messages that a summary may stand for.

        What a harness leaves out of a summary from the beginning, or puts in its place, is its own affair, and so is what
        another one has come for.
        """
        self.new += asked
        unsure, self.beside = self.beside or bool(self.new), False
        text = "\n".join(unit.text for unit in units)
        there = [tuple(line for line in _lines(one) if line in text) for one in self.new]
        if shown := next(filter(None, reversed(there)), ()):
            self.held, self.new = shown, []
        elif lost := next((line for line in self.held if lacks and line not in text), ""):
            if unsure:
                self.held = ()
                return
            what = f"{lost[:60]!r} of a summary, and what it stands for, was there before and is gone"
            book.find("M30", "summary-forgotten", f"{what} (request {request})", owner="harness", request=request)


def _lines(summary: str) -> list[str]:
    return [line for line in map(str.strip, split_lines(flat_of(summary))) if len(line) >= LEAST]
