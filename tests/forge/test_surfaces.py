"""The surfaces: one grammar for parser, help, hints and errors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.surfaces.registry import GROUPS, hints, programs, verbs
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.surfaces.words import join_words, split_words
from claw_adapter_forge.world import State, World

GOLDEN = Path(__file__).parent / "golden" / "surfaces.json"


def _start() -> State:
    """A world in which discord's session has expired and telegram's has not, as the scripts have it."""
    found = (b for b in blueprints("paper362", 0) if b.family == "delivery_update_followthrough")
    return compile_blueprint(next(b for b in found if b.slots.channel == "discord")).start


def _sessions() -> dict[str, list[str]]:
    """One success and one error of every verb, in an order in which each finds what it needs."""
    return json.loads((GOLDEN.parent / "scripts.json").read_text(encoding="utf-8"))


def play(lines: list[str]) -> list[dict[str, object]]:
    world = World(_start())
    shown = []
    for line in lines:
        done = execute(world, line)
        shown.append({"command": line, "exit": done.output.code, "out": done.output.stdout, "err": done.output.stderr})
    return shown


def test_every_verb_prints_what_the_golden_session_has() -> None:
    played = {name: play(lines) for name, lines in _sessions().items()}
    assert played == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_the_golden_session_has_a_success_and_an_error_of_every_verb_that_can_fail() -> None:
    lines = [line for session in _sessions().values() for line in session]
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    results = [step for session in golden.values() for step in session]
    for verb in verbs():
        own = [r for r in results if r["command"].split(" --")[0].startswith(verb.name)]
        assert own, verb.name
        assert any(r["exit"] == 0 for r in own) or verb.path == ("openclaw", "agent"), verb.name
        assert any(r["exit"] for r in own), verb.name
    assert len(lines) >= 2 * len(verbs())


@pytest.mark.parametrize("verb", verbs(), ids=lambda v: v.name)
def test_help_names_every_flag_and_argument(verb: object) -> None:
    world = World(State.empty("2026-03-01T09:00"))
    shown = execute(world, f"{verb.name} --help")  # type: ignore[attr-defined]
    assert shown.output.code == 0
    for flag in verb.flags:  # type: ignore[attr-defined]
        assert f"--{flag.name}" in shown.text
    for arg in verb.args:  # type: ignore[attr-defined]
        assert arg.name.upper() in shown.text


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: " ".join(g.path))
def test_groups_have_help_and_name_the_nearest_verb(group: object) -> None:
    world = World(State.empty("2026-03-01T09:00"))
    name = " ".join(group.path)  # type: ignore[attr-defined]
    assert execute(world, f"{name} --help").output.code == 0
    unknown = execute(world, f"{name} lisst")
    assert unknown.output.code == 127


def test_hints_are_complete_and_name_cron_and_models() -> None:
    for verb in verbs():
        if verb.path[0] != "gcalcli":
            assert verb.synopsis in hints()
    assert "openclaw cron add" in hints()
    assert "openclaw models set" in hints()


@pytest.mark.parametrize("line", ["cat /etc/passwd", "ls", "done", "exit", "rm -rf /", "python3 -c 1", "tasks frob"])
def test_an_unknown_command_is_127_and_changes_nothing(line: str) -> None:
    world = World(State.empty("2026-03-01T09:00"))
    assert execute(world, line).output.code == 127


@pytest.mark.parametrize(
    "line",
    [
        "tasks add",
        "tasks add --title",
        "tasks add --titel x",
        "tasks add --title x --due tomorrow",
        "tasks add --title x --due 2026-02-30",
        "tasks add --title x --priority urgent",
        "calendar add-event --title x --start 2026-03-09",
        "calendar add-event --title x --start 2026-03-09T10:00 --end 2026-03-09T09:00",
        "openclaw cron add --name x --cron 'not a cron' --message m",
        "openclaw cron add --name x --cron '61 * * * *' --message m",
        "openclaw cron add --name x --cron '0 9 * * *' --every 5m --message m",
        "tasks complete --id task_0001 --title other",
        "openclaw configure agents.defaults.model.primary=bogus",
        "openclaw configure a..b=1",
        "calendar add-event --title x --start 2026-03-09T10:00Z",
        "email send --to nobody --subject s --body b",
        "file create --path ../x --content y",
        "tasks list | grep x",
        "tasks list; tasks list",
        "tasks list && date",
        "echo `date`",
        "tasks list > /tmp/x",
        "tasks add --title 'open",
        "",
        "tasks list extra",
    ],
)
def test_what_does_not_fit_the_grammar_is_exit_2_with_a_reason(line: str) -> None:
    world = World(State.empty("2026-03-01T09:00"))
    done = execute(world, line)
    assert done.output.code == 2
    assert done.output.stderr
    assert not done.changes


def test_a_bound_without_a_time_takes_in_the_whole_day() -> None:
    world = World(State.empty("2026-03-01T09:00"))
    execute(world, "calendar add-event --title Sync --start 2026-03-01T09:30")
    assert "Sync" in execute(world, "calendar list --from 2026-03-01 --to 2026-03-01").text
    assert "Sync" not in execute(world, "calendar list --to 2026-02-28").text


def test_today_shows_the_day_s_events() -> None:
    world = World(State.empty("2026-03-01T09:00"))
    execute(world, "calendar add-event --title Blackout --start 2026-03-01T07:00")
    execute(world, "calendar add-event --title Later --start 2026-03-02T07:00")
    shown = execute(world, "calendar today --timezone Europe/Oslo").text
    assert "2026-03-01T10:00:00" in shown
    assert "Blackout" in shown
    assert "Later" not in shown


def test_configure_does_what_config_set_does() -> None:
    worlds = [World(State.empty("2026-03-01T09:00")) for _ in range(2)]
    execute(worlds[0], "openclaw configure agent.model=openai/gpt-5.2")
    execute(worlds[1], "openclaw config set agent.model openai/gpt-5.2")
    assert worlds[0].state == worlds[1].state
    assert list(worlds[0].state.tables["config"]) == ["agents.defaults.model.primary"]


def test_a_sent_mail_cannot_be_taken_back() -> None:
    world = World(State.empty("2026-03-01T09:00"))
    execute(world, "email send --to a@example.com --subject s --body b")
    for line in ("email delete --id sent_0001", "email move --id sent_0001 --folder trash"):
        assert execute(world, line).output.code == 1
    assert "sent_0001" in execute(world, "email list --folder sent").text


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=6))
@settings(max_examples=200, deadline=None)
def test_words_survive_being_joined_and_split(words: list[str]) -> None:
    assert split_words(join_words(words)) == words


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_line_raises(line: str) -> None:
    done = execute(World(State.empty("2026-03-01T09:00")), line)
    assert done.output.code in {0, 1, 2, 127}


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_arguments_of_any_verb_raise(data: st.DataObject) -> None:
    verb = data.draw(st.sampled_from(verbs()))
    words = list(verb.path)
    for flag in data.draw(st.lists(st.sampled_from(verb.flags), max_size=4)) if verb.flags else []:
        words.append(f"--{flag.name}")
        words.append(
            data.draw(st.sampled_from(["x", "2026-03-09", "2026-03-09T10:00", "0 9 * * *", "a@b.c", "/a", "3"]))
        )
    words += data.draw(st.lists(st.text(min_size=1, max_size=5), max_size=2))
    done = execute(World(State.empty("2026-03-01T09:00")), join_words(words))
    assert done.output.code in {0, 1, 2, 6, 22, 127}


def test_programs_are_the_clients_a_shim_needs() -> None:
    assert set(programs()) == {"tasks", "calendar", "gcalcli", "email", "weather", "file", "curl", "openclaw", "date"}


if __name__ == "__main__":  # python tests/forge/test_surfaces.py: write the golden sessions again
    GOLDEN.write_text(
        json.dumps({name: play(lines) for name, lines in _sessions().items()}, indent=1, ensure_ascii=False),
        encoding="utf-8",
    )
