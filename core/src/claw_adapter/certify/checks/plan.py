"""PLAN: sessions drawn from the nonce, run by the ordinary runner, every request and trace of them judged by the ledger."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from random import Random
from typing import Final

from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding, Level, Unverified
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.lite import drawn_scenarios
from claw_adapter.certify.plans.draw import PLANS, draw
from claw_adapter.certify.plans.evidence import evidence_folder
from claw_adapter.certify.plans.judging import PlanOutcome, also_found, compared, owner_of
from claw_adapter.certify.plans.plan import SessionPlan, step_text
from claw_adapter.certify.plans.shrink import ShrunkPlan, shrink
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.certify.plans.worked import worked_plan
from claw_adapter.errors import ClawError
from claw_adapter.protocol.limits import Loss, WindowLimit

REMEDY: Final = (
    "Make the shortest plan's last request what claw-1 says; declare what the harness itself loses "
    "(Capabilities.losses, docs/findings.md)."
)
SHRINKING: Final = 120.0
"""Seconds in which a plan is cut, or, where its run has taken long, so many times as long."""
TIMES: Final = 4
SCENARIOS: Final = 4
WINDOWS: Final = range(40_000, 120_000, 4_000)
ROOM: Final = 36_000
"""Tokens of one that are left for a conversation."""
MIXED: Final = "M25"
"""What takes two conversations at once."""


def _window(losses: Iterable[Loss]) -> int | None:
    """The smallest window, told to a harness, that is not full too soon for it; None where it has such a one by itself.

    Or where nothing is declared of one, or that it ends with an error.
    """
    limit = next((one for one in losses if isinstance(one, WindowLimit)), None)
    if limit is None or limit.at(limit.tokens).then == "error":
        return None
    return next((one for one in WINDOWS if ROOM <= limit.at(one).tokens < limit.tokens), None)


async def _drawn(kit: Kit, level: Level) -> None:
    plans = [draw(kit.bench.nonce, number, level) for number in range(PLANS[level])]
    await _played(kit, plans, kit.plans(keep=evidence_folder(kit.bench.evidence, level)))


async def _played(kit: Kit, plans: Sequence[SessionPlan], runner: PlanRunner) -> None:
    at_once = len(plans) if kit.capabilities.concurrent else 1
    began = time.monotonic()
    outcomes = await runner.outcomes(plans, at_once=at_once)
    kit.note(compared(outcomes))
    taken, missing = runner.taken
    kit.note(taken)
    for one in outcomes:
        if one.overflowed and one.plan.window is not None:
            kit.warn(
                f"in a window of {one.plan.window:,} tokens, which it was told, turns ended with an error, since the"
                f" conversation did not fit: {one.overflowed} of {one.rounds}; from the first of these on nothing is judged"
            )
    if missing:
        kit.warn(missing)
    if found := [one for one in outcomes if one.findings]:
        raise await _finding(kit, runner, found, max(SHRINKING, TIMES * (time.monotonic() - began)))
    if outcome := next((one for one in outcomes if one.unjudged), None):
        raise Unverified(f"plan {outcome.plan.number} could not be judged: {outcome.unjudged}")


async def _finding(kit: Kit, runner: PlanRunner, outcomes: Sequence[PlanOutcome], seconds: float) -> CheckFinding:
    """The first finding with the shortest plan that shows it, words of another conversation before all; the others by keys.

    Whoever is interrupted while the plan is cut keeps what was found by then, and no further check is made.
    """
    every = [(outcome, finding) for outcome in outcomes for finding in outcome.findings]
    outcome, first = next((one for one in every if one[1].must == MIXED), every[0])
    plan = outcome.plan
    most = kit.bench.shrinking if kit.claimed and first.must != MIXED else 0
    found = ShrunkPlan(plan)
    try:
        await shrink(runner, found, first, most=most, seconds=seconds)
    except asyncio.CancelledError:
        kit.bench.interrupted = True
        if (task := asyncio.current_task()) is not None:
            task.uncancel()
    except ClawError as error:
        found.cut = f"broken off: {error.what}"  # what was found stays found
    short = found.plan
    stored = kit.bench.evidence / "plans" / f"{plan.level}-{plan.number}.json"
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_text(short.model_dump_json(indent=1), "utf-8")
    steps = [f"  {number}. {step_text(step)}" for number, step in enumerate(short.steps, start=1)]
    more = also_found(first, (finding for _, finding in every))
    cut = f", {found.cut}" if found.cut and most else ""
    shown = f"\nthe shortest plan found that shows it ({runner.runs} runs{cut}):\n" + "\n".join(steps)
    if first.must == MIXED:
        shown = "\nno plan shows it alone: it takes several conversations at once"
    name, place = kit.bench.label, stored.relative_to(kit.bench.evidence.parent)
    what = (
        f"{first.key}: {first.what}{more}{shown}\n"
        f"again, in seconds (OUT: the folder of this report): claw certify {name} --plan OUT/{place} --out again\n"
        f"again, all of it: claw certify {name} --nonce {kit.bench.nonce} --only {kit.check.id}"
    )
    return CheckFinding(
        what, remedy=first.usual or REMEDY, owner=owner_of(first), usual=False, broken=first.must == "M29"
    )


@check(
    "PLAN-001", level="bronze", must="M30", shows="nothing", also=("M11", "M13", "M14", "M17", "M18", "M20"),
    catches="In a session of turns and files something is lost, changed, doubled or stale.",
    remedy=REMEDY,
    needs=("turns", "stream_events", "update_workspace"),
)  # fmt: skip
async def turns_and_files(kit: Kit) -> None:
    """A drawn session: batches of calls, long answers, files that are replaced, feedback."""
    await _drawn(kit, "bronze")


@check(
    "PLAN-002", level="silver", must="M7", shows="nothing", also=("M21", "M22", "M23", "M24", "M30"),
    catches="Something of a drawn past, of an update or of what was before a restart is lost, changed or doubled.",
    remedy=REMEDY,
    needs=("turns", "seed_main", "update_session", "resume_after_restart"),
)  # fmt: skip
async def past_and_updates(kit: Kit) -> None:
    """A drawn session with a past, histories, updates of all kinds and restarts."""
    await _drawn(kit, "silver")


@check(
    "PLAN-003", level="gold", must="M8", shows="nothing", also=("M11", "M15", "M25", "M27"),
    catches="After a fault, a kill, a cancelled turn or beside another conversation, a session is not what it was.",
    remedy=REMEDY,
    needs=("turns", "seed_main", "update_session", "resume_after_restart"),
)  # fmt: skip
async def faults_and_company(kit: Kit) -> None:
    """Drawn sessions at once, with faults of the endpoint, kills, cancelled turns, pauses and restarts."""
    await _drawn(kit, "gold")


@check(
    "PLAN-004", level="gold", must="M20", shows="nothing", also=("M7", "M8", "M17", "M21", "M22", "M30"),
    catches="In sessions, files and updates of ordinary scenarios some tool shows, changes or leaves something else.",
    remedy=REMEDY,
    needs=("turns", "stream_events", "seed_main", "update_session", "update_workspace", "resume_after_restart"),
)  # fmt: skip
async def work_in_scenarios(kit: Kit) -> None:
    """Scenarios of `lite`, drawn, in whose turns every tool is used: lists, searches, edits, commands, notes.

    The last of them in a window that is full before its end, if what the harness does then is declared.
    """
    asked, scenarios = await drawn_scenarios(Random(f"{kit.bench.nonce}/work"), SCENARIOS)
    kit.note(asked)
    first = PLANS["gold"]
    plans = [worked_plan(one, kit.bench.nonce, first + at) for at, one in enumerate(scenarios.values())]
    if (window := _window(kit.capabilities.losses)) is not None:
        kit.note(f"the last of them in a window of {window:,} tokens, which it is told")
        plans[-1] = plans[-1].model_copy(update={"window": window})
    await _played(kit, plans, kit.plans())
