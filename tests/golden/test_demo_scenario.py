"""The demo is sound: each statement hangs on its own evidence, updates flip it, oracles pass and hasty readers fail."""

import re
import runpy
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pluggy
import pytest

from claw_adapter import hooks
from claw_adapter.demo import DEMO, Demo, plugin
from claw_adapter.protocol import Gold, Scenario
from claw_adapter.questions.exec_check import substitute
from claw_adapter.scenario import World, decide, findings, load_gold, load_scenario, visible_at, worlds
from claw_adapter.scenario.evidence import fragments_of

SCENARIO: Scenario = load_scenario(DEMO)
GOLD: Gold = load_gold(SCENARIO)
WORLDS = worlds(SCENARIO)
INDEX = {item.id: index for index, item in enumerate(SCENARIO.rounds)}
CHECKED = [item.id for item in SCENARIO.rounds if item.type == "exec_check"]
EVIDENCE = GOLD.evidence.rounds
STATEMENTS = [(name, letter) for name, evidence in EVIDENCE.items() for letter in evidence.options]
OUTCOMES = [*STATEMENTS, *((name, "artefact") for name, evidence in EVIDENCE.items() if not evidence.options)]


def outcomes(visible_by_round: list[set[str]]) -> dict[tuple[str, str], bool]:
    """What the reader makes of every statement, and of every artefact whether it is the oracle's."""
    found: dict[tuple[str, str], bool] = {}
    for name, evidence in EVIDENCE.items():
        visible = visible_by_round[INDEX[name]]
        for letter, value in decide(evidence, visible).items():
            found[name, letter] = value
        if not evidence.options:
            found[name, "artefact"] = visible.issuperset(evidence.needs)
    return found


def visible(without: frozenset[str] = frozenset()) -> list[set[str]]:
    states = worlds(SCENARIO, without=without)
    return [visible_at(SCENARIO, GOLD, index, states=states) for index in INDEX.values()]


SEEN = visible()
EXPECTED = outcomes(SEEN)


def changed(now: dict[tuple[str, str], bool]) -> set[tuple[str, str]]:
    return {key for key, value in now.items() if value != EXPECTED[key]}


DIGEST = "17c5b0224bafadb01c2c90e3dd4b18555f0f2db9c54c84a3d302acace3eb7053"


def test_no_byte_of_it_has_changed_so_that_earlier_runs_stay_scorable():
    assert SCENARIO.digest == DIGEST


def test_the_validator_finds_nothing():
    assert findings(SCENARIO, GOLD) == []


def test_the_source_loads_it_by_name():
    dataset = Demo().load()
    assert dataset.name == "demo"
    assert [scenario.id for scenario in dataset.scenarios] == ["demo"]


def test_the_entry_point_brings_the_source():
    manager = pluggy.PluginManager("claw_adapter")
    manager.add_hookspecs(hooks)
    manager.register(plugin)
    assert manager.hook.claw_scenarios() == [Demo]


def test_it_has_one_of_everything():
    types = [item.type for item in SCENARIO.rounds]
    assert types.count("multi_choice") == 6
    assert types.count("exec_check") == 3
    assert {"preference", "revision"} <= set(types)
    kinds = {fragment.where.split("/")[0] for fragment in GOLD.evidence.fragments.values()}
    assert kinds == {"workspace", "session", "feedback"}
    assert "${roster}" in SCENARIO.main.messages[0].text
    assert all(10 <= len(history.messages) <= 25 for history in SCENARIO.histories)


@pytest.mark.parametrize(("round_id", "letter"), OUTCOMES)
def test_without_its_sources_a_statement_changes_and_no_other(round_id: str, letter: str):
    evidence = EVIDENCE[round_id]
    if letter == "artefact":
        own = set(evidence.needs)
    else:
        own = {
            name for group in (*evidence.options[letter].supports, *evidence.options[letter].refutes) for name in group
        }
    assert changed(outcomes([seen - own for seen in SEEN])) == {(round_id, letter)}


@pytest.mark.parametrize("fragment", sorted(GOLD.evidence.fragments))
def test_every_single_fragment_is_necessary(fragment: str):
    users = {name for name, evidence in EVIDENCE.items() if fragment in fragments_of(evidence)}
    assert {name for name, _ in changed(outcomes([seen - {fragment} for seen in SEEN]))} == users
    assert len(users) == 1


@pytest.mark.parametrize("place", ["main", "feedback"])
def test_two_rounds_or_more_need_the_memory_of_the_conversation(place: str):
    start = "session/main#" if place == "main" else "feedback/"
    held = {name for name, fragment in GOLD.evidence.fragments.items() if fragment.where.startswith(start)}
    rounds = {name for name, _ in changed(outcomes([seen - held for seen in SEEN]))}
    assert rounds == ({"r3", "r4", "r11"} if place == "main" else {"r8", "r9", "r11"})


@pytest.mark.parametrize(("update", "rounds"), [("U1", {"r5", "r6"}), ("U2", {"r9", "r10"})])
def test_without_an_update_exactly_its_rounds_change(update: str, rounds: set[str]):
    assert {name for name, _ in changed(outcomes(visible(frozenset({update}))))} == rounds


def test_the_rounds_that_need_updates_are_those_tagged_so():
    stale = {name for name, _ in changed(outcomes(visible(frozenset({"U1", "U2"}))))}
    assert stale == {item.id for item in SCENARIO.rounds if "DU" in item.tags.dimensions}


