"""`claw completion`."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print a completion script for SHELL; for example: eval "$(claw completion bash)"."""
    from click.shell_completion import get_completion_class

    from claw_adapter.cli.group import claw

    kind = get_completion_class(shell)
    if kind is None:
        raise click.ClickException(f"no completion for {shell}")
    click.echo(kind(claw, {}, "claw", "_CLAW_COMPLETE").source())
