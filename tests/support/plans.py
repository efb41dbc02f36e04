"""Drawn plans of which only the beginning is played."""

from claw_adapter.certify.plans.plan import PlanTurn, SessionPlan


def beginning(plan: SessionPlan, turns: int) -> SessionPlan:
    """A plan's steps up to the end of so many turns."""
    ends = [number for number, step in enumerate(plan.steps, start=1) if isinstance(step, PlanTurn)]
    return plan.model_copy(update={"steps": plan.steps[: ends[:turns][-1]]})
