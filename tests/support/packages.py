"""Build a distribution of the checkout, as a release does."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

__all__ = ["PLUGINS", "build", "needs_checkout"]

PLUGINS = Path(__file__).parents[2] / "plugins"
needs_checkout = pytest.mark.skipif(
    not PLUGINS.is_dir() or importlib.util.find_spec("hatchling") is None, reason="needs the checkout and hatchling"
)


def build(source: Path, kind: str, target: Path) -> Path:
    """The ``sdist`` or ``wheel`` of a package, alone in a folder."""
    argv = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(argv, cwd=source, check=True, capture_output=True)
    (built,) = target.iterdir()
    return built
