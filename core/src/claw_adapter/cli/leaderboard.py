"""`claw leaderboard`."""

from __future__ import annotations

from pathlib import Path

import click

from claw_adapter.cli.common import FAILED

__all__ = ["command"]


@click.command("leaderboard")
@click.argument(
    "bundles", metavar="BUNDLE...", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False)
)
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The page, such as board.html."
)
@click.option("--data", multiple=True, help="Names or folders of the scenarios, when no plugin has them.")
@click.option(
    "--signers", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="An allowed_signers file of SSH."
)
@click.option("--signer", default="", help="Who of them must have signed.")
def command(bundles: tuple[Path, ...], out: Path, data: tuple[str, ...], signers: Path | None, signer: str) -> int:
    """Verify bundles and write one page with a row for each harness and model.

    A bundle that is refused stands there with the reason and without figures; then the exit code is 1.
    """
    if (signers is None) != (not signer):
        raise click.UsageError("--signers and --signer go together")
    from claw_adapter.bundles.leaderboard import verify_all, write_leaderboard
    from claw_adapter.cli.process import finish_in_order

    entries = finish_in_order(verify_all(bundles, data, signers=signers, signer=signer))
    write_leaderboard(entries, out)
    refused = [entry for entry in entries if entry.found is None]
    click.echo(f"written: {out}, of {len(entries) - len(refused)} bundles")
    for entry in refused:
        click.echo(f"refused: {entry.name}: {entry.refused}", err=True)
    return FAILED if refused else 0
