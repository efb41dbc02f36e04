"""What answers at the endpoint; one instance per trial."""

from __future__ import annotations

from claw_adapter.endpoint.models.base import Model, TurnId
from claw_adapter.errors import EndpointError
from claw_adapter.protocol.model import ModelSpec

__all__ = ["Model", "TurnId", "build"]


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
    if spec.kind == "openai":
        from claw_adapter.endpoint.models.upstream import UpstreamModel

        return UpstreamModel(spec)
    remedy = "use reader, scripted or openai, or start the upstream plugin of that name first"
    raise EndpointError(f"no model of kind {spec.kind!r}", where=f"model {spec.name}", remedy=remedy)
