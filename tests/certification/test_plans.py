"""Plans drawn from a nonce find what broken harnesses do, say it in a few steps, and find nothing with sound ones."""

from __future__ import annotations

import itertools

import pytest

from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.plan import MAIN, PlanSeed, PlanTurn, SessionPlan
from claw_adapter.certify.plans.shrink import shrink
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.reference.adapter import ReferenceHarness
from support.misbehaving import ODD
from support.outsiders import NAMED, CachesByPathAndSize, kind
from support.running import claw

NONCE = "market"


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


def test_a_past_may_have_calls_behind_the_text_of_a_reply_and_never_a_text_between_calls_and_results():
    behind = 0
    for number in range(5):
        for step in draw(NONCE, number, "gold").steps:
            said = step.messages if isinstance(step, PlanSeed) else ()
            for before, after in itertools.pairwise(said):
                behind += before.role == after.role == "assistant" and bool(after.tool_calls and before.text)
                assert not before.tool_calls or after.role == "tool"
    assert behind


@pytest.mark.slow(40)
@pytest.mark.parametrize(("made", "key", "level"), NAMED, ids=lambda value: getattr(value, "__name__", ""))
async def test_what_an_outsider_broke_is_found_and_named(made, key, level):
    (outcome,) = await judged(made(), draw(NONCE, 0, level))
    assert outcome.keys == {key}


@pytest.mark.slow(40)
@pytest.mark.parametrize("made", ODD[::3], ids=lambda made: made.__name__)
async def test_odd_but_sound_harnesses_have_no_finding(made):
    """A third of them; the audit holds all of them against an ordinary run in tests/integration/test_audit_planted.py."""
    for outcome in await judged(made(), draw(NONCE, 0, "silver"), draw(NONCE, 0, "gold")):
        assert (outcome.keys, outcome.unjudged) == (set(), ""), outcome.findings


@pytest.mark.parametrize("mode", ["in-process", "child"])
async def test_what_is_sound_has_no_finding_through_faults_and_kills(mode):
    (outcome,) = await judged(ReferenceHarness(mode=mode), draw(NONCE, 1, "gold"))
    assert (outcome.keys, outcome.unjudged, outcome.rounds) == (set(), "", len(outcome.plan.turns)), outcome.findings


async def test_a_finding_is_cut_to_a_few_steps_that_the_command_repeats(tmp_path):
    runner = PlanRunner(kind(CachesByPathAndSize)(), deadline=60)
    (outcome,) = await runner.outcomes([draw(NONCE, 0, "bronze")])
    short = await shrink(runner, outcome.plan, outcome.findings[0], most=25)
    assert 3 <= len(short.steps) <= 6
    assert isinstance(short.steps[-1], PlanTurn)
    assert runner.runs <= 26
    (tmp_path / "plan.json").write_text(short.model_dump_json())
    done = claw("certify", "reference:mode=in-process", "--plan", tmp_path / "plan.json")
    assert "nothing found" in done.stdout


def test_every_step_may_be_left_out():
    plan = draw(NONCE, 0, "silver")
    assert {step.kind for step in plan.steps} >= {"seed", "file", "change", "incident", "turn"}
    assert any(isinstance(step, PlanSeed) and step.session == MAIN for step in plan.steps)
