"""Drawn plans of which only the beginning is played."""

from collections.abc import Callable, Iterator
from itertools import count

from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.plan import (
    PlanChange,
    PlanFault,
    PlanFile,
    PlanIncident,
    PlanSeed,
    PlanStep,
    PlanTurn,
    SessionPlan,
)
from claw_adapter.endpoint.models.played import ToolUse


def beginning(plan: SessionPlan, turns: int) -> SessionPlan:
    """A plan's steps up to the end of so many turns."""
    ends = [number for number, step in enumerate(plan.steps, start=1) if isinstance(step, PlanTurn)]
    return plan.model_copy(update={"steps": plan.steps[: ends[:turns][-1]]})


def only(plan: SessionPlan, wanted: Callable[[PlanTurn, list[PlanStep]], bool]) -> SessionPlan:
    """A plan with the turns that are wanted, given each with the steps right before it, and with these."""
    kept, before = list[PlanStep](), list[PlanStep]()
    for step in plan.steps:
        if isinstance(step, PlanSeed | PlanFile):
            kept.append(step)
        else:
            before.append(step)
        if isinstance(step, PlanTurn):
            kept += before if wanted(step, before[:-1]) else []
            before = []
    return plan.model_copy(update={"steps": tuple(kept)})


def uses_of(turn: PlanTurn) -> list[ToolUse]:
    """All that a turn's replies ask for."""
    return [use for reply in turn.replies for use in reply.uses]


def twice_in_a_reply(turn: PlanTurn, _: list[PlanStep]) -> bool:
    """Whether a reply has an equal call twice that changes something."""
    changing = [[use for use in reply.uses if use.kind in ("add", "edit")] for reply in turn.replies]
    return any(uses.count(use) > 1 for uses in changing for use in uses)


def fails_for_good(_: PlanTurn, before: list[PlanStep]) -> bool:
    """Whether all requests of a turn fail but the first."""
    return any(isinstance(step, PlanFault) and step.after for step in before)


def happenings(*plans: SessionPlan) -> set[str]:
    """What happens to the harness in them."""
    return {step.happens for plan in plans for step in plan.steps if isinstance(step, PlanIncident)}


def changes(plan: SessionPlan) -> set[str]:
    """What updates do to its sessions."""
    return {step.action for step in plan.steps if isinstance(step, PlanChange) and step.session}


def past_and_updates() -> SessionPlan:
    """The beginning of the first plan of Silver in which everything of Silver happens in ten turns of its fifty-seven."""
    drawn = (beginning(draw(f"{nonce}", 0, "silver"), 10) for nonce in count())
    return next(
        one for one in drawn if "restart" in happenings(one) and changes(one) >= {"append", "insert", "delete", "new"}
    )


def two_disturbed(turns: int) -> list[SessionPlan]:
    """The beginnings of the first two plans of Gold in which there are a restart, a kill and a cancelled turn."""
    drawn = ([beginning(draw(f"{nonce}", number, "gold"), turns) for number in (0, 1)] for nonce in count())
    return next(plans for plans in drawn if happenings(*plans) >= {"restart", "kill", "cancel"})


def with_long_files(least: int) -> Iterator[SessionPlan]:
    """The plans of Bronze that have a file of more characters."""
    drawn = (draw(f"{nonce}", 0, "bronze") for nonce in count())
    return (one for one in drawn if any(isinstance(step, PlanFile) and len(step.text) > least for step in one.steps))