@pytest.mark.parametrize(("before", "after"), [(("r2", "A"), ("r5", "A")), (("r1", "A"), ("r9", "A"))])
def test_an_update_flips_the_answer_to_the_same_statement(before: tuple[str, str], after: tuple[str, str]):
    asked = [SCENARIO.rounds[INDEX[name]].options[letter] for name, letter in (before, after)]
    assert asked[0] == asked[1]
    assert EXPECTED[before] is True
    assert EXPECTED[after] is False


def lay_out(world: World, folder: Path) -> Path:
    for path, content in world.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def write(folder: Path, artefacts: dict[str, str]) -> None:
    for path, text in artefacts.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")


def check_argv(round_id: str, workspace: Path) -> list[str]:
    """The check's script and its arguments, as its command has them."""
    command = GOLD.answers.rounds[round_id].check.command
    beside = workspace.parent / f"{workspace.name}-read"
    beside.mkdir(exist_ok=True)
    places = {"checks": GOLD.checks, "workspace": workspace}
    for name, content in (("outputs", "[]"), ("changed", "null")):
        places[name] = beside / name
        places[name].write_text(content)
    python, *argv = substitute(command, places).split()
    assert python == "python"
    return argv


def run_check(round_id: str, workspace: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-B", *check_argv(round_id, workspace)]
    return subprocess.run(argv, check=False, cwd=workspace, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("round_id", CHECKED)
def test_the_oracle_passes(round_id: str, tmp_path: Path):
    write(lay_out(WORLDS[INDEX[round_id]], tmp_path), GOLD.artefacts("oracle", round_id))
    done = run_check(round_id, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("round_id", CHECKED)
def test_the_hasty_reader_fails_for_a_reason(round_id: str, tmp_path: Path):
    write(lay_out(WORLDS[INDEX[round_id]], tmp_path), GOLD.artefacts("hasty", round_id))
    done = run_check(round_id, tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("round_id", CHECKED)
@pytest.mark.parametrize("base", ["untouched", "empty"])
def test_doing_nothing_fails(round_id: str, base: str, tmp_path: Path):
    if base == "untouched":
        lay_out(WORLDS[INDEX[round_id]], tmp_path)
    done = run_check(round_id, tmp_path)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def numbers_in(text: str) -> list[re.Match[str]]:
    return list(re.finditer(r"\d+(\.\d+)?", text))


def accepts(round_id: str, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """What the check says, within this process: a Python of its own for each of hundreds of mutants takes a minute."""
    argv = check_argv(round_id, workspace)
    monkeypatch.chdir(workspace)
    monkeypatch.setattr(sys, "argv", argv)
    monkeypatch.setattr(sys, "path", [str(Path(argv[0]).parent), *sys.path])
    try:
        runpy.run_path(argv[0], run_name="__main__")
    except SystemExit as end:
        return not end.code
    return True


@pytest.mark.parametrize("round_id", CHECKED)
def test_a_check_sees_every_changed_figure_and_lost_source(round_id: str, tmp_path: Path, monkeypatch):
    lay_out(WORLDS[INDEX[round_id]], tmp_path)
    oracle = {path: text for path, text in GOLD.artefacts("oracle", round_id).items() if path.startswith("reports/")}
    write(tmp_path, GOLD.artefacts("oracle", round_id))
    assert accepts(round_id, tmp_path, monkeypatch)
    survivors, tried = [], 0
    for path, text in oracle.items():
        for mutant in mutants(path, text):
            tried += 1
            write(tmp_path, {path: mutant})
            if accepts(round_id, tmp_path, monkeypatch):
                survivors.append((path, mutant))
        write(tmp_path, {path: text})
    assert survivors == []
    assert tried >= 10


def mutants(path: str, text: str) -> list[str]:
    """Every figure made larger by one; every line lost. Sources that a check does not ask for are left alone."""
    lines = text.splitlines(keepends=True)
    found = []
    for number, line in enumerate(lines):
        if "/" in line or ("T0" in line and number % 4):  # paths; of the long table every fourth line is enough
            continue
        start = line.index(",") if path.endswith(".csv") and "," in line else 0
        for match in numbers_in(line[start:]):
            more = f"{float(match.group()) + 1:g}"
            changed_line = line[:start] + line[start:][: match.start()] + more + line[start:][match.end() :]
            found.append("".join([*lines[:number], changed_line, *lines[number + 1 :]]))
        found.append("".join([*lines[:number], *lines[number + 1 :]]))
    return [mutant for mutant in found if mutant.strip() != text.strip()]


def named_well(round_id: str, kind: str) -> bool:
    rule = GOLD.answers.preferences["dated-notes"]
    written = [path for path in GOLD.artefacts(kind, round_id) if fnmatch(path, rule.files)]
    assert written, f"{kind} writes no note in {round_id}"
    return any(re.search(rule.name, path.rsplit("/", 1)[-1]) for path in written)


def test_the_preference_is_taught_and_then_examined():
    taught, examined = "r3", "r8"
    assert not named_well(taught, "oracle"), "the lesson is only given to one who does not know the rule"
    assert not named_well(taught, "hasty")
    assert named_well(examined, "oracle")
    assert not named_well(examined, "hasty")
    assert INDEX[examined] - INDEX[taught] >= 3


def test_running_the_checks_leaves_the_digest_as_it_is(tmp_path: Path):
    copied = tmp_path / "demo"
    shutil.copytree(DEMO, copied)
    (copied / "gold" / "checks" / "__pycache__").mkdir(exist_ok=True)
    (copied / "gold" / "checks" / "__pycache__" / "x.pyc").write_bytes(b"x")
    assert load_scenario(copied).digest == SCENARIO.digest
