"""Judging a final state: goal ∧ frame ∧ nothing forbidden; the paper's checks beside it; failure patterns by rule."""

from __future__ import annotations

from claw_adapter_forge.evaluation.verdict import Verdict, evaluate

__all__ = ["Verdict", "evaluate"]
