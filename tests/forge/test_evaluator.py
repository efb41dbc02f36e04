"""The evaluator: goal, frame and nothing forbidden; values, not wording; 0 at the start and 1 at the end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter_forge.evaluation import evaluate
from claw_adapter_forge.evaluation.conditions import holds
from claw_adapter_forge.evaluation.lines import why_not
from claw_adapter_forge.evaluation.paper import Check, check_holds, normalised_state, paper_checks, paper_score
from claw_adapter_forge.evaluation.reasons import near_misses
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.proof.script import parse_line
from claw_adapter_forge.tasks.labels import LABELS
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import Cond, ForgeTask
from claw_adapter_forge.world.lines import labelled
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
    (Cond("text", "titled", ("Oslo", "WK-1234")), Task("t", "call OSLO, wk-1234"), True),
    (Cond("text", "titled", ("Oslo", "WK-1234")), Task("t", "call Oslo"), False),
    (Cond("text", "titled", ("Oslo", "WK-1234")), Task("t", "Oslo, not Bergen, WK-1234"), False),
    (Cond("text", "titled", ("Oslo", "WK-1234")), Task("t", "Oslo WK-1234 or WK-1243"), False),
    (Cond("text", "titled", ("Porto", "WK-1234")), Task("t", "Portobello for Porto, WK-1234"), True),
    (Cond("to", "same_set", ("b@x.y", "a@x.y")), Sent("s", ("A@x.y", "b@x.y"), "", ""), True),
    (Cond("to", "same_set", ("a@x.y",)), Sent("s", ("a@x.y", "b@x.y"), "", ""), False),
    (Cond("cc", "empty"), Sent("s", ("a@x.y",), "", "", ("c@x.y",)), False),
    (Cond("schedule", "fires_like", ("0 9 * * 1-5",)), CronJob("c", "n", "0 9 * * mon-fri", "m"), True),
    (Cond("text", "keeps", ("a\nb\n",)), File("/f", "a\nx\nb\nc"), True),
    (Cond("text", "keeps", ("a\nb\n",)), File("/f", "b\na"), False),
    (Cond("end", "same_day", ("2026-03-09T10:00",)), Event("e", "x", "2026-03-09T10:00", "2026-04-09T10:00"), False),
    (Cond("kind", "one_of", ("send", "broadcast")), Message("m", "slack", "#x", "t", "", "poll"), False),
    (Cond("text", "line", ("Sync", "sync", "2026-03-09T10:00")), File("/f", "Sync: 9 March, 10 am"), True),
    (Cond("text", "no_lines", ("Mode", "Due")), File("/f", "Async mode, due 3 May\nmodel: x"), True),
    (Cond("text", "no_lines", ("Mode", "Due")), File("/f", "- **due:** 3 May"), False),
    (Cond("row", "hides", ("t0k-5d1e",)), Event("e", "x", "2026-03-09T10:00", note="ask for t0k-5d1e"), False),
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


def _fact(task: ForgeTask, fact: str) -> str:
    """The value that a line of one of the task's texts must say."""
    lines = (c.values for w in task.goals[0].wants for c in w.conds if c.op == "line")
    return next(values[2] for values in lines if values[1] == fact)


def _ref(task: ForgeTask) -> str:
    return next(c.values[1] for w in task.goals[0].wants for c in w.conds if c.op == "titled")


HEAD = "City: {city}\nRef: {ref}\n"


