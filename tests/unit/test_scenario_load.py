"""Loading a scenario: what is there is read exactly, what is wrong is named by file and line, nothing dangerous gets in."""

import os
import shutil
from pathlib import Path

import pytest

from claw_adapter.demo import DEMO
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Scenario
from claw_adapter.scenario import load_gold, load_scenario, resolve
from claw_adapter.scenario.jsonl import read_messages
from claw_adapter.scenario.problems import ScenarioProblems
from claw_adapter.scenario.tree import check_tree, twins


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "demo"


def refuse(folder: Path) -> ScenarioError:
    with pytest.raises(ScenarioError) as caught:
        load_gold(load_scenario(folder))
    return caught.value


def test_the_records_hold_what_the_files_say(demo: Path):
    scenario = load_scenario(demo)
    assert isinstance(scenario, Scenario)
    assert scenario.root == demo
    assert [session.id for session in scenario.sessions] == ["main", "fleet-slack", "product-discord", "claims-mail"]
    assert scenario.main.messages[0].speaker == "Ines Korte"
    assert [item.id for item in scenario.rounds] == [f"r{n}" for n in range(1, 12)]
    assert scenario.updates.keys() == {"U1", "U2"}
    gold = load_gold(scenario)
    assert load_gold(demo) == gold
    assert gold.root == demo / "gold"
    assert load_scenario(demo / "scenario.yaml") == scenario


def test_the_digest_sees_every_byte_and_every_name(demo: Path):
    before = load_scenario(demo).digest
    assert load_scenario(demo).digest == before
    for change in (
        lambda: (demo / "gold/checks/r3.json").write_text("x"),
        lambda: (demo / "workspace/README.md").rename(demo / "workspace/READ.md"),
        lambda: (demo / "workspace/link").symlink_to("READ.md"),
        (demo / "workspace/empty").touch,
    ):
        change()
        after = load_scenario(demo).digest
        assert after != before
        before = after


def test_an_update_needs_no_id_but_not_another_one(demo: Path):
    file = demo / "updates/U1/update.yaml"
    text = file.read_text()
    file.write_text(text.replace("id: U1\n", ""))
    assert load_scenario(demo).updates["U1"].id == "U1"
    file.write_text(text.replace("id: U1", "id: U7"))
    assert refuse(demo).where == f"{file}:2"


def test_a_history_that_an_update_brings_needs_no_file(demo: Path):
    (demo / "updates/U1/fleet-slack.jsonl").write_text((demo / "sessions/fleet-slack.jsonl").read_text())
    (demo / "sessions/fleet-slack.jsonl").unlink()
    file = demo / "updates/U1/update.yaml"
    file.write_text(file.read_text().replace("action: append", "action: new"))
    assert [session.id for session in load_scenario(demo).sessions] == ["main", "product-discord", "claims-mail"]


@pytest.mark.parametrize(
    ("gone", "where"),
    [
        ("scenario.yaml", ""),
        ("rounds.yaml", "rounds.yaml:1"),
        ("sessions/main.jsonl", "sessions/main.jsonl:1"),
        ("sessions/claims-mail.jsonl", "sessions/claims-mail.jsonl:1"),
        ("updates/U1/fleet-slack.jsonl", "updates/U1/update.yaml:6"),
        ("updates/U2/sensor_calibration.md", "updates/U2/update.yaml:6"),
        ("updates/U1/update.yaml", "updates/U1/update.yaml:1"),
        ("gold/answers.yaml", "gold/answers.yaml:1"),
    ],
)
def test_what_is_missing_is_an_error_at_load(demo: Path, gone: str, where: str):
    (demo / gone).unlink()
    error = refuse(demo)
    assert error.where == str(demo / where).rstrip("/")
    assert error.remedy


def test_problems_of_several_files_come_together(demo: Path):
    for file, old, new in (
        ("scenario.yaml", "domain:", "realm:"),
        ("rounds.yaml", "type: multi_choice", "kind: multi_choice"),
        ("updates/U1/update.yaml", "append", "add"),
    ):
        (demo / file).write_text((demo / file).read_text().replace(old, new, 1))
    error = refuse(demo)
    assert isinstance(error, ScenarioProblems)
    assert {Path(problem.where.rsplit(":", 1)[0]).name for problem in error.problems} == {
        "scenario.yaml",
        "rounds.yaml",
        "update.yaml",
    }


