"""What compiling a spec gives: one variant, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from claw_adapter.protocol import Fragment, Preference
from claw_adapter_scenarios.compiler.canon import Canon
from claw_adapter_scenarios.compiler.material import Material
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.spec.load import Spec

__all__ = ["Compiled", "scenario_id"]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A compiled variant: what goes to disk, and how it came about (for validation, documents and preview)."""

    spec: Spec
    canon: Canon
    material: Material
    rounds: tuple[CompiledRound, ...]
    preferences: Mapping[str, Preference]
    fragments: Mapping[str, Fragment]
    starts: Mapping[str, int]
    """Index of the round that applies an update."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """The scenario's files by path."""

    @property
    def id(self) -> str:
        """Id of the scenario: the spec's, and the seed unless it is 0."""
        return scenario_id(self.spec, self.canon.seed)


def scenario_id(spec: Spec, seed: int) -> str:
    """The id of a variant."""
    return spec.truth.id if seed == 0 else f"{spec.truth.id}-v{seed}"
