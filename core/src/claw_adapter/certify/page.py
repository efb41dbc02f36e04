"""The matrix page: harness × check, and behind each cell what was found, with the transcript of its turns.

Everything in it is untrusted and kept inert as in `report.html`: escaped, without scripts, without anything from outside.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from jinja2 import PackageLoader
from markupsafe import Markup

from claw_adapter.certify.check import AREAS
from claw_adapter.certify.records import CheckResult, Outcome, Report
from claw_adapter.certify.terminal import MARKS
from claw_adapter.report.clean import Clipped, clip
from claw_adapter.report.html import asset, digest_of, environment
from claw_adapter.runs.transcript import Exchange, read_transcript
from claw_adapter.tokens.meter import flatten

__all__ = ["Column", "MatrixCell", "page"]

TEXT: Final = 1_500
MOST_EXCHANGES: Final = 12
SIGNS: Final[dict[Outcome, tuple[str, str]]] = {
    "passed": ("✓", "ok"), "failed": ("✗", "bad"), "expected": ("x", "part"), "unsupported": ("–", "none"),
    "unverified": ("?", "none"), "kit": ("!", "part"),
}  # fmt: skip
"""Outcome → sign and class of a cell."""
MEANINGS: Final[dict[Outcome, str]] = {
    "passed": "as the specification asks", "failed": "not as it asks", "expected": "fails, and the baseline says why",
    "unsupported": "the adapter says it cannot do this; lowers the level", "unverified": "cannot be known on this machine",
    "kit": "the kit failed; counts against nobody",
}  # fmt: skip
EXTRA_STYLE: Final = """table.matrix td.text, table.matrix th.text { text-align: left; padding: .1rem .6rem; }
table.matrix th.head { padding: .2rem .6rem; font-size: .9rem; font-weight: 600; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .2rem 0; }
.message { border-left: 3px solid var(--line); padding-left: .6rem; margin: .4rem 0; } .remedy { font-weight: 600; }"""


@dataclass(frozen=True, slots=True)
class Column:
    """One certification: its report and the folder of its evidence."""

    report: Report
    evidence: Path


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One check of one harness."""

    anchor: str
    column: Column
    result: CheckResult

    @property
    def sign(self) -> str:
        """What stands in the matrix."""
        return SIGNS[self.result.outcome][0]

    @property
    def style(self) -> str:
        """Its class."""
        return SIGNS[self.result.outcome][1]

    def exchanges(self) -> Iterator[ShownExchange]:
        """The requests and replies of the check's turns, shortened."""
        wanted = {(turn.trial, turn.round) for turn in self.result.turns}
        left = MOST_EXCHANGES
        for trial in dict.fromkeys(turn.trial for turn in self.result.turns):
            for exchange, new in _transcript(self.column.evidence / trial / "transcript.jsonl"):
                if (trial, exchange.round) in wanted and left > 0:
                    left -= 1
                    yield _render_exchange(trial, exchange, new)


@dataclass(frozen=True, slots=True)
class ShownExchange:
    """An exchange as it is shown: what was new in the request, and the reply."""

    head: str
    earlier: int
    messages: tuple[tuple[str, Clipped], ...]
    reply: Clipped
    failure: str


@cache
def _transcript(path: Path) -> tuple[tuple[Exchange, int], ...]:
    """The exchanges of a transcript, each with the number of its messages that the one before had already."""
    found: list[tuple[Exchange, int]] = []
    before: tuple[object, ...] = ()
    for exchange in read_transcript(path) if path.is_file() else ():
        same = 0
        for one, other in zip(before, exchange.messages, strict=False):
            if one != other:
                break
            same += 1
        found.append((exchange, same))
        before = exchange.messages
    return tuple(found)


def _render_exchange(trial: str, exchange: Exchange, same: int) -> ShownExchange:
    streamed = ", streamed" if exchange.stream else ""
    head = (
        f"{trial} {exchange.round}, request {exchange.number}: {exchange.dialect}{streamed}, "
        f"{len(exchange.messages)} messages, {len(exchange.tools)} tools, status {exchange.status}, {exchange.seconds:.3f} s"
    )
    news = tuple((str(item.get("role", "")), clip(flatten(item)[0], TEXT)) for item in exchange.messages[same:][-12:])
    reply = json.dumps(exchange.reply, ensure_ascii=False) if exchange.reply else "(none)"
    failure = f"{exchange.failure.kind}: {exchange.failure.what}" if exchange.failure else ""
    return ShownExchange(head, len(exchange.messages) - len(news), news, clip(reply, TEXT), failure)


def page(columns: Sequence[Column]) -> str:
    """The page as text."""
    rows = _rows(columns)
    style = f"{asset('style.css')}\n{EXTRA_STYLE}"
    _transcript.cache_clear()
    return (
        environment()
        .overlay(loader=PackageLoader("claw_adapter.certify", "templates"))
        .get_template("certification.html.j2")
        .render(
            columns=columns,
            rows=rows,
            areas=AREAS,
            signs=SIGNS,
            meanings=MEANINGS,
            outcomes=list(MARKS),
            style=Markup(style),  # noqa: S704 - our own file
            policy=f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest_of(style)}'",
        )
    )


def _rows(columns: Sequence[Column]) -> list[tuple[CheckResult, list[MatrixCell | None]]]:
    """Every check that any column has, with its cell in each."""
    by_column = [{result.id: result for result in column.report.results} for column in columns]
    ids = dict.fromkeys(check for results in by_column for check in results)
    order = {area: number for number, area in enumerate(AREAS)}
    rows = []
    for check in sorted(ids, key=lambda one: (order.get(one.partition("-")[0], len(order)), one)):
        cells = [
            MatrixCell(f"c{number}-{check}", column, results[check]) if check in results else None
            for number, (column, results) in enumerate(zip(columns, by_column, strict=True))
        ]
        first = next(cell.result for cell in cells if cell is not None)
        rows.append((first, cells))
    return rows
