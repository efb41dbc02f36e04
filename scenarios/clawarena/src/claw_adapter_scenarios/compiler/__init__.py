"""Spec → scenario/1."""

from claw_adapter_scenarios.compiler.compile import build, compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled

__all__ = ["Compiled", "build", "compile_spec"]
