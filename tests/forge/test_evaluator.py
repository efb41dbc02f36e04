"""The evaluator: goal, frame and nothing forbidden; values, not wording; 0 at the start and 1 at the end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter_forge.evaluation import evaluate
from claw_adapter_forge.evaluation.conditions import holds
from claw_adapter_forge.evaluation.paper import Check, check_holds, normalised_state, paper_checks, paper_score
from claw_adapter_forge.evaluation.reasons import near_misses
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.proof.script import parse_line
from claw_adapter_forge.tasks.spec import Cond, ForgeTask
from claw_adapter_forge.world.records import CronJob, Event, File, Message, Sent, Task


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
    (Cond("text", "refs_only", ("WK-1234",)), File("/f", "WK-1234 and wk-12345"), False),
    (Cond("end", "same_day", ("2026-03-09T10:00",)), Event("e", "x", "2026-03-09T10:00", "2026-04-09T10:00"), False),
    (Cond("kind", "one_of", ("send", "broadcast")), Message("m", "slack", "#x", "t", "", "poll"), False),
    (Cond("text", "states", ("2026-03-09T10:00",)), File("/f", "amara, 9 March, 10 am"), True),
    (Cond("text", "days_only", ("2026-03-09",)), File("/f", "9 March, 12 March"), False),
    (Cond("text", "chooses", ("Amara", "Bastian")), File("/f", "Amara or Bastian"), False),
]


@pytest.mark.parametrize(("cond", "row", "expected"), CASES)
def test_conditions_compare_values(cond: Cond, row: Task, expected: bool) -> None:
    assert holds(cond, row) is expected


def test_equation_3_is_the_weighted_mean_and_the_do_nothing_baseline_is_above_zero(
    paper: tuple[ForgeTask, ...],
) -> None:
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


def _last_write(task: ForgeTask, verb: str, flag: str, text: str) -> tuple[str, ...]:
    """The reference with another text in its last command of that verb."""
    lines = list(task.reference)
    place = max(i for i, line in enumerate(lines) if line.startswith(verb))
    lines[place] = parse_line(lines[place]).put(flag, text).text
    return tuple(lines)


def _of(paper: tuple[ForgeTask, ...], family: str, branch: str = "") -> ForgeTask:
    return next(t for t in paper if t.meta.family == family and branch in t.meta.branch)


def _fact(task: ForgeTask, table: str, place: int = 0) -> str:
    """The `place`-th value that a text of the task must choose."""
    want = next(w for w in task.goals[0].wants if w.table == table)
    return [c.values[0] for c in want.conds if c.op == "chooses"][place]


def _ref(task: ForgeTask) -> str:
    return next(c.values[1] for w in task.goals[0].wants for c in w.conds if c.op == "names")


@pytest.mark.parametrize(
    ("said", "strict"),
    [
        ("is async, owner {owner}", True),
        ("will not be live today: async, {owner} owns it", True),
        ("goes ahead live as planned, owner {owner}", False),
        ("is cancelled altogether, owner {owner}", False),
        ("is live or async, owner {owner}", False),
        ("is async, owner {owner} or {rival}", False),
        ("is async, owner {rival} (not {owner})", False),
    ],
)
def test_an_async_update_must_say_that_it_is_async(paper: tuple[ForgeTask, ...], said: str, strict: bool) -> None:
    for task in (t for t in paper if t.meta.branch == "async" and t.meta.ability == "multi_source_reasoning"):
        owner = _fact(task, "outbox")
        rival = "Hamish" if owner != "Hamish" else "Greta"
        body = f"{task.meta.city} {_ref(task)} " + said.format(owner=owner, rival=rival)
        assert replay(task, _last_write(task, "email send", "body", body)).verdict.strict is strict, task.id


@pytest.mark.parametrize(("said", "strict"), [("done", True), ("not finished", False), ("still interrupted", False)])
def test_a_recap_of_resumed_work_must_say_that_it_is_finished(
    paper: tuple[ForgeTask, ...], said: str, strict: bool
) -> None:
    for task in (t for t in paper if t.meta.family == "interrupted_workflow_resume"):
        body = f"{task.meta.city} {_ref(task)}: {said}, owner {_fact(task, 'outbox')}"
        assert replay(task, _last_write(task, "email send", "body", body)).verdict.strict is strict, task.id


@pytest.mark.parametrize(
    ("said", "strict"),
    [
        ("severity {n}", True),
        ("SEV-{n}", True),
        ("severity sev1 or sev2 or sev3", False),
        ("severity is known", False),
    ],
)
def test_a_severity_is_stated_alone_in_any_spelling(paper: tuple[ForgeTask, ...], said: str, strict: bool) -> None:
    task = _of(paper, "channel_incident_recovery")
    text = f"{task.meta.city} incident {_ref(task)}: " + said.format(n=_fact(task, "messages")[-1])
    assert replay(task, _last_write(task, "openclaw message", "message", text)).verdict.strict is strict


def test_a_poll_is_no_post(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "channel_incident_recovery")
    lines = [
        line.replace("message send", "message poll").replace("--message", "--options a,b --question")
        for line in task.reference
    ]
    verdict = replay(task, lines).verdict
    assert verdict.missing == ("channel message",)


def test_nothing_of_an_entry_may_be_about_another_city_or_last_for_weeks(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "release_gate_followthrough")
    for flag, text in (
        ("note", f"for {task.meta.decoy}"),
        ("location", task.meta.decoy),
        ("end", "2026-04-29T10:00"),
        ("title", f"{task.meta.city} sync {_ref(task)}0"),
    ):
        assert not replay(task, _last_write(task, "calendar add-event", flag, text)).verdict.strict, flag
    start = parse_line(task.reference[-2]).flag("start") or parse_line(task.reference[-1]).flag("start")
    hour = f"{start[:11]}{int(start[11:13]) + 1:02d}:00"
    assert replay(task, _last_write(task, "calendar add-event", "end", hour)).verdict.strict


def test_a_title_may_say_which_kind_it_is_not(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "ops_review_followthrough", "primary")
    for kinds, strict in (("primary, not backup", True), ("primary or backup", False), ("backup, not primary", False)):
        title = f"{task.meta.city} site review ({kinds}) {_ref(task)}"
        assert replay(task, _last_write(task, "calendar add-event", "title", title)).verdict.strict is strict


def test_a_true_day_more_does_no_harm_in_any_notation_and_a_wrong_one_does(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "release_recovery_runbook", "review_slot")
    line = next(x for x in task.reference if x.startswith("file append"))
    due = next(c.values[0] for w in task.goals[0].wants if w.table == "tasks" for c in w.conds if c.field == "due")
    content = parse_line(line).flag("content")
    day = f"{int(due[8:])} March"
    for more, strict in ((due, True), (day, True), ("2026-04-30", False), ("30 April", False)):
        text = f"{content}, decision log due {more}"
        assert replay(task, _last_write(task, "file append", "content", text)).verdict.strict is strict, more


def test_reasons_name_the_nearest_change_and_the_condition_it_fails(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "release_gate_followthrough")
    verdict = replay(task, _last_write(task, "tasks add", "due", "2026-12-24")).verdict
    (miss,) = near_misses(task, verdict)
    assert miss.want == "next step on the board"
    assert miss.change is not None
    assert [r[:12] for r in miss.reasons] == ["due must be "]
    untouched = near_misses(task, replay(task, ()).verdict)
    assert all(m.change is None and m.reasons == () for m in untouched)
