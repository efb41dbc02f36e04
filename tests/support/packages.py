"""Distributions for tests: built from the checkout as a release does, or made up."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

__all__ = ["PLUGINS", "build", "make_up", "needs_acp", "needs_checkout"]

PLUGINS = Path(__file__).parents[2] / "plugins"
needs_acp = pytest.mark.skipif(
    importlib.util.find_spec("acp") is None, reason="the extra claw-adapter[acp] is not installed"
)
"""Looked for only: its import takes longer than collecting all tests, and most workers need it for none of theirs."""
needs_checkout = pytest.mark.skipif(
    not PLUGINS.is_dir() or importlib.util.find_spec("hatchling") is None, reason="needs the checkout and hatchling"
)


def build(source: Path, kind: str, target: Path) -> Path:
    """The ``sdist`` or ``wheel`` of a package, alone in a folder."""
    argv = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(argv, cwd=source, check=True, capture_output=True)
    (built,) = target.iterdir()
    return built


def make_up(site: Path, **modules: str) -> None:
    """Distributions of one plugin each in a folder of packages: name → module source; ``DIST__NAME`` where they differ."""
    for key, source in modules.items():
        dist, _, name = key.partition("__")
        (site / f"{dist}_mod.py").write_text(textwrap.dedent(source))
        info = site / f"{dist}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {dist}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[claw_adapter]\n{name or dist} = {dist}_mod\n")
