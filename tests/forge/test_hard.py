"""The set `hard`: knobs, chains, labels that have to be found; and families that another distribution brings."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_forge import plugged
from claw_adapter_forge.families import family
from claw_adapter_forge.families.handover_plan import KNOBS
from claw_adapter_forge.generator.choosing import counts_in, pick_tasks
from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.proof.gate import prove
from claw_adapter_forge.proof.replay import drive, replay
from claw_adapter_forge.scenario_folders import scenario_of
from claw_adapter_forge.tasks.labels import LABELS
from claw_adapter_forge.tasks.spec import ForgeTask

DOCUMENT = Path(__file__).parents[2] / "docs" / "write-a-family.md"
EXAMPLE = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def hard() -> tuple[ForgeTask, ...]:
    """The first tasks of the set."""
    return tuple(pick_tasks("hard", 0, 18))


def test_tasks_of_hard_are_long_and_a_colleague_asks_in_two_sentences(hard: tuple[ForgeTask, ...]) -> None:
    assert all(12 <= task.meta.necessary <= task.meta.length <= 40 for task in hard)
    assert all(task.instruction.count(". ") <= 1 for task in hard)
    assert all(2 * task.meta.necessary < task.meta.horizon for task in hard)
    for task in hard:
        assert dict(task.meta.knobs).keys() == KNOBS.keys()
        assert drive(task, "careful").verdict.strict
        assert not drive(task, "hasty").verdict.strict


def test_labels_have_to_be_found_in_most_tasks(hard: tuple[ForgeTask, ...]) -> None:
    found = 0
    for task in hard:
        lines = [c.values for w in task.goals[0].wants for c in w.conds if c.op == "line"]
        own = [values[0] for values in lines if LABELS[values[1]] != values[0]]
        assert len(own) in (0, len(lines))
        found += bool(own)
        assert not any(f"{label} (" in str(task.start.tables["config"]["office.rules"]) for label in own)
    assert found == 12


def test_a_text_with_the_usual_labels_is_refused_where_the_office_has_its_own(hard: tuple[ForgeTask, ...]) -> None:
    task = next(t for t in hard if dict(t.meta.knobs)["forms"])
    last = task.reference[-1]
    labels = {c.values[0]: c.values[1] for w in task.goals[0].wants for c in w.conds if c.op == "line"}
    usual = last
    for label, fact in labels.items():
        usual = usual.replace(f"{label}: ", f"{LABELS[fact]}: ")
    assert not replay(task, (*task.reference[:-1], usual)).verdict.strict
    more = f"{last[:-1]}\nOwner: Amara'"
    assert not replay(task, (*task.reference[:-1], more)).verdict.strict


def test_a_knob_is_set_for_all_tasks_and_the_rest_is_drawn() -> None:
    chosen = [dict(b.slots.knobs) for b in blueprints("hard", 1, 12, knobs={"chain": 4, "forms": 0})]
    assert {(c["chain"], c["forms"]) for c in chosen} == {(4, 0)}
    assert len({c["decoys"] for c in chosen}) > 1
    longer = [compile_blueprint(next(blueprints("hard", 1, 1, knobs={"corrections": n, "spread": n}))) for n in (1, 3)]
    assert longer[0].meta.necessary < longer[1].meta.necessary
    for wrong in ({"chain": 9}, {"luck": 1}):
        with pytest.raises(ScenarioError):
            list(blueprints("hard", 1, 1, knobs=wrong))
    with pytest.raises(ScenarioError, match="no knobs"):
        list(blueprints("scale", 1, 1, knobs={"chain": 2}))


def test_counts_of_families_can_be_asked_for() -> None:
    asked = counts_in("inbox_followthrough*3+handover*2")
    made = [b.family for b in blueprints("scale", 0, 1, {"inbox_followthrough": 3})]
    assert (asked, made) == ({"inbox_followthrough": 3, "handover": 2}, ["inbox_followthrough"] * 3)
    for wrong in ("inbox", "inbox*x", "*"):
        with pytest.raises(ScenarioError):
            counts_in(wrong)
    with pytest.raises(ScenarioError, match="no family"):
        list(blueprints("scale", 0, 1, {"nobody": 1}))
    with pytest.raises(ScenarioError, match="published counts"):
        list(blueprints("paper362", 0, 1, {"inbox_followthrough": 3}))


@pytest.mark.parametrize("place", [0, 4])
def test_every_obligation_holds_for_hard(place: int) -> None:
    found = prove(list(blueprints("hard", 2, 5))[place])
    assert found.faults == ()
    assert all(s.equivalent for s in found.tally.survivors)


def test_the_family_that_the_documents_show_is_found_and_proven(tmp_path, monkeypatch) -> None:
    assert EXAMPLE
    (tmp_path / "fire_drills.py").write_text(EXAMPLE[1], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("fire-drill", "fire_drills:FIRE_DRILL", plugged.GROUP)
    monkeypatch.setattr(plugged, "entry_points", lambda group: [point] if group == plugged.GROUP else [])
    plugged.plugged.cache_clear()
    try:
        assert family("fire_drill").ability == "gap_completion"
        for blueprint in blueprints("scale", 0, 1, {"fire_drill": 4}):
            found = prove(blueprint)
            assert found.faults == ()
            assert all(s.equivalent for s in found.tally.survivors)
    finally:
        plugged.plugged.cache_clear()


def test_knobs_are_tags_of_their_own_beside_both_lengths(hard: tuple[ForgeTask, ...], tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    task = hard[0]
    tags = scenario_of(task, {"mode": "multi"}).manifest.tags
    assert (tags["length"], tags["necessary"]) == ((str(task.meta.length),), (str(task.meta.necessary),))
    assert all(tags[f"knob-{name}"] == (str(setting),) for name, setting in task.meta.knobs)
