"""Validation of specs in three passes: structural, semantic, control. Every rule has an id, a file and a line."""

from claw_adapter_scenarios.validation.rules import RULES, spec_finding
from claw_adapter_scenarios.validation.run import validate_spec

__all__ = ["RULES", "spec_finding", "validate_spec"]
