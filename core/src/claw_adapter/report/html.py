"""The summary and every round of a run as one HTML file: no external resource, readable without scripts.

Everything in a run folder is untrusted. Three layers keep it inert: every value is cleaned and escaped on its way into the
page (autoescape, `_inert`), templates put values into text and quoted attributes only, and the page's own policy allows
no script or style but ours, by hash, and no connection to anywhere.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from claw_adapter.report import words
from claw_adapter.report.breakdown_records import FailedRound
from claw_adapter.report.breakdown_words import breakdown_tables
from claw_adapter.report.clean import clean
from claw_adapter.report.legend import explain_metrics
from claw_adapter.report.pictures import run_pictures
from claw_adapter.report.records import Summary
from claw_adapter.report.view import CAPS, CellView, Fragments, RoundView, Viewer
from claw_adapter.runs.folder import write_atomic
from claw_adapter.runs.load import RunData

__all__ = ["LIMIT", "asset", "digest_of", "environment", "page", "tables", "write_html"]

LIMIT: Final = 20_000_000
"""Bytes of a page: beyond it browsers get slow; texts are cut shorter until the page fits."""
MANY: Final = (120, 500)
"""Round cells from which on the next tighter caps are tried first; for those that are not right, only these count."""

ACROSS: Final = 40
"""Scenarios of one round in a table of marks."""


def write_html(run: RunData, summary: Summary, path: Path, *, fragments: Fragments | None = None) -> None:
    """Write the page to `path`, all or nothing; `fragments` gives evidence texts by scenario and fragment id."""
    write_atomic(path, page(run, summary, fragments=fragments))


def page(run: RunData, summary: Summary, *, fragments: Fragments | None = None, limit: int = LIMIT) -> str:
    """The page as text: at most `limit` bytes unless the tightest caps are still too generous."""
    cells = [cell for row in summary.rounds for cell in row.cells]
    least, right = _tightness(sum(cell.score != 1 for cell in cells)), _tightness(len(cells))
    text = ""
    pictures = list(run_pictures(run, summary))
    for place in range(least, len(CAPS)):
        viewer = Viewer(run, summary, CAPS[place], fragments or {}, CAPS[max(place, right)])
        text = _render(summary, list(viewer.rounds()), pictures)
        if len(text.encode()) <= limit:
            break
    return text


def _tightness(cells: int) -> int:
    """Place in `CAPS` of the first to try with so many cells."""
    return sum(cells > number for number in MANY)


def _render(summary: Summary, rounds: list[RoundView], pictures: list[Markup]) -> str:
    script = asset("script.js")
    scenarios = _by_scenario(rounds)
    return (
        environment()
        .get_template("report.html.j2")
        .render(
            **tables(summary, script, f"'{digest_of(script)}'"),
            scenarios=scenarios,
            pictures=pictures,
            strips=_strips(list(scenarios.values())),
            failed=_failed(summary, rounds),
            unscored=words.unscored_lines(summary),
            folder="",
        )
    )


def tables(summary: Summary, script: str, scripts: str) -> dict[str, Any]:
    """What a template needs for everything but the rounds; `scripts` is what the policy says of scripts."""
    style, columns = asset("style.css"), words.defined(summary)
    return {
        "summary": summary,
        "columns": columns,
        "legend": explain_metrics(key for key, _ in columns),
        "with_intervals": not words.has_overall(summary),
        "breakdown_tables": list(breakdown_tables(summary.breakdowns)),
        "words": words,
        "script": Markup(script),  # noqa: S704 - our own file
        "style": Markup(style),  # noqa: S704 - our own file
        "policy": f"default-src 'none'; base-uri 'none'; form-action 'none'; script-src {scripts}; "
        f"style-src '{digest_of(style)}'",
    }


def _by_scenario(rounds: list[RoundView]) -> dict[str, list[RoundView]]:
    found: dict[str, list[RoundView]] = {}
    for view in rounds:
        found.setdefault(view.row.scenario, []).append(view)
    return found


def _strips(scenarios: Sequence[Sequence[RoundView]]) -> Iterator[tuple[str, Sequence[RoundView]]]:
    """Rounds that stand in one table of marks: those of a scenario; scenarios of one round are put together."""
    single = [rounds[0] for rounds in scenarios if len(rounds) == 1]
    for rounds in scenarios:
        if len(rounds) > 1 or len(single) == 1:
            yield rounds[0].row.scenario, rounds
    alike: dict[tuple[str, ...], list[RoundView]] = {}
    for view in single if len(single) > 1 else ():
        alike.setdefault(tuple(cell.label for cell in view.cells), []).append(view)
    for views in alike.values():
        for start in range(0, len(views), ACROSS):
            some = views[start : start + ACROSS]
            yield f"{some[0].row.scenario} to {some[-1].row.scenario}, {words.plural(len(some), 'scenario')}", some


def _failed(summary: Summary, rounds: Sequence[RoundView]) -> list[tuple[FailedRound, CellView, str]]:
    """Each failed round with the cell that shows it, and its scenario's name."""
    places = {(cell.trial, view.row.index): (cell, view.row.scenario) for view in rounds for cell in view.cells}
    return [(one, *places[one.trial, one.index]) for one in summary.failed]


def asset(name: str) -> str:
    """A file that goes into the page as it is; its text must be exactly what the hash in the policy was taken of."""
    return resources.files("claw_adapter.report").joinpath("templates", name).read_text("utf-8").strip()


def digest_of(text: str) -> str:
    """What a content security policy calls an inline script or style by."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _inert(value: Any) -> Any:
    """Applied to every value before it is escaped; markup that our own templates made passes."""
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """Templates with everything escaped and nothing undefined."""
    made = Environment(
        loader=PackageLoader("claw_adapter.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_inert,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "percent": words.percent,
        "count": words.count,
        "seconds": words.seconds,
        "milliseconds": words.milliseconds,
    }
    made.globals["plural"] = words.plural
    return made
