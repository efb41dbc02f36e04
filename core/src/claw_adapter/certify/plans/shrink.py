"""Cutting a plan that shows a bug to the fewest steps that still show it, by running it again with steps left out."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from claw_adapter.audit import AuditFinding
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanFile, PlanSeed, PlanStep, PlanTurn, SessionPlan
from claw_adapter.certify.plans.trial import PlanRunner

__all__ = ["ShrunkPlan", "shrink"]

ENOUGH: Final = 3
"""Steps, of which nobody needs fewer."""


@dataclass(slots=True)
class ShrunkPlan:
    """The shortest plan found so far, whenever one looks; `cut` is why none shorter was looked for, empty at the end."""

    plan: SessionPlan
    cut: str = "not begun"


async def shrink(
    runner: PlanRunner, found: ShrunkPlan, finding: AuditFinding, *, most: int, seconds: float = 1e9
) -> None:
    """Put the shortest plan that has the same finding in the place of the one that was found.

    Args:
        runner: runs plans.
        found: has the plan, and at each time the shortest one: whoever breaks off loses nothing.
        finding: what a plan has to show.
        most: how many runs may be made.
        seconds: how long they may take together; none begins of which the longest one says that it would take longer.
    """
    search, found.cut = _Search(runner, finding.key, most, time.monotonic() + seconds), "broken off"
    for steps in _guesses(found.plan, finding):
        if len(steps) < len(found.plan.steps) and (shorter := await search.shows(found.plan, steps)):
            found.plan = shorter
            break
    size = len(found.plan.steps) // 2
    while size and not search.over and len(found.plan.steps) > ENOUGH:
        start = 0
        while start < len(found.plan.steps) and not search.over:
            steps = (*found.plan.steps[:start], *found.plan.steps[start + size :])
            if shorter := await search.shows(found.plan, steps):
                found.plan = shorter
            else:
                start += size
        size //= 2
    found.cut = search.over if size and len(found.plan.steps) > ENOUGH else ""


@dataclass(slots=True)
class _Search:
    runner: PlanRunner
    key: str
    most: int
    end: float
    made: int = 0
    longest: float = field(default=0.0)
    """Seconds that a run has taken."""

    @property
    def over(self) -> str:
        """Why no further run may be made; empty while one may."""
        if self.made >= self.most:
            return f"cut off after {self.made} runs"
        return f"cut off for want of time after {self.made} runs" if time.monotonic() + self.longest > self.end else ""

    async def shows(self, plan: SessionPlan, steps: Sequence[PlanStep]) -> SessionPlan | None:
        """The plan of these steps, if there is a turn among them that is played, and it has the finding."""
        helps = self.runner.harness.capabilities().sub_agent is not None
        if self.over or not any(isinstance(one, PlanTurn) and (helps or not one.delegates) for one in steps):
            return None
        self.made, began = self.made + 1, time.monotonic()
        tried = plan.model_copy(update={"steps": tuple(steps)})
        (outcome,) = await self.runner.outcomes([tried])
        self.longest = max(self.longest, time.monotonic() - began)
        return tried if self.key in outcome.keys else None


def _guesses(plan: SessionPlan, finding: AuditFinding) -> Iterator[Sequence[PlanStep]]:
    """What probably suffices: what happens to the file that it names, the turn that showed it, then all up to that turn."""
    numbers = [int(name[1:]) for name in finding.rounds if name[1:].isdigit()]
    end = _end(plan.steps, numbers[0] if numbers else len(plan.turns))
    steps = plan.steps[:end]
    if not steps:
        return
    if about := {name for step in steps for name in _names(step) if name and name in finding.what}:
        about = _with_former(steps, about)
        yield [kept for step in steps for kept in [_about(step, about)] if kept is not None]
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


def _with_former(steps: Iterable[PlanStep], names: set[str]) -> set[str]:
    """These files, and what each of them was called before it was moved."""
    uses = [use for step in steps if isinstance(step, PlanTurn) for reply in step.replies for use in reply.uses]
    for use in reversed(uses):
        if use.kind == "move" and use.content in names:
            names = names | {use.target}
    return names


def _about(step: PlanStep, names: set[str]) -> PlanStep | None:
    """What a step has to do with these files and sessions, and nothing else of it; None if it is nothing."""
    if not isinstance(step, PlanTurn):
        return step if _names(step) & names else None
    *before, last = step.replies
    uses = [tuple(use for use in reply.uses if {use.target, use.content} & names) for reply in before]
    kept = [reply.model_copy(update={"uses": some}) for reply, some in zip(before, uses, strict=True) if some]
    return step.model_copy(update={"replies": (*kept, last)}) if kept else None


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
