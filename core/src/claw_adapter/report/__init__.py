"""Reports of a run folder: records for programs, tables for a terminal, one HTML file for a browser.

Start at `claw_adapter.runs.load.load_run`, then `summarise`; `render` prints the summary, `write_html` writes the page. The
parts that need rich or Jinja2 are imported when they are called.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from claw_adapter.report.records import SUMMARY_VERSION, Summary
from claw_adapter.report.summary import summarise

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.runs.load import RunData

__all__ = [
    "SUMMARY_VERSION",
    "Summary",
    "render",
    "summarise",
    "write_html",
]


def render(summary: Summary, console: Console, *, report: Path | None = None, whole: bool = False) -> None:
    """Print the summary as tables; `report` is where the page is, if there is one. See `report.terminal`."""
    from claw_adapter.report.terminal import render as to_terminal

    to_terminal(summary, console, report=report, whole=whole)


def write_html(
    run: RunData, summary: Summary, path: Path, *, fragments: Mapping[str, Mapping[str, str]] | None = None
) -> None:
    """Write the page; `fragments` gives the evidence texts by scenario and fragment id.

    It is one file; of a large run, one with a folder of files beside it. See `report.html` and `report.large`.
    """
    from claw_adapter.report.html import write_html as to_html
    from claw_adapter.report.large import clear, is_large, write_large

    if is_large(summary):
        write_large(run, summary, path, fragments or {})
    else:
        clear(path)
        to_html(run, summary, path, fragments=fragments)
