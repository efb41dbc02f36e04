"""``claw forge report``: the tables over the records of runs."""

from __future__ import annotations

from pathlib import Path

import click

from claw_adapter_forge.cli.common import JSON, OUT, as_json, fail_clean

__all__ = ["report"]


@click.command()
@click.argument("records", type=click.Path(exists=True, dir_okay=False, path_type=Path), nargs=-1, required=True)
@click.option("--html", type=OUT, help="Write one page with all tables and the difference of every failed task.")
@click.option(
    "--allow-mixed", is_flag=True, help="Set columns of different isolation, horizon or history side by side."
)
@JSON
@fail_clean
def report(records: tuple[Path, ...], html: Path | None, allow_mixed: bool, json_out: bool) -> None:
    """The paper's tables, with intervals and null lines, from the records of runs."""
    from claw_adapter_forge.report.gather import gather
    from claw_adapter_forge.report.render import render_html, render_markdown
    from claw_adapter_forge.report.tables import summarise

    found = gather(records, allow_mixed=allow_mixed)
    summary = summarise(found.records) | {"settings": found.told, "notices": list(found.notices)}
    if html is not None:
        html.write_text(render_html(summary, found.records), encoding="utf-8")
    for notice in found.notices:
        click.echo(notice, err=True)
    if json_out:
        as_json(summary)
    else:
        click.echo(render_markdown(summary))
