"""What answers at the endpoint; one instance per trial."""

from __future__ import annotations

from claw_adapter.errors import EndpointError
from claw_adapter.model import Model
from claw_adapter.protocol.model import BUILT_IN, ModelSpec

__all__ = ["build"]


def build(spec: ModelSpec, trial: str) -> Model:
    """The model of a trial.

    Raises:
        EndpointError: there is no model of that kind (an upstream plugin's has become ``openai`` by now).
        PluginError, AdapterError: a plugin's model cannot be made with its options.
    """
    if spec.kind == "reader":
        from claw_adapter.endpoint.models.reader import ReaderModel

        return ReaderModel(spec, trial)
    if spec.kind == "scripted":
        if spec.script and isinstance(spec.script[0], dict) and "round" in spec.script[0]:
            from claw_adapter.endpoint.models.played import PlayedModel, parse_script

            return PlayedModel(parse_script(spec))
        from claw_adapter.endpoint.models.scripted import ScriptedModel

        return ScriptedModel(spec, trial)
    if spec.kind == "replay":
        from claw_adapter.endpoint.replay import ReplayModel

        return ReplayModel(spec, trial)
    if spec.kind in ("openai", "anthropic", "openai-responses"):
        from claw_adapter.endpoint.models.upstream import UpstreamModel

        return UpstreamModel(spec)
    if spec.embedded:
        from claw_adapter import plugins

        made: Model = plugins.create("model", spec.kind, spec.plugin_options)
        return made
    remedy = f"use one of {', '.join(BUILT_IN)}, or start the upstream plugin of that name first"
    raise EndpointError(f"no model of kind {spec.kind!r}", where=f"model {spec.name}", remedy=remedy)
