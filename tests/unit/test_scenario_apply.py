"""The four actions mean the same for every store: lines and messages, merges, errors that say where."""

import json
import shutil
from pathlib import Path

import pytest

from claw_adapter.demo import DEMO
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Message, Session, Update, UpdateAction
from claw_adapter.scenario import apply_lines, apply_session, effective_action, load_scenario, session_changes, worlds
from claw_adapter.scenario.world import World, apply_update, first_world


def message(name: str, text: str = "") -> Message:
    return Message(id=name, role="user", text=text or name)


def session(*names: str) -> Session:
    return Session(id="s", channel="slack", messages=tuple(message(name) for name in names))


def ids(found: Session) -> list[str]:
    return [item.id for item in found.messages]


@pytest.mark.parametrize(
    ("text", "action", "arguments", "expected"),
    [
        ("a\nb\n", "new", {"content": "x"}, "x"),
        ("a\nb\n", "append", {"content": "c\n"}, "a\nb\nc\n"),
        ("a\nb", "append", {"content": "c"}, "a\nb\nc"),
        ("", "append", {"content": "c"}, "c"),
        ("a\nb\n", "insert", {"content": "x\ny\n", "after": 0}, "x\ny\na\nb\n"),
        ("a\nb\n", "insert", {"content": "x", "after": 1}, "a\nx\nb\n"),
        ("a\nb", "insert", {"content": "x\n", "after": 2}, "a\nb\nx"),
        ("", "insert", {"content": "x\n", "after": 0}, "x\n"),
        ("a\nb\nc\nd\n", "delete", {"ranges": [(1, 1), (3, 4)]}, "b\n"),
        ("a\nb", "delete", {"ranges": [(2, 2)]}, "a"),
        ("a\n", "delete", {"ranges": [(1, 1)]}, ""),
        ("a\r\nb\u2028c\r\n", "delete", {"ranges": [(1, 1)]}, "b\u2028c\r\n"),
    ],
)
def test_lines(text: str, action, arguments: dict, expected: str):
    assert apply_lines(text, action, **arguments) == expected


@pytest.mark.parametrize(("action", "arguments"), [("insert", {"after": 3}), ("delete", {"ranges": [(2, 3)]})])
def test_lines_outside_the_file_are_an_error(action, arguments: dict):
    with pytest.raises(ScenarioError, match="there are 2 lines"):
        apply_lines("a\nb\n", action, "x", **arguments)


def test_a_merge_skips_what_is_there_and_refuses_what_differs():
    assert ids(apply_session(session("a", "b"), "append", [message("b"), message("c"), message("c")])) == [
        "a",
        "b",
        "c",
    ]
    with pytest.raises(ScenarioError, match="'b' is in session 's' already"):
        apply_session(session("a", "b"), "append", [message("b", "other")])
    with pytest.raises(ScenarioError, match="'c' is in session"):
        apply_session(session("a"), "append", [message("c"), message("c", "other")])


def test_insert_and_delete_count_messages_from_one():
    assert ids(apply_session(session("a", "b"), "insert", [message("x")], after=1)) == ["a", "x", "b"]
    assert ids(apply_session(session("a", "b"), "insert", [message("x")], after=0)) == ["x", "a", "b"]
    assert ids(apply_session(session("a", "b", "c"), "delete", ranges=[(1, 1), (3, 3)])) == ["b"]
    with pytest.raises(ScenarioError, match="there are 2 messages"):
        apply_session(session("a", "b"), "insert", [message("x")], after=3)
    with pytest.raises(ScenarioError, match="there are 2 messages"):
        apply_session(session("a", "b"), "delete", ranges=[(1, 3)])


def test_new_keeps_the_description_and_never_overwrites():
    assert apply_session(session(), "new", [message("a")]).channel == "slack"
    with pytest.raises(ScenarioError, match="exists already"):
        apply_session(session("a"), "new", [message("b")])


