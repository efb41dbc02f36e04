"""The NanoBot plugin carries its description wherever it is installed from: source distribution, wheel, checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from claw_adapter.frameworks import commands
from claw_adapter.runs.packing import unpack
from support.packages import PLUGINS, build, needs_checkout

ROOT = Path(__file__).parents[2]
PLUGIN = PLUGINS / "nanobot"
DESCRIBE = (
    "import sys; from claw_adapter.frameworks import describe; f = describe('nanobot');"
    "print(f.requirement, f.digest[:8], 'claw_adapter_nanobot' in sys.modules, f.folder)"
)
pytestmark = needs_checkout


def described(*path: Path) -> list[str]:
    """What `describe` says in a fresh interpreter that sees `path` first."""
    core = [str(ROOT / "core" / "src")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, path), *core])}
    done = subprocess.run([sys.executable, "-c", DESCRIBE], env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_wheel_holds_the_description_the_pins_and_the_profile_and_nothing_else_of_the_folder(tmp_path):
    wheel = build(PLUGIN, "wheel", tmp_path / "dist")
    with zipfile.ZipFile(wheel) as archive:
        names = {name.partition("/framework/")[2] for name in archive.namelist() if "/framework/" in name}
        archive.extractall(tmp_path / "site")
    assert names == {"framework.toml", "requirements.txt", "profiles/0.3.5.json"}
    requirement, _, imported, folder = described(tmp_path / "site")
    assert requirement.startswith("nanobot-ai==")
    assert imported == "False"
    assert folder == str(tmp_path / "site" / "claw_adapter_nanobot" / "framework")


def test_a_wheel_built_from_the_source_distribution_is_the_same(tmp_path):
    unpack(build(PLUGIN, "sdist", tmp_path / "sdist").read_bytes(), tmp_path)
    (source,) = tmp_path.glob("claw_adapter_nanobot-*")
    with zipfile.ZipFile(build(source, "wheel", tmp_path / "second")) as second:
        names = sorted(second.namelist())
    with zipfile.ZipFile(build(PLUGIN, "wheel", tmp_path / "first")) as first:
        assert sorted(first.namelist()) == names


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_an_editable_installation_finds_the_description_of_the_checkout(tmp_path):
    uv = str(commands.uv())
    subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(tmp_path / "venv")], check=True, cwd=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    (site,) = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    ours = [path for path in sys.path if path.endswith("site-packages")]
    (site / "ours.pth").write_text("\n".join(ours))
    argv = [uv, "pip", "install", "-q", "--offline", "--no-deps", "--no-build-isolation", "--python", str(python)]
    subprocess.run([*argv, "-e", str(PLUGIN)], check=True, cwd=tmp_path)
    env = {**os.environ, "PYTHONPATH": str(ROOT / "core" / "src")}
    done = subprocess.run([python, "-c", DESCRIBE], env=env, capture_output=True, text=True, check=True)
    folder = Path(done.stdout.split()[-1])
    assert folder.resolve() == ROOT / "frameworks" / "nanobot"
