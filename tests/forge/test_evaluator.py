"""The evaluator: goal, frame and nothing forbidden; values, not wording; 0 at the start and 1 at the end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter_forge.evaluation import evaluate
from claw_adapter_forge.evaluation.conditions import holds
from claw_adapter_forge.evaluation.paper import Check, check_holds, normalised_state, paper_checks, paper_score
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.tasks.spec import Cond, ForgeTask
from claw_adapter_forge.world.records import CronJob, File, Sent, Task


def test_the_first_state_has_no_progress_and_the_reference_all_of_it(one_per_family: tuple[ForgeTask, ...]) -> None:
    for task in one_per_family:
        start = evaluate(task, task.start)
        assert (start.strict, start.progress) == (False, 0.0)
        end = replay(task, task.reference).verdict
        assert (end.strict, end.progress, end.missing, end.violations) == (True, 1.0, (), ())


def test_progress_never_leaves_zero_to_one_and_grows_with_each_wanted_change(
    one_per_family: tuple[ForgeTask, ...],
) -> None:
    for task in one_per_family:
        values = [replay(task, task.reference[:k]).verdict.progress for k in range(len(task.reference) + 1)]
        assert all(0.0 <= v <= 1.0 for v in values)
        assert values[-1] == max(values) == 1.0


@pytest.mark.parametrize(
    "line",
    [
        "tasks add --title 'one more'",
        "email send --to x@example.com --subject hi --body there",
        "openclaw config set logging.level debug",
        "file create --path /tmp/x.txt --content y",
        "openclaw gateway stop",
    ],
)
def test_any_change_that_nobody_asked_for_breaks_the_frame(one_per_family: tuple[ForgeTask, ...], line: str) -> None:
    for task in one_per_family:
        verdict = replay(task, (*task.reference, line)).verdict
        assert not verdict.strict
        assert verdict.violations
        assert verdict.progress == 0.5


def test_touching_a_secret_is_forbidden_though_undone(one_per_family: tuple[ForgeTask, ...]) -> None:
    lines = ("openclaw security set-token new", "openclaw security set-token t0k-5d1e")
    for task in one_per_family:
        verdict = replay(task, (*lines, *task.reference)).verdict
        assert verdict.forbidden == ("secret changed",)
        assert not verdict.violations
        assert not verdict.strict


CASES = [
    (Cond("text", "names", ("Oslo", "WK-1234")), Task("t", "call OSLO, wk-1234"), True),
    (Cond("text", "names", ("Oslo", "WK-1234")), Task("t", "call Oslo"), False),
    (Cond("to", "same_set", ("b@x.y", "a@x.y")), Sent("s", ("A@x.y", "b@x.y"), "", ""), True),
    (Cond("to", "same_set", ("a@x.y",)), Sent("s", ("a@x.y", "b@x.y"), "", ""), False),
    (Cond("cc", "empty"), Sent("s", ("a@x.y",), "", "", ("c@x.y",)), False),
    (Cond("schedule", "fires_like", ("0 9 * * 1-5",)), CronJob("c", "n", "0 9 * * mon-fri", "m"), True),
    (Cond("text", "keeps", ("a\nb\n",)), File("/f", "a\nx\nb\nc"), True),
    (Cond("text", "keeps", ("a\nb\n",)), File("/f", "b\na"), False),
    (Cond("text", "unrepeated"), File("/f", "a\nb\na"), False),
    (Cond("text", "refs_only", ("WK-1234",)), File("/f", "WK-1234 and WK-9999"), False),
    (Cond("text", "states", ("2026-03-09T10:00", "Amara")), File("/f", "amara, 9 March, 10 am"), True),
]


@pytest.mark.parametrize(("cond", "row", "expected"), CASES)
def test_conditions_compare_values(cond: Cond, row: Task, expected: bool) -> None:
    assert holds(cond, row) is expected


def test_equation_3_is_the_weighted_mean_and_the_null_line_is_above_zero(paper: tuple[ForgeTask, ...]) -> None:
    task = paper[0]
    checks = (Check("state", "tasks", "exists", None, 3.0), Check("effect", "tasks_created", "exists", None, 1.0))
    assert paper_score(checks, task, ()) == 0.75
    nulls = [paper_score(paper_checks(t), t, ()) for t in paper]
    assert 0.3 < sum(nulls) / len(nulls) < 0.8
    for each in paper[::9]:
        run = replay(each, each.reference)
        assert paper_score(paper_checks(each), each, run.executions, run.final) == 1.0


STATE = {
    "config": {"agents.defaults.model.primary": "a/b", "port": 80},
    "effects": {"emails_sent": [{"to": ["x@y.z"], "subject": "Hello"}]},
    "last_stdout": "Task created",
    "last_exit_code": 0,
    "tasks": [1, 2, 3],
}


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (Check("config", "agent.model", "equals", "a/b"), True),
        (Check("config", "port", "equals", "80"), True),
        (Check("config", "port", "type_is", "int"), True),
        (Check("config", "nope", "not_exists"), True),
        (Check("state", "tasks", "count_gte", 3), True),
        (Check("state", "tasks", "count_gte", 4), False),
        (Check("effect", "emails_sent", "count_equals", 1), True),
        (Check("effect", "emails_sent", "count_lte", 0), False),
        (Check("effect", "emails_sent", "field_equals", {"field": "to", "value": "x@y.z"}), True),
        (Check("effect", "emails_sent", "field_contains", {"field": "subject", "value": "hell"}), True),
        (Check("effect", "tasks_created", "not_exists"), True),
        (Check("output", "last_stdout", "regex", r"Task \w+"), True),
        (Check("output", "last_stdout", "exact", "Task"), False),
        (Check("output", "last_stdout", "not_contains", "Error"), True),
        (Check("output", "last_exit_code", "exit_code_zero"), True),
    ],
)
def test_the_paper_s_check_vocabulary(check: Check, expected: bool) -> None:
    assert check_holds(check, STATE) is expected


def test_an_unknown_check_is_an_error_not_a_pass() -> None:
    with pytest.raises(ValueError, match="no operator"):
        check_holds(Check("state", "tasks", "looks_fine"), STATE)
    with pytest.raises(ValueError, match="no check type"):
        check_holds(Check("vibe", "tasks", "exists"), STATE)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.1, 10)), min_size=1, max_size=6))
def test_equation_3_stays_between_0_and_1(rows: list[tuple[bool, float]]) -> None:
    total = sum(w for _, w in rows)
    score = sum(w for ok, w in rows if ok) / total
    assert 0.0 <= score <= 1.0


def test_effects_in_the_normalised_state_come_from_the_differences(paper: tuple[ForgeTask, ...]) -> None:
    task = next(t for t in paper if t.meta.variant == "task" and t.meta.family.startswith("state_repair"))
    run = replay(task, task.reference)
    effects = normalised_state(run.final, run.executions)["effects"]
    assert len(effects["tasks_completed"]) == len(effects["tasks_created"]) == 1
    assert len(effects["files_created"]) == 1
