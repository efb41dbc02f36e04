"""`claw profile`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from claw_adapter.cli.common import FAILED, console, print_json

if TYPE_CHECKING:
    from claw_adapter.profile.run import Part

__all__ = ["command"]


@click.command("profile")
@click.argument("harnesses", nargs=-1, metavar="HARNESS...")
@click.option(
    "--from",
    "run",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Only the main lines, of the harnesses of this run, from its transcripts; nothing is run.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("runs/profile"), show_default=True
)
@click.option(
    "--without",
    type=click.Choice(["reach", "histories", "faults"]),
    multiple=True,
    help="Leave this part out.",
)
@click.option(
    "--window",
    "windows",
    type=click.IntRange(1_000),
    multiple=True,
    metavar="TOKENS",
    help="Tokens of a window beyond the entry price; several. Default: 4000, 16000, 64000.",
)
@click.option("--repeats", type=click.IntRange(1), default=2, show_default=True, help="Talks without a window.")
@click.option("--turns", type=click.IntRange(2, 99), default=31, show_default=True, help="Of a talk.")
@click.option("--isolation", type=click.IntRange(0, 3), help="Isolation of harness processes.")
@click.option(
    "--jobs", "-j", type=click.IntRange(1, 64), default=1, show_default=True, help="Trials at a time; times need 1."
)
@click.option("--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page to this file.")
@click.option("--all", "whole", is_flag=True, help="Print all figures, not only what a screen holds.")
@click.option("--how", is_flag=True, help="Print all figures, and how each was measured.")
@click.option("--json", "as_json", is_flag=True, help="Print the profiles as JSON.")
def command(
    harnesses: tuple[str, ...],
    out: Path,
    *,
    run: Path | None,
    without: tuple[str, ...],
    windows: tuple[int, ...],
    repeats: int,
    turns: int,
    isolation: int | None,
    jobs: int,
    page: Path | None,
    whole: bool,
    how: bool,
    as_json: bool,
) -> int:
    """Measure what harnesses cost, keep and do at their limits, offline, from their requests; side by side.

    Prices of a talk of 31 turns, what caching saves and what breaks its prefix, how far back requests reach in small windows,
    histories, faults, and what it takes of the machine. The same command goes on where it was interrupted. Each profile is
    written to OUT/HARNESS/profile.json; the name of such a file in place of a HARNESS shows it beside the others, as another
    version of the same one. Exit code 1 when a harness could not be measured.
    """
    if run is not None:
        if harnesses:
            raise click.UsageError("--from takes the harnesses of the run: name none.")
        return _apart(run)
    if not harnesses:
        raise click.UsageError("Name a harness, or a run with --from.")
    from claw_adapter.errors import ClawError
    from claw_adapter.profile import profile, read_profile
    from claw_adapter.profile.run import PARTS, WINDOWS
    from claw_adapter.profile.terminal import render
    from claw_adapter.runs.plan import slug

    found, failed = [], False
    parts = cast("list[Part]", [part for part in PARTS if part not in without])
    for harness in harnesses:
        if harness.endswith(".json"):
            found.append(read_profile(Path(harness)))
            continue
        folder = out / slug(harness)
        try:
            made = profile(
                harness,
                folder,
                parts=parts,
                windows=windows or WINDOWS,
                repeats=repeats,
                turns=turns,
                isolation=isolation,
                jobs=jobs,
            )
        except ClawError as error:
            if len(harnesses) == 1:
                raise
            failed = True
            click.echo(f"{harness}: {error}", err=True)
            continue
        (folder / "profile.json").write_text(made.model_dump_json(indent=1), "utf-8")
        found.append(made)
    if page is not None and found:
        from claw_adapter.profile.page import write_html

        write_html(found, page)
    if as_json:
        print_json([made.model_dump(mode="json") for made in found])
    elif found:
        render(found, console(), whole=whole, how=how)
    return FAILED if failed else 0


def _apart(run: Path) -> int:
    from claw_adapter.api.results import open_run
    from claw_adapter.profile.apart import apart_of
    from claw_adapter.profile.terminal import render_apart

    render_apart(apart_of(open_run(run).data), console())
    return 0
