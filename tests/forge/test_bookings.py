"""Workshops that are booked while others answer, take back and run out."""

from __future__ import annotations

from collections import Counter

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.families.bookings_story import draw_story
from claw_adapter_forge.generator.choosing import pick_tasks
from claw_adapter_forge.generator.task_sets import blueprints
from claw_adapter_forge.proof.replay import drive, replay
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.manifest import canonical, public_json, task_from_json, task_to_json
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.incoming import came_in
from claw_adapter_forge.world.records import Incoming, Mail
from claw_adapter_forge.world.state import World


@pytest.fixture(scope="module")
def tasks() -> tuple[ForgeTask, ...]:
    """Some of them."""
    return tuple(pick_tasks("hard", 3, 6, asked={"bookings": 6}))


def test_they_are_passed_by_who_reads_each_answer_and_by_no_plan_made_before(tasks: tuple[ForgeTask, ...]) -> None:
    for task in tasks:
        assert 30 <= task.meta.necessary <= task.meta.length == task.meta.horizon - dict(task.meta.knobs)["spare"]
        assert not drive(task, "hasty").verdict.strict
        # the mails alone, without what came in after the first card
        first = next(i for i, line in enumerate(task.reference) if line.startswith(("tasks add", "tasks update")))
        last = [line for line in task.reference[first:] if line.startswith(("tasks", "email send"))][-1:]
        assert not replay(task, (*task.reference[: first + 1], *last)).verdict.strict


def test_what_comes_in_is_shown_by_no_command_before(tasks: tuple[ForgeTask, ...]) -> None:
    task = tasks[0]
    world = World(task.start)
    waiting = [r for r in world.rows("replies", Incoming) if r.body and r.id.startswith(("reply", "event"))]
    reads = [
        line
        for line in task.reference
        if not line.startswith(("email send", "tasks add", "tasks update", "tasks delete"))
    ]
    printed = "".join(execute(world, line).text for line in reads)
    assert waiting
    assert not any(r.body in printed for r in waiting if "{" not in r.body and len(r.body) > 40)
    assert '"replies"' not in canonical(public_json(task))
    assert task_from_json(task_to_json(task)).start == task.start


def test_a_wrong_request_is_answered_like_a_right_one(tasks: tuple[ForgeTask, ...]) -> None:
    for task in tasks[:4]:
        number = next(i for i, line in enumerate(task.reference) if line.startswith("email send"))
        for line in (task.reference[number], task.reference[number].replace("\nDay: ", "\nDay: 2026-06-01\nOther: ")):
            world = World(task.start)
            before = len(world.rows("mails", Mail))
            assert execute(world, line).output.code == 0
            assert len(world.rows("mails", Mail)) > before


def test_what_others_put_there_is_no_change_of_ours_but_touching_it_is(tasks: tuple[ForgeTask, ...]) -> None:
    for task in tasks:
        left = replay(task, task.reference)
        theirs = [(table, row) for table, row in came_in(left.final) if table != "files"]
        assert list(came_in(left.final))
        assert not any((c.table, c.key) == (table, row.id) for c in left.verdict.changes for table, row in theirs)
        for table, row in theirs:
            verb = "tasks update" if table == "tasks" else "calendar update-event"
            assert not replay(task, (*task.reference, f"{verb} --id {row.id} --title Mine")).verdict.strict


def test_a_card_that_somebody_changes_by_mistake_has_to_be_seen_and_put_right(tasks: tuple[ForgeTask, ...]) -> None:
    binds = 0
    for task in tasks:
        seen = [i for i, line in enumerate(task.reference) if line == "tasks list"][1:]
        blind = replay(task, (*task.reference[: seen[0]], task.reference[-1])).verdict
        assert blind.strict == (len(seen) == 1)
        binds += not blind.strict
    assert binds > len(tasks) // 2


def test_traps_bind_in_every_task_or_in_a_stated_share() -> None:
    found: Counter[str] = Counter()
    stories = [draw_story(b.slots) for b in blueprints("hard", 5, 30, {"bookings": 30})]
    for story in stories:
        answers = [m.answer for m in story.mailings]
        asked = {m.supplier for m in story.mailings}
        found["void"] += any("van has broken down" in e.text for e in story.events)
        found["late"] += any(e.after.startswith("card") for e in story.events)
        found["another day"] += any(" on 20" in a for a in answers)
        found["a part"] += any(
            a.split(" ")[2].isdigit() for a in answers if a.startswith("Yes, gladly: ") and "{" not in a
        )
        found["a word"] += bool(asked & set(story.words))
        found["moved"] += story.stale_address in asked
        found["passed over"] += any(
            firm not in asked and (firm, item.name) in story.out
            for item in story.items
            for firm in item.suppliers[: story.open[item.name].asked]
        )
    assert found["void"] == found["late"] == len(stories)
    assert {name: count for name, count in found.items() if count < len(stories) // 5} == {}


def test_who_sends_the_mail_in_doubt_decides() -> None:
    flags = [b.slots.flag for b in blueprints("hard", 3, 40, {"bookings": 40})]
    assert 10 < sum(flags) < 30
    with pytest.raises(ScenarioError, match="has no knobs"):
        list(blueprints("hard", 0, 1, {"inbox_followthrough": 1}))
