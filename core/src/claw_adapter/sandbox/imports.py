"""Which modules a check looked for and this machine does not have.

Python itself tells: behind all its own finders stands one more (`NOTES`), which is asked only for what nobody has found.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Final

from claw_adapter.sandbox.kept import compile_module

__all__ = ["missing_modules", "note_environment", "write_notes"]

FILE: Final = ".unfound-modules"
VARIABLE: Final = "CLAW_UNFOUND_MODULES"
"""Names that file to the Pythons of a check."""
NOTES: Final = """
import os, sys

class Unfound:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None:
            frame = sys._getframe(1)
            while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
                frame = frame.f_back
            line = f"{name}\\t{os.path.realpath(frame.f_code.co_filename) if frame else ''}\\n"
            try:
                with open(os.environ[{!r}], "ab") as file:
                    file.write(line.encode("utf-8", "surrogateescape"))
            except (OSError, KeyError):
                pass

sys.meta_path.append(Unfound)
"""
"""The module of this name that Python imports at its start, by itself."""


def write_notes(folder: Path) -> None:
    """Fill `folder`, for the import path, with what makes a Python write down what it has not found."""
    module = folder / "sitecustomize.py"
    module.write_text(NOTES.replace("{!r}", repr(VARIABLE)), "utf-8")
    compile_module(module)


def note_environment(folder: Path, home: Path) -> dict[str, str]:
    """The variables that make a Python do so, in `home`."""
    return {"PYTHONPATH": str(folder), VARIABLE: str(home / FILE)}


def missing_modules(home: Path, promised: Collection[str], readable: Collection[Path]) -> tuple[str, ...]:
    """Names of modules that were looked for in vain and are not here, sorted.

    They count if they were promised to a check, or if a script below `readable`, which is the check's own, asked for them; what
    else an agent's program wants to import is its own affair.
    """
    try:
        lines = (home / FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return ()
    own = tuple(path.resolve() for path in readable)
    asked = {name: Path(by) for name, _, by in (line.partition("\t") for line in lines)}
    return tuple(
        sorted(
            name
            for name, by in asked.items()
            if (name in promised or any(by.is_relative_to(one) for one in own))
            and name.isidentifier()
            and name not in sys.stdlib_module_names
            and importlib.util.find_spec(name) is None
        )
    )
