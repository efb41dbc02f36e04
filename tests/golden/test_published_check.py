"""`claw check` finds the published data's known faults, in their numbers, and says where; reading strictly repairs them."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.cli.check import command
from claw_adapter.scenario import load_gold, load_scenario
from claw_adapter.scenario.world import worlds
from claw_adapter_clawarena import convert_suite, load_published
from claw_adapter_clawarena.examine import examine
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.render import question_text
from claw_adapter_clawarena.results import read_results
from claw_adapter_clawarena.stores import STORES, PicoClawLogStore
from claw_adapter_clawarena.suite import open_suite

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "unit" / "published_data.py")))
ROOT = make.DATA.parent
pytestmark = pytest.mark.skipif(not make.DATA.is_file(), reason="needs ../shared/clawarena (the published data)")

EXPECTED = {
    "openclaw": {"PUB-101": 44, "PUB-103": 23, "PUB-104": 7, "PUB-105": 5},
    "claude-code": {"PUB-101": 24, "PUB-102": 20, "PUB-104": 7, "PUB-105": 1, "PUB-106": 6},
    "nanobot": {"PUB-101": 44, "PUB-104": 7, "PUB-105": 1},
    "picoclaw": {"PUB-101": 44, "PUB-104": 7, "PUB-105": 1},
}
RULES = ("PUB-101", "PUB-102", "PUB-103", "PUB-104", "PUB-105", "PUB-106")


@pytest.fixture(scope="module")
def examined():
    suite = open_suite(make.DATA)
    return {layout: examine(suite, layout) for layout in LAYOUTS}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_faults_in_their_numbers(examined, layout):
    counts = {rule: n for rule, n in examined[layout].counts.items() if rule in RULES}
    assert counts == EXPECTED[layout]
    assert examined[layout].errors == 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_finding_points_at_what_it_is_about(examined, layout):
    for one in examined[layout].findings:
        file, _, line = one.where.rpartition(":")
        lines = Path(file).read_text("utf-8").split("\n")
        assert 1 <= int(line) <= len(lines)
        here = lines[int(line) - 1]
        if one.id in ("PUB-101", "PUB-102"):
            assert re.search(r"[\w-]+\.(md|jsonl)|\{", here), one
        elif one.id == "PUB-103":
            assert '"type": "session"' in here or '"type":"session"' in here
        elif one.id == "PUB-107":
            assert '"command"' in here


def test_the_command_counts_and_says_that_the_data_can_be_run(capsys):
    assert command.main([str(make.DATA), "--json"], standalone_mode=False) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["can_run"] is True
    assert found["counts"]["claude-code"]["PUB-102"] == 20
    assert {"id", "severity", "message", "file", "line"} == set(found["findings"]["openclaw"][0])
    assert command.main([str(make.DATA), "--strict", "--layout", "nanobot"], standalone_mode=False) == 1
    assert "must not be run" in capsys.readouterr().out


def test_the_command_converts_and_checks_what_it_made(capsys, tmp_path):
    out = tmp_path / "data"
    assert command.main([str(make.DATA), "--layout", "picoclaw", "--convert", str(out)], standalone_mode=False) == 0
    assert len(list(out.iterdir())) == 11
    capsys.readouterr()
    command.main([str(out / "hil_d3"), "--json"], standalone_mode=False)
    assert set(json.loads(capsys.readouterr().out)["counts"]) == {"scenario/1"}


def after_all_updates(folder: Path) -> dict[str, list[tuple[str, str]]]:
    """Role and text of every history at the end, by its name without an id."""
    scenario = load_scenario(folder)
    histories = {k: v for k, v in worlds(scenario)[-1].sessions.items() if k != scenario.main.id}
    return {
        re.sub(r"_[0-9a-f-]{36}$", "", name): [(m.role, m.text.strip()) for m in session.messages]
        for name, session in histories.items()
    }


def test_read_strictly_no_layout_loses_history_and_all_layouts_agree(tmp_path):
    """But for hil_i2, whose Claude Code copy has other names in its texts."""
    ends = {}
    for layout in LAYOUTS:
        for folder in convert_suite(make.DATA, tmp_path / layout, layout=layout):
            ends[layout, folder.name] = after_all_updates(folder)
    for scenario in {name for _, name in ends}:
        for layout in LAYOUTS:
            if (layout, scenario) != ("claude-code", "hil_i2"):
                assert ends[layout, scenario] == ends["openclaw", scenario], (layout, scenario)


def test_every_strict_history_begins_with_what_it_was(tmp_path):
    for folder in convert_suite(make.DATA, tmp_path / "strict"):
        scenario = load_scenario(folder)
        start, end = worlds(scenario)[0], worlds(scenario)[-1]
        for name, session in start.sessions.items():
            assert end.sessions[name].messages[: len(session.messages)] == session.messages


def test_compat_loses_the_history_that_the_published_runner_loses(tmp_path):
    lost = 0
    for folder in convert_suite(make.DATA, tmp_path / "compat", mode="clawarena-1.0"):
        scenario = load_scenario(folder)
        for session in scenario.histories:
            kept = {m.id for m in worlds(scenario)[-1].sessions[session.id].messages}
            lost += not {m.id for m in session.messages} <= kept
    assert lost > 30


def test_rounds_without_their_script_are_unscored_and_the_others_have_their_check(tmp_path):
    unscored = checked = 0
    for folder in convert_suite(make.DATA, tmp_path / "data"):
        answers = load_gold(folder).answers.rounds
        notes = json.loads((folder / "gold" / "published.json").read_text("utf-8"))
        for item in load_scenario(folder).rounds:
            if item.type == "exec_check":
                missing = item.id in notes["unscored"]
                assert (answers[item.id].check is None) == missing
                unscored, checked = unscored + missing, checked + (not missing)
    assert (unscored, checked) == (188, 38)


FILES = [
    ("openclaw", "openclaw/state/agents/*/sessions/*.jsonl", 59),
    ("openclaw", "openclaw/updates/*/*sessions/*.jsonl", 44),
    ("claude-code", "claude-code/state/projects/*/*.jsonl", 5),
    ("nanobot", "nanobot/workspaces/*/sessions/*.jsonl", 11),
    ("picoclaw", "picoclaw/memory/*.jsonl", 11),
    ("picoclaw-log", "picoclaw/workspaces/*/message_logs/*.jsonl", 48),
    ("picoclaw-log", "picoclaw/updates/*/*sessions/*.jsonl", 44),
    ("markdown", "nanobot/workspaces/*/message_logs/*.md", 48),
    ("markdown", "claude-code/updates/*/*sessions/*.md", 44),
]


@pytest.mark.parametrize(("form", "pattern", "count"), FILES)
def test_shipped_session_files_come_back(tmp_path, form, pattern, count):
    store = PicoClawLogStore() if form == "picoclaw-log" else STORES[form]
    files = sorted(ROOT.glob(pattern))
    assert len(files) == count
    for number, file in enumerate(files):
        session = store.read_file(file)
        assert session.messages
        folder = tmp_path / str(number) / "sessions"
        store.write([session], folder)
        assert store.read(folder) == [session]
        if form.startswith("picoclaw"):
            assert (folder / file.name).read_bytes() == file.read_bytes()


def test_prompts_are_the_published_ones():
    """The prompt format, by the prompts that were sent (feedback comes before them)."""
    if not make.RESULTS.is_dir():
        pytest.skip("needs ../shared/clawarena-results")
    suite = open_suite(make.DATA)
    for name, rounds in read_results(make.RESULTS).items():
        test = next(test for test in suite.tests if test.id == name)
        for item in suite.questions(test).data["rounds"]:
            assert rounds[item["id"]].question.endswith(question_text(item))


def test_loading_gives_every_round(tmp_path):
    scenarios = load_published(make.DATA, "claude-code")
    assert len(scenarios) == 11
    assert sum(len(one.rounds) for one in scenarios) == 313
