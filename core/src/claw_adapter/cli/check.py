"""`claw check`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter.cli.common import FAILED, console, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from claw_adapter.data_format import Checked

__all__ = ["command"]


@click.command("check")
@click.argument("path", type=click.Path(path_type=Path, exists=True))
@click.option("--layout", metavar="NAME", default="all", show_default=True, help="Of a published data set.")
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option("--verbose", "-v", is_flag=True, help="Show every finding, not only the first of each kind.")
@click.option("--json", "as_json", is_flag=True, help="Print all findings as JSON.")
@click.option(
    "--convert", "out", type=click.Path(path_type=Path), help="Also write scenario/1 folders here (one layout)."
)
@click.option("--compat", is_flag=True, help="With --convert: keep what the published runner does with updates.")
def command(path: Path, layout: str, strict: bool, verbose: bool, as_json: bool, out: Path | None, compat: bool) -> int:
    """Validate a data set: a published one (its tests.json), a scenario, or a folder of scenarios.

    Exit code 0 when it can be run, 1 when an error keeps it from being run.
    """
    from claw_adapter.datasets.checking import check_data
    from claw_adapter.datasets.converting import convert_data

    if out is not None and layout == "all":
        raise click.UsageError("--convert needs one --layout")
    checked = check_data(path, layout)
    fine = checked.can_run(strict=strict)
    if out is not None and not checked.count("error"):
        folders = convert_data(path, out, layout=layout, compat=compat)
        console(stderr=True).print(f"{len(folders)} scenarios written to {out}", markup=False)
    if as_json:
        print_json(checked.as_json(strict=strict))
    else:
        _show(checked, console(), verbose=verbose, fine=fine)
    return 0 if fine else FAILED


def _show(checked: Checked, out: Console, *, verbose: bool, fine: bool) -> None:
    from rich.table import Table

    from claw_adapter.report.words import plural

    layouts = list(checked.findings)
    counts = checked.counts()
    severities = {one.id: one.severity for found in checked.findings.values() for one in found}
    table = Table("rule", "severity", *layouts, "demands that", box=None, pad_edge=False)
    for rule in sorted(severities, key=lambda rule: (severities[rule], rule)):
        colour = "red" if severities[rule] == "error" else "yellow"
        numbers = [str(counts[layout].get(rule, 0)) for layout in layouts]
        table.add_row(rule, f"[{colour}]{severities[rule]}[/]", *numbers, checked.rules[rule].demand)
    if severities:
        out.print(table, "")
    shown: set[str] = set()
    left = 0
    for layout, found in checked.findings.items():
        for one in found:
            if not verbose and one.id in shown:
                left += 1
            else:
                shown.add(one.id)
                out.print(f"{layout}: {one}" if len(layouts) > 1 else str(one), markup=False, soft_wrap=True)
    if left:
        out.print(f"and {left} more of these kinds: --verbose (-v) shows them all", markup=False)
    errors, warnings = checked.count("error"), checked.count("warning")
    verdict = "can be run" if fine else "must not be run as it is"
    found_all = f"{plural(errors, 'error')}, {plural(warnings, 'warning')}"
    out.print(f"{checked.name}: {found_all}: {verdict}", markup=False)
