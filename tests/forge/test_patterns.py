"""Failure labels are right on mutants whose failing is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from claw_adapter_forge.evaluation.patterns import diagnose, redundant_reads
from claw_adapter_forge.policies.offline import is_change
from claw_adapter_forge.proof.replay import drive, replay
from claw_adapter_forge.tasks.spec import ForgeTask

Known = tuple[str, Sequence[str], str, str]
"""(what was done, commands, how it ended, the right label)."""


def known_failures(task: ForgeTask) -> Iterator[Known]:
    reference = task.reference
    writes = [i for i, line in enumerate(reference) if is_change(line)]
    retires = [i for i in writes if reference[i].startswith("tasks complete")]
    yield ("nothing", (), "stopped", "early_breakdown")
    yield ("reads only", [x for x in reference if not is_change(x)], "stopped", "early_breakdown")
    yield ("hasty", [e.line for e in drive(task, "hasty").executions], "stopped", "early_breakdown")
    for i in writes if len(writes) > 1 else ():
        if "login" in reference[i]:
            continue
        lines = (*reference[:i], *reference[i + 1 :])
        label = "stale_state_mishandling" if i in retires else "hallucinated_completion"
        yield (f"dropped {reference[i]}", lines, "stopped", label)
        if i not in retires:
            yield (f"cut short without {reference[i]}", lines, "budget", "incomplete_closure")
    for table, key in task.meta.preserved:
        verb = {"tasks": "tasks delete --id", "events": "calendar delete-event --id", "cron": "openclaw cron rm"}[table]
        yield (f"deleted {key}", (*reference, f"{verb} {key}"), "stopped", "stale_state_mishandling")
        if table == "tasks":
            yield ("completed it", (*reference, f"tasks complete --id {key}"), "stopped", "stale_state_mishandling")
        yield (f"first deleted {key}", (f"{verb} {key}", *reference), "stopped", "early_breakdown")
    for i in writes:
        if reference[i].startswith(("tasks add", "calendar add-event")):
            yield ("made it twice", (*reference, reference[i]), "stopped", "stale_state_mishandling")


def test_labels_of_known_failures_are_right_in_95_of_100(paper: tuple[ForgeTask, ...]) -> None:
    right, wrong = 0, []
    for task in paper[::3]:
        for what, lines, ended, label in known_failures(task):
            run = replay(task, lines)
            assert not run.verdict.strict, what
            found = diagnose(task, run.executions, run.verdict, ended).pattern
            if found == label:
                right += 1
            else:
                wrong.append((task.meta.family, what, label, found))
    assert right + len(wrong) > 1000
    assert right / (right + len(wrong)) >= 0.95, wrong[:10]


def test_a_pass_has_no_pattern_and_every_decisive_fact_was_read(paper: tuple[ForgeTask, ...]) -> None:
    for task in paper:
        run = replay(task, task.reference)
        found = diagnose(task, run.executions, run.verdict, "stopped")
        assert (found.pattern, found.excess, found.first_wrong, found.unread) == ("", False, 0, ())


def test_the_first_wrong_step_and_unread_sources_are_named(paper: tuple[ForgeTask, ...]) -> None:
    task = next(t for t in paper if t.meta.family == "branch_resolution_followthrough")
    lines = ("tasks list", "tasks add --title junk", *task.reference)
    run = replay(task, lines)
    found = diagnose(task, run.executions, run.verdict, "stopped")
    assert found.first_wrong == 2
    assert any(u.startswith("weather") for u in found.unread)


def test_excess_steps_are_a_flag_beside_the_pattern(paper: tuple[ForgeTask, ...]) -> None:
    task = paper[20]
    run = replay(task, (*(f"tasks search --query {i}" for i in range(15)), *task.reference))
    found = diagnose(task, run.executions, run.verdict, "stopped")
    assert (found.pattern, found.excess) == ("", True)
    assert redundant_reads(replay(task, ("tasks list",) * 4).executions) == 0.75
    between = replay(task, ("tasks list", "tasks add --title x", "tasks list"))
    assert redundant_reads(between.executions) == 0.0
