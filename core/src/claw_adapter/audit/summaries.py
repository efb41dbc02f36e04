"""Whether a summary stays that stands for what a conversation no longer has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import split_lines
from claw_adapter.audit.units import RequestUnit

__all__ = ["Summaries"]

PIECE: Final = 40
"""Characters of a line by which it is known."""
LEAST: Final = 12
"""Characters of a line that says anything."""


@dataclass(slots=True)
class Summaries:
    """What the model has said when a harness asked it to sum the conversation up."""

    held: str = ""
    """That of them which was in a request."""
    new: list[str] = field(default_factory=list)
    """Those asked for since, which are in none so far."""

    def judge(
        self, asked: Iterable[str], units: Sequence[RequestUnit], request: int, book: Book, *, lacks: bool
    ) -> None:
        """A request, before which these summaries were asked for, and which lacks messages that a summary may stand for.

        Nothing is said of what another one has come for: harnesses may join it with theirs, or put their own in its place.
        """
        self.new += asked
        text = "\n".join(unit.text for unit in units)
        if shown := next((one for one in reversed(self.new) if _in(one, text)), ""):
            self.held, self.new = shown, []
        elif self.held and not self.new and lacks and not _in(self.held, text):
            what = f"the summary {self.held.strip()[:60]!r}, and what it stands for, was there before and is gone"
            book.find("M30", "summary-forgotten", f"{what} (request {request})", owner="harness", request=request)


def _in(summary: str, text: str) -> bool:
    """Whether any line of a summary is in a text; lines may be cut there at either end."""
    return any(piece in text for piece in _pieces(summary))


def _pieces(summary: str) -> Iterator[str]:
    for line in map(str.strip, split_lines(summary)):
        if len(line) >= LEAST:
            yield from (line[:PIECE], line[-PIECE:])
