"""Specs and suites run by name: compiled once into the cache, whole or not at all, also when two ask at the same time."""

import subprocess
import sys
from pathlib import Path

import pytest

from claw_adapter.errors import AdapterError, ScenarioError
from claw_adapter.scenario.named import find_scenarios
from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.source import SuiteSource
from claw_adapter_scenarios.suites import cache
from claw_adapter_scenarios.suites.digest import folder_digest
from scenarios.test_suites import rewrite, suite


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def entries(home: Path) -> list[Path]:
    return sorted((home / "cache" / "scenarios").iterdir())


def test_a_spec_runs_by_its_name_and_another_seed_is_another_variant():
    assert list(find_scenarios(("clinic-fridge", "clinic-fridge:seed=3"))) == ["clinic-fridge", "clinic-fridge-v3"]


def test_what_was_compiled_is_taken_from_the_cache(home: Path, monkeypatch: pytest.MonkeyPatch):
    first = cache.compiled(EXAMPLE)
    monkeypatch.setattr(cache, "_make", lambda *_: pytest.fail("compiled again"))
    assert cache.compiled(EXAMPLE) == first
    assert len(entries(home)) == 1


def test_several_variants_are_asked_for_at_once():
    assert list(find_scenarios(("clinic-fridge:seeds=0-2",))) == [
        "clinic-fridge",
        "clinic-fridge-v1",
        "clinic-fridge-v2",
    ]
    with pytest.raises(ScenarioError, match="seeds=2-0 is no range"):
        find_scenarios(("clinic-fridge:seeds=2-0",))


def test_another_text_or_seed_is_another_entry(tmp_path: Path, home: Path):
    import shutil

    shutil.copytree(EXAMPLE, tmp_path / "clinic-fridge")
    rewrite(tmp_path / "clinic-fridge" / "0-truth.yaml", "title: ", "title: Again, ")
    made = {cache.compiled(EXAMPLE), cache.compiled(EXAMPLE, 1), cache.compiled(tmp_path / "clinic-fridge")}
    assert len({one.parent for one in made}) == 3
    assert len(entries(home)) == 3


@pytest.mark.parametrize("harm", ["changed", "removed", "unsealed"])
def test_a_damaged_entry_is_made_again(harm: str, home: Path):
    root = cache.compiled(EXAMPLE)
    whole = folder_digest(root)
    if harm == "changed":
        (root / "rounds.yaml").write_text("rounds: []\n", "utf-8")
    elif harm == "removed":
        (root / "gold" / "answers.yaml").unlink()
    else:
        (root.parent / cache.SEAL).unlink()
    assert folder_digest(cache.compiled(EXAMPLE)) == whole
    assert len(entries(home)) == 1, "nothing is left over"


def test_four_processes_at_a_time_make_one_whole_entry(home: Path):
    code = (
        "from claw_adapter_scenarios.suites.cache import compiled\n"
        "from claw_adapter_scenarios.authoring import EXAMPLE\n"
        "print(compiled(EXAMPLE))"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    said = {process.communicate(timeout=120)[0] for process in running}
    assert [process.returncode for process in running] == [0] * 4
    assert len(said) == 1
    assert len(entries(home)) == 1


def test_a_suite_works_with_what_is_there_and_says_what_is_not(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    path = suite(tmp_path)
    rewrite(path, "  - {id: alpha}\n", "  - {id: alpha}\n  - {id: ghost}\n")
    assert [one.id for one in SuiteSource(seed="2").load(path).scenarios] == ["alpha-v2"]
    assert "not there: ghost" in caplog.text
    with pytest.raises(ScenarioError, match="nothing of the suite is there"):
        SuiteSource(only="ghost").load(path)
    with pytest.raises(ScenarioError, match="has no spook"):
        SuiteSource(only="spook").load(path)


@pytest.mark.parametrize("name", ["clinic-fridge:seed", "clinic-fridge:", "clinic-fridge:seed=x"])
def test_wrong_options_are_refused(name: str):
    with pytest.raises(ScenarioError, match=r"seed=x|options are written"):
        find_scenarios((name,))


@pytest.mark.parametrize("options", ["sample=-1", "sample=x", "sample=2,only=well-nine"])
def test_a_sample_that_cannot_be_is_refused(options: str):
    with pytest.raises(ScenarioError):
        find_scenarios((f"lite:{options}",))


def test_an_unknown_option_is_refused():
    with pytest.raises(AdapterError, match="no option 'sead'") as caught:
        find_scenarios(("clinic-fridge:sead=1",))
    assert "seed" in caught.value.remedy
