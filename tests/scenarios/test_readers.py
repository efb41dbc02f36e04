"""Compiled scenarios under the reference harness: readers are ordered, and what is withheld is lost where it mattered."""

from __future__ import annotations

import functools
import shutil
from pathlib import Path

import pytest

from claw_adapter.protocol import RoundRecord
from claw_adapter.scenario import load_scenario
from claw_adapter_scenarios.authoring import EXAMPLE, packaged_specs
from claw_adapter_scenarios.compiler import build, compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.suites.record import find_suite
from support.running import experiment, run_sync
from support.withholding import withhold

HEAVY = {member.id for member in find_suite("lite").scenarios if member.heavy}
SPECS = [pytest.param(root, id=root.name) for root in packaged_specs() if root.name not in HEAVY]
example = pytest.mark.parametrize("root", [one for one in SPECS if one.values[0] == EXAMPLE])
chinese = pytest.mark.parametrize("root", [one for one in SPECS if one.id == "lab-booking-zh"])
"""In English it is the example, below; for all others ``claw scenarios validate --prove`` shows the same."""


@functools.cache
def compiled(root: Path) -> Compiled:
    return compile_spec(load_spec(root))


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Path]:
    return {param.values[0]: tmp_path_factory.mktemp("built") for param in SPECS}


@pytest.fixture
def built(root: Path, folders: dict[Path, Path]) -> Path:
    """The scenario as a folder, made once for all tests."""
    folder = folders[root] / root.name
    return folder if folder.exists() else build(load_spec(root), folders[root])


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    """A folder to spoil."""
    return Path(shutil.copytree(built, tmp_path / built.name))


def lost(records: list[RoundRecord]) -> set[str]:
    return {record.round for record in records if record.score.value != 1}


def run(folder: Path, scenario: Path, **more) -> list[RoundRecord]:
    (records,) = run_sync(folder, experiment(scenario), **more).values()
    return records


def rest_on(root: Path, prefix: str) -> set[str]:
    """Rounds of which some evidence stands only in places with that prefix."""
    made = compiled(root)
    there = {name for name, fragment in made.fragments.items() if fragment.where.startswith(prefix)}
    found = set()
    for one in made.rounds:
        statements = [option.supports or option.refutes for option in one.evidence.options.values()]
        gone = any(sets and all(there & set(group) for group in sets) for sets in statements)
        if gone or there & set(one.evidence.needs):
            found.add(one.spec.id)
    return found


@pytest.mark.slow(10)
@chinese
def test_the_careful_reader_scores_every_round(root: Path, built: Path, tmp_path: Path):
    assert lost(run(tmp_path / "run", built)) == set()


@pytest.mark.slow(10)
@example
def test_the_three_readers_are_ordered_in_a_variant_and_the_hasty_one_is_never_right(root: Path, tmp_path: Path):
    asked = experiment(build(load_spec(root), tmp_path, 3), models=["reader", "reader:forgetful", "reader:hasty"])
    scores = [sum(r.score.value or 0 for r in found) for found in run_sync(tmp_path / "run", asked).values()]
    careful, forgetful, hasty = scores
    assert careful == len(compiled(root).rounds)
    assert careful >= forgetful >= hasty == 0


@pytest.mark.slow(5)
@example
def test_with_updates_withheld_exactly_the_rounds_tagged_DU_are_lost(root: Path, copy: Path, tmp_path: Path):  # noqa: N802 - the tag
    rounds = copy / "rounds.yaml"
    kept, skipping = [], False
    for line in rounds.read_text("utf-8").splitlines(keepends=True):
        skipping = line.startswith("  updates:") or (skipping and line.startswith("  - "))
        if not skipping:
            kept.append(line)
    rounds.write_text("".join(kept), "utf-8")
    assert not any(item.updates for item in load_scenario(copy).rounds)
    gone = lost(run(tmp_path / "run", copy))
    made = compiled(root).rounds
    assert gone == {one.spec.id for one in made if one.dependent}
    assert gone == {one.spec.id for one in made if "DU" in one.spec.dimensions}


@pytest.mark.slow(5)
@example
@pytest.mark.parametrize("prefix", ["workspace/", "session/"])
def test_without_files_or_conversations_the_rounds_that_rest_on_them_are_lost(prefix, root, copy, tmp_path):
    made = compiled(root)
    withhold(copy, [f.text for f in made.fragments.values() if f.where.startswith(prefix)])
    records = run(tmp_path / "run", copy)
    gone, rest = lost(records), rest_on(root, prefix)
    assert gone >= rest
    luck = [record for record in records if record.round in gone - rest]  # it might be right without them: unscored
    assert all(record.score.value is None for record in luck)
    categories = {one.spec.id: one.round.tags.category for one in made.rounds}
    assert {categories[name] for name in gone} - {None, ""}
