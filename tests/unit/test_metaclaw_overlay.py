"""MetaClaw's overlay without MetaClaw: what an experiment may say, what it is told, and the pool of a trial."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claw_adapter.errors import OverlayError, OverlayNotFound, Owner
from claw_adapter.frameworks import Framework
from claw_adapter.harness import Endpoint
from claw_adapter.runner.overlays import make_overlays
from claw_adapter.runs.plan import Experiment
from claw_adapter_metaclaw.adapter import MetaClaw, framework
from claw_adapter_metaclaw.options import Options, configuration, environment
from claw_adapter_metaclaw.pool import Pool

ROOT = Path(__file__).parents[2]
ENDPOINT = Endpoint(url="http://127.0.0.1:8400", key="secret", model="the-model")


def stack(*overlays):
    asked = {"scenarios": ["demo"], "harnesses": ["reference"], "models": ["reader"], "overlays": [list(overlays)]}
    return Experiment.model_validate(asked).overlays[0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"skill": "x"}, "no option 'skill'"), ({"evolution": "no"}, "'no' is neither true nor false"),
        ({"evolve_every": 0}, "0 is no number from 1 on"), ({"top_k": True}, "True is no whole number"),
        ({"skills": 3}, "3 is no text"),
    ],
)  # fmt: skip
def test_an_option_that_it_cannot_have_is_refused(given, said):
    with pytest.raises(OverlayError, match=said) as caught:
        MetaClaw(**given)
    assert caught.value.owner is Owner.OVERLAY


def test_what_a_trial_starts_with_and_is_not_there_is_refused_before_anything_is_spent(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    with pytest.raises(OverlayNotFound, match=r"overlay 'm' is not ready: MetaClaw .* is not installed") as caught:
        make_overlays(stack({"name": "metaclaw", "label": "m"}))
    assert caught.value.remedy == "claw frameworks install metaclaw"
    assert "option 'carry': nowhere is not a folder" in Options.parse({"carry": "nowhere"}).missing()
    assert Options.parse({"skills": str(tmp_path)}).missing() == ""


def test_it_listens_on_loopback_neither_trains_nor_schedules_and_knows_one_model(tmp_path):
    settings = configuration(ENDPOINT, Options(), Pool(tmp_path), 4711)
    assert settings["mode"] == "skills_only"
    assert settings["proxy"] == {"host": "127.0.0.1", "port": 4711}
    assert (settings["rl"]["enabled"], settings["scheduler"]["enabled"]) == (False, False)
    assert settings["llm"]["api_base"] == "http://127.0.0.1:8400/v1"
    assert (settings["llm"]["model_id"], settings["llm"]["api_key"]) == ("the-model", "secret")


@pytest.mark.parametrize("on", [False, True])
def test_evolution_and_memory_are_what_the_experiment_says(tmp_path, on):
    options = Options.parse({"evolution": on, "memory": on, "evolve_every": 7, "top_k": 2, "task_top_k": 3})
    settings = configuration(ENDPOINT, options, Pool(tmp_path), 1)
    assert (settings["skills"]["auto_evolve"], settings["memory"]["enabled"]) == (on, on)
    assert settings["memory"]["manual_trigger"] is True
    chosen = [settings["skills"][name] for name in ("evolution_every_n_turns", "top_k", "task_specific_top_k")]
    assert chosen == [7, 2, 3]


def test_only_its_own_programs_are_on_its_path_so_no_openclaw_is(tmp_path):
    found = environment(tmp_path / "stand-ins", tmp_path / "bin", tmp_path / "tmp")
    assert found["PATH"] == str(tmp_path / "bin")
    assert found["PYTHONPATH"] == str(tmp_path / "stand-ins")
    assert found["TMPDIR"] == str(tmp_path / "tmp")


def test_a_pool_begins_with_what_was_carried_and_the_skills_of_the_experiment(tmp_path):
    for path, text in (
        ("carry/skills/old/SKILL.md", "old"),
        ("carry/memory/policy.json", "{}"),
        ("new/a/SKILL.md", "a"),
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    pool = Pool(tmp_path / "pool")
    pool.fill(str(tmp_path / "new"), str(tmp_path / "carry"), {})
    wanted = {"skills/old/SKILL.md": b"old", "skills/a/SKILL.md": b"a", "memory/policy.json": b"{}"}
    assert pool.files() == wanted
    again = Pool(tmp_path / "again")
    again.fill(str(tmp_path / "new"), "", {"skills/b/SKILL.md": b"b"})
    assert again.files() == {"skills/b/SKILL.md": b"b"}, "from a checkpoint nothing else counts"


def test_a_pool_that_starts_empty_is_empty(tmp_path):
    pool = Pool(tmp_path / "pool")
    pool.fill("", "", {})
    assert pool.files() == {}
    assert pool.skills.is_dir()


def test_a_memory_that_is_being_written_is_read_whole(tmp_path):
    pool = Pool(tmp_path / "pool")
    pool.fill("", "", {})
    with closing(sqlite3.connect(pool.memory / "memory.db")) as live:
        live.execute("pragma journal_mode=wal")
        live.execute("create table said (text)")
        live.execute("insert into said values ('only in the log so far')")
        live.commit()
        assert (pool.memory / "memory.db-wal").stat().st_size
        files = pool.files()
    assert set(files) == {"memory/memory.db"}
    restored = Pool(tmp_path / "restored")
    restored.fill("", "", files)
    with closing(sqlite3.connect(restored.memory / "memory.db")) as copy:
        assert copy.execute("select text from said").fetchall() == [("only in the log so far",)]


def test_links_in_a_pool_lead_nowhere(tmp_path):
    (tmp_path / "secret").write_text("x")
    pool = Pool(tmp_path / "pool")
    pool.fill("", "", {})
    (pool.skills / "SKILL.md").symlink_to(tmp_path / "secret")
    assert pool.files() == {}


def test_its_pins_are_hashed_and_name_no_registry():
    described = framework()
    assert isinstance(described, Framework)
    assert f"aiming-metaclaw=={described.version}" == described.requirement
    pins = described.requirements_file.read_text()
    assert described.requirement in pins
    assert "torch" not in pins
    assert "://" not in pins
    lines = [line for line in pins.splitlines() if "==" in line]
    assert pins.count("--hash=sha256:") >= len(lines)
