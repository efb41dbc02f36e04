"""Start a child process, and say plainly why one could not be started."""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
from io import FileIO
from pathlib import Path

from claw_adapter.drivers import reaper
from claw_adapter.drivers.command import Command
from claw_adapter.drivers.errors import CommandInvalid, ProgramNotFound, ProgramNotStarted
from claw_adapter.drivers.keyring import fresh_keyring
from claw_adapter.drivers.process import Process
from claw_adapter.errors import MachineError
from claw_adapter.machine import machine_error

__all__ = ["candidates", "explained", "start"]


async def start(command: Command) -> Process:
    """Start a child in a session of its own.

    Raises:
        CommandInvalid: nothing the system could start (see `Command.check`), or no file for its standard input.
        ProgramNotFound: no such program.
        ProgramNotStarted: not executable, its interpreter is missing, or the working folder is not a folder.
        MachineError: no more processes, descriptors or memory.
    """
    command.check()
    marker = f"{command.marker or 'claw'}/{secrets.token_hex(6)}"
    return Process(command, _popen(command, {**command.env, reaper.MARKER: marker}), marker)


def _popen(command: Command, env: dict[str, str]) -> subprocess.Popen[bytes]:
    with contextlib.ExitStack() as stack:
        stdin: int | FileIO = subprocess.DEVNULL if command.stdin is None else subprocess.PIPE
        try:
            if isinstance(command.stdin, Path):
                stdin = stack.enter_context(command.stdin.open("rb", buffering=0))
        except OSError as error:
            raise CommandInvalid(f"no standard input: {error}", where=command.argv[0]) from error
        fresh_keyring()
        try:
            return subprocess.Popen(
                command.argv,
                bufsize=0,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=command.cwd,
                env=env,
                pass_fds=command.pass_fds,
                start_new_session=True,
            )
        except OSError as error:
            raise explained(command, error) from error


def explained(command: Command, error: OSError) -> ProgramNotFound | ProgramNotStarted | MachineError:
    """Say which of the many meanings of an OSError from exec this one has."""
    if (short := machine_error(error, starting=True)) is not None:
        return short
    program = command.argv[0]
    if command.cwd is not None and not command.cwd.is_dir():
        return ProgramNotStarted(
            f"the working folder {command.cwd} is not a folder", where=program, remedy="Create it first."
        )
    found = candidates(command)
    if isinstance(error, FileNotFoundError) and not found:
        return ProgramNotFound(
            f"{program}: no such program", where=f"PATH={command.env.get('PATH', os.defpath)}", remedy="Install it."
        )
    if isinstance(error, FileNotFoundError):
        return ProgramNotStarted("its interpreter is missing", where=str(found[0]), remedy="Look at its first line.")
    return ProgramNotStarted(
        f"could not be started: {error.strerror}",
        where=str(found[0]) if found else program,
        remedy="Check that it is an executable file for this machine.",
    )


def candidates(command: Command) -> list[Path]:
    """Where the program of a command is found, by its path or on the PATH of its environment."""
    program = Path(command.argv[0])
    base = command.cwd or Path()
    if len(program.parts) > 1 or program.is_absolute():
        return [base / program] if (base / program).exists() else []
    folders = command.env.get("PATH", os.defpath).split(os.pathsep)
    return [base / folder / program for folder in folders if (base / folder / program).is_file()]
