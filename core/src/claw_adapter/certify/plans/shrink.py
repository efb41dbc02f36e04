"""Cutting a plan that shows a bug to the fewest steps that still show it, by running it again with steps left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from claw_adapter.audit import AuditFinding
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanFile, PlanSeed, PlanStep, PlanTurn, SessionPlan
from claw_adapter.certify.plans.trial import PlanRunner

__all__ = ["shrink"]

ENOUGH: Final = 3
"""Steps, of which nobody needs fewer."""


async def shrink(runner: PlanRunner, plan: SessionPlan, finding: AuditFinding, *, most: int) -> SessionPlan:
    """The shortest plan found in at most so many runs that has the same finding; the plan itself if none has."""
    search = _Search(runner, finding.key, most)
    best = plan
    for steps in _guesses(plan, finding):
        if len(steps) < len(best.steps) and (found := await search.shows(best, steps)):
            best = found
            break
    size = len(best.steps) // 2
    while size and search.left and len(best.steps) > ENOUGH:
        start = 0
        while start < len(best.steps) and search.left:
            steps = (*best.steps[:start], *best.steps[start + size :])
            if any(isinstance(step, PlanTurn) for step in steps) and (found := await search.shows(best, steps)):
                best = found
            else:
                start += size
        size //= 2
    return best


@dataclass(slots=True)
class _Search:
    runner: PlanRunner
    key: str
    left: int

    async def shows(self, plan: SessionPlan, steps: Sequence[PlanStep]) -> SessionPlan | None:
        """The plan of these steps, if it has the finding."""
        if not self.left:
            return None
        self.left -= 1
        tried = plan.model_copy(update={"steps": tuple(steps)})
        (outcome,) = await self.runner.outcomes([tried])
        return tried if self.key in outcome.keys else None


def _guesses(plan: SessionPlan, finding: AuditFinding) -> Iterator[Sequence[PlanStep]]:
    """What probably suffices: the turn that showed it with what concerns it, then all up to that turn."""
    numbers = [int(name[1:]) for name in finding.rounds if name[1:].isdigit()]
    end = _end(plan.steps, numbers[0] if numbers else len(plan.turns))
    steps = plan.steps[:end]
    if not steps:
        return
    begin = max((at + 1 for at, step in enumerate(steps[:-1]) if isinstance(step, PlanTurn)), default=0)
    last = [step for step in steps[begin:] if not isinstance(step, PlanSeed | PlanFile)]
    names = {name for step in last for name in _names(step)}
    turns = [at for at, step in enumerate(steps) if isinstance(step, PlanTurn)]
    for more in (names, names | {MAIN}):
        for before in (0, 1):
            kept = set(turns[-1 - before : -1]) if before else set[int]()
            yield [
                step
                for at, step in enumerate(steps)
                if (at >= begin and not isinstance(step, PlanSeed | PlanFile))
                or at in kept
                or _concerns(step, more, before)
            ]
    yield steps


def _concerns(step: PlanStep, names: set[str], before: int) -> bool:
    """Whether a step has to do with these files and sessions."""
    if isinstance(step, PlanTurn):
        return bool(before) and bool(_names(step) & names)
    return bool(_names(step) & names)


def _names(step: PlanStep) -> set[str]:
    match step:
        case PlanSeed():
            return {step.session}
        case PlanFile():
            return {step.path}
        case PlanChange():
            return {step.session or step.path}
        case PlanTurn():
            return {use.target for reply in step.replies for use in reply.uses}
    return set()


def _end(steps: Sequence[PlanStep], turns: int) -> int:
    """Where so many turns are over."""
    for at, step in enumerate(steps):
        turns -= isinstance(step, PlanTurn)
        if not turns:
            return at + 1
    return len(steps)
