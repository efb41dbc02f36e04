"""Compiled scenarios under the reference harness: readers are ordered, and what is withheld is lost where it mattered."""

import json
import shutil
from pathlib import Path

import pytest

from claw_adapter.protocol import RoundRecord
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.scenario import load_gold, load_scenario
from claw_adapter_scenarios.authoring import EXAMPLE, packaged_specs
from claw_adapter_scenarios.compiler import build, compile_spec
from claw_adapter_scenarios.spec import load_spec
from support.running import experiment, run_sync

MADE = compile_spec(load_spec(EXAMPLE))
CATEGORY = {one.spec.id: one.round.tags.category for one in MADE.rounds}
DEPENDENT = {one.spec.id for one in MADE.rounds if one.dependent}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(load_spec(EXAMPLE), tmp_path_factory.mktemp("built"))


def lost(records: list[RoundRecord]) -> set[str]:
    return {record.round for record in records if record.score.value != 1}


def run(folder: Path, *scenarios: Path, **more) -> list[list[RoundRecord]]:
    return list(run_sync(folder, experiment(*scenarios), **more).values())


def test_the_three_readers_are_ordered(built: Path, tmp_path: Path):
    asked = experiment(built, models=["reader", "reader:forgetful", "reader:hasty"])
    scores = [sum(r.score.value or 0 for r in found) for found in run_sync(tmp_path / "run", asked).values()]
    careful, forgetful, hasty = scores
    assert careful == len(MADE.rounds)
    assert careful >= forgetful >= hasty
    assert careful > hasty


@pytest.mark.slow
@pytest.mark.parametrize("root", [p for p in packaged_specs() if p != EXAMPLE], ids=lambda p: p.name)
def test_the_readers_of_the_suite_are_ordered(root: Path, tmp_path: Path):
    from claw_adapter.errors import ScenarioError

    try:
        folder = build(load_spec(root), tmp_path)
    except ScenarioError as error:
        pytest.skip(f"{root.name} is not finished: {error.what}")
    if sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) > 4_000_000:
        pytest.skip(f"{root.name} is heavy: `claw run lite:only={root.name}`")
    asked = experiment(folder, models=["reader", "reader:forgetful", "reader:hasty"])
    runs = run_sync(tmp_path / "run", asked).values()
    careful, forgetful, hasty = (sum(r.score.value or 0 for r in found) for found in runs)
    assert careful == len(load_scenario(folder).rounds)
    assert careful >= forgetful >= hasty
    assert careful > hasty


def test_with_updates_withheld_exactly_the_rounds_tagged_DU_are_lost(built: Path, tmp_path: Path):  # noqa: N802 - the tag
    copy = tmp_path / "clinic-fridge"
    shutil.copytree(built, copy)
    rounds = copy / "rounds.yaml"
    lines = rounds.read_text("utf-8").splitlines(keepends=True)
    kept, skipping = [], False
    for line in lines:
        skipping = line.startswith("  updates:") or (skipping and line.startswith("  - "))
        if not skipping:
            kept.append(line)
    rounds.write_text("".join(kept), "utf-8")
    assert not any(item.updates for item in load_scenario(copy).rounds)
    (records,) = run(tmp_path / "run", copy)
    gone = lost(records)
    assert gone == DEPENDENT
    assert {one.spec.id for one in MADE.rounds if "DU" in one.spec.dimensions} == gone


class Forgetting(ReferenceHarness):
    """Starts a fresh conversation every round: history and past turns are gone, tools and sessions work."""

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        send = conversation.send

        async def fresh(prompt, deadline):
            conversation._agent.main["messages"].clear()
            return await send(prompt, deadline)

        conversation.send = fresh
        return conversation


def test_without_its_own_past_exactly_the_rounds_are_lost_that_need_it(built: Path, tmp_path: Path):
    gold, order = load_gold(load_scenario(built)), list(CATEGORY)
    expected = set()
    for index, one in enumerate(MADE.rounds):
        sets = [g for o in one.evidence.options.values() for g in (*o.supports, *o.refutes)]
        needed = [set(one.evidence.needs), *([set().union(*sets)] if sets else [])]
        places = {gold.evidence.fragments[name].where for group in needed for name in group}
        previous = f"feedback/{order[index - 1]}" if index else ""
        if any(p.startswith("session/main#") or (p.startswith("feedback/") and p != previous) for p in places):
            expected.add(one.spec.id)
    (records,) = run(tmp_path / "run", built, harnesses={"reference": Forgetting(mode="in-process")})
    assert lost(records)
    assert lost(records) <= expected


def evidence_in(prefix: str) -> set[str]:
    """Rounds of which some evidence stands only in places with that prefix."""
    found = set()
    for one in MADE.rounds:
        where = {name: MADE.fragments[name].where for name in MADE.fragments}
        for option in one.evidence.options.values():
            sets = option.supports or option.refutes
            if sets and all(any(where[name].startswith(prefix) for name in group) for group in sets):
                found.add(one.spec.id)
        if any(where[name].startswith(prefix) for name in one.evidence.needs):
            found.add(one.spec.id)
    return found


@pytest.mark.parametrize("prefix", ["workspace/", "session/"])
def test_without_files_or_conversations_the_rounds_that_rest_on_them_are_lost(prefix: str, built: Path, tmp_path: Path):
    copy = tmp_path / "clinic-fridge"
    shutil.copytree(built, copy)
    texts = [f.text for f in MADE.fragments.values() if f.where.startswith(prefix)]
    for path in copy.rglob("*"):
        if not path.is_file() or "gold" in path.relative_to(copy).parts:
            continue
        data = path.read_text("utf-8")
        for text in texts:
            data = data.replace(text, "(removed)").replace(json.dumps(text, ensure_ascii=False)[1:-1], "(removed)")
        path.write_text(data, "utf-8")
    (records,) = run(tmp_path / "run", copy)
    assert lost(records) == evidence_in(prefix)
    categories = {CATEGORY[name] for name in lost(records)}
    assert categories
    assert categories <= {CATEGORY[name] for name in evidence_in(prefix)}
