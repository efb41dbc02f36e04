"""Tasks as scenarios: folders that say what is in them, records as if they had been read, options that are checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.commands import call

from claw_adapter.errors import AdapterError, ScenarioError
from claw_adapter.protocol import Scenario
from claw_adapter.scenario import load_gold, load_scenario, require_valid
from claw_adapter.scenario.named import find_scenarios
from claw_adapter_forge.scenario_folders import cache_home
from claw_adapter_forge.source import ForgeSource
from claw_adapter_forge.tasks.manifest import task_from_json
from claw_adapter_forge.tasks.observation import first_observation


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def load(**options: object) -> tuple[Scenario, ...]:
    return ForgeSource(**options).load().scenarios


def test_a_scenario_is_what_reading_its_folder_gives() -> None:
    for scenario in load(sample=6):
        read = load_scenario(scenario.root)
        assert read == scenario
        require_valid(read, load_gold(read))


def test_the_hidden_part_has_the_task_and_the_visible_one_what_an_agent_is_told() -> None:
    (scenario,) = load(only=17)
    task = task_from_json(json.loads((scenario.root / "gold" / "task.json").read_text()))
    (item,) = scenario.rounds
    assert (scenario.id, item.type) == (task.id, "forge")
    assert item.question == first_observation(task.instruction, task.start)
    assert scenario.manifest.tags == {
        "task-set": ("paper362",), "family": (task.meta.family,), "ability": (task.meta.ability,),
        "style": (task.meta.style,), "length": (str(task.meta.length),), "mode": ("multi",),
        "necessary": (str(task.meta.necessary),),
    }  # fmt: skip
    assert list(scenario.workspace.iterdir()) == []
    seen = "".join((scenario.root / name).read_text() for name in ("scenario.yaml", "rounds.yaml"))
    assert not [line for line in task.reference if "--" in line and line in seen]
    assert "reference" not in seen


def test_a_name_is_a_source_with_options() -> None:
    found = find_scenarios(("forge:task-set=scale,n=40,seed=3,sample=6,mode=mock,horizon=9,hide-output=true",))
    assert len({s.manifest.tags["ability"] for s in found.values()}) == 6
    for scenario in found.values():
        assert scenario.id.startswith("forge-0")
        assert len(scenario.id) == len("forge-00001")
        environment = scenario.manifest.environment
        assert environment is not None
        assert environment.options == {"mode": "mock", "horizon": 9, "hide_output": True}


def test_the_digest_is_the_task_s_and_the_options() -> None:
    digests = [load(**options)[0].digest for options in ({"only": 17}, {"only": 17}, {"only": 17, "seed": 1})]
    assert digests[0] == digests[1] != digests[2]
    assert load(only=17, horizon=9)[0].digest not in digests


def test_folders_are_made_once_and_mended(home: Path) -> None:
    first, second = load(only="forge-017+18")
    assert (first.id, second.id) == ("forge-017", "forge-018")
    stamps = {p: p.stat().st_mtime_ns for p in cache_home().rglob("*") if p.is_file()}
    assert load(only="17+forge-018") == (first, second)
    assert stamps == {p: p.stat().st_mtime_ns for p in cache_home().rglob("*") if p.is_file()}
    (first.root / "gold" / "task.json").write_text("{}")
    (second.root / "workspace" / "stray.txt").write_text("x")
    assert load(only="17+18") == (first, second)
    assert load_scenario(first.root) == first
    assert list(second.workspace.iterdir()) == []
    assert {p.name for p in cache_home().iterdir()} == {first.root.parent.name, second.root.parent.name}
    assert cache_home().is_relative_to(home)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"profile": "paper362"}, "no option 'profile'"),
        ({"task-set": "other"}, "no task set 'other'"),
        ({"only": 9999}, "no such task"),
        ({"only": "nonsense"}, "no such task"),
        ({"only": 3, "sample": 5}, "exclude each other"),
        ({"sample": -1}, "no number from 0 on"),
        ({"mode": "magic"}, "none of"),
        ({"hide-output": "maybe"}, "neither true nor false"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises((AdapterError, ScenarioError), match=said):
        load(**wrong)


def test_a_wrong_option_on_the_command_line_is_exit_2(tmp_path: Path) -> None:
    done = call("run", "forge:task-set=other", "--out", tmp_path / "run")
    assert done.code == 2
    assert "paper362, scale" in done.err
    assert not (tmp_path / "run").exists()
