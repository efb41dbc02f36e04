"""o₀: what an agent is told before its first command."""

from __future__ import annotations

from claw_adapter_forge.surfaces.oc_config import config_tree
from claw_adapter_forge.surfaces.oc_system import gateway_line
from claw_adapter_forge.surfaces.registry import hints
from claw_adapter_forge.world.state import State, World

__all__ = ["first_observation"]


def first_observation(instruction: str, start: State) -> str:
    """Instruction, configuration, gateway status and command hints."""
    world = World(start)
    return (
        f"Request:\n{instruction}\n\nConfiguration:\n{config_tree(world)}\n\n"
        f"{gateway_line(world)}\n\nCommands (one per step):\n{hints()}"
    )
