"""The wire forms that upstreams speak: what is sent to them, and how their answers are read."""

from __future__ import annotations

from claw_adapter.endpoint.models.wires.anthropic import AnthropicWire
from claw_adapter.endpoint.models.wires.base import Wire
from claw_adapter.endpoint.models.wires.chat import ChatWire
from claw_adapter.endpoint.models.wires.responses import ResponsesWire
from claw_adapter.errors import EndpointError
from claw_adapter.protocol.model import ModelSpec

__all__ = ["Wire", "wire_of"]

_BY_KIND = {"openai": "openai-chat", "anthropic": "anthropic-messages", "openai-responses": "openai-responses"}
_WIRES: dict[str, type[Wire]] = {wire.name: wire for wire in (ChatWire, ResponsesWire, AnthropicWire)}


def wire_of(spec: ModelSpec) -> Wire:
    """The wire form of a model: that of ``options.dialect``, else that of its kind.

    Raises:
        EndpointError: there is no such form, or nowhere to send requests to.
    """
    name = str(spec.options.get("dialect") or _BY_KIND.get(spec.kind, spec.kind))
    if name not in _WIRES:
        remedy = f"use one of {', '.join(_WIRES)}"
        raise EndpointError(f"no upstream dialect {name!r}", where=f"model {spec.name}, options.dialect", remedy=remedy)
    if not spec.base_url:
        raise EndpointError("no base_url", where=f"model {spec.name}", remedy="say where the provider's API is")
    return _WIRES[name](spec)