def test_a_session_that_nobody_listed_is_refused(demo: Path):
    (demo / "sessions/other.jsonl").write_text("")
    assert "no session of scenario.yaml" in refuse(demo).what


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{broken", "not a JSON object"),
        ("[1]", "not a JSON object"),
        ('{"role": "user", "role": "user"}', "key occurs twice"),
        ('{"role": "robot"}', "role"),
        ('{"role": "user", "colour": 1}', "colour"),
        ('{"role": "tool", "text": "x"}', "tool_call_id"),
        ('{"id": "one", "role": "user"}', "there twice, first on line 1"),
        ("[" * 100_000, "not a JSON object"),
    ],
)
def test_a_bad_message_is_named_by_its_line(tmp_path: Path, line: str, words: str):
    path = tmp_path / "s.jsonl"
    path.write_text(f'{{"id": "one", "role": "user", "text": "a"}}\n\n{line}\n')
    with pytest.raises(ScenarioError, match=words) as caught:
        read_messages(path)
    assert caught.value.where == f"{path}:3"


def test_messages_without_ids_are_numbered_by_position(tmp_path: Path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"role": "user"}\n\n{"id": "x", "role": "assistant"}\n{"role": "user"}\n')
    assert [message.id for message in read_messages(path)] == ["m1", "x", "m3"]
    assert [message.id for message in read_messages(path, "U1-m")] == ["U1-m1", "x", "U1-m3"]


@pytest.mark.parametrize(
    ("link", "target", "allowed"),
    [
        ("workspace/a", "README.md", True),
        ("workspace/fleet/a", "../README.md", True),
        ("workspace/fleet/a", "../../rounds.yaml", False),
        ("workspace/a", "/etc/hostname", False),
        ("workspace/a", "../workspace/../gold", False),
        ("workspace/a", "a", False),
        ("sessions/a", "main.jsonl", False),
        ("gold/a", "answers.yaml", False),
    ],
)
def test_links_stay_in_the_workspace(demo: Path, link: str, target: str, allowed: bool):
    (demo / link).symlink_to(target)
    if allowed:
        check_tree(demo)
    else:
        assert "link" in refuse(demo).what


def test_a_link_through_a_link_does_not_leave_either(demo: Path):
    (demo / "workspace/deep/er").mkdir(parents=True)
    (demo / "workspace/up").symlink_to("deep/er")
    check_tree(demo)
    (demo / "workspace/out").symlink_to("up/../../../rounds.yaml")
    assert "link" in refuse(demo).what


def test_a_fifo_is_refused_and_never_read(demo: Path):
    (demo / "workspace/__pycache__").mkdir()
    os.mkfifo(demo / "workspace/__pycache__/pipe")
    assert "neither a file" in refuse(demo).what


def test_a_name_that_is_not_utf8_is_refused(demo: Path):
    try:
        (Path(os.fsdecode(os.fsencode(demo) + b"/workspace/caf\xe9"))).write_text("x")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    error = refuse(demo)
    assert "not UTF-8" in error.what
    assert "caf\\xe9" in error.where


def test_twins_are_found_in_folders_as_well():
    assert twins(["a/b.txt", "A/c.txt", "x/y"]) == [("A", "a")]
    assert twins(["caf\u00e9", "cafe\u0301"]) == [("cafe\u0301", "caf\u00e9")]
    assert twins(["a", "b"]) == []


def test_resolve_finds_one_or_several(demo: Path, tmp_path: Path):
    assert resolve(str(demo)) == [demo]
    assert resolve(demo / "scenario.yaml") == [demo]
    shutil.copytree(demo, tmp_path / "another")
    assert resolve(tmp_path) == [tmp_path / "another", demo]
    for bad in (demo / "workspace", tmp_path / "none"):
        with pytest.raises(ScenarioError):
            resolve(bad)
