"""A comparison as one HTML file, inert and without scripts; see `report.html` for how untrusted text is kept inert."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from claw_adapter.report import compare_words, words
from claw_adapter.report.compare_records import Comparison
from claw_adapter.report.html import asset, digest_of, environment
from claw_adapter.runs.folder import write_atomic

__all__ = ["page", "write_html"]


def write_html(comparison: Comparison, path: Path) -> None:
    """Write the page to `path`, all or nothing."""
    write_atomic(path, page(comparison))


def page(comparison: Comparison) -> str:
    """The page as text."""
    style = asset("style.css")
    return (
        environment()
        .get_template("compare.html.j2")
        .render(
            comparison=comparison,
            columns=dict(words.COLUMNS),
            words=words,
            say=compare_words,
            style=Markup(style),  # noqa: S704 - our own file
            policy=f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest_of(style)}'",
        )
    )
