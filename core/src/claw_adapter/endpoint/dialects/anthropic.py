"""Anthropic messages: ``POST /v1/messages``, as JSON or as server-sent events."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pydantic import JsonValue

from claw_adapter.endpoint.dialects import anthropic_parse as read
from claw_adapter.endpoint.dialects.anthropic_stream import STOP_REASONS, AnthropicStream, envelope, spent
from claw_adapter.endpoint.dialects.base import Dialect, Head, StreamRenderer
from claw_adapter.endpoint.dialects.openai_chat import assemble, body_object
from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.neutral import ModelReply
from claw_adapter.model import ModelRequest
from claw_adapter.protocol.tokens import TokenUse

if TYPE_CHECKING:
    from claw_adapter.endpoint.known import Known

__all__ = ["AnthropicMessages", "models"]

JsonObject = dict[str, JsonValue]

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_NO_TOKENS: Final = TokenUse(0, 0)
_TYPES: Final = {
    400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error", 504: "timeout_error",
    529: "overloaded_error",
}  # fmt: skip


class AnthropicMessages(Dialect):
    """Messages with tool use; system messages in the list, betas and thinking are accepted, as agents send them."""

    name = "anthropic-messages"
    path = "/v1/messages"
    count_path = "/v1/messages/count_tokens"
    id_prefix = "msg_"
    half_a_reply = b'{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "gar'
    filtered = "Output blocked by content filtering policy", ""

    def parse(
        self, body: JsonValue, headers: Mapping[str, str] = _NO_HEADERS, known: Known | None = None
    ) -> ModelRequest:
        """Read a request; what only Anthropic knows is kept among the native fields."""
        whole = body_object(body)
        messages = read.messages(whole, known)
        if not any(message["role"] != "system" for message in messages):
            raise BadRequest("'messages' is missing or empty")
        return assemble(
            self.name, whole, messages, read.tools(whole), read.params(whole),
            native=read.native(whole, headers), known=known,
        )  # fmt: skip

    def render(self, reply: ModelReply, head: Head, usage: TokenUse) -> JsonObject:
        """A ``message``. Arguments that are no object stand under ``_raw``, since the form has no place for them."""
        content: list[JsonValue] = []
        if thought := reply.extra.get("reasoning_content"):
            signature = reply.extra.get("reasoning_signature") or ""
            content.append({"type": "thinking", "thinking": thought, "signature": signature})
        if reply.text:
            content.append({"type": "text", "text": reply.text})
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.parsed()} for call in reply.calls
        ]
        stop = STOP_REASONS.get(reply.finish, "end_turn")
        return {**envelope(head), "content": content, "stop_reason": stop, "usage": spent(usage)}

    def stream(self, head: Head, *, usage_chunk: bool, known: TokenUse = _NO_TOKENS) -> StreamRenderer:
        """``message_start`` to ``message_stop``; the counts are always in it."""
        del usage_chunk
        return AnthropicStream(head, known)

    def empty(self, head: Head) -> JsonObject:
        """A message without blocks, and without a reason for its end."""
        return {**envelope(head), "content": [], "usage": spent(_NO_TOKENS)}

    def empty_stream(self, head: Head) -> bytes:
        """A stream that ends before a block began, and gives no reason."""
        return AnthropicStream(head, _NO_TOKENS).nothing()

    def half_event(self) -> bytes:
        """`half_a_reply` as the only event of a stream; clients leave out events without a name."""
        return b"event: message_start\n" + super().half_event()

    def overflow(self, tokens: int, window: int) -> tuple[str, str]:
        """As Anthropic says it; there is no code."""
        return f"prompt is too long: {tokens} tokens > {window} maximum", ""

    def error(self, status: int, message: str, code: str = "") -> JsonObject:
        """``{"type": "error", "error": {type, message}}``; the form has no place for a code."""
        del code
        kind = _TYPES.get(status, "api_error" if status >= 500 else "invalid_request_error")
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": None}


def models(name: str) -> JsonObject:
    """The answer to ``GET /v1/models`` for clients of this dialect."""
    entry: JsonObject = {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
    return {"data": [entry], "has_more": False, "first_id": name, "last_id": name}
