"""The distributions of ours beside core, and what each brings: so that one that is not installed can be named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

__all__ = ["DISTRIBUTIONS", "Distribution"]


@dataclass(frozen=True, slots=True)
class Distribution:
    """What one of ours brings.

    Attributes:
        name: what is given to ``pip install``.
        plugins: name → kind (a key of `hooks.HOOKS`); of several, what people ask for.
        commands: what it adds to ``claw``.
    """

    name: str
    plugins: Mapping[str, str] = field(default_factory=dict)
    commands: tuple[str, ...] = ()


DISTRIBUTIONS: Final = (
    Distribution("claw-adapter-claude-code", {"claude-code": "harness"}),
    Distribution("claw-adapter-clawarena", {"clawarena": "data_format"}),
    Distribution("claw-adapter-forge", {"forge": "scenarios", "policy": "model"}, ("forge",)),
    Distribution("claw-adapter-llamacpp", {"llamacpp": "upstream"}),
    Distribution("claw-adapter-metaclaw", {"metaclaw": "overlay"}),
    Distribution("claw-adapter-nanobot", {"nanobot": "harness"}),
    Distribution("claw-adapter-openclaw", {"openclaw": "harness"}),
    Distribution("claw-adapter-picoclaw", {"picoclaw": "harness"}),
    Distribution("claw-adapter-ray", {"ray": "executor"}),
    Distribution("claw-adapter-scenarios", {"clinic-fridge": "scenarios", "lite": "scenarios"}, ("scenarios",)),
    Distribution("claw-adapter-vllm", {"vllm": "upstream"}),
)
"""Nobody else's package is ever suggested."""
