"""The gallery: a description is a whole adapter, found like any other plugin, and packed with core."""

from __future__ import annotations

import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from claw_adapter import plugins
from claw_adapter.errors import AdapterError
from claw_adapter.frameworks import AcpCommand, Framework, describe
from claw_adapter.reference import acp_gallery
from claw_adapter.testing import FolderContext
from support.packages import build, needs_acp

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "core" / "src" / "claw_adapter" / "gallery"
NAMES = sorted(path.name for path in GALLERY.iterdir())
AGENT = ROOT / "tests" / "faults" / "acp_agent.py"
pytestmark = needs_acp


@pytest.mark.parametrize("name", NAMES)
def test_each_is_a_link_to_its_framework_and_an_entry_point(name):
    assert (GALLERY / name).is_symlink()
    assert (GALLERY / name).resolve() == ROOT / "frameworks" / name
    assert (ROOT / "frameworks" / name / "QUIRKS.md").is_file()
    points = tomllib.loads((ROOT / "core" / "pyproject.toml").read_text())["project"]["entry-points"]["claw_adapter"]
    assert points[name] == f"claw_adapter.reference.acp_gallery:{name.replace('-', '_')}"
    spec = describe(name)
    assert (spec.name, spec.kind) == (name, "npm")
    lock = (spec.folder / "package-lock.json").read_text()
    assert "resolved" not in lock
    assert '"integrity"' in lock


@pytest.mark.parametrize("name", NAMES)
def test_it_is_made_with_the_options_of_its_description_and_those_that_are_given(name):
    harness = plugins.create("harness", name, {"usage": "none"})
    assert harness.name == name
    assert harness.capabilities().usage == "none"
    assert plugins.create("harness", name).capabilities().usage == "last_request"
    with pytest.raises(AdapterError, match="no option 'command'"):
        plugins.create("harness", name, {"command": ["x"]})


def test_without_its_program_it_is_not_ready_and_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    found = plugins.create("harness", "opencode").probe()
    assert not found.ready
    assert found.remedy == "claw frameworks install opencode"


async def test_places_of_installation_and_trial_are_filled_in_and_files_written(monkeypatch, tmp_path):
    class There:
        readable = (Path(sys.prefix),)

    acp = AcpCommand(
        command=(f"{sys.prefix}/bin/pytho*", "-I", "{bin}"),
        env={"URL": "{openai}"},
        files={"a/settings.json": '{"m": "{model}", "k": "{key}"}'},
    )
    spec = describe("opencode").model_copy(update={"acp": acp})
    monkeypatch.setattr(acp_gallery, "find_installed", lambda _: There())
    monkeypatch.setattr(acp_gallery, "installed_places", lambda _: {"bin": str(AGENT)})
    harness = acp_gallery._Plugin(spec, acp).claw_harness()()
    ctx = FolderContext(tmp_path, key="sk-canary")
    async with await harness.open(ctx) as conversation:
        assert (await conversation.send("hello", 20)).text == "hello"
        assert conversation.versions == {"scripted": "9"}
    assert (ctx.state_dir / "a/settings.json").read_text() == f'{{"m": "{ctx.endpoint.model}", "k": "sk-canary"}}'


def test_a_file_outside_of_its_home_is_refused():
    with pytest.raises(AdapterError, match="below the agent's home"):
        plugins.create("harness", "acp", {"command": ["x"], "files": {"../x": ""}})


def test_the_wheel_of_core_has_what_installing_needs(tmp_path):
    wheel = build(ROOT / "core", "wheel", tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        found = {name.partition("/gallery/")[2] for name in archive.namelist() if "/gallery/" in name}
    needed = ("framework.toml", "package.json", "package-lock.json", "requirements.txt")
    profiles = {f"{name}/profiles/{describe(name).version}.json" for name in NAMES}
    assert found == {f"{name}/{file}" for name in NAMES for file in needed} | profiles


def test_a_description_is_read_without_the_part_too():
    assert isinstance(describe("opencode"), Framework)
    assert describe("openclaw").acp is None
