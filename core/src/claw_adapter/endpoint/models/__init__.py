"""What answers at the endpoint; one instance per trial."""

from __future__ import annotations

from typing import Final

from claw_adapter.endpoint.model import Model
from claw_adapter.errors import EndpointError
from claw_adapter.protocol.model import ModelSpec

__all__ = ["BUILT_IN", "build"]

BUILT_IN: Final = ("reader", "scripted", "openai", "anthropic", "openai-responses", "replay")
"""The kinds that are no upstream plugin."""


def build(spec: ModelSpec, trial: str) -> Model:
    """The model of a trial.

    Raises:
        EndpointError: there is no model of that kind (an upstream plugin's has become ``openai`` by now).
    """
    if spec.kind == "reader":
        from claw_adapter.endpoint.models.reader import ReaderModel

        return ReaderModel(spec, trial)
    if spec.kind == "scripted":
        from claw_adapter.endpoint.models.scripted import ScriptedModel

        return ScriptedModel(spec, trial)
    if spec.kind == "replay":
        from claw_adapter.endpoint.replay import ReplayModel

        return ReplayModel(spec, trial)
    if spec.kind in ("openai", "anthropic", "openai-responses"):
        from claw_adapter.endpoint.models.upstream import UpstreamModel

        return UpstreamModel(spec)
    remedy = f"use one of {', '.join(BUILT_IN)}, or start the upstream plugin of that name first"
    raise EndpointError(f"no model of kind {spec.kind!r}", where=f"model {spec.name}", remedy=remedy)
