"""Plans drawn from a nonce find what broken harnesses do, say it in a few steps, and find nothing with sound ones."""

from __future__ import annotations

import asyncio
import itertools
from types import SimpleNamespace

import pytest

from certification.planted import together
from claw_adapter.audit import AuditFinding
from claw_adapter.certify.checks.plan import _finding
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.draw import kept as kept_in
from claw_adapter.certify.plans.drawing import Drawing
from claw_adapter.certify.plans.judging import PlanOutcome
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanFile, PlanSeed, PlanTurn, SessionPlan
from claw_adapter.certify.plans.shrink import ShrunkPlan, shrink
from claw_adapter.certify.plans.texts import BLANKS, BREAKS, ESCAPES, FORMAT, JOINED, LEADING, OUTSIDE, QUOTES
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.errors import MachineError
from claw_adapter.protocol.limits import Drop
from claw_adapter.reference.adapter import ReferenceHarness
from support.meddling import MEDDLING, TOGETHER, Meddling, tidy
from support.misbehaving import FramesFiles, Odd, declaring, kind
from support.outsiders import FIRST, NAMED, AnswersWithThoughts, CachesByPathAndSize, ListsAHundredAndSaysSo
from support.plans import beginning, only, two_disturbed, uses_of, with_long_files
from support.running import claw

pytestmark = pytest.mark.timeout(900)
"""Whole plans of broken harnesses, several for one test: where four tests run at once on two cores, each takes minutes."""
PLACES = [("bronze", 0), ("silver", 0), ("gold", 0), ("gold", 1)]
LIKE = {
    "M17 written-changed": {"M17 written-newlines", "M17 edit-untold"},
    "M20 file-stale": {"M20 file-unread", "M20 file-unchanged"},
    "M21 update-order": {"M30 own-turns-missing", "M11 calls-unpaired"},
    "M20 search-stale": {"M20 search-missing"},
    "M20 listing-wrong": {"M20 listing-empty"},
    "M22 history-wrong": {"M22 history-unread"},
    "M17 calls-not-run": {"M20 file-cut"},
}
"""What may be said in its place: of a text that is taken for a pattern, one sign may have become a line end, or nothing is
found; stale may be that there was no file, or nothing in it, and so may a list that was made once; a history that is given for
another one may be empty; what stands in another place may be taken for what stood there, and part a call from its result; where
a call was not run that was to add a line, the file is shorter."""
NONCES = ("four", "two", "april", "market")
NONCE = NONCES[0]


def lines(plan: SessionPlan) -> set[str]:
    """Everything said in a plan, line by line."""
    texts = [message.text for step in plan.steps if isinstance(step, PlanSeed) for message in step.messages]
    texts += [text for turn in plan.turns for text in (turn.question, *turn.options, *(r.text for r in turn.replies))]
    return {line for text in texts for line in text.splitlines() if len(line) >= 40}


async def judged(harness, *plans: SessionPlan):
    return await PlanRunner(harness, deadline=60).outcomes(plans, at_once=2)


@pytest.mark.parametrize("level", ["bronze", "silver", "gold"])
def test_a_plan_is_repeated_by_its_nonce_and_shares_nothing_with_another(level):
    one, other = draw("one", 0, level), draw("other", 0, level)
    assert one == draw("one", 0, level) == SessionPlan.model_validate_json(one.model_dump_json())
    assert not lines(one) & lines(other)
    assert {one.name, one.model} & {other.name, other.model} == set()
    assert [step.kind for step in one.steps] != [step.kind for step in other.steps]


def test_what_a_plan_leaves_out_is_in_all_others_of_its_nonce():
    def kept(nonce, level, number):
        return list(kept_in(Drawing(nonce, number, level)))

    for nonce in ("one", "two"):
        assert [len(kept(nonce, level, number)) for level, number in PLACES] == [38, 30, 26, 26]
        out = [{*kept(nonce, "bronze", 0)} - {*kept(nonce, level, number)} for level, number in PLACES]
        assert not any(one & other for one, other in itertools.combinations(out, 2))
    assert kept("one", "gold", 1) != kept("two", "gold", 1)


def test_a_past_may_have_calls_behind_the_text_of_a_reply_and_never_a_text_between_calls_and_results():
    behind = 0
    for number in range(5):
        for step in draw(NONCE, number, "gold").steps:
            said = step.messages if isinstance(step, PlanSeed) else ()
            for before, after in itertools.pairwise(said):
                behind += before.role == after.role == "assistant" and bool(after.tool_calls and before.text)
                assert not before.tool_calls or after.role == "tool"
    assert behind


