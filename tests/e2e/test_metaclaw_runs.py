"""The real MetaClaw between real harnesses and the reader: what it adds arrives, what it asks for itself stands apart.

Behind the reference harness it is in test_metaclaw_faults.py, where a killed run of the demo goes on with what was learned.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from claw_adapter.report import summarise
from claw_adapter.runs.load import load_run
from e2e.metaclaw_runs import CANARY, EVOLVED, MODEL, artefact, end, exchanges, metaclaw, pool, real, seen
from support.running import experiment, rounds, run_sync
from support.scenarios import write_scenario

pytestmark = [pytest.mark.slow(60), pytest.mark.real("nanobot")]
WITH, WITHOUT = "demo--{}-metaclaw--reader--s0", "demo--{}--reader--s0"
HARNESSES = ["nanobot", *(["picoclaw"] if shutil.which("picoclaw") else [])]


@pytest.fixture(scope="module")
def ablation(tmp_path_factory) -> Path:
    """The demo with and without MetaClaw, which makes a skill of every fifth request."""
    root = tmp_path_factory.mktemp("ablation")
    overlays = ["none", metaclaw(skills=str(pool(root / "skills")), evolve_every=5)]
    asked = experiment(
        "demo", harnesses=HARNESSES, models=[MODEL], overlays=overlays, settings={"isolation": 2, "deadline": 120}
    )
    run_sync(root / "run", asked, jobs=1)
    return root / "run"


@real
def test_every_round_is_right_and_all_evidence_arrives_with_and_without_it(ablation):
    rows = summarise(load_run(ablation)).rows
    assert [row.label for row in rows] == [f"{h}{more}" for h in HARNESSES for more in ("", "+metaclaw")]
    for row in rows:
        assert (row.strict.tcr, row.scored, row.retried) == (1.0, 11, 0), row.label
        assert (row.evidence.seen, row.evidence.needed) == (55, 55)
        assert {level.harness for level in row.isolation} == {2}
    assert all("aiming-metaclaw" in row.versions for row in rows if row.overlays)


@real
@pytest.mark.parametrize("harness", HARNESSES)
def test_a_skill_is_in_every_request_with_it_and_in_none_without(ablation, harness):
    with_it = exchanges(ablation, WITH.format(harness), "harness")
    without = exchanges(ablation, WITHOUT.format(harness), "harness")
    assert len(with_it) == len(without) > 11
    assert all(CANARY in seen(exchange) for exchange in with_it)
    assert not any(CANARY in seen(exchange) for exchange in without)


@real
@pytest.mark.parametrize("harness", HARNESSES)
def test_its_own_requests_are_counted_apart(ablation, harness):
    trial = WITH.format(harness)
    own = exchanges(ablation, trial, "overlay")
    assert len(own) >= 4
    assert all("skill engineer" in seen(exchange) for exchange in own)
    records, without = rounds(ablation, trial), rounds(ablation, WITHOUT.format(harness))
    counted = [record.usage.overlay for record in records] + [end(ablation, trial).overlay]
    assert sum(metered.requests for metered in counted) == len(own)
    assert sum(metered.input for metered in counted) == sum(exchange.usage["input"] for exchange in own)
    assert [r.usage.metered.requests for r in records] == [r.usage.metered.requests for r in without]
    assert [r.tool_calls for r in records] == [r.tool_calls for r in without]
    assert all(record.usage.overlay is None for record in without)
    row = next(row for row in summarise(load_run(ablation)).rows if row.label == f"{harness}+metaclaw")
    assert row.tokens.overlay.requests == len(own)
    assert row.tokens.metered.requests == sum(record.usage.metered.requests for record in records)


@real
@pytest.mark.parametrize("harness", HARNESSES)
def test_what_it_learned_stays_in_its_trial_and_the_pool_before_and_after_is_kept(ablation, harness):
    trial = WITH.format(harness)
    assert artefact(ablation, trial, "before") == {"skills/canary/SKILL.md"}
    assert artefact(ablation, trial, "after") == {
        "skills/canary/SKILL.md", "skills/evolved-one/SKILL.md", "skills/evolution_history.jsonl",
    }  # fmt: skip
    asked = exchanges(ablation, trial, "harness")
    assert not any(EVOLVED in seen(exchange) for exchange in asked[:5]), "not from the trial before"
    assert EVOLVED in seen(asked[-1]), "from this one"


@real
def test_it_listens_on_loopback_only_leaves_openclaw_alone_and_writes_no_key(ablation):
    folder = ablation / "trials" / WITH.format("nanobot") / "artefacts" / "metaclaw"
    log = (folder / "log" / "stderr.txt").read_text()
    assert "Uvicorn running on http://127.0.0.1:" in log
    assert "'openclaw' not found in PATH" in log
    written = [path.read_bytes() for path in ablation.rglob("*") if path.is_file()]
    assert not any(re.search(rb"claw-[A-Za-z0-9_-]{32}", data) for data in written), "a door's key was written down"
    assert not (ablation / "live").exists()


@real
def test_evolution_and_memory_are_switches_and_carry_brings_a_pool_along(ablation, tmp_path):
    carried = ablation / "trials" / WITH.format("nanobot") / "artefacts" / "metaclaw" / "after"
    overlays = [
        metaclaw("memory", evolution=False, memory=True),
        metaclaw("carried", evolution=False, carry=str(carried)),
    ]
    settings = {"isolation": 1, "deadline": 120}
    asked = experiment("demo", harnesses=["reference"], models=[MODEL], overlays=overlays, settings=settings)
    found = run_sync(tmp_path / "run", asked, jobs=2)
    assert all(record.score.value == 1 for records in found.values() for record in records)

    def requests(label: str) -> list[str]:
        trial = f"demo--reference-{label}--reader--s0"
        assert exchanges(tmp_path / "run", trial, "overlay") == []
        return [seen(exchange) for exchange in exchanges(tmp_path / "run", trial, "harness")]

    remembered = "## Relevant Long-Term Memory"
    assert not any(remembered in text for text in requests("carried"))
    memory = requests("memory")
    assert not any("## Active Skills" in text for text in memory)
    assert remembered not in memory[0]
    assert remembered in memory[-1]
    assert "memory/memory.db" in artefact(tmp_path / "run", "demo--reference-memory--reader--s0", "after", "memory")
    assert all(EVOLVED in text for text in requests("carried"))


@real
def test_a_harness_of_another_dialect_gets_its_calls_and_counts_through_it(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    call = {"tools": [{"name": "read_file", "arguments": {"path": "notes.txt"}}]}
    model = {"name": "script", "kind": "scripted", "script": [call, "\\bbox{A}"]}
    harness = {"name": "nanobot", "options": {"dialect": "anthropic-messages"}}
    asked = experiment(
        scenario, harnesses=[harness], models=[model], settings={"isolation": 2, "deadline": 120},
        overlays=[metaclaw(skills=str(pool(tmp_path / "skills")), evolution=False)],
    )  # fmt: skip
    (records,) = run_sync(tmp_path / "run", asked).values()
    assert [record.score.value for record in records] == [1, 1]
    assert records[0].tool_calls == 1
    assert records[0].usage.reported.input > 0
    (trial,) = (path.name for path in (tmp_path / "run" / "trials").iterdir())
    asked_for = exchanges(tmp_path / "run", trial, "harness")
    assert {exchange.dialect for exchange in asked_for} == {"openai-chat"}, "behind it everything is of one dialect"
    assert all(CANARY in seen(exchange) for exchange in asked_for)
