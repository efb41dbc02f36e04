"""Which modules a check looked for and this machine does not have, and which it had to compile.

Python itself tells (`claw_adapter.sandbox.inside`): behind all its own finders stands one more, which is asked only for what
nobody has found; and at its end a Python looks which of its libraries had no bytecode. A check may write none, so that each
would compile them anew, which for the large ones takes seconds: what an installer has left out is therefore made once, out
here, as the first import by anybody who may write there would have made it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Final

from claw_adapter.reading import read_bytes
from claw_adapter.sandbox import inside
from claw_adapter.sandbox.kept import compile_module

__all__ = ["compile_libraries", "missing_modules", "note_environment", "write_notes"]

FILE: Final = ".unfound-modules"
MOST: Final = 2**20
"""Bytes of notes that are read."""
SITE: Final = "sitecustomize.py"
"""The module of this name is what Python imports at its start, by itself."""


def write_notes(folder: Path) -> None:
    """Fill `folder`, for the import path, with what each Python of a check begins with (`claw_adapter.sandbox.inside`)."""
    module = folder / SITE
    shutil.copyfile(inside.__file__, module)
    compile_module(module)


def note_environment(folder: Path, home: Path, workspace: Path, door: str) -> dict[str, str]:
    """The variables that make a Python do so: notes in `home`, the workspace, the folder behind which only the check sees."""
    notes = {inside.UNFOUND: str(home / FILE), inside.WORKSPACE: str(workspace)}
    return {"PYTHONPATH": str(folder), **notes, inside.DOOR: door}


def missing_modules(
    home: Path, own_notes: Path | None, promised: Collection[str], readable: Collection[Path]
) -> tuple[str, ...]:
    """Names of modules that were looked for in vain and are not here, sorted.

    They count if they were promised to a check, or if a script below `readable`, which is the check's own, asked for them; what
    else an agent's program wants to import is its own affair. What such a program could have written, the notes in `home`,
    is believed of promised modules alone where the check's own Pythons had `own_notes`. Where a script has put the workspace on
    the import path, a module that nobody promised may be one that the agent was to write: that is no lack of this machine's.
    """
    own = tuple(path.resolve() for path in readable)
    believed, others = _noted((own_notes or home) / FILE), _noted(home / FILE) if own_notes else []
    lines = [(*line.split("\t"), "", "")[:3] for line in believed]
    asked = {name for name, by, mark in lines if not mark and any(Path(by).is_relative_to(one) for one in own)}
    asked |= {name for name in (line.partition("\t")[0] for line in (*believed, *others)) if name in promised}
    return tuple(
        sorted(
            name
            for name in asked
            if name.isidentifier() and name not in sys.stdlib_module_names and importlib.util.find_spec(name) is None
        )
    )


def _noted(file: Path) -> list[str]:
    """Lines of notes; none where a check's program has made something else of the file: a pipe would never end."""
    try:
        return read_bytes(file, MOST).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


_compiling = threading.Lock()
_tried: set[str] = set()


def compile_libraries(home: Path) -> None:
    """Give bytecode to the libraries of this environment that the Pythons in `home` had to compile.

    Sources are compiled, never run, and only such as lie among the installed packages: what a check's programs may have written
    into their notes does not matter. Nothing is done where this Python was told to write no bytecode, or may not.
    """
    named = _noted(home / inside.COMPILED)
    if sys.dont_write_bytecode or not named:
        return
    with _compiling:  # a check that ran beside this one has mostly named the same
        places = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib"))
        wanted = sorted(name for name in set(named) - _tried if _may_compile(Path(name), places))
        _tried.update(wanted)
        if wanted:
            command = [sys.executable, "-I", "-m", "compileall", "-qq", "-i", "-"]
            subprocess.run(command, input="\n".join(wanted), text=True, capture_output=True, check=False)


def _may_compile(source: Path, places: Collection[Path]) -> bool:
    try:
        real = source.resolve()
        inside = real.suffix == ".py" and real.is_file() and any(real.is_relative_to(place) for place in places)
        return inside and os.access(real.parent, os.W_OK) and not Path(importlib.util.cache_from_source(real)).exists()
    except (OSError, ValueError):  # names of any make
        return False