@pytest.mark.parametrize("level", ["bronze", "silver", "gold"])
@pytest.mark.parametrize("nonce", ["one", "two", "three"])
def test_every_plan_has_each_class_of_characters_in_every_place_and_long_arguments(nonce, level):
    """A harness that changes one of them, anywhere, is found by whatever plan comes first."""
    plan = draw(nonce, 0, level)
    uses = [use for turn in plan.turns for reply in turn.replies for use in reply.uses]
    calls = [call for step in plan.steps if isinstance(step, PlanSeed) for m in step.messages for call in m.tool_calls]
    places = {
        "prompt": [turn.question for turn in plan.turns],
        "answer": [turn.replies[-1].text for turn in plan.turns],
        "reply with calls": [reply.text for turn in plan.turns for reply in turn.replies if reply.uses],
        "read": [step.text for step in plan.steps if isinstance(step, PlanFile)],
        "written": [use.content for use in uses],
    }
    if level != "bronze":
        places["past"] = [m.text for step in plan.steps if isinstance(step, PlanSeed) for m in step.messages]
        places["argument of the past"] = [str(call.arguments.get("query")) for call in calls]
        assert max(len(str(call.arguments)) for call in calls) > 1_600
    for place, texts in places.items():
        for signs in (FORMAT, BLANKS, BREAKS, OUTSIDE, JOINED, QUOTES, ESCAPES):
            assert any(all(sign in text for sign in signs) for text in texts), (place, signs)
        lines = [line for text in texts for line in text.split("\n")]
        assert all(any(line.startswith(mark) for line in lines) for mark in LEADING), place
    assert max(len(use.content) for use in uses) > 1_600
    assert {use.kind for use in uses} >= {"read", "write", "pages", "cat"}


@pytest.mark.parametrize("level", ["bronze", "silver", "gold"])
@pytest.mark.parametrize("nonce", ["one", "two", "three"])
def test_in_every_plan_letters_stand_across_the_blocks_in_which_somebody_may_read_or_write(nonce, level):
    plan = draw(nonce, 0, level)
    read = [step.text for step in plan.steps if isinstance(step, PlanFile)]
    written = [use.content for turn in plan.turns for reply in turn.replies for use in reply.uses]
    for texts, sizes in ((read, (512, 1000, 1024, 4096, 8192)), (written, (512, 1000, 1024))):
        for size in sizes:
            longest = max(texts, key=len).encode()
            borders = range(size, len(longest), size)
            assert {longest[at] & 0xC0 for at in borders} == {0x80}, size


@pytest.mark.parametrize("nonce", ["one", "two", "three", "four"])
def test_every_past_has_each_kind_of_message(nonce):
    """What is said by chance alone is missing in some plans, and so is what becomes of it."""
    for step in draw(nonce, 0, "silver").steps:
        said = step.messages if isinstance(step, PlanSeed) else ()
        assert not said or any(one.role == "system" for one in said[1:])
        if isinstance(step, PlanSeed) and step.session == MAIN:
            assert any(one.speaker for one in said)
            assert any(one.text and one.tool_calls for one in said)
            for role in ("user", "assistant"):
                again = [a for a, b in itertools.pairwise(said) if a.role == b.role == role and a.text == b.text]
                assert any(one.text for one in again), role


@pytest.mark.parametrize("level", ["bronze", "silver", "gold"])
def test_every_plan_does_what_agents_do_with_commands_and_names_a_tool_that_there_is_not(level):
    plan = draw(NONCE, 0, level)
    uses = [use for turn in plan.turns for reply in turn.replies for use in reply.uses]
    assert {use.kind for use in uses} >= {"drop", "put", "add", "list", "search", "find", "stray"}
    assert any(use.inside for use in uses)
    assert any("\n" in use.wanted[0].strip() for use in uses if use.kind == "edit")
    assert any(len(line) > 20 and not any(map(str.isascii, line[:3])) for use in uses for line in use.wanted)
    names = [step.path.lower().replace("_", "-") for step in plan.steps if isinstance(step, PlanFile)]
    assert any((one != other and one.startswith(other)) or names.count(one) > 1 for one in names for other in names)
    first = next(number for number, step in enumerate(plan.steps) if isinstance(step, PlanTurn))
    assert isinstance(plan.steps[first - 1], PlanChange)


@pytest.mark.parametrize("level", ["bronze", "silver", "gold"])
def test_every_plan_asks_for_what_is_not_there_and_gold_has_a_reply_without_words(level):
    plan = draw(NONCE, 0, level)
    there = {step.path for step in plan.steps if isinstance(step, PlanFile | PlanChange)}
    uses = [use for turn in plan.turns for reply in turn.replies for use in reply.uses]
    made = {use.target for use in uses if use.kind == "write"}
    assert sum(use.kind == "read" and use.target not in there | made for use in uses) >= 2
    for turn in plan.turns:
        assert not turn.wordless or (
            turn.replies[0].text and turn.replies[0].uses and not turn.replies[-1].text.strip()
        )
    assert sum(turn.wordless for turn in plan.turns) == (level == "gold")
    assert max(len(step.text.splitlines()) for step in plan.steps if isinstance(step, PlanFile)) >= 400


