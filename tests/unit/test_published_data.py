"""What is wrong with a published data set is found, named with file and line, and only what matters keeps it from running."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario import load_gold, load_scenario, require_valid
from claw_adapter.scenario.world import worlds
from claw_adapter_clawarena import load_published
from claw_adapter_clawarena.actions import line_ranges
from claw_adapter_clawarena.convert import to_scenario
from claw_adapter_clawarena.examine import examine
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.render import session_text
from claw_adapter_clawarena.rules import RULES
from claw_adapter_clawarena.suite import open_suite

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "published_data.py")))


def found(tests: Path, layout: str = "openclaw") -> dict[str, int]:
    return examine(open_suite(tests), layout).counts


def group(*children: str) -> dict[str, object]:
    return {"type": "group", "children": list(children)}


def histories(tests: Path, out: Path, layout: str = "openclaw", mode: str = "strict") -> list[list[str]]:
    """Texts of the history before and after the update."""
    scenario = load_scenario(to_scenario(load_published(tests, layout)[0], out, mode=mode))
    return [[m.text for m in world.sessions["ann_chat"].messages] for world in worlds(scenario)]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_strict_reading_extends_a_history_in_every_layout(tmp_path, layout):
    before, after = histories(make.make(tmp_path, layout), tmp_path / "out", layout)
    assert before == ["old", "known"]
    assert after == ["old", "known", "new", "answer"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_compat_reading_overwrites_as_the_published_runner_does(tmp_path, layout):
    _, after = histories(make.make(tmp_path, layout), tmp_path / "out", layout, "clawarena-1.0")
    assert after == ["new", "answer"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_warnings_of_a_sound_data_set_do_not_keep_it_from_running(tmp_path, layout):
    tests = make.make(tmp_path, layout)
    expected = {"PUB-101": 1, "PUB-107": 1, "PUB-108": 1} | ({"PUB-103": 1} if layout == "openclaw" else {})
    assert found(tests, layout) == expected
    assert examine(open_suite(tests), layout).errors == 0


def test_a_round_whose_script_is_missing_has_no_check_and_says_why(tmp_path):
    folder = to_scenario(load_published(make.make(tmp_path))[0], tmp_path / "out")
    assert load_gold(folder).answers.rounds["q2"].check is None
    notes = json.loads((folder / "gold" / "published.json").read_text())
    assert notes["unscored"]["q2"]["reason"] == "check script is not part of the published data: check_q2.py"
    assert notes["teaching"]["q2"]["incorrect"] == "P1."


def test_with_its_script_a_round_can_be_scored(tmp_path):
    tests = make.make(tmp_path)
    scripts = tmp_path / "eval" / "s1" / "scripts"
    scripts.mkdir()
    (scripts / "check_q2.py").write_text("print(1)\n")
    folder = to_scenario(load_published(tests)[0], tmp_path / "out")
    check = load_gold(folder).answers.rounds["q2"].check
    assert check is not None
    assert check.command == "python ${checks}/check_q2.py ${workspace}"
    assert (folder / "gold" / "checks" / "check_q2.py").is_file()


def test_an_agents_script_may_import_its_neighbour(tmp_path):
    key = {"command": "cd ${workspace} && python scripts/a.py | python3 -c 'pass'", "expect_exit": 0, "timeout": 30}
    tests = make.make(tmp_path, rounds=[make.CHOICE, make.CHECKED | {"eval": key}])
    check = load_published(tests)[0].rounds[1].answer.check
    assert check.command == "cd ${workspace} && python scripts/a.py | python3 -c 'pass'"


def test_a_misplaced_session_update_goes_to_its_history_or_stays_misplaced(tmp_path):
    tests = make.make(tmp_path, "claude-code")
    manifest = tmp_path / "claude-code" / "manifest.json"
    manifest.write_text(manifest.read_text().replace("message_logs/ann_chat.md", "ann_chat.md"))
    assert {"PUB-101", "PUB-102"} & found(tests, "claude-code").keys() == {"PUB-102"}
    assert histories(tests, tmp_path / "strict", "claude-code")[1] == ["old", "known", "new", "answer"]
    assert histories(tests, tmp_path / "compat", "claude-code", "clawarena-1.0")[1] == ["old", "known"]
    final = worlds(load_scenario(tmp_path / "compat"))[-1]
    assert b"new" in final.files["ann_chat.md"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_repeated_messages_are_counted_and_skipped(tmp_path, layout):
    tests = make.make(tmp_path, layout)
    again = make.talk("old", "known", "new", "answer")
    make.session_file(tmp_path / layout / "updates/s1/u1", layout, "ann_chat", again)
    assert found(tests, layout)["PUB-104"] == 1
    assert histories(tests, tmp_path / "out", layout)[1] == ["old", "known", "new", "answer"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_answer_to_a_new_message_is_new_though_its_words_and_id_are_known(tmp_path, layout):
    tests = make.make(tmp_path, layout)
    again = (make.talk("new", prefix="n")[0], make.talk("old", "known")[1])
    make.session_file(tmp_path / layout / "updates/s1/u1", layout, "ann_chat", again)
    assert found(tests, layout)["PUB-104"] == 1
    _, history = histories(tests, tmp_path / "out", layout)
    assert history == ["old", "known", "new", "known"]
    require_valid(load_scenario(tmp_path / "out"), load_gold(tmp_path / "out"))


def test_a_question_names_the_workspace_as_the_agent_can(tmp_path):
    tests = make.make(tmp_path, rounds=[make.CHOICE | {"question": "Run: cd ${workspace} && ls"}, make.CHECKED])
    for mode, wanted in (("strict", "Run: cd . && ls"), ("clawarena-1.0", "Run: cd ${workspace} && ls")):
        histories(tests, tmp_path / mode, "openclaw", mode)
        assert load_scenario(tmp_path / mode).rounds[0].question == wanted


def test_a_known_id_with_other_content_is_an_error(tmp_path):
    tests = make.make(tmp_path)
    make.session_file(tmp_path / "openclaw/updates/s1/u1", "openclaw", "ann_chat", make.talk("other", "known"))
    assert found(tests)["PUB-015"] == 1
    with pytest.raises(ScenarioError, match="PUB-015"):
        load_published(tests)


def test_references_may_be_short(tmp_path):
    more = {"upd1": {"type": "group", "children": ["upd1_sessions"]}}
    for reference in ("1", "U1", "upd1", "upd1_sessions"):
        folder = tmp_path / reference
        tests = make.make(folder, rounds=[make.CHOICE, make.CHECKED | {"update_ids": [reference]}])
        assert load_published(tests)[0].rounds[1].item.updates == ("upd1_sessions",)
    tests = make.make(tmp_path / "group", rounds=[make.CHOICE, make.CHECKED | {"update_ids": ["upd1"]}], updates=more)
    scenario = load_published(tests)[0]
    assert scenario.rounds[1].item.updates == ("upd1",)
    assert [update.id for _, update in scenario.applied()] == ["upd1_sessions"]
    assert histories(tests, tmp_path / "out")[1] == ["old", "known", "new", "answer"]


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("PUB-003", lambda m: m["agents"].pop("s1")),
        ("PUB-005", lambda m: m["agents"]["s1"].update(workspace="nowhere")),
        ("PUB-006", lambda m: m["agents"]["s1"].update(session="main_2")),
        ("PUB-007", lambda m: m["agents"]["s1"]["history_sessions"].append("bob")),
        ("PUB-008", lambda m: m["updates"]["s1"]["upd1_sessions"].update(dir="nowhere")),
        ("PUB-009", lambda m: m["updates"]["s1"]["upd1_sessions"].update(type="workspace_md")),
        ("PUB-009", lambda m: m["updates"]["s1"]["upd1_sessions"].update(files=[{"name": "x", "action": "merge"}])),
        ("PUB-010", lambda m: m["updates"]["s1"].pop("upd1_sessions")),
        ("PUB-012", lambda m: m["updates"]["s1"].update(g=group("h"), h=group("g"))),
        ("PUB-012", lambda m: m["updates"]["s1"].update(g=group("nothing"))),
        ("PUB-013", lambda m: m["updates"]["s1"]["upd1_sessions"].update(files=["../ann_chat.jsonl"])),
        ("PUB-013", lambda m: m["updates"]["s1"]["upd1_sessions"].update(files=[{"name": "x.jsonl", "target": "/etc/x"}])),
        ("PUB-016", lambda m: m["updates"]["s1"]["upd1_sessions"].update(
            files=[{"name": "ann_chat.jsonl", "target": "ann_chat.jsonl", "action": "new"}])),
        ("PUB-105", lambda m: m["updates"]["s1"].update(upd9={"type": "workspace", "dir": ".", "files": []})),
        ("PUB-106", lambda m: m["agents"]["s1"].update(session="")),
    ],
)  # fmt: skip
def test_every_fault_of_a_manifest_is_found_at_its_line(tmp_path, rule, change):
    tests = make.make(tmp_path)
    path = tmp_path / "openclaw" / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    make.dump(path, manifest)
    findings = [f for f in examine(open_suite(tests), "openclaw").findings if f.id == rule]
    assert findings
    assert findings[0].severity == RULES[rule].severity
    file, line = findings[0].where.rsplit(":", 1)
    assert int(line) >= 1
    assert Path(file).name in ("manifest.json", "questions.json") or rule in ("PUB-006", "PUB-007", "PUB-008")


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("PUB-017", {"type": "essay"}),
        ("PUB-017", {"eval": {"options": {"A": "x"}}, "question": 3}),
        ("PUB-018", {"eval": {"options": {"A": "x", "B": "y"}, "answer": ["C"]}}),
        ("PUB-018", {"eval": {"options": {"A": "x", "B": "y"}, "answer": []}}),
        ("PUB-110", {"question": "Look in ${workspace}."}),
    ],
)
def test_every_fault_of_a_round_is_found(tmp_path, rule, change):
    tests = make.make(tmp_path, rounds=[make.CHOICE | change, make.CHECKED])
    assert found(tests)[rule] == 1


def test_tests_that_share_a_workspace_are_told_of(tmp_path):
    tests = make.make(tmp_path)
    manifest, suite = tmp_path / "openclaw" / "manifest.json", json.loads(tests.read_text())
    data = json.loads(manifest.read_text())
    data["agents"]["s2"] = data["agents"]["s1"]
    make.dump(manifest, data)
    make.dump(tests, suite | {"tests": [*suite["tests"], {"id": "s2", "desc": "", "eval": "s1"}]})
    shared = [f for f in examine(open_suite(tests), "openclaw").findings if f.id == "PUB-112"]
    assert [f.message for f in shared] == ["2 tests, s1 to s2, share the workspace 's1': each is given a copy of it"]


def test_picoclaw_s_calls_are_counted_with_their_characters_as_they_are():
    call = {"id": "c1", "function": {"name": "read", "arguments": '{"path": "会议.md"}'}}
    line = json.dumps({"role": "assistant", "content": "", "tool_calls": [call]}, ensure_ascii=False)
    assert "会议.md" in session_text(line, "picoclaw")


def test_an_update_applied_twice_is_an_error(tmp_path):
    rounds = [make.CHOICE | {"update_ids": ["upd1_sessions"]}, make.CHECKED]
    assert found(make.make(tmp_path, rounds=rounds))["PUB-011"] == 1


def test_a_damaged_session_file_is_an_error_with_its_line(tmp_path):
    tests = make.make(tmp_path)
    path = tmp_path / "openclaw/state/agents/s1/sessions/ann_chat.jsonl"
    path.write_text(path.read_text() + "{not json\n")
    finding = next(f for f in examine(open_suite(tests), "openclaw").findings if f.id == "PUB-014")
    assert finding.where == f"{path}:6"


def test_workspace_actions_keep_their_meaning(tmp_path):
    folder = tmp_path / "openclaw" / "updates" / "w"
    files = [
        {"name": "add.md", "target": "notes/a.md", "action": "append"},
        {"name": "mid.md", "target": "notes/a.md", "action": "insert", "param": {"after": 1}},
        {"name": "none", "target": "notes/a.md", "action": "delete", "param": {"lines": [1, "4:5"]}},
        "top.md",
    ]
    more = {"upd2_workspace": {"type": "workspace", "dir": "updates/w", "files": files}}
    tests = make.make(tmp_path, rounds=[make.CHOICE, make.CHECKED | {"update_ids": ["1", "2"]}], updates=more)
    folder.mkdir(parents=True)
    for name in ("add.md", "mid.md", "top.md"):
        (folder / name).write_text(f"{name}\n")
    final = worlds(load_scenario(to_scenario(load_published(tests)[0], tmp_path / "out")))[-1]
    assert final.files["top.md"] == b"top.md\n"
    assert final.files["notes/a.md"] == b"mid.md\ntwo\nthree\n"


def test_lines_to_delete_are_one_based_and_slices_zero_based():
    assert line_ranges([1, 3]) == [(1, 1), (3, 3)]
    assert line_ranges("0:3") == [(1, 3)]
    with pytest.raises(ScenarioError):
        line_ranges(["3:1"])


def test_a_folder_in_use_is_not_written_to(tmp_path):
    scenario = load_published(make.make(tmp_path))[0]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").touch()
    with pytest.raises(ScenarioError, match="not empty"):
        to_scenario(scenario, tmp_path / "out")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tests": []}', '{"tests": [{"id": "a"}], "frameworks": {"x": {}}}'])
def test_a_broken_tests_json_is_refused_with_its_line(tmp_path, text):
    (tmp_path / "tests.json").write_text(text)
    with pytest.raises(ScenarioError, match=r"tests\.json:1"):
        open_suite(tmp_path)
