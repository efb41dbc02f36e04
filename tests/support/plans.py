"""Drawn plans of which only the beginning is played."""

from itertools import count

from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.plan import PlanChange, PlanIncident, PlanTurn, SessionPlan


def beginning(plan: SessionPlan, turns: int) -> SessionPlan:
    """A plan's steps up to the end of so many turns."""
    ends = [number for number, step in enumerate(plan.steps, start=1) if isinstance(step, PlanTurn)]
    return plan.model_copy(update={"steps": plan.steps[: ends[:turns][-1]]})


def happenings(*plans: SessionPlan) -> set[str]:
    """What happens to the harness in them."""
    return {step.happens for plan in plans for step in plan.steps if isinstance(step, PlanIncident)}


def past_and_updates() -> SessionPlan:
    """The beginning of the first plan of Silver in which everything of Silver happens in ten turns of its fifty-seven."""
    for nonce in count():
        drawn = beginning(draw(f"{nonce}", 0, "silver"), 10)
        changes = {step.action for step in drawn.steps if isinstance(step, PlanChange) and step.session}
        if changes >= {"append", "insert", "delete", "new"} and "restart" in happenings(drawn):
            return drawn


def two_disturbed(turns: int) -> list[SessionPlan]:
    """The beginnings of the first two plans of Gold in which there are a restart, a kill and a cancelled turn."""
    for nonce in count():
        plans = [beginning(draw(f"{nonce}", number, "gold"), turns) for number in (0, 1)]
        if happenings(*plans) >= {"restart", "kill", "cancel"}:
            return plans
