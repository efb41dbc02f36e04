"""The commands that check this package itself: failure labels, and modes against the real program."""

from __future__ import annotations

import sys

import click

from claw_adapter_forge.cli.common import COUNT, JSON, as_json, fail_clean, pick_tasks, profile_options

__all__ = ["labels", "parity"]


@click.command()
@profile_options
@JSON
@fail_clean
def labels(profile: str, seed: int, count: int, json_out: bool) -> None:
    """Label failures of which the right label is known. Exit status 1 if fewer than 95 of 100 are right."""
    from claw_adapter_forge.proof.labels import NEEDED, check_labels

    found = check_labels(pick_tasks(profile, seed, count))
    if json_out:
        counts = {label: {"right": r, "all": n} for label, (r, n) in sorted(found.counts.items())}
        as_json({"share": round(found.share, 6), "labels": counts, "wrong": found.wrong, "passing": found.passing})
    else:
        for label, (right, total) in sorted(found.counts.items()):
            click.echo(f"{label}: {right} of {total}")
        click.echo(f"right: {100 * found.share:.2f} %")
    for name in found.passing:
        click.echo(f"not a failure: {name}", err=True)
    sys.exit(0 if found.share >= NEEDED and not found.passing else 1)


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
