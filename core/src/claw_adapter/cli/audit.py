"""`claw audit`."""

from __future__ import annotations

from pathlib import Path

import click

from claw_adapter.cli.common import FAILED, console, print_json

__all__ = ["command"]


@click.command("audit")
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--data", multiple=True, metavar="NAME|DIR", help="Where the scenarios are, if not where the run found them."
)
@click.option("--json", "as_json", is_flag=True, help="Print the audit as JSON.")
def command(run: Path, data: tuple[str, ...], as_json: bool) -> int:
    """Compare what was in every request of a run with what had to be, without any model or harness.

    Exit code 1 when something was lost, changed or shown that no declaration covers; 0 otherwise.
    """
    from claw_adapter.api.results import open_run
    from claw_adapter.report.audit_terminal import render_audit

    found = open_run(run).audit(data)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        render_audit(found, console())
    return 0 if found.ok else FAILED