@pytest.mark.slow(20)
async def test_what_means_well_is_found_though_all_of_it_meddles_at_once():
    """One harness with many bugs of tests/support/meddling.py: each has a finding of its own, if none hides it by chance."""
    expected, found = set().union(*(MEDDLING[made] for made in TOGETHER)), set[str]()
    for plan in itertools.islice(with_long_files(51_000), 3):  # in some, one of them hides another
        try:
            (outcome,) = await judged(Meddling(), plan)
        finally:
            tidy()
        found |= outcome.keys
        if found >= expected:
            return
    assert found >= expected


@pytest.mark.slow(15)
@pytest.mark.parametrize(
    ("level", "turns", "made"), [pytest.param(*one, id="+".join(made.__name__ for made in one[2])) for one in NAMED]
)
async def test_what_an_outsider_broke_is_found_and_named(level, turns, made):
    """Several at once, of which none hides another: exactly their findings, in the beginnings of a few plans."""
    expected, found = set(made.values()), set[str]()
    for nonce in NONCES:
        (outcome,) = await judged(together(*made)(), beginning(draw(nonce, 0, level), turns))
        assert outcome.keys <= expected.union(*(LIKE.get(key, ()) for key in expected)), outcome.findings
        found |= outcome.keys & expected
        if found == expected:
            return
    assert found == expected


@pytest.mark.slow(15)
@pytest.mark.parametrize(("level", "wanted", "made", "key"), [pytest.param(*one, id=one[2].__name__) for one in FIRST])
async def test_what_an_outsider_broke_is_what_is_said_first(level, wanted, made, key):
    """Behind it may stand what follows from it: a file that was written wrong is read wrong, too."""
    for nonce in NONCES[1:3]:
        (outcome,) = await judged(kind(made)(), only(draw(nonce, 0, level), wanted))
        assert outcome.findings
        assert outcome.findings[0].key in {key, *LIKE.get(key, ())}, outcome


async def test_thoughts_in_the_place_of_an_answer_may_be_declared():
    made = declaring(AnswersWithThoughts, ("insert",), (Drop(what="wordless_reply"),))
    (outcome,) = await judged(made(), only(draw(NONCE, 0, "gold"), lambda turn, _: turn.wordless))
    assert (outcome.keys, outcome.unjudged) == (set(), ""), outcome.findings


async def test_a_list_that_ends_somewhere_and_says_so_is_sound():
    lists = only(draw(NONCE, 0, "bronze"), lambda turn, _: any(use.kind == "list" for use in uses_of(turn)))
    (outcome,) = await judged(kind(ListsAHundredAndSaysSo)(), lists)
    assert (outcome.keys, outcome.unjudged) == (set(), ""), outcome.findings


async def test_files_whose_lines_are_all_broken_in_a_frame_are_read_whole():
    """No line of theirs stands in a result as one."""
    short = only(draw("sound-4", 0, "bronze"), lambda turn, _: any(use.kind == "read" for use in uses_of(turn)))
    (outcome,) = await judged(kind(FramesFiles)(), beginning(short, 12))
    assert (outcome.keys, outcome.unjudged) == (set(), ""), outcome.findings


@pytest.mark.slow(20)
async def test_an_odd_but_sound_harness_has_no_finding():
    """One with many habits; test_audit_planted.py holds each of them alone against an ordinary run."""
    (outcome,) = await judged(Odd(), beginning(draw(NONCE, 0, "gold"), 30))
    assert (outcome.keys, outcome.unjudged) == (set(), ""), outcome.findings


@pytest.mark.slow(20)
async def test_the_reference_has_no_finding_in_sessions_at_once_with_faults_a_kill_and_a_cancelled_turn():
    """As a child: the beginnings of two sessions of Gold."""
    plans = two_disturbed(16)
    outcomes = await judged(ReferenceHarness(mode="child"), *plans)
    assert [(outcome.keys, outcome.unjudged) for outcome in outcomes] == [(set(), "")] * 2, outcomes