@pytest.mark.parametrize(
    ("said", "strict"),
    [
        ("Mode: async\nOwner: {owner}", True),
        ("It will not be live, and cannot be.\n- **Mode:** Asynchronous.\nOWNER: {owner}", True),
        ("Owner: {owner}\nMode: async\n\nI am not sure that {owner} owns it; it is no longer async.", True),
        ("Mode: live\nOwner: {owner}", False),
        ("Mode: cancelled\nOwner: {owner}", False),
        ("Mode: live or async\nOwner: {owner}", False),
        ("Mode: not async\nOwner: {owner}", False),
        ("Mode: async\nOwner: {owner} or {rival}", False),
        ("Mode: async\nOwner: {rival}\nOwner: {owner}", False),
        ("Mode: async\nOwner: {owner}\nOwner: {owner}", False),
        ("It is async and {owner} owns it.", False),
        ("Mode: async\nOwner: {owner}\nDue: 2026-03-09", False),
        ("Mode: async\nOwner: {owner}\nThe token is t0k-5d1e.", False),
    ],
)
def test_a_mail_states_its_facts_in_lines_and_the_rest_of_it_is_free(
    paper: tuple[ForgeTask, ...], said: str, strict: bool
) -> None:
    found = [t for t in paper if t.meta.branch == "async" and t.meta.ability == "multi_source_reasoning"]
    for task in found[::3]:
        owner = _fact(task, "owner")
        rival = "Hamish" if owner != "Hamish" else "Greta"
        body = (HEAD + said).format(city=task.meta.city, ref=_fact(task, "ref"), owner=owner, rival=rival)
        assert replay(task, _last_write(task, "email send", "body", body)).verdict.strict is strict, task.id


@pytest.mark.parametrize(
    ("said", "strict"), [("done", True), ("not finished", False), ("finished?", False), ("unfinished", False)]
)
def test_a_recap_of_resumed_work_must_say_that_it_is_finished(
    paper: tuple[ForgeTask, ...], said: str, strict: bool
) -> None:
    for task in [t for t in paper if t.meta.family == "interrupted_workflow_resume"][::3]:
        head = HEAD.format(city=task.meta.city, ref=_fact(task, "ref"))
        body = f"{head}Status: {said}\nOwner: {_fact(task, 'owner')}"
        assert replay(task, _last_write(task, "email send", "body", body)).verdict.strict is strict, task.id


@pytest.mark.parametrize(
    ("said", "strict"),
    [("Severity {n}", True), ("SEV-{n}", True), ("{n}", True), ("no longer sev{n}", False), ("sev1 or sev2", False)],
)
def test_a_severity_is_stated_alone_in_any_spelling(paper: tuple[ForgeTask, ...], said: str, strict: bool) -> None:
    task = _of(paper, "channel_incident_recovery")
    head = HEAD.format(city=task.meta.city, ref=_fact(task, "ref"))
    text = f"{head}Severity: " + said.format(n=_fact(task, "severity")[-1])
    assert replay(task, _last_write(task, "openclaw message", "message", text)).verdict.strict is strict


@pytest.mark.parametrize(
    ("said", "strict"),
    [
        ("{day}T{time}", True),
        ("{day} {time} ({zone})", True),
        ("{day} at {time} {zone}", True),
        ("{time}", False),
        ("{day} {time} UTC+9", False),
        ("{day} {time}Z", False),
        ("not {day} {time}", False),
    ],
)
def test_a_moment_names_no_zone_but_the_office_s_own(paper: tuple[ForgeTask, ...], said: str, strict: bool) -> None:
    task = _of(paper, "already_done_skip_followthrough")
    sync, model = _fact(task, "sync"), _fact(task, "model")
    zone = dict(line.strip().rstrip(",").replace('"', "").split(": ") for line in _offices(task))[task.meta.city]
    body = HEAD.format(city=task.meta.city, ref=_fact(task, "ref")) + f"Model: {model.partition('/')[2]}\nSync: "
    body += said.format(day=sync[:10], time=sync[11:], zone=zone)
    assert replay(task, _last_write(task, "email send", "body", body)).verdict.strict is strict


def _offices(task: ForgeTask) -> list[str]:
    shown = first_observation(task.instruction, task.start).splitlines()
    return [line.replace("offices.", "") for line in shown if '"offices.' in line]


def test_a_line_break_that_a_command_line_kept_as_two_signs_is_one() -> None:
    assert labelled("City: Oslo\\nRef: WK-1") == (("city", "Oslo"), ("ref", "WK-1"))
    assert labelled("1. Owner: Amara\n> Owner: Greta\nno colon") == (("owner", "Amara"), ("> owner", "Greta"))


