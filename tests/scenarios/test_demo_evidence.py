"""Evidence at work on the whole pipeline: what is withheld is missing from exactly the answers that need it."""

import json
import shutil
from pathlib import Path

import pytest

from claw_adapter.demo import DEMO
from claw_adapter.protocol import RoundRecord
from claw_adapter.scenario import load_gold, load_scenario
from support.running import experiment, run_sync
from support.withholding import Forgetting, withhold

SCENARIO, GOLD = load_scenario(DEMO), load_gold(DEMO)


def variant(root: Path, name: str) -> Path:
    """A copy of the demo under another id."""
    copy = root / name
    shutil.copytree(DEMO, copy)
    manifest = copy / "scenario.yaml"
    manifest.write_text(manifest.read_text().replace("id: demo\n", f"id: {name}\n", 1))
    return copy


def by_round(records: list[RoundRecord]) -> dict[str, RoundRecord]:
    return {record.round: record for record in records}


def answers(records: list[RoundRecord]) -> dict[tuple[str, str], bool]:
    """(round, letter) → chosen, for every statement."""
    said = {}
    for item in SCENARIO.rounds:
        record = by_round(records)[item.id]
        if record.score.answer is not None:
            said |= {(item.id, letter): letter in record.score.answer for letter in item.options}
    return said


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    found = run_sync(tmp_path_factory.mktemp("whole") / "run", experiment("demo"))
    return next(iter(found.values()))


def test_the_careful_reader_with_everything_scores_everything(whole):
    assert [record.score.value for record in whole] == [1.0] * len(SCENARIO.rounds)
    for record in whole:
        assert record.evidence is not None
        assert set(record.evidence.seen) >= set(record.evidence.needed)


def statements() -> list[tuple[str, str]]:
    """Every eighth one: of most rounds one, of each letter some."""
    found = [(item.id, letter) for item in SCENARIO.rounds if item.type == "multi_choice" for letter in item.options]
    return found[::8]


def test_withholding_the_sources_of_a_statement_changes_that_statement_and_no_other(tmp_path, whole):
    before = answers(whole)
    copies = []
    for round_id, letter in statements():
        evidence = GOLD.evidence.rounds[round_id].options[letter]
        needed = {name for group in (*evidence.supports, *evidence.refutes) for name in group}
        copies.append(variant(tmp_path, f"{round_id}{letter}"))
        withhold(copies[-1], [GOLD.evidence.fragments[name].text for name in needed], feedback=True)
    found = run_sync(tmp_path / "run", experiment(*copies))
    for (round_id, letter), records in zip(statements(), found.values(), strict=True):
        after, told = answers(records), f"withheld the sources of {round_id} {letter}"
        unscored = {record.round for record in records if record.score.value is None}
        changed = {one for one in before if one[0] not in unscored and before[one] != after[one]}
        assert changed == ({(round_id, letter)} if round_id not in unscored else set()), told


def needs_memory(index: int) -> bool:
    """Whether a round needs something said in the main session, or in feedback that is not in its own prompt."""
    item = SCENARIO.rounds[index]
    evidence = GOLD.evidence.rounds[item.id]
    sets = [group for option in evidence.options.values() for group in (*option.supports, *option.refutes)]
    names = {name for group in (*sets, evidence.needs) for name in group}
    previous = SCENARIO.rounds[index - 1].id if index else ""
    places = {GOLD.evidence.fragments[name].where for name in names}
    return any(
        place.startswith(f"session/{SCENARIO.main.id}#")
        or (place.startswith("feedback/") and place != f"feedback/{previous}")
        for place in places
    )


def test_a_fresh_conversation_every_round_loses_exactly_the_rounds_that_need_history(tmp_path, whole):
    harness = Forgetting(mode="in-process")
    found = run_sync(tmp_path / "run", experiment("demo"), harnesses={"reference": harness})
    lost = {record.round for record in next(iter(found.values())) if record.score.value != 1}
    expected = {item.id for index, item in enumerate(SCENARIO.rounds) if needs_memory(index)}
    assert expected, "the demo has rounds that need memory"
    assert lost == expected


def depends_on(update: str) -> set[str]:
    """Rounds at or after the update whose evidence holds a fragment that only stands in its sources."""
    first = next(index for index, item in enumerate(SCENARIO.rounds) if update in item.updates)
    sources = "\n".join(p.read_text("utf-8") for p in (DEMO / "updates" / update).iterdir() if p.name != "update.yaml")
    base = "\n".join(
        p.read_text("utf-8") for folder in ("workspace", "sessions") for p in (DEMO / folder).rglob("*") if p.is_file()
    )
    depending = set()
    for item in SCENARIO.rounds[first:]:
        evidence = GOLD.evidence.rounds[item.id]
        sets = [group for option in evidence.options.values() for group in (*option.supports, *option.refutes)]
        for name in {name for group in (*sets, evidence.needs) for name in group}:
            text = GOLD.evidence.fragments[name].text
            quoted = json.dumps(text, ensure_ascii=False)[1:-1]
            if (text in sources or quoted in sources) and text not in base and quoted not in base:
                depending.add(item.id)
    return depending


@pytest.mark.parametrize("update", sorted(SCENARIO.updates))
def test_with_an_update_withheld_exactly_the_rounds_that_depend_on_it_change(tmp_path, whole, update):
    copy = variant(tmp_path, "withheld")
    rounds_file = copy / "rounds.yaml"
    text = rounds_file.read_text()
    assert f"updates: [{update}]" in text
    rounds_file.write_text(text.replace(f"updates: [{update}]", "updates: []"))
    records = next(iter(run_sync(tmp_path / "run", experiment(copy)).values()))
    changed = {
        r.round
        for r, w in zip(records, whole, strict=True)
        if (r.score.value, r.score.answer) != (w.score.value, w.score.answer)
    }
    assert changed == depends_on(update)
    assert changed


def test_the_policies_are_ordered(tmp_path, whole):
    found = run_sync(tmp_path / "run", experiment("demo", models=["reader:forgetful", "reader:hasty"]))
    careful, forgetful, hasty = (sum(r.score.value or 0 for r in records) for records in (whole, *found.values()))
    assert careful > hasty
    assert careful >= forgetful >= hasty
