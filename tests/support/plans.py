"""Drawn plans of which only the beginning is played."""

from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.plan import PlanChange, PlanIncident, PlanTurn, SessionPlan


def beginning(plan: SessionPlan, turns: int) -> SessionPlan:
    """A plan's steps up to the end of so many turns."""
    ends = [number for number, step in enumerate(plan.steps, start=1) if isinstance(step, PlanTurn)]
    return plan.model_copy(update={"steps": plan.steps[: ends[:turns][-1]]})


def past_and_updates() -> SessionPlan:
    """The beginning of a plan of Silver in which everything of Silver happens: ten turns of fifty-six."""
    drawn = beginning(draw("ruff", 0, "silver"), 10)
    changes = {step.action for step in drawn.steps if isinstance(step, PlanChange) and step.session}
    assert changes >= {"append", "insert", "delete", "new"}
    assert "restart" in {step.happens for step in drawn.steps if isinstance(step, PlanIncident)}
    return drawn
