"""Scenarios: reading ``scenario/1``, validating it, and what updates and evidence mean."""

from claw_adapter.finding import RULES, Finding
from claw_adapter.scenario.answer_key import make_answer_key
from claw_adapter.scenario.apply import apply_lines, apply_session, effective_action, session_changes
from claw_adapter.scenario.evidence import decide, visible_at
from claw_adapter.scenario.load import load_gold, load_scenario
from claw_adapter.scenario.resolve import resolve
from claw_adapter.scenario.validate import findings, require_valid
from claw_adapter.scenario.world import World, first_world, worlds

__all__ = [
    "RULES",
    "Finding",
    "World",
    "apply_lines",
    "apply_session",
    "decide",
    "effective_action",
    "findings",
    "first_world",
    "load_gold",
    "load_scenario",
    "make_answer_key",
    "require_valid",
    "resolve",
    "session_changes",
    "visible_at",
    "worlds",
]