@pytest.mark.slow(20)
async def test_a_finding_is_cut_to_a_few_steps_that_the_command_repeats(tmp_path):
    runner = PlanRunner(kind(CachesByPathAndSize)(), deadline=60)
    for nonce in ("two", *NONCES):
        (outcome,) = await runner.outcomes([beginning(draw(nonce, 0, "bronze"), 40)])
        if outcome.findings:
            break
    runner.runs, found = 0, ShrunkPlan(outcome.plan)
    await shrink(runner, found, outcome.findings[0], most=12)
    short = found.plan
    assert 2 <= len(short.steps) <= 6
    assert isinstance(short.steps[-1], PlanTurn)
    assert runner.runs <= 12
    (tmp_path / "plan.json").write_text(short.model_dump_json())
    done = claw("certify", "reference:mode=in-process", "--plan", tmp_path / "plan.json")
    assert "nothing found" in done.stdout


class Showing:
    """In the place of a runner: plans with the last eight turns have the finding; one run never ends, or ends in an error."""

    harness = ReferenceHarness()

    def __init__(self, plan: SessionPlan, hangs: int = 0, fails: int = 0):
        self.turns, self.hangs, self.runs, self.waits = plan.turns[-8:], hangs, 0, asyncio.Event()
        self.fails = fails

    async def outcomes(self, plans, **_):
        self.runs += 1
        assert plans[0].turns, "there is nothing to play"
        if self.runs == self.fails:
            raise MachineError("the disk is full")
        if self.runs == self.hangs:
            self.waits.set()
            await asyncio.Event().wait()
        return [PlanOutcome(plans[0], (FOUND,) if plans[0].turns[-8:] == self.turns else ())]


FOUND = AuditFinding(must="M20", cause="file-stale", what="it is old", owner="harness")


async def test_a_plan_is_cut_within_a_budget_and_says_so():
    plan = draw(NONCE, 0, "bronze")
    whole, hasty, short = ShrunkPlan(plan), ShrunkPlan(plan), ShrunkPlan(plan)
    await shrink(Showing(plan), whole, FOUND, most=500)
    assert (len(whole.plan.steps), whole.cut) == (8, "")
    await shrink(Showing(plan), hasty, FOUND, most=500, seconds=0)
    assert (hasty.plan, hasty.cut) == (plan, "cut off for want of time after 0 runs")
    await shrink(Showing(plan), short, FOUND, most=12)
    assert 8 < len(short.plan.steps) < len(plan.steps)
    assert short.cut == "cut off after 12 runs"


async def test_whoever_interrupts_the_cutting_of_a_plan_keeps_the_finding(tmp_path):
    plan = draw(NONCE, 0, "bronze")
    runner = Showing(plan, hangs=12)
    bench = SimpleNamespace(shrinking=30, label="reference", evidence=tmp_path, nonce=NONCE, interrupted=False)
    named = {"harness": SimpleNamespace(name="mine"), "check": SimpleNamespace(id="PLAN-001")}
    kit = SimpleNamespace(bench=bench, claimed=True, **named)
    task = asyncio.create_task(_finding(kit, runner, [PlanOutcome(plan, (FOUND,))], 60))
    await asyncio.wait_for(runner.waits.wait(), 20)
    task.cancel()
    finding = await task
    assert bench.interrupted
    assert finding.what.startswith(
        "M20 file-stale: it is old\nthe shortest plan found that shows it (12 runs, broken off)"
    )
    stored = SessionPlan.model_validate_json((tmp_path / "plans" / "bronze-0.json").read_text())
    assert len(stored.steps) < len(plan.steps)


async def test_a_finding_stays_where_the_search_for_the_shortest_plan_ends_in_an_error(tmp_path):
    plan = draw(NONCE, 0, "bronze")
    bench = SimpleNamespace(shrinking=30, label="reference", evidence=tmp_path, nonce=NONCE, interrupted=False)
    named = {"harness": SimpleNamespace(name="mine"), "check": SimpleNamespace(id="PLAN-001")}
    kit = SimpleNamespace(bench=bench, claimed=True, **named)
    finding = await _finding(kit, Showing(plan, fails=3), [PlanOutcome(plan, (FOUND,))], 60)
    assert finding.what.startswith(
        "M20 file-stale: it is old\nthe shortest plan found that shows it (3 runs, broken off: the disk"
    )


async def test_files_alone_are_no_plan():
    plan = draw(NONCE, 0, "bronze")
    file = next(step.path for step in plan.steps if isinstance(step, PlanFile))
    named = FOUND.model_copy(update={"what": f"reading {file} gives nothing", "rounds": ("r1",)})
    await shrink(Showing(plan), found := ShrunkPlan(plan), named, most=40)
    assert len(found.plan.steps) < len(plan.steps)


def test_every_step_may_be_left_out():
    plan = draw(NONCE, 0, "silver")
    assert {step.kind for step in plan.steps} >= {"seed", "file", "change", "incident", "turn"}
    assert any(isinstance(step, PlanSeed) and step.session == MAIN for step in plan.steps)
