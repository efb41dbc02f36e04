"""All distributions fit together: one version, a bound on core, and what each is said to bring is what it brings."""

from __future__ import annotations

import json
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from claw_adapter import __version__, plugins
from claw_adapter.cli import PLUGIN_COMMANDS
from claw_adapter.distributions import DISTRIBUTIONS
from claw_adapter.errors import ScenarioError
from claw_adapter.plugins import Plugin, PluginStatus
from claw_adapter.runs.providers import provider_model
from support.commands import call

ROOT = Path(__file__).parents[2]
MANIFESTS = sorted([*ROOT.glob("plugins/*/pyproject.toml"), *ROOT.glob("scenarios/*/pyproject.toml")])
PROJECTS = {path.parent.name: tomllib.loads(path.read_text())["project"] for path in MANIFESTS}
BOUND = f"claw-adapter~={'.'.join(__version__.split('.')[:2])}"
pytestmark = pytest.mark.skipif(not MANIFESTS, reason="needs the checkout")


def test_every_distribution_has_the_version_of_core_and_is_bound_to_it():
    core = tomllib.loads((ROOT / "core" / "pyproject.toml").read_text())["project"]
    skeleton = ROOT / "core/src/claw_adapter/cli/skeleton/pyproject.toml.in"
    assert {project["version"] for project in [core, *PROJECTS.values()]} == {__version__}
    assert [name for name, project in PROJECTS.items() if BOUND not in project["dependencies"]] == []
    assert f'"{BOUND}"' in skeleton.read_text(), "what `claw new-adapter` writes"


def test_what_each_is_said_to_bring_is_what_it_brings():
    brought = {ours.name: (set(ours.plugins), set(ours.commands)) for ours in DISTRIBUTIONS}
    declared = {
        project["name"]: tuple(
            set(project.get("entry-points", {}).get(g, ())) for g in ("claw_adapter", PLUGIN_COMMANDS)
        )
        for project in PROJECTS.values()
    }
    assert brought == declared
    installed = {point.name for point in entry_points(group="claw_adapter")}
    kinds = {name: kind for ours in DISTRIBUTIONS for name, kind in ours.plugins.items() if name in installed}
    assert [name for name, kind in kinds.items() if kind not in plugins.provides(name)] == []


@pytest.mark.parametrize("name", PROJECTS)
def test_the_address_of_what_is_driven_is_that_of_its_description(name):
    described = ROOT / "frameworks" / name / "framework.toml"
    if described.exists():
        assert list(PROJECTS[name]["urls"].values()) == [tomllib.loads(described.read_text())["homepage"]]


def test_the_list_of_plugins_says_what_is_not_installed_and_how_to_get_it(monkeypatch):
    bare = [Plugin("reference", "claw-adapter", "1", "claw_adapter.reference.plugin")]
    monkeypatch.setattr(plugins, "entry_points", lambda name=None: [p for p in bare if name in (None, p.name)])
    monkeypatch.setattr(plugins, "probe_all", lambda *_: [PluginStatus(plugin, ok=True) for plugin in bare])
    done = call("plugins")
    assert done.code == 0
    for ours in DISTRIBUTIONS:
        assert f"pip install {ours.name}" in done.out
    assert "policy (model), command `claw forge`" in " ".join(done.out.split())
    states = {state["name"]: state for state in json.loads(call("plugins", "--json").out)}
    assert states["reference"]["installed"]
    assert states["picoclaw"] == {
        "name": "picoclaw", "distribution": "claw-adapter-picoclaw", "provides": ["harness"], "installed": False,
        "ok": False, "remedy": "pip install claw-adapter-picoclaw",
    }  # fmt: skip


def test_a_plugin_that_is_named_and_not_installed_is_refused_with_the_way_out(monkeypatch):
    monkeypatch.setattr(plugins, "entry_points", lambda _name=None: [])
    done = call("plugins", "picoclaw")
    assert done.code == 4
    assert "pip install claw-adapter-picoclaw" in done.err


@pytest.mark.parametrize(
    ("model", "distribution"), [("policy:careful", "claw-adapter-forge"), ("llamacpp", "claw-adapter-llamacpp")]
)
def test_a_model_of_a_plugin_that_is_not_installed_names_it(monkeypatch, model, distribution):
    monkeypatch.setattr(plugins, "entry_points", lambda _name=None: [])
    with pytest.raises(ScenarioError) as caught:
        provider_model(model)
    assert caught.value.remedy.endswith(f"pip install {distribution}")
