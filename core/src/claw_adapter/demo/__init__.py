"""The scenario `demo`, which comes with core: with any adapter installed, ``claw run demo`` has something to run."""

from claw_adapter.demo.source import DEMO, Demo

__all__ = ["DEMO", "Demo"]
