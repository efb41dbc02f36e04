"""OpenAI chat completions as an upstream."""

from __future__ import annotations

from collections.abc import AsyncIterator

from pydantic import JsonValue

from claw_adapter.endpoint.models import sse
from claw_adapter.endpoint.models.wires.base import NewId, Wire
from claw_adapter.endpoint.sampling import LIMITS, effective
from claw_adapter.model import Delta, ModelRequest

__all__ = ["ChatWire"]

JsonObject = dict[str, JsonValue]


class ChatWire(Wire):
    """The neutral form is this one, so that there is nothing to translate.

    ``options.limit`` is the name that the upstream has for the limit of a reply: some know only ``max_completion_tokens``.
    """

    name = "openai-chat"

    @property
    def url(self) -> str:
        """``/chat/completions`` below the base, which ends in ``/v1`` or in the name of a deployment."""
        return f"{self.spec.base_url.rstrip('/')}/chat/completions"

    def body(self, request: ModelRequest) -> JsonObject:
        """Messages and tools as they are; the run's model, sampling and limit."""
        params = effective(self.spec, request.params)
        limit = self.spec.options.get("limit")
        if isinstance(limit, str):
            given = [params.pop(name) for name in sorted(LIMITS & params.keys())]
            params |= {limit: given[0]} if given else {}
        body: JsonObject = {**params, "model": self.model, "messages": list(request.messages)}
        if request.tool_json:
            body["tools"] = list(request.tool_json)
        if request.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body

    def whole(self, body: bytes, new_id: NewId) -> Delta:
        """See `sse.whole`."""
        return sse.whole(body, new_id)

    def pieces(self, chunks: AsyncIterator[bytes], new_id: NewId) -> AsyncIterator[Delta]:
        """See `sse.pieces`."""
        return sse.pieces(chunks, new_id)
