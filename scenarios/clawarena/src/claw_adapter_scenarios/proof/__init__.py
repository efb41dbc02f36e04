"""Proof runs: what must hold of a compiled spec is shown by running it, not by reading it."""

from claw_adapter_scenarios.proof.run import Part, prove

__all__ = ["Part", "prove"]
