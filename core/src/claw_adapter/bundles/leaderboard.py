"""A page of verified bundles: a row for each harness and model, in grey what is not verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup

from claw_adapter.bundles.records import BundleRow, Verified
from claw_adapter.bundles.verify import verify_bundle
from claw_adapter.errors import ClawError
from claw_adapter.report import words
from claw_adapter.report.html import asset, digest_of, environment
from claw_adapter.runs.folder import write_atomic

__all__ = ["BoardEntry", "page", "verify_all", "write_leaderboard"]


@dataclass(frozen=True, slots=True)
class BoardEntry:
    """A bundle by its file's name: what was found, or why it is refused."""

    name: str
    found: Verified | None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A row of the page."""

    entry: BoardEntry
    found: Verified
    row: BundleRow


async def verify_all(
    paths: Sequence[Path], data: Sequence[str] = (), *, signers: Path | None = None, signer: str = ""
) -> list[BoardEntry]:
    """Verify bundles, one after the other; one that is refused, or whose scenarios are not here, stops no other."""
    entries = []
    for path in paths:
        try:
            entries.append(BoardEntry(path.name, await verify_bundle(path, data, signers=signers, signer=signer)))
        except ClawError as error:
            entries.append(BoardEntry(path.name, None, error.what))
    return entries


def page(entries: Sequence[BoardEntry]) -> str:
    """The page as text: a table for each set of scenarios, best composite reliability first."""
    tables: dict[tuple[tuple[str, str], ...], list[BoardRow]] = {}
    for entry in entries:
        if (found := entry.found) is not None:
            lines = tables.setdefault(tuple(sorted(found.scenarios.items())), [])
            lines += [BoardRow(entry, found, row) for row in found.rows]
    for lines in tables.values():
        lines.sort(
            key=lambda line: (-(line.row.strict.crs or line.row.strict.tcr or 0.0), line.row.harness, line.entry.name)
        )
    style = asset("style.css")
    made = environment()
    own = PackageLoader("claw_adapter.bundles", "templates")
    made = made.overlay(loader=ChoiceLoader([loader for loader in (own, made.loader) if loader]))
    return made.get_template("leaderboard.html.j2").render(
        tables=tables,
        verified=[entry for entry in entries if entry.found is not None],
        refused=[entry for entry in entries if entry.found is None],
        columns=[(key, name) for key, name in words.COLUMNS if key != "overall"],
        words=words,
        style=Markup(style),  # noqa: S704 - our own file
        policy=f"default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{digest_of(style)}'",
    )


def write_leaderboard(entries: Sequence[BoardEntry], out: Path) -> None:
    """Write the page, all or nothing."""
    write_atomic(out, page(entries))
