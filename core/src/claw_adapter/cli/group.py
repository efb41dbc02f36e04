"""The click group behind `claw`, and what becomes of errors."""

from __future__ import annotations

import importlib
import sys

import click

from claw_adapter.cli import COMMANDS, PLUGIN_COMMANDS, help_text, plugin_commands
from claw_adapter.cli.common import INTERRUPTED, WRONG, exit_code_of

__all__ = ["call", "claw"]


class Lazy(click.Group):
    """A group that imports a command only when it is used; distributions add commands by entry point."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Ours, then those of plugins."""
        return [*COMMANDS, *sorted(plugin_commands() - set(COMMANDS))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        """Import and return one command."""
        if cmd_name in COMMANDS:
            module = importlib.import_module(COMMANDS[cmd_name][0])
            command: click.Command = module.command
            return command
        from importlib.metadata import entry_points

        point = next(iter(entry_points(group=PLUGIN_COMMANDS, name=cmd_name)), None)
        if point is None:
            return None
        try:
            loaded: click.Command = point.load()
        except Exception as error:
            raise click.ClickException(
                f"the command {cmd_name!r} of {point.value} cannot be loaded: {error}"
            ) from error
        return loaded

    def get_help(self, ctx: click.Context) -> str:  # noqa: ARG002 - click's signature
        """The same text as without click."""
        return help_text().rstrip()


def _version(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        from claw_adapter import API_VERSION, __version__

        click.echo(f"claw-adapter {__version__} ({API_VERSION})")
        ctx.exit()


@click.group(cls=Lazy, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
def claw() -> None:
    """Run, certify and compare agent harnesses under one fixed model."""


def call() -> None:
    """Run the command line; our errors become one clear message and an exit code, never a traceback."""
    try:
        status = claw.main(prog_name="claw", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(WRONG)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        code = exit_code_of(error)
        if code is None:
            raise
        click.secho(f"error: {error}", fg="red", err=True)
        sys.exit(code)
