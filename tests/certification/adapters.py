"""Environments with an adapter of its own installed, for tests that act as an author would."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
SECONDS = 500


def call(*argv: str | Path, **more) -> subprocess.CompletedProcess[str]:
    """Run a command that must work."""
    done = subprocess.run([*map(str, argv)], capture_output=True, text=True, check=False, timeout=SECONDS, **more)
    assert done.returncode == 0, f"{argv[0]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


def environment(folder: Path) -> dict[str, str]:
    """A virtual environment over ours, with `claw`, `python` and a `pip` that needs no network: the variables to use it."""
    venv = folder / "venv"
    call(UV, "venv", "--quiet", "--python", sys.executable, venv)
    packages = next(venv.glob("lib/python*/site-packages"))
    ours = sysconfig.get_path("purelib")
    (packages / "ours.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    options = "--quiet --offline --no-deps --no-build-isolation --python"
    program(venv / "bin" / "pip", f'shift; exec "{UV}" pip install {options} "{venv}/bin/python" "$@"')
    program(venv / "bin" / "claw", f'exec "{venv}/bin/python" -c "from claw_adapter.cli import main; main()" "$@"')
    return {"PATH": f"{venv}/bin:/usr/bin:/bin", "HOME": str(folder), "LANG": os.environ.get("LANG", "C.UTF-8")}


def program(path: Path, text: str) -> None:
    """A shell script."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