def test_a_bare_action_depends_on_its_target():
    in_workspace, in_session = UpdateAction(workspace="a", source="a"), UpdateAction(session="s", source="a")
    assert effective_action(in_workspace, exists=True) == "new"
    assert effective_action(in_session, exists=True) == "append"
    assert effective_action(in_session, exists=False) == "new"
    assert effective_action(UpdateAction(session="s", source="a", action="new"), exists=True) == "new"


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    shutil.copytree(DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "demo"


def updated(demo: Path, *actions: dict) -> tuple[Update, World]:
    text = json.dumps({"actions": list(actions)})  # JSON is YAML
    (demo / "updates/U1/update.yaml").write_text(text)
    scenario = load_scenario(demo)
    return scenario.updates["U1"], apply_update(scenario, first_world(scenario), scenario.updates["U1"])


def test_changes_of_sessions_chain_and_leave_out_what_changes_nothing(demo: Path):
    grow = {"session": "fleet-slack", "source": "fleet-slack.jsonl"}
    updated(demo, grow, grow, {"session": "fleet-slack", "action": "delete", "ranges": [[1, 2]]})
    scenario = load_scenario(demo)
    state = {item.id: item for item in scenario.sessions}
    changes = session_changes(scenario, state, scenario.updates["U1"])
    assert [change.action for change in changes] == ["append", "delete"]
    assert changes[0].before == state["fleet-slack"]
    assert changes[1].before == changes[0].after
    assert len(changes[1].after.messages) == 26
    assert len(state["fleet-slack"].messages) == 20, "the state given is never written to"


@pytest.mark.parametrize(
    "action",
    [
        {"session": "fleet-slack", "action": "new", "source": "fleet-slack.jsonl"},
        {"session": "nobody", "action": "append", "source": "fleet-slack.jsonl"},
        {"session": "fleet-slack", "action": "insert", "after": 99, "source": "fleet-slack.jsonl"},
        {"workspace": "none.md", "action": "append", "source": "fleet-slack.jsonl"},
        {"workspace": "README.md/x", "source": "fleet-slack.jsonl"},
        {"workspace": "fleet", "source": "fleet-slack.jsonl"},
        {"workspace": "README.md", "action": "delete", "ranges": [[1, 999]]},
    ],
)
def test_an_action_that_does_not_fit_is_an_error(demo: Path, action: dict):
    with pytest.raises(ScenarioError):
        updated(demo, action)


def test_an_error_of_session_changes_names_the_update(demo: Path):
    scenario = load_scenario(demo)
    with pytest.raises(ScenarioError, match="there is no session") as caught:
        session_changes(scenario, {}, scenario.updates["U1"])
    assert "updates/U1/update.yaml: actions[0]" in caught.value.where


def test_a_new_session_takes_its_description_from_the_manifest(demo: Path):
    (demo / "sessions/fleet-slack.jsonl").unlink()
    _, world = updated(demo, {"session": "fleet-slack", "source": "fleet-slack.jsonl"})
    assert world.sessions["fleet-slack"].channel == "slack"
    assert world.sessions["fleet-slack"].participants[0] == "Tomas Wieland"


def test_files_change_by_new_and_delete(demo: Path):
    source = "fleet-slack.jsonl"
    _, world = updated(
        demo,
        {"workspace": "README.md", "source": source},
        {"workspace": "deep/er/x.md", "source": source},
        {"workspace": "customers/price_list.csv", "action": "delete"},
        {"workspace": "routes/tour_T2.yaml", "action": "delete", "ranges": [[1, 1]]},
        {"session": "claims-mail", "action": "delete", "ranges": [[1, 2]]},
    )
    content = (demo / "updates/U1" / source).read_bytes()
    assert world.files["README.md"] == world.files["deep/er/x.md"] == content
    assert "customers/price_list.csv" not in world.files
    assert world.text("routes/tour_T2.yaml").startswith("tour: T2\n")
    assert world.sessions["claims-mail"].messages[0].id == "c03"


def test_groups_expand_and_can_be_withheld(demo: Path):
    (demo / "updates/G").mkdir()
    (demo / "updates/G/update.yaml").write_text("groups: [U1, U2]\n")
    file = demo / "rounds.yaml"
    file.write_text(file.read_text().replace("updates: [U1]", "updates: [G]").replace("updates: [U2]", "updates: []"))
    scenario = load_scenario(demo)

    def sizes(without: set[str]) -> tuple[int, int]:
        last = worlds(scenario, without=without)[-1]
        return len(last.sessions["fleet-slack"].messages), len(last.files)

    assert sizes(set()) == (28, 12)
    assert sizes({"U1"}) == (20, 12)
    assert sizes({"U2"}) == (28, 11)
    assert sizes({"G"}) == (20, 11)
