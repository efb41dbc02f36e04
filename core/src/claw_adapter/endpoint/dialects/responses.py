"""OpenAI responses: ``POST /v1/responses``, as JSON or as server-sent events, without any memory of earlier responses."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects import responses_parse as read
from claw_adapter.endpoint.dialects.base import Dialect, Head, StreamRenderer
from claw_adapter.endpoint.dialects.openai_chat import OpenAIChat, assemble, body_object
from claw_adapter.endpoint.dialects.responses_stream import ResponsesStream, call_item, response, text_item
from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.neutral import ModelReply
from claw_adapter.model import CallDelta, ModelRequest
from claw_adapter.protocol.tokens import TokenUse

if TYPE_CHECKING:
    from claw_adapter.endpoint.known import Known

__all__ = ["OpenAIResponses"]

JsonObject = dict[str, JsonValue]

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_NO_TOKENS: Final = TokenUse(0, 0)


class OpenAIResponses(Dialect):
    """Responses with function calls."""

    name = "openai-responses"
    path = "/v1/responses"
    count_path = "/v1/responses/input_tokens"
    id_prefix = "resp_"
    half_a_reply = b'{"object": "response", "output": [{"type": "message", "content": [{"text": "gar'
    filtered = OpenAIChat.filtered

    def parse(
        self, body: JsonValue, headers: Mapping[str, str] = _NO_HEADERS, known: Known | None = None
    ) -> ModelRequest:
        """Read a request; what only this dialect knows is kept among the native fields."""
        del headers
        whole = body_object(body)
        read.refuse_memory(whole)
        messages = read.messages(whole)
        if not messages:
            raise BadRequest("'input' is missing or empty")
        return assemble(
            self.name, whole, messages, read.tools(whole), read.params(whole), native=read.native(whole), known=known
        )

    def render(self, reply: ModelReply, head: Head, usage: TokenUse) -> JsonObject:
        """A ``response``."""
        output = [text_item(head, 0, reply.text)] if reply.text else []
        for call in reply.calls:
            output.append(call_item(head, len(output), CallDelta(0, call.id, call.name, call.arguments)))
        return response(head, output, reply.finish, usage)

    def stream(self, head: Head, *, usage_chunk: bool, known: TokenUse = _NO_TOKENS) -> StreamRenderer:
        """``response.created`` to ``response.completed``; the counts are always in it."""
        del usage_chunk, known
        return ResponsesStream(head)

    def empty(self, head: Head) -> JsonObject:
        """A response without output."""
        return response(head, [], "stop", _NO_TOKENS)

    def empty_stream(self, head: Head) -> bytes:
        """The same as a stream."""
        return ResponsesStream(head).nothing()

    def overflow(self, tokens: int, window: int) -> tuple[str, str]:
        """As OpenAI says it here, without numbers."""
        del tokens, window
        what = "Your input exceeds the context window of this model. Please adjust your input and try again."
        return what, "context_length_exceeded"

    def error(self, status: int, message: str, code: str = "") -> JsonObject:
        """The same as that of chat completions."""
        return OpenAIChat().error(status, message, code)
