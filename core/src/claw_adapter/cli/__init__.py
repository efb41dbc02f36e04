"""The command `claw`. Every command lives in a module of its own that is imported only when it is called."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

__all__ = ["EXIT_CODES", "cli", "main"]

EXIT_CODES = """\
Exit codes: 0 success · 1 finished, but with failures (unscored rounds, failed checks) · 2 wrong usage or wrong input ·
3 refused (another configuration, a damaged run folder) · 4 something is missing here (plugin, harness, isolation) ·
130 interrupted: the same command goes on where it stopped
"""

#: name → (module, one line of help)
COMMANDS = {
    "run": ("claw_adapter.cli.run", "Run an experiment, or continue it."),
    "score": ("claw_adapter.cli.score", "Score a run folder again, without any model."),
    "report": ("claw_adapter.cli.report", "Show a run in the terminal and as an HTML page."),
    "plugins": ("claw_adapter.cli.plugins", "List plugins and what state they are in."),
    "frameworks": ("claw_adapter.cli.frameworks", "Install and examine harnesses."),
    "schema": ("claw_adapter.cli.schema", "Print the JSON Schemas of claw/1 and scenario/1."),
    "completion": ("claw_adapter.cli.completion", "Print a shell completion script."),
}
PLUGIN_COMMANDS = "claw_adapter.commands"


class Lazy(click.Group):
    """A group that imports a command only when it is used; distributions add commands by entry point."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Ours, then those of plugins."""
        return [*COMMANDS, *sorted(set(_entry_points()) - set(COMMANDS))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name in COMMANDS:
            module = importlib.import_module(COMMANDS[cmd_name][0])
            command: click.Command = module.command
            return command
        point = _entry_points().get(cmd_name)
        if point is None:
            return None
        try:
            loaded: click.Command = point.load()
        except Exception as error:
            raise click.ClickException(f"the command {cmd_name!r} of {point.value} cannot be loaded: {error}") from error
        return loaded

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing any."""
        rows = [(name, COMMANDS[name][1] if name in COMMANDS else "(from a plugin)") for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _entry_points() -> dict[str, Any]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=PLUGIN_COMMANDS)}


def _version(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    if value:
        from claw_adapter import API_VERSION, __version__

        click.echo(f"claw-adapter {__version__} ({API_VERSION})")
        ctx.exit()


@click.group(cls=Lazy, epilog=f"\b\n{EXIT_CODES}", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
def cli() -> None:
    """Run, certify and compare agent harnesses under one fixed model."""


def main() -> None:
    """Entry point: our errors become one clear message and an exit code, never a traceback."""
    try:
        status = cli.main(standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code if error.exit_code != 1 else 2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        from claw_adapter.cli.common import exit_code_of

        code = exit_code_of(error)
        if code is None:
            raise
        click.secho(f"error: {error}", fg="red", err=True)
        sys.exit(code)
