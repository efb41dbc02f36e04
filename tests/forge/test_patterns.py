"""Failure labels are right on mutants whose failing is known."""

from __future__ import annotations

import pytest

from claw_adapter_forge.evaluation.patterns import diagnose, redundant_reads
from claw_adapter_forge.proof.labels import NEEDED, check_labels, known_failures
from claw_adapter_forge.proof.replay import drive, replay
from claw_adapter_forge.tasks.spec import ForgeTask


def test_labels_of_known_failures_are_right_in_95_of_100(paper: tuple[ForgeTask, ...]) -> None:
    found = check_labels(paper[::3])
    assert sum(total for _, total in found.counts.values()) > 1000
    assert found.passing == []
    assert found.share >= NEEDED == 0.95, found.wrong[:10]


def test_labels_that_are_wrong_are_counted_and_named(
    paper: tuple[ForgeTask, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claw_adapter_forge.evaluation.patterns.RETIRED", "nothing of that name")
    monkeypatch.setattr("claw_adapter_forge.evaluation.patterns._pattern", lambda *_: "incomplete_closure")
    found = check_labels(paper[:3])
    assert 0.0 < found.share < NEEDED
    assert all(w["given"] == "incomplete_closure" != w["right"] for w in found.wrong)


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


def test_making_again_what_is_there_is_stale_state_even_before_anything_right(paper: tuple[ForgeTask, ...]) -> None:
    for task in paper[::9]:
        run = drive(task, "re-creator")
        assert run.verdict.met
        assert diagnose(task, run.executions, run.verdict, "stopped").pattern == "stale_state_mishandling"


def test_known_failures_have_duplicates_first_and_last(paper: tuple[ForgeTask, ...]) -> None:
    known = [k for t in paper[::9] for k in known_failures(t)]
    first = [k for k in known if k.what.startswith("first tasks add")]
    assert {k.label for k in first} == {"early_breakdown", "stale_state_mishandling"}
    assert any(k.what == "re-creator" for k in known)
