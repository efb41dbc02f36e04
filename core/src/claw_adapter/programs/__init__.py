"""Programs on PATH whose work is done in the runner: how a harness with a shell acts in an environment."""

from claw_adapter.programs.server import ProgramServer, Ran

__all__ = ["ProgramServer", "Ran"]
