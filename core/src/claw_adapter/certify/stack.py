"""The overlays of a conversation under certification, between the harness and the kit's own endpoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.certify.context import KitContext
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.overlay import Front
from claw_adapter.protocol import HarnessSpec, ModelSpec, OverlaySpec, RunSettings, TrialSpec
from claw_adapter.runner.overlays import OverlayStack

__all__ = ["kit_overlays", "overlay_specs"]


@dataclass(frozen=True, slots=True)
class _KitRouting:
    """The endpoint as a stack asks for it, which knows the trial by the name that its harness is told."""

    server: EndpointServer
    trial: str

    @property
    def url(self) -> str:
        return self.server.url

    @property
    def socket(self) -> Path:
        return self.server.socket

    async def open_route(self, _told: str, front: Front) -> str:
        return self.server.open_route(self.trial, front)

    async def close_routes(self, _told: str) -> None:
        await self.server.close_routes(self.trial)

    async def settle(self, _told: str, seconds: float) -> None:
        await self.server.settle(self.trial, seconds)


def overlay_specs(names: Sequence[str]) -> tuple[OverlaySpec, ...]:
    """Overlays without options, by plugin name."""
    return tuple(OverlaySpec(name=name, label=name) for name in names)


def kit_overlays(
    names: Sequence[str],
    ctx: KitContext,
    server: EndpointServer,
    trial: str,
    model: ModelSpec,
    folders: tuple[Path, Path],
) -> OverlayStack:
    """The overlays of a conversation, not started.

    Args:
        names: of their plugins, the first nearest to the model.
        ctx: what its harness is given.
        server: the endpoint.
        trial: what the endpoint calls the conversation.
        model: what is asked.
        folders: for what lives while they run, and for what they keep.
    """
    spec = TrialSpec(
        id=ctx.trial, scenario=ctx.scenario, harness=HarnessSpec(name="under-test", label="under-test"), model=model,
        overlays=overlay_specs(names), settings=RunSettings(isolation=ctx.isolation, deadline=ctx.deadline),
    )  # fmt: skip
    live, kept = folders
    return OverlayStack(
        spec,
        _KitRouting(server, trial),
        folder=live,
        artefacts=kept,
        marker=f"{ctx.marker.rpartition('/')[0]}/beside/{ctx.trial}",
    )
