"""Harness programs that their vendors hand out as one executable file: found on this machine, never fetched by us."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

from claw_adapter.frameworks.description import Framework
from claw_adapter.frameworks.errors import InstallFailed
from claw_adapter.frameworks.record import Installed

__all__ = ["find_binary", "instruction", "missing", "reported_version", "variable"]

CHECK_SECONDS: Final = 30.0
_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def variable(spec: Framework) -> str:
    """The environment variable that names the program: ``CLAW_MY_AGENT`` for my-agent."""
    return "CLAW_" + re.sub(r"[^A-Z0-9]", "_", spec.name.upper())


def _program(spec: Framework) -> str:
    return spec.program or spec.name


def find_binary(spec: Framework) -> Installed | None:
    """The program that the variable names, else that of its name on PATH, links resolved; None if it cannot be run.

    A variable that names no program is not passed over for one on PATH: that would run another than was meant.
    """
    chosen = os.environ.get(variable(spec))
    found = shutil.which(Path(chosen).expanduser()) if chosen else shutil.which(_program(spec))
    if found is None:
        return None
    program = Path(found).resolve()
    return Installed(
        name=spec.name,
        version=spec.version,
        path=program,
        python=program,
        base=program,
        digest="",
        installer=f"by hand, found through {variable(spec) if chosen else 'PATH'}",
        date="",
    )


def instruction(spec: Framework) -> str:
    """What to do to get it, in one sentence."""
    what = f"Put the vendor's program {_program(spec)!r} ({spec.requirement}, {spec.homepage}) on PATH"
    return f"{what}, or set {variable(spec)} to where it is."


def missing(spec: Framework) -> InstallFailed:
    """The error of a program that is not there."""
    chosen = os.environ.get(variable(spec))
    where = f"{variable(spec)}={chosen}" if chosen else "PATH"
    what = f"{spec.title} is its vendor's program, which is not installed by us, and there is none here"
    return InstallFailed(what, where=where, remedy=instruction(spec))


def reported_version(spec: Framework, program: Path) -> str:
    """What the program says of its version; empty if the description names no pattern, or the program does not fit it.

    Runs the check command of the description for a moment, without a home to write to.
    """
    if not spec.version_pattern:
        return ""
    argv = [part.format(program=program) for part in spec.check]
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.devnull, "NO_COLOR": "1", "TERM": "dumb"}
    try:
        done = subprocess.run(
            argv, check=False, capture_output=True, timeout=CHECK_SECONDS, stdin=subprocess.DEVNULL, env=env
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = _ESCAPES.sub("", done.stdout.decode("utf-8", "replace"))
    found = re.search(spec.version_pattern, said) if done.returncode == 0 else None
    return found[1] if found else ""
