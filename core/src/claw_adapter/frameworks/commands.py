"""Run the programs that install: quietly with the last lines kept, or mirrored live."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from claw_adapter.drivers import reaper
from claw_adapter.frameworks.errors import InstallFailed

__all__ = ["ask", "environment", "execute", "uv"]

TAIL_LINES: Final = 30
ASK_SECONDS: Final = 30.0
SWEEP_SECONDS: Final = 5.0
"""How long the processes of an interrupted installer may take to be gone."""
_HIDDEN: Final = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "PYTHONSTARTUP", "CONDA_PREFIX")
_CAUSES: Final = (
    (
        ("no space left", "disk quota"),
        "the disk is full",
        "Free some space, or point CLAW_HOME to another disk.",
    ),
    (
        ("hash mismatch", "do not match the hashes", "eintegrity"),
        "a package is not the one that was pinned",
        "Do not use it: the index serves other files than those the plugin was tested with.",
    ),
    (
        (
            "name resolution",
            "dns error",
            "failed to fetch",
            "connection refused",
            "error sending request",
            "max retries",
            "network is unreachable",
            "timed out",
            "tls",
            "no matching distribution",
            "econnrefused",
            "enotfound",
            "etimedout",
        ),
        "the package index cannot be reached",
        "Check the network and the index settings of pip, uv or npm, then run the same command again.",
    ),
    (("permission denied", "read-only file system"), "the folder cannot be written", "Point CLAW_HOME elsewhere."),
)


def uv() -> str | None:
    """The program ``uv``: of its package in our environment, else on PATH, else None."""
    try:
        from uv import find_uv_bin

        return str(find_uv_bin())
    except (ImportError, FileNotFoundError):
        return shutil.which("uv")


def execute(argv: Sequence[str], what: str, *, verbose: bool, cwd: Path) -> str:
    """Run a program to its end and return its output; interrupted, nothing of it is left running.

    Raises:
        InstallFailed: it did not end with status 0; says why as far as its last lines tell.
    """
    marker = f"install-{secrets.token_hex(6)}"
    try:
        status, output = (_mirrored if verbose else _quiet)(argv, cwd, {**environment(), reaper.MARKER: marker})
    except BaseException:
        reaper.sweep(marker, SWEEP_SECONDS)
        raise
    if status == 0:
        return output
    text = output.casefold()
    tail = "\n".join(output.strip().splitlines()[-TAIL_LINES:])
    for signs, cause, remedy in _CAUSES:
        if any(sign in text for sign in signs):
            raise InstallFailed(f"{what}: {cause}\n{tail}", where=argv[0], remedy=remedy)
    raise InstallFailed(
        f"{what}: status {status}\n{tail}", where=argv[0], remedy="Run it again with --verbose to see everything."
    )


def ask(argv: Sequence[str], env: Mapping[str, str]) -> subprocess.CompletedProcess[bytes]:
    """Run a program that only says something of itself; its HOME is a new folder, which is gone afterwards.

    Args:
        argv: program and arguments.
        env: beside PATH.

    Raises:
        OSError: it cannot be started.
        TimeoutExpired: it does not end.
    """
    with tempfile.TemporaryDirectory(prefix="claw-ask-", ignore_cleanup_errors=True) as home:
        given = {"PATH": os.environ.get("PATH", os.defpath), "HOME": home, "NO_COLOR": "1", "TERM": "dumb", **env}
        return subprocess.run(
            argv, check=False, capture_output=True, timeout=ASK_SECONDS, stdin=subprocess.DEVNULL, env=given
        )


def environment() -> dict[str, str]:
    """Ours without what would lead the installer into another environment, or let it write outside of it."""
    return {
        **{name: value for name, value in os.environ.items() if name not in _HIDDEN},
        "NODE_DISABLE_COMPILE_CACHE": "1",
    }


def _quiet(argv: Sequence[str], cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        argv,
        check=False,
        close_fds=False,  # it shares the lock of the installation, which is the only one that may be inherited
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace")


def _mirrored(argv: Sequence[str], cwd: Path, env: dict[str, str]) -> tuple[int, str]:
    """Live on our own streams, which is what subprocess-tee is for; what it returns is only read after a failure."""
    import subprocess_tee

    sys.stdout.flush()
    done = subprocess_tee.run(list(argv), cwd=str(cwd), env=env, stdin=subprocess.DEVNULL)
    return done.returncode, f"{done.stdout or ''}{done.stderr or ''}"
