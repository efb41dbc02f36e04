"""The set `hard`: knobs, traps that bind, labels that have to be found, what must not be touched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from statistics import mean

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter_forge.evaluation.reasons import near_misses
from claw_adapter_forge.families import family
from claw_adapter_forge.families.round_letters import Letter, written
from claw_adapter_forge.families.round_plan import KNOBS, ROUNDS, draw_round
from claw_adapter_forge.families.round_rules import Card, Office, Rules, Site, resolve
from claw_adapter_forge.families.texts_round import FACTS
from claw_adapter_forge.generator.choosing import counts_in, pick_tasks
from claw_adapter_forge.generator.taint import trace
from claw_adapter_forge.generator.task_sets import blueprints, compile_blueprint
from claw_adapter_forge.proof.gate import prove
from claw_adapter_forge.proof.replay import drive, replay
from claw_adapter_forge.scenario_folders import scenario_of
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.slots import CITIES
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.records import File, Mail, Task
from claw_adapter_forge.world.times import add_days, local_now


@pytest.fixture(scope="module")
def hard() -> tuple[ForgeTask, ...]:
    """Rounds of the set."""
    return tuple(pick_tasks("hard", 0, 24, asked={"round": 24}))


def test_tasks_of_hard_are_long_and_a_colleague_asks_in_few_sentences(hard: tuple[ForgeTask, ...]) -> None:
    assert all(30 <= task.meta.necessary <= task.meta.length <= 60 for task in hard)
    assert all(task.meta.length <= task.meta.horizon <= task.meta.length + 3 for task in hard)
    assert all(len(task.instruction) < 240 for task in hard)
    for task in hard[:6]:
        assert dict(task.meta.knobs).keys() == KNOBS.keys()
        assert drive(task, "careful").verdict.strict
        assert not drive(task, "hasty").verdict.strict


def test_not_all_can_be_read_within_the_budget(hard: tuple[ForgeTask, ...]) -> None:
    documents = [len(t.start.tables["mails"]) + len(t.start.tables["files"]) + len(t.goals[0].wants) for t in hard]
    assert mean(many > task.meta.horizon for many, task in zip(documents, hard, strict=True)) >= 0.5


def test_mails_that_are_not_for_this_round_cost_more_than_is_left_over(hard: tuple[ForgeTask, ...]) -> None:
    """What need not be read is told by handbook, board and subjects; who reads it all the same has too few commands."""
    for task in hard:
        knobs = dict(task.meta.knobs)
        mails = [m for m in task.start.tables["mails"].values() if isinstance(m, Mail)]
        head = f"{next(r for r in ROUNDS if f' {r} round' in task.instruction)} round, {task.meta.city}: "
        own = [m for m in mails if m.subject.startswith(head)]
        read = sum(line.startswith("email read") for line in task.reference)
        assert len(own) - read == knobs["idle"] > knobs["spare"]
        assert any(
            "for the next round" in f.content for f in task.start.tables["files"].values() if isinstance(f, File)
        )


def test_branch_form_and_style_do_not_follow_the_number() -> None:
    rows = [b.slots for seed in range(3) for b in blueprints("hard", seed, 40, {"round": 40})]
    for turn in range(2, 5):
        for start in range(turn):
            some = rows[start::turn]
            assert {s.flag for s in some} == {True, False}
            assert {dict(s.knobs)["forms"] for s in some} == {0, 1}
            assert {s.style for s in some} == {"brief", "underspecified"}
    assert 0.35 < mean(s.flag for s in rows) < 0.65
    assert 0.5 < mean(dict(s.knobs)["forms"] for s in rows) < 0.8


def test_traps_bind() -> None:
    found: Counter[str] = Counter()
    plans = [draw_round(b.slots, "own") for b in blueprints("hard", 7, 30, {"round": 30})]
    for plan in plans:
        rules, office, sites = plan.rules(plan.gone), plan.office, plan.sites
        right = plan.cards
        others = {
            "the mails": (plan.registered, plan.base, plan.shown),
            "the amendment in doubt": (sites, plan.rules(not plan.gone), office),
            "room": (sites, replace(rules, room=99, apart=False), office),
            "who sits in": (sites, rules, replace(office, sits_in=())),
            "days off": (sites, rules, replace(office, closed=())),
            "visits that are done": ([replace(s, finished=False) for s in sites], rules, office),
            "a card that is held": ([replace(s, there=None) for s in sites], rules, office),
            "a day that was agreed": ([replace(s, agreed="") for s in sites], rules, office),
            "the calendar's mails": (sites, rules, replace(office, closed=plan.shown.closed)),
        }
        for name, way in others.items():
            found[name] += resolve(*way) != right
    always = ("the mails", "the amendment in doubt", "room", "who sits in")
    assert all(found[name] == len(plans) for name in always)
    assert all(count >= len(plans) // 4 for count in found.values())


def _site(number: int, **more: object) -> Site:
    base = Site(f"WK-{number}", f"Mill Lane {number}", "B", "North", "desk 1", "2026-02-20", False, "x@y.example")
    return replace(base, **more)  # type: ignore[arg-type]  # fields of a site


def test_the_handbook_by_hand() -> None:
    """1 March 2026 is a Sunday; five working days from Friday, 20 February with the 25th closed are Monday, 2 March."""
    office = Office(
        "2026-03-01",
        {"2026-02-25", "2026-03-03"},
        {"desk 1": "Ana", "desk 2": "Bo"},
        (("Ana", "Cy", "2026-03-05", "2026-03-05"), ("Cy", "Di", "2026-03-05", "2026-03-09")),
    )
    rules = Rules({"A": 3, "B": 5, "C": 9}, room=1, high=3)
    sites = [
        _site(1001, faults=("2026-02-15T00:20", "2026-02-28T23:30", "2026-03-01T00:20", "2026-02-14T23:30")),
        _site(1002, desk="desk 2", moves=("desk 1", "2026-03-06")),
        _site(1003, finished=True),
        _site(1004, there=Card("2026-03-06", "low", "Eve")),
        _site(1005, let=True, grade="C"),
        _site(1006, seen="2026-02-27", faults=("2026-02-22T08:00", "2026-02-23T08:00")),
    ]
    # the third working day after today is the 5th: the 3rd is closed
    found = resolve(sites, rules, office)
    assert found == {
        "WK-1001": Card("2026-03-05", "medium", "Di"),
        "WK-1002": Card("2026-03-09", "low", "Ana"),
        "WK-1004": Card("2026-03-06", "low", "Eve"),
        "WK-1005": Card("2026-03-10", "low", "Ana"),
        "WK-1006": Card("2026-03-11", "medium", "Ana"),
    }
    amended = replace(rules, let_but="A", high=2, double=True, fewer=2)
    assert resolve(sites, amended, office) == {
        "WK-1001": Card("2026-03-05", "high", "Di"),
        "WK-1002": Card("2026-03-09", "low", "Ana"),
        "WK-1004": Card("2026-03-06", "low", "Eve"),
        "WK-1006": Card("2026-03-10", "high", "Ana"),
    }


_ANNOUNCED = (" sits in for ", " goes from desk ", "The office in ")
"""What mails announce; all else they say is of days that were."""


def _register(files: Iterable[File], topic: str, city: str) -> dict[str, tuple[str, str]]:
    """Name of a site → its ref and the day on which it was last seen."""
    head = f"Register of the {topic} round, {city}: "
    text = "\n".join(f.content for f in files if f.content.startswith(head))
    rows = re.findall(r"^(\S+) \| (.+?) \| .* \| last seen (\S+) \|", text, re.MULTILINE)
    return {name: (ref, seen) for ref, name, seen in rows}


def _looks_back(mail: Mail, register: Mapping[str, tuple[str, str]], board: Iterable[Task]) -> Iterator[str]:
    """Days and moments that were when a mail was written."""
    if not any(words in mail.body for words in _ANNOUNCED):
        yield from (
            f"{day}T{at or '23:59'}" for day, at in re.findall(r"(\d{4}-\d\d-\d\d)(?: at (\d\d:\d\d))?", mail.body)
        )
    if m := re.search(r"^(.+) was last seen (\d+) days (later|earlier) than", mail.body, re.MULTILINE):
        seen = register[m[1]][1]
        yield from (f"{seen}T23:59", f"{add_days(seen, int(m[2]) * (1 if m[3] == 'later' else -1))}T23:59")
    if m := re.search(r"^Leave the card of (.+) exactly", mail.body, re.MULTILINE):
        (card,) = (t for t in board if t.title.endswith(register[m[1]][0]) and t.status == "pending")
        yield f"{card.note.partition('put up: ')[2][:10]}T00:00"


@pytest.mark.parametrize("seed", range(21))
def test_no_mail_speaks_of_what_comes_after_it(seed: int) -> None:
    """Each mail of a round, and of the decoys, has a moment of its own; notices of bookings are of their day."""
    for blueprint in blueprints("hard", seed, 4):
        start = family(blueprint.family).build(blueprint.slots).start
        mails = [m for m in start.tables["mails"].values() if isinstance(m, Mail)]
        files = [f for f in start.tables["files"].values() if isinstance(f, File)]
        board = [t for t in start.tables["tasks"].values() if isinstance(t, Task)]
        here = {zone: local_now(start.now, zone) for zone, _, _ in CITIES.values()}
        heads: Counter[tuple[str, str]] = Counter()
        for mail in mails:
            if m := re.match(r"(\w+) round, (\w+): ", mail.subject):
                heads[m[0], mail.date] += 1
                assert mail.date < here[CITIES[m[2]][0]]
                register = _register(files, m[1], m[2])
                cards = [t for t in board if t.title.startswith(f"{m[2]} {m[1]} visit ")]
                assert all(moment < mail.date for moment in _looks_back(mail, register, cards)), mail
            else:
                assert all(day <= mail.date for day in re.findall(r"\d{4}-\d\d-\d\d", mail.body)), mail
        assert set(heads.values()) <= {1}


def test_letters_are_written_in_their_order_and_after_what_they_tell() -> None:
    letters = [Letter("a", "a"), Letter("b", "b", "2026-02-27"), Letter("c", "c"), Letter("d", "d", "2026-02-10")]
    assert written(letters, "2026-03-01") == (
        "2026-02-25T15:12",
        "2026-02-28T08:00",
        "2026-02-28T11:00",
        "2026-02-28T14:00",
    )


def test_labels_have_to_be_found_in_most_tasks(hard: tuple[ForgeTask, ...]) -> None:
    found = 0
    for task in hard:
        lines = [c.values for w in task.goals[0].wants for c in w.conds if c.op == "line"]
        own = [values[0] for values in lines if FACTS[values[1]][0] != values[0]]
        assert len(own) in (0, len(lines))
        found += bool(own)
    assert found >= len(hard) // 2


def test_what_is_right_or_held_must_not_be_touched(hard: tuple[ForgeTask, ...]) -> None:
    for task in hard[:4]:
        for table, key in task.meta.preserved:
            if table == "tasks":
                line = f"tasks update --id {key} --note 'as it was'"
                assert not replay(task, (*task.reference, line)).verdict.strict


def test_a_computed_value_has_its_source_only_once_all_is_read(hard: tuple[ForgeTask, ...]) -> None:
    task = hard[0]
    run = replay(task, task.reference)
    request = first_observation(task.instruction, task.start)
    assert all(t.source >= 0 for t in trace(request, run.executions, task.meta.derived))
    for skipped in (e for e in run.executions if "-handbook.txt" in e.line):
        rest = [e for e in run.executions if e is not skipped]
        assert any(t.source < 0 for t in trace(request, rest, task.meta.derived))


def test_the_explanation_keeps_several_mails_apart(hard: tuple[ForgeTask, ...]) -> None:
    task = next(t for t in hard if sum(line.startswith("email send") for line in t.reference) > 2)
    *rest, last = task.reference
    wrong = last.replace("Busiest", "Nobody") if "Busiest" in last else last[:-1] + " X'"
    verdict = replay(task, (*rest, wrong)).verdict
    (miss,) = near_misses(task, verdict)
    assert miss.want == "report"
    assert miss.change is not None
    assert len(miss.reasons) == 1
    nothing_sent = replay(task, rest).verdict
    assert near_misses(task, nothing_sent)[0].change is None


def test_a_knob_is_set_for_all_tasks_and_the_rest_is_drawn() -> None:
    chosen = [dict(b.slots.knobs) for b in blueprints("hard", 1, 12, {"round": 12}, {"sites": 12, "forms": 0})]
    assert {(c["sites"], c["forms"]) for c in chosen} == {(12, 0)}
    assert len({c["decoys"] for c in chosen}) > 1
    longer = [
        compile_blueprint(next(blueprints("hard", 1, 1, {"round": 1}, {"sites": n, "corrections": m})))
        for n, m in ((12, 3), (20, 6))
    ]
    assert longer[0].meta.necessary < longer[1].meta.necessary
    for wrong in ({"sites": 99}, {"luck": 1}):
        with pytest.raises(ScenarioError):
            list(blueprints("hard", 1, 1, {"round": 1}, wrong))
    with pytest.raises(ScenarioError, match="no knobs"):
        list(blueprints("scale", 1, 1, knobs={"sites": 12}))


def test_counts_of_families_can_be_asked_for() -> None:
    asked = counts_in("inbox_followthrough*3+round*2")
    made = [b.family for b in blueprints("scale", 0, 1, {"inbox_followthrough": 3})]
    assert (asked, made) == ({"inbox_followthrough": 3, "round": 2}, ["inbox_followthrough"] * 3)
    for wrong in ("inbox", "inbox*x", "*"):
        with pytest.raises(ScenarioError):
            counts_in(wrong)
    with pytest.raises(ScenarioError, match="no family"):
        list(blueprints("scale", 0, 1, {"nobody": 1}))
    with pytest.raises(ScenarioError, match="published counts"):
        list(blueprints("paper362", 0, 1, {"inbox_followthrough": 3}))


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 1])
def test_every_obligation_holds_for_both_families_of_hard(place: int) -> None:
    few = {"sites": 12, "amendments": 3, "corrections": 3}
    found = prove(list(blueprints("hard", 2, 5, knobs=few))[place])
    assert found.faults == ()
    assert all(s.equivalent for s in found.tally.survivors)


def test_knobs_are_tags_of_their_own_beside_both_lengths(hard: tuple[ForgeTask, ...], tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    task = hard[0]
    tags = scenario_of(task, {"mode": "multi"}).manifest.tags
    assert (tags["length"], tags["necessary"]) == ((str(task.meta.length),), (str(task.meta.necessary),))
    assert all(tags[f"knob-{name}"] == (str(setting),) for name, setting in task.meta.knobs)
