"""Harness programs that their vendors hand out as one executable file: which one on this machine is the one to run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Final

from claw_adapter.frameworks.commands import ask
from claw_adapter.frameworks.description import Framework
from claw_adapter.frameworks.errors import InstallFailed
from claw_adapter.frameworks.home import environment_path
from claw_adapter.frameworks.record import Installed

__all__ = [
    "find_binary",
    "installed_program",
    "instruction",
    "missing",
    "program_name",
    "reported_version",
    "variable_set",
]

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def variable(spec: Framework) -> str:
    """The environment variable that names the program: ``CLAW_MY_AGENT`` for my-agent."""
    return "CLAW_" + re.sub(r"[^A-Z0-9]", "_", spec.name.upper())


def variable_set(spec: Framework) -> str:
    """The variable and its value, ``CLAW_MY_AGENT=/opt/my-agent``; empty if it is not set."""
    chosen = os.environ.get(variable(spec))
    return f"{variable(spec)}={chosen}" if chosen else ""


def program_name(spec: Framework) -> str:
    """What the program is called on PATH."""
    return spec.program or spec.name


def find_binary(spec: Framework, home: Path | None = None) -> Installed | None:
    """The program that the variable names, else the installed one, else that of its name on PATH; None if it cannot be run.

    Links are resolved. A variable that names no program is not passed over: that would run another than was meant.
    """
    chosen = os.environ.get(variable(spec))
    if not chosen and (ours := installed_program(spec, home)) is not None:
        return ours
    found = shutil.which(Path(chosen).expanduser()) if chosen else shutil.which(program_name(spec))
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


def installed_program(spec: Framework, home: Path | None = None) -> Installed | None:
    """The program that ``claw frameworks install`` put into its folder; None if there is none that can be run."""
    there = Installed.load(environment_path(spec.name, spec.version, home))
    if there is None:
        return None
    program = there.program(program_name(spec)).resolve()
    if not os.access(program, os.X_OK):
        return None
    return replace(there, path=program, python=program, base=program)


def instruction(spec: Framework) -> str:
    """What to do to get it, in one sentence."""
    how = f"put the vendor's program {program_name(spec)!r} ({spec.requirement}, {spec.homepage}) on PATH"
    how = f"{how}, or set {variable(spec)} to where it is"
    if wrong := variable_set(spec):
        return f"{wrong} names no working {spec.title}: correct or unset it."
    return f"claw frameworks install {spec.name} (or {how})" if spec.release else f"{how[0].upper()}{how[1:]}."


def missing(spec: Framework) -> InstallFailed:
    """The error of a program that is not there."""
    what = f"{spec.title} is its vendor's program, and there is none here"
    return InstallFailed(what, where=variable_set(spec) or "PATH", remedy=instruction(spec))


def reported_version(spec: Framework, program: Path) -> str:
    """What the program says of its version; empty if the description names no pattern, or the program does not fit it.

    Runs the check command of the description for a moment (`ask`).
    """
    if not spec.version_pattern:
        return ""
    argv = [part.format(program=program) for part in spec.check]
    try:
        done = ask(argv, {})
    except (OSError, subprocess.TimeoutExpired):
        return ""
    said = _ESCAPES.sub("", done.stdout.decode("utf-8", "replace"))
    found = re.search(spec.version_pattern, said) if done.returncode == 0 else None
    return found[1] if found else ""
