"""`claw bundle`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from claw_adapter.cli.common import console, print_json

if TYPE_CHECKING:
    from claw_adapter.bundles.records import Verified

__all__ = ["command"]


class _Bundle(click.Group):
    """``claw bundle RUN`` makes a bundle."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["make", *args]
        return super().parse_args(ctx, args)


@click.group("bundle", cls=_Bundle)
def command() -> None:
    r"""Make one file of a run for other people, or verify such a file.

    \b
        claw bundle RUN --out FILE [--key SSH_KEY]
        claw bundle verify FILE
    """


@command.command("make", hidden=True)
@click.argument("run", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The file, such as run.claw.tar.gz.")
@click.option(
    "--key", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="A private SSH key to sign with."
)
def make(run: Path, out: Path, key: Path | None) -> int:
    """Write a finished run as one file, with what scoring it again needs; the run is only read."""
    from claw_adapter.bundles.make import make_bundle

    notes = make_bundle(run, out, key=key)
    click.echo(f"written: {out} ({out.stat().st_size:,} bytes)")
    for note in notes:
        click.echo(note)
    return 0


@command.command("verify")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--data", multiple=True, help="Names or folders of the scenarios, when no plugin has them.")
@click.option(
    "--signers", type=click.Path(path_type=Path, exists=True, dir_okay=False), help="An allowed_signers file of SSH."
)
@click.option("--signer", default="", help="Who of them must have signed.")
@click.option("--isolation", type=click.IntRange(0, 2), default=None, help="For the checks; default: as in the run.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(
    file: Path, data: tuple[str, ...], signers: Path | None, signer: str, isolation: int | None, as_json: bool
) -> int:
    """Score a bundle again, without a model and without a harness, and say what agrees and what nothing proves.

    A bundle in which something was changed, left out, added or mixed is refused with the reason (exit code 3).
    """
    if (signers is None) != (not signer):
        raise click.UsageError("--signers and --signer go together")
    from claw_adapter.bundles.verify import verify_bundle
    from claw_adapter.cli.process import finish_in_order

    found = finish_in_order(verify_bundle(file, data, signers=signers, signer=signer, isolation=isolation))
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        _show(found)
    return 0


def _show(found: Verified) -> None:
    from claw_adapter.report import words

    out = console()
    out.print(
        f"run {found.digest}: {found.trials} trials, {found.rounds} rounds scored again, none differs", highlight=False
    )
    for row in found.rows:
        strict = row.strict
        out.print(
            f"  {row.harness} under {row.model}: TCR {words.percent(strict.tcr)}, CRS {words.percent(strict.crs)}",
            highlight=False,
        )
    out.print(
        f"  {found.answers} answers stand in the transcripts, which have {found.requests} requests", highlight=False
    )
    if found.signer:
        out.print(f"  signed by {found.signer}", highlight=False)
    out.print("Nothing in it proves:", highlight=False)
    for sentence in found.unproved:
        out.print(f"  - {sentence}", highlight=False)
