"""The command line on a machine that has too little of something: a small disk, few descriptors, a read-only place."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.running import CLAW

MOUNT = 'mount -t tmpfs -o "$1" tmpfs "$2" && cd "$2" && shift 2 && "$@"; code=$?; cp -a . "$KEPT"; exit $code'
SHARES = (("-m",), ("-U", "-r", "-m"))
"""As root, or else in a user namespace."""


def unshare() -> list[str]:
    """The beginning of a command that may mount a disk of its own; skips where there is none."""
    program = shutil.which("unshare")
    for flags in SHARES:
        if (
            program
            and subprocess.run(
                [program, *flags, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True, check=False
            ).returncode
            == 0
        ):
            return [program, *flags]
    pytest.skip("neither root nor a user namespace may mount a small disk here")


def on_a_disk(options: str, *argv: str | Path, kept: Path) -> subprocess.CompletedProcess[str]:
    """``claw argv`` in the root of a disk that is mounted with these options; what is on it afterwards is copied to `kept`."""
    place = kept.with_name("disk")
    for folder in (kept, place):
        folder.mkdir()
    command = ["bash", "-c", MOUNT, "bash", options, str(place), str(CLAW), *map(str, argv)]
    return subprocess.run(
        [*unshare(), "env", f"KEPT={kept}", *command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def with_limits(limits: str, *argv: str | Path, code: str = "") -> subprocess.CompletedProcess[str]:
    """``claw argv`` below a shell's limits, such as ``-n 64``; `code` runs in its process before."""
    start = f"import sys\n{code}\nfrom claw_adapter.cli import main\nmain()"
    command = [sys.executable, "-c", start, *map(str, argv)]
    return subprocess.run(
        ["bash", "-c", f'ulimit {limits} && exec "$@"', "bash", *command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
