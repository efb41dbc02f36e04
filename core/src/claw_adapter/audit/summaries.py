"""Whether a summary stays that stands for what a conversation no longer has, and was made of that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import LEAST, flat_of, split_lines
from claw_adapter.audit.units import RequestUnit, Said

__all__ = ["Summaries", "judge_lost"]


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


def judge_lost(lost: Iterable[Said], told: Iterable[RequestUnit], request: int, book: Book) -> None:
    """What went with a summary has been in a request for it, at least some line of each message, call and result."""
    text = "\n".join(flat_of(unit.text) for unit in told)
    for said in lost:
        lines = _lines(said.text)
        if lines and not any(line in text for line in lines):
            what = f"the conversation was summed up without {lines[0][:60]!r}, which was there before and is gone"
            book.find("M30", "summary-without", f"{what} (request {request})", owner="harness", request=request)
            return


def _lines(summary: str) -> list[str]:
    return [line for line in map(str.strip, split_lines(flat_of(summary))) if len(line) >= LEAST]
