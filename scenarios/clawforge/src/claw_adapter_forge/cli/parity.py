"""``claw forge parity``: the same scripts on the world and on the real OpenClaw."""

from __future__ import annotations

import sys

import click

from claw_adapter_forge.cli.common import COUNT, JSON, as_json, fail_clean

__all__ = ["parity"]


@click.command()
@click.option("--mode", "modes", multiple=True, type=click.Choice(["real", "hybrid"]), help="Default: both.")
@click.option("--scripts", type=COUNT, help="Only so many scripts per mode, spread over all (default: all).")
@click.option(
    "--isolation", default=2, show_default=True, type=click.IntRange(1, 2), help="Of the real program: 1 or 2."
)
@JSON
@fail_clean
def parity(modes: tuple[str, ...], scripts: int | None, isolation: int, json_out: bool) -> None:
    """Run the same scripts on the world and on the real OpenClaw. Exit status 1 if a difference differs."""
    import tempfile
    from pathlib import Path

    from claw_adapter_forge.real.backend import NOT_COMPARABLE
    from claw_adapter_forge.real.parity import Parity, compare_modes, scripts_for

    def tell(one: Parity) -> None:
        if not json_out:
            click.echo(f"{one.mode}  {one.name}: " + ("differs: " + "; ".join(one.faults) if one.faults else "same"))

    found: list[Parity] = []
    for mode in modes or ("real", "hybrid"):
        with tempfile.TemporaryDirectory(prefix="forge-parity-") as name:
            folder = Path(name, "openclaw")
            found += compare_modes(mode, folder, scripts_for(mode, scripts or 0), isolation=isolation, told=tell)
    faults = [p for p in found if p.faults]
    if json_out:
        rows = [{"script": p.name, "mode": p.mode, "changes": p.changes, "faults": list(p.faults)} for p in found]
        as_json({"scripts": rows, "same": len(found) - len(faults), "not_comparable": NOT_COMPARABLE})
    else:
        click.echo(f"\n{len(found) - len(faults)} of {len(found)} the same. Not compared:")
        for what, why in NOT_COMPARABLE.items():
            click.echo(f"  {what}: {why}")
    sys.exit(1 if faults else 0)
