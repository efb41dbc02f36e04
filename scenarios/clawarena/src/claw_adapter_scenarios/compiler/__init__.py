"""Spec → scenario/1."""

from claw_adapter_scenarios.compiler.compile import Compiled, build, compile_spec

__all__ = ["Compiled", "build", "compile_spec"]