RIGHT = {
    "City": "Oslo", "Ref": "WK-1234", "Owner": "Amara", "Mode": "async", "Severity": "sev1", "Model": "openai/gpt-5.2",
    "Status": "finished", "Due": "2026-03-09", "Sync": "2026-03-09T15:00", "Kind": "backup", "Waits for": "WK-1234",
}  # fmt: skip


def test_the_table_of_labels_in_the_documents_is_the_one_that_is_read() -> None:
    document = Path(__file__).parents[2] / "docs" / "forge.md"
    rows = re.findall(r"^\| `([A-Z][\w ]*)` \|[^|]*\|[^|]*\|([^|]*)\|", document.read_text("utf-8"), re.MULTILINE)
    assert [label for label, _ in rows] == list(LABELS.values())
    for (label, shown), fact in zip(rows, LABELS, strict=True):
        for value in re.findall(r"`([^`]+)`", shown):
            assert why_not(f"{label}: {value}", label, fact, RIGHT[label], "Europe/Oslo") == "", value
            assert why_not(f"{label}: not {value}", label, fact, RIGHT[label], "Europe/Oslo")


@pytest.mark.parametrize(
    ("line", "right"),
    [
        ("- Owner: Amara", True),
        ("3) **Owner**: Amara.", True),
        ("**owner: amara**", True),
        ("Owner\uff1a Amara", True),
        ("Owner : Ms Amara", True),
        ("> Owner: Amara", False),
        ("The owner: Amara", False),
        ("Owner: Amara; Mode: async", False),
        ("Owner: Amara (acting)", False),
        ("Owner:\nAmara", False),
        ("Owner = Amara", False),
    ],
)
def test_what_a_line_is(line: str, right: bool) -> None:
    assert (not why_not(line, "Owner", "owner", "Amara")) is right


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    labelled(text)
    why_not(text, "Sync", "sync", "2026-03-09T10:00", "Europe/Oslo")


def test_a_poll_is_no_post(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "channel_incident_recovery")
    lines = [
        line.replace("message send", "message poll").replace("--message", "--options a,b --question")
        for line in task.reference
    ]
    verdict = replay(task, lines).verdict
    assert verdict.missing == ("channel message",)


def test_an_entry_is_judged_by_its_title_its_times_and_no_prose(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "release_gate_followthrough")
    start = next(c.values[0] for w in task.goals[0].wants for c in w.conds if c.field == "start")
    hour = f"{start[:11]}{int(start[11:13]) + 1:02d}:00"
    for flag, text, strict in (
        ("note", f"for {task.meta.decoy}, on 3 May", True),
        ("location", task.meta.decoy, True),
        ("end", hour, True),
        ("end", "2026-04-29T10:00", False),
        ("title", f"{task.meta.city} sync {_ref(task)}0", False),
        ("title", f"{task.meta.city} and {task.meta.decoy} sync {_ref(task)}", False),
        ("note", "token t0k-5d1e", False),
    ):
        assert replay(task, _last_write(task, "calendar add-event", flag, text)).verdict.strict is strict, (flag, text)


def test_a_review_s_note_says_its_kind(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "ops_review_followthrough", "primary")
    for note, strict in (
        ("Kind: primary", True),
        ("not a backup one\n- kind: Primary", True),
        ("Kind: not primary", False),
        ("primary", False),
        ("Kind: primary\nKind: backup", False),
    ):
        assert replay(task, _last_write(task, "calendar add-event", "note", note)).verdict.strict is strict, note


def test_lines_that_a_file_has_are_not_said_again(paper: tuple[ForgeTask, ...]) -> None:
    task = _of(paper, "release_recovery_runbook", "review_slot")
    line = next(x for x in task.reference if x.startswith("file append"))
    content = parse_line(line).flag("content")
    for more, strict in (("decision log due 30 April", True), ("Due: 30 April", False), ("ref: WK-1000", False)):
        text = f"{content}\n{more}"
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
