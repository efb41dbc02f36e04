"""The MetaClaw plugin's wheel carries its description and its pins, whatever it is built from."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "plugins" / "metaclaw"
pytestmark = pytest.mark.skipif(
    not PLUGIN.is_dir() or importlib.util.find_spec("hatchling") is None, reason="needs the checkout and hatchling"
)


def build(source: Path, kind: str, target: Path) -> Path:
    argv = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(argv, cwd=source, check=True, capture_output=True)
    (built,) = target.iterdir()
    return built


def test_a_wheel_built_from_the_source_distribution_holds_what_is_needed_and_no_more(tmp_path):
    with tarfile.open(build(PLUGIN, "sdist", tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path, filter="data")
    (source,) = tmp_path.glob("claw_adapter_metaclaw-*")
    with zipfile.ZipFile(build(source, "wheel", tmp_path / "wheel")) as archive:
        names = [Path(name) for name in archive.namelist()]
    assert {path.name for path in names if path.parent.name == "framework"} == {"framework.toml", "requirements.txt"}
    assert "py.typed" in {path.name for path in names}
