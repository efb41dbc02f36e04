"""The click group behind `claw`, and what becomes of errors."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
from typing import Any, NoReturn

import click

from claw_adapter.cli import COMMANDS, PLUGIN_COMMANDS, help_text, plugin_commands
from claw_adapter.cli.common import FAILED, FAULT, INTERRUPTED, PIPE_CLOSED, STOPPED, WRONG, exit_code_of
from claw_adapter.cli.process import interrupts

__all__ = ["call", "claw"]


def _refuse_missing(name: str) -> None:
    """Say which distribution of ours brings a command; of any other name click says that there is none."""
    from claw_adapter.distributions import DISTRIBUTIONS

    for ours in DISTRIBUTIONS:
        if name in ours.commands:
            from claw_adapter.errors import PluginError

            remedy = f"Install the distribution that brings it: pip install {ours.name}"
            raise PluginError(f"the command {name!r} is not installed", remedy=remedy)


class Lazy(click.Group):
    """A group that imports a command only when it is used; distributions add commands by entry point."""

    def invoke(self, ctx: click.Context) -> Any:  # click's signature
        """Run the command and flush what it printed: click, and the interpreter at its end, would not say that it got lost."""
        try:
            with interrupts:
                result = super().invoke(ctx)
                sys.stdout.flush()
        except BrokenPipeError:  # click makes this exit code 1, which is "finished, but with failures"
            _let_go_of_stdout()
            return PIPE_CLOSED
        return result

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
            _refuse_missing(cmd_name)
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


def _let_go_of_stdout() -> None:
    """What is still to be printed goes nowhere, so that nobody complains of it when the process ends."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _end(message: str, code: int) -> NoReturn:
    word, colour = ("stopped", "yellow") if code == STOPPED else ("error", "red")
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    with contextlib.suppress(OSError):
        click.echo(f"{word}: {message}" if plain else click.style(f"{word}: {message}", fg=colour), err=True)
    sys.exit(code)


def _main() -> Any:
    """What the command came to; an adapter, or a plugin, that asks to end the program does not say how it went."""
    try:
        return claw.main(prog_name="claw", standalone_mode=False)
    except (KeyboardInterrupt, Exception):
        raise
    except BaseException as error:  # noqa: BLE001 - nothing of ours raises such
        _end(f"code that is not claw's asked to end the program: {type(error).__name__} {error}", FAILED)


def call() -> None:
    """Run the command line; our errors become one clear message and an exit code, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # a character that the terminal lacks is no reason to print nothing
            with contextlib.suppress(OSError):  # what could not be printed before; it is said below why
                stream.reconfigure(errors="replace")
    try:
        status = _main()
        if interrupts.came:  # where nothing could be raised: what went on after it is worth nothing
            _interrupted()
        sys.exit(status if isinstance(status, int) else 0)
    except (click.Abort, KeyboardInterrupt):
        _interrupted()
    except Exception as error:  # noqa: BLE001 - the last one there is: it says what it was, and where
        if interrupts.came:  # what an interrupt breaks on its way is not the error
            _interrupted()
        _report(error)


def _interrupted() -> NoReturn:
    with contextlib.suppress(OSError):
        click.echo("interrupted", err=True)
    _let_go_of_stdout()
    sys.exit(INTERRUPTED)


def _report(error: Exception) -> NoReturn:
    """Say what went wrong and end."""
    if isinstance(error, click.ClickException):
        with contextlib.suppress(OSError):
            error.show()
        sys.exit(WRONG)
    if isinstance(error, BrokenPipeError):
        _let_go_of_stdout()
        sys.exit(PIPE_CLOSED)
    from claw_adapter.machine import machine_error, system_error

    refused = isinstance(error, OSError) and error.errno is not None  # without a number it is a fault of ours
    told = machine_error(error) or (system_error(error) if refused else error)  # type: ignore[arg-type]
    if (code := exit_code_of(told)) is not None:
        if refused:
            _let_go_of_stdout()
        _end(str(told), code)
    import traceback

    what = "".join(traceback.format_exception_only(error)).strip()
    _end(f"a fault of claw itself: {what}\n  {_details(error)}", FAULT)


def _details(error: Exception) -> str:
    """Where the traceback was written; the whole of it where it cannot be."""
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="claw-fault-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            file.write(text)
    except OSError:
        return f"Please report it, with these details:\n{text}"
    return f"Please report it, with the details in {file.name}"
