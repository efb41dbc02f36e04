"""The world: effects are differences, ids are counted, nothing comes from the host."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter_forge.surfaces.registry import verbs
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world import State, World, apply_changes, difference
from claw_adapter_forge.world.cron import firing_pattern, is_schedule, same_firings
from claw_adapter_forge.world.serial import state_from_json, state_to_json
from claw_adapter_forge.world.state import MAX_ROWS
from claw_adapter_forge.world.times import local_now, parse_date, parse_moment

NOW = "2026-03-01T09:00"

LINES = st.sampled_from(
    [
        "tasks add --title 'Oslo step' --due 2026-03-09 --priority high",
        "tasks add --title other",
        "tasks complete --id task_0001",
        "tasks update --id task_0001 --due 2026-04-01",
        "tasks delete --id task_0002",
        "calendar add-event --title Sync --start 2026-03-09T10:00",
        "calendar update-event --id evt_0001 --start 2026-03-10T10:00",
        "calendar delete-event --id evt_0001",
        "email send --to a@example.com --subject s --body b",
        "file create --path /a/b.txt --content one",
        "file append --path /a/b.txt --content two",
        "file move --src /a/b.txt --dst /c.txt",
        "file delete --path /c.txt",
        "openclaw cron add --name x --cron '0 9 * * *' --message m",
        "openclaw cron rm cron_0001",
        "openclaw config set a.b 3",
        "openclaw config unset a.b",
        "openclaw security set-token abc",
        "openclaw channels add --channel irc",
        "openclaw channels login --channel irc",
        "openclaw agents add bob",
        "openclaw gateway stop",
        "nonsense",
        "tasks list",
    ]
)


@given(st.lists(LINES, max_size=25))
@settings(max_examples=150, deadline=None)
def test_effects_are_the_difference_of_two_states_for_every_verb(lines: list[str]) -> None:
    world = World(State.empty(NOW))
    first = world.state
    moving = first
    for line in lines:
        before = world.state
        done = execute(world, line)
        assert done.changes == difference(before, world.state)
        moving = apply_changes(moving, done.changes)
    assert moving.tables == world.state.tables
    assert apply_changes(first, difference(first, world.state)).tables == world.state.tables


@given(st.lists(LINES, max_size=15))
@settings(max_examples=60, deadline=None)
def test_a_state_survives_json_and_the_same_script_gives_the_same_state(lines: list[str]) -> None:
    worlds = [World(State.empty(NOW)) for _ in range(2)]
    for world in worlds:
        for line in lines:
            execute(world, line)
    assert worlds[0].state == worlds[1].state
    assert state_from_json(json.loads(json.dumps(state_to_json(worlds[0].state)))) == worlds[0].state


def test_verbs_that_are_declared_as_reads_never_change_anything(paper: tuple[ForgeTask, ...]) -> None:
    reads = [v for v in verbs() if not v.mutates]
    assert len(reads) > 30
    world = World(paper[0].start)
    values = {"location": "Oslo", "query": "o", "id": "mail_0001", "path": "/ops", "url": "http://x.example"}
    for verb in reads:
        words = [*verb.path, *(values.get(a.name, "x") for a in verb.args if a.required)]
        for flag in verb.flags:
            if flag.required:
                words += [f"--{flag.name}", values.get(flag.name, "x")]
        execute(world, " ".join(words))
        assert difference(paper[0].start, world.state) == (), verb.name


def test_a_refused_command_leaves_the_world_as_it_was() -> None:
    world = World(State.empty(NOW))
    execute(world, "openclaw channels add --channel irc")
    before = world.state
    assert execute(world, "openclaw message send --channel irc --target #x --message hi").output.code == 1
    assert difference(before, world.state) == ()


def test_a_table_is_bounded() -> None:
    world = World(State.empty(NOW))
    for _ in range(MAX_ROWS):
        execute(world, "tasks add --title x")
    full = execute(world, "tasks add --title x")
    assert full.output.code == 1
    assert "no room" in full.output.stderr
    assert len(world.state.tables["tasks"]) == MAX_ROWS


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("30 7 * * 1-5", "30 7 * * mon-fri", True),
        ("30 7 * * 1-5", "30 7 * * 1,2,3,4,5", True),
        ("0 0 * * *", "@daily", True),
        ("0 9 * * 0", "0 9 * * 7", True),
        ("*/30 * * * *", "0,30 * * * *", True),
        ("30 7 * * 1-5", "30 7 * * *", False),
        ("0 9 1 * 1", "0 9 * * 1", False),
        ("60m", "1h", True),
        ("not a cron", "not a cron", False),
    ],
)
def test_schedules_are_compared_by_when_they_fire(left: str, right: str, same: bool) -> None:
    assert same_firings(left, right) is same


@given(st.text(max_size=20))
def test_no_text_breaks_the_readers_of_schedules_and_dates(text: str) -> None:
    assert is_schedule(text) == (firing_pattern(text) is not None)
    for found in (parse_date(text), parse_moment(text)):
        assert found is None or found[:4].isdigit()


@pytest.mark.parametrize("text", ["2026-03-09T10:00Z", "2026-03-09T10:00+01:00", "2026-03-09 10:00 UTC"])
def test_a_moment_with_a_zone_is_no_wall_time(text: str) -> None:
    assert parse_moment(text) is None
    assert parse_moment("2026-03-09 10:00:00") == "2026-03-09T10:00"


def test_zones_come_from_our_own_table() -> None:
    assert local_now(NOW, "America/Denver") == "2026-03-01T02:00:00"
