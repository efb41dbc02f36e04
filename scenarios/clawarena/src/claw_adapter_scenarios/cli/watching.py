"""``claw scenarios watch``."""

from __future__ import annotations

import time
from pathlib import Path

import click

from claw_adapter.finding import Finding
from claw_adapter.saving import each_save

__all__ = ["watch"]

SHOWN = 12
"""So many findings are shown; the rest is counted."""


@click.command()
@click.argument("spec")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=None, help="Also compile into OUT/<id>."
)
@click.option("--every", type=click.FloatRange(0.1), default=0.5, show_default=True, help="Seconds between looks.")
@click.option("--once", is_flag=True, help="Look once, and exit 1 where there are errors.")
def watch(spec: str, out: Path | None, every: float, once: bool) -> int:
    """Validate SPEC whenever one of its files is saved, with each finding beside its line; Ctrl-C ends it.

    Other seeds are not compiled, except the eight worlds of a spec of the second edition.
    """
    from claw_adapter_scenarios.authoring import find_spec

    root = find_spec(spec)
    try:
        for names in each_save(lambda: _parts(root), every):
            if names:
                click.echo(f"\n{time.strftime('%H:%M:%S')}  {', '.join(names)}")
            errors = _look(root, out)
            if once:
                return 1 if errors else 0
    except KeyboardInterrupt:
        pass
    return 0


def _parts(root: Path) -> list[Path]:
    """Everything that is part of a spec."""
    return [*root.glob("*.yaml"), *root.glob("*.md"), *root.glob("prose/**/*.md")]


def _look(root: Path, out: Path | None) -> int:
    """Show what is found; returns the number of errors."""
    from claw_adapter.errors import ScenarioError
    from claw_adapter_scenarios.compiler import build
    from claw_adapter_scenarios.spec import load_spec
    from claw_adapter_scenarios.validation import validate_spec

    started = time.monotonic()
    found = validate_spec(root, seeds=0)
    errors = sum(one.severity == "error" for one in found)
    for one in found[:SHOWN]:
        click.echo(_beside(one))
    if len(found) > SHOWN:
        click.echo(f"… and {len(found) - SHOWN} more")
    if out is not None and not errors:
        try:
            click.echo(str(build(load_spec(root), out, 0)))
        except ScenarioError as error:
            click.echo(f"not compiled: {error}")
    click.echo(f"{errors} errors, {len(found) - errors} warnings, {time.monotonic() - started:.1f} s")
    return errors


def _beside(one: Finding) -> str:
    """A finding, the line that it is about, and what is demanded."""
    from claw_adapter_scenarios.validation import RULES

    path, _, number = one.where.rpartition(":")
    line = ""
    if number.isdigit() and Path(path).is_file():
        lines = Path(path).read_text("utf-8", "replace").splitlines()
        line = lines[int(number) - 1].strip() if 0 < int(number) <= len(lines) else ""
    place = f"{Path(path).name}:{number}" if line else one.where
    cut = f"{line[:99]}…" if len(line) > 100 else line
    wanted = f"\n    wanted: {RULES[one.id]}" if one.id in RULES else ""
    return f"{one.id} {place}: {one.message}" + (f"\n    {cut}" if cut else "") + wanted
