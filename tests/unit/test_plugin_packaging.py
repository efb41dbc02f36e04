"""A plugin's wheel carries its description, its pins and what runs inside the program, whatever it is built from."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from claw_adapter.runs.packing import unpack
from support.packages import PLUGINS, build, needs_checkout

PINS = {"framework.toml", "requirements.txt"}
NPM = PINS | {"package.json", "package-lock.json"}
HELD = {
    "claude-code": {"framework": NPM},
    "metaclaw": {"framework": PINS},
    "openclaw": {"framework": NPM, "bridge": {"index.mjs", "openclaw.plugin.json", "package.json"}},
}
"""Plugin → the files of each of these folders in its wheel, no more and no less."""
pytestmark = needs_checkout


@pytest.mark.parametrize("plugin", HELD)
def test_a_wheel_built_from_the_source_distribution_holds_what_is_needed_and_no_more(tmp_path, plugin):
    unpack(build(PLUGINS / plugin, "sdist", tmp_path / "sdist").read_bytes(), tmp_path)
    (source,) = tmp_path.glob(f"claw_adapter_{plugin.replace('-', '_')}-*")
    with zipfile.ZipFile(build(source, "wheel", tmp_path / "wheel")) as archive:
        names = [Path(name) for name in archive.namelist()]
    held = {folder: {path.name for path in names if path.parent.name == folder} for folder in HELD[plugin]}
    assert held == HELD[plugin]
    assert "py.typed" in {path.name for path in names}
    assert not any("golden" in path.parts for path in names)
