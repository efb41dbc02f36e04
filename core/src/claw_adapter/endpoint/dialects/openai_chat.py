"""OpenAI chat completions: ``POST /v1/chat/completions``, as JSON or as server-sent events."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from pydantic import JsonValue

from claw_adapter.endpoint.dialects.base import Dialect, Head, StreamRenderer
from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.neutral import ModelReply
from claw_adapter.model import Call, CallDelta, Delta, Line, ModelRequest, tool_in
from claw_adapter.protocol.tokens import TokenUse

if TYPE_CHECKING:
    from claw_adapter.endpoint.known import Known

__all__ = ["OpenAIChat", "assemble", "body_object", "event", "objects", "parse_call", "text_of"]

JsonObject = dict[str, JsonValue]

_NO_HEADERS: Final[Mapping[str, str]] = MappingProxyType({})
_NO_TOKENS: Final = TokenUse(0, 0)

_NO_PARAMS: Final = frozenset({"messages", "tools", "model", "stream", "stream_options"})
_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}


def event(value: JsonValue | JsonObject) -> bytes:
    """One server-sent event with JSON data, in ASCII: some clients end lines at U+0085 and U+2028 too."""
    return b"data: " + json.dumps(value).encode() + b"\n\n"


ROLES: Final = frozenset(("assistant", "developer", "function", "system", "tool", "user"))


def text_of(content: JsonValue) -> str:
    r"""The text of a message's content: a string, or the text parts of a list joined by ``\n``."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part if isinstance(part, str) else part.get("text") for part in content if isinstance(part, str | dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def parse_call(value: JsonValue) -> Call:
    """A tool call of a message; missing fields are empty."""
    call = value if isinstance(value, dict) else {}
    function = call.get("function")
    function = function if isinstance(function, dict) else {}
    arguments = function.get("arguments")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments is not None else ""
    return Call(str(call.get("id") or ""), str(function.get("name") or ""), text)


def _line(message: JsonObject) -> Line:
    calls = message.get("tool_calls")
    return Line(
        role=str(message.get("role", "")),
        text=text_of(message.get("content")),
        calls=tuple(parse_call(call) for call in calls) if isinstance(calls, list) else (),
        call_id=str(message.get("tool_call_id") or ""),
    )


def body_object(body: JsonValue) -> JsonObject:
    """The body of a request.

    Raises:
        BadRequest: it is no object.
    """
    if not isinstance(body, dict):
        raise BadRequest("the request body is not a JSON object")
    return body


def objects(body: JsonObject, name: str) -> list[JsonObject]:
    """The objects of a list in a body; empty when it is not there.

    Raises:
        BadRequest: it is no list of objects.
    """
    value = body.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise BadRequest(f"'{name}' is not a list")
    if not set(map(type, value)) <= {dict}:
        raise BadRequest(f"'{name}' has an entry that is not an object")
    return cast("list[JsonObject]", list(value))


def assemble(
    dialect: str,
    body: JsonObject,
    messages: list[JsonObject],
    tools: list[JsonObject],
    params: JsonObject,
    *,
    native: JsonObject | None = None,
    usage_chunk: bool = True,
    known: Known | None = None,
) -> ModelRequest:
    """A request from messages, tools and parameters in the OpenAI chat form, whatever the dialect was."""
    return ModelRequest(
        lines=tuple(known.lines(messages, _line) if known is not None else map(_line, messages)),
        tools=tuple(tool for tool in map(tool_in, tools) if tool is not None),
        messages=messages,
        tool_json=tools,
        params=params,
        model=str(body.get("model") or ""),
        stream=body.get("stream") is True,
        usage_chunk=usage_chunk,
        native=native or {},
        body=body,
        dialect=dialect,
    )


class OpenAIChat(Dialect):
    """Chat completions with tool calls."""

    name = "openai-chat"
    path = "/v1/chat/completions"
    id_prefix = "chatcmpl-"
    half_a_reply = b'{"choices": [{"message": {"role": "assistant", "content": "gar'
    filtered = "The response was filtered due to the prompt triggering the content management policy.", "content_filter"

    def parse(
        self, body: JsonValue, headers: Mapping[str, str] = _NO_HEADERS, known: Known | None = None
    ) -> ModelRequest:
        """Read a request; fields that we do not know are kept among the parameters."""
        del headers
        whole = body_object(body)
        messages, tools = objects(whole, "messages"), objects(whole, "tools")
        if not messages:
            raise BadRequest("'messages' is missing or empty")
        if unknown := {str(message.get("role")) for message in messages} - ROLES:
            raise BadRequest(f"a message has the role {min(unknown)!r}; it can be {', '.join(sorted(ROLES))}")
        options = whole.get("stream_options")
        return assemble(
            self.name,
            whole,
            messages,
            tools,
            {name: value for name, value in whole.items() if name not in _NO_PARAMS},
            usage_chunk=isinstance(options, dict) and options.get("include_usage") is True,
            known=known,
        )

    def render(self, reply: ModelReply, head: Head, usage: TokenUse) -> JsonObject:
        """A ``chat.completion``."""
        choice: JsonObject = {"index": 0, "message": reply.message(), "logprobs": None, "finish_reason": reply.finish}
        return {**_envelope(head, "chat.completion"), "choices": [choice], "usage": _usage(usage)}

    def stream(self, head: Head, *, usage_chunk: bool, known: TokenUse = _NO_TOKENS) -> StreamRenderer:
        """``chat.completion.chunk`` events, ended by ``[DONE]``."""
        del known
        return _ChatStream(head, usage_chunk)

    def empty(self, head: Head) -> JsonObject:
        """A completion without choices."""
        return {**_envelope(head, "chat.completion"), "choices": [], "usage": _usage(TokenUse(0, 0))}

    def empty_stream(self, head: Head) -> bytes:
        """One event without choices."""
        return event(self.empty(head)) + b"data: [DONE]\n\n"

    def overflow(self, tokens: int, window: int) -> tuple[str, str]:
        """As OpenAI says it."""
        what = f"This model's maximum context length is {window} tokens. However, your messages resulted in {tokens} tokens."
        return f"{what} Please reduce the length of the messages.", "context_length_exceeded"

    def error(self, status: int, message: str, code: str = "") -> JsonObject:
        """``{"error": {message, type, param, code}}``."""
        kind = _TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
        return {"error": {"message": message, "type": kind, "param": None, "code": code or None}}


def _envelope(head: Head, kind: str) -> JsonObject:
    return {"id": head.id, "object": kind, "created": head.created, "model": head.model}


def _usage(usage: TokenUse) -> JsonObject:
    total = usage.input + usage.output
    return {
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": total,
        "prompt_tokens_details": {"cached_tokens": usage.cached or 0},
        "completion_tokens_details": {"reasoning_tokens": usage.thoughts},
    }


class _ChatStream(StreamRenderer):
    def __init__(self, head: Head, usage_chunk: bool) -> None:
        self._head = head
        self._usage_chunk = usage_chunk
        self._begun = False
        self._known: set[int] = set()

    def feed(self, delta: Delta) -> bytes:
        content: JsonObject = dict(delta.extra)
        if delta.text:
            content["content"] = delta.text
        if delta.calls:
            content["tool_calls"] = [self._call(call) for call in delta.calls]
        if not content and self._begun:
            return b""
        return self._chunk(content)

    def end(self, finish: str, usage: TokenUse) -> bytes:
        data = self._chunk({}, finish)
        if self._usage_chunk:
            envelope = _envelope(self._head, "chat.completion.chunk")
            data += event({**envelope, "choices": [], "usage": _usage(usage)})
        return data + b"data: [DONE]\n\n"

    def fail(self, error: Mapping[str, JsonValue]) -> bytes:
        return event(dict(error))

    def _chunk(self, content: JsonObject, finish: str | None = None) -> bytes:
        if not self._begun:
            self._begun = True
            content = {"role": "assistant", **({} if "tool_calls" in content else {"content": ""}), **content}
        choice: JsonObject = {"index": 0, "delta": content, "logprobs": None, "finish_reason": finish}
        return event({**_envelope(self._head, "chat.completion.chunk"), "choices": [choice]})

    def _call(self, call: CallDelta) -> JsonObject:
        if call.index in self._known:
            return {"index": call.index, "function": {"arguments": call.arguments}}
        self._known.add(call.index)
        function: JsonObject = {"name": call.name, "arguments": call.arguments}
        return {"index": call.index, "id": call.id, "type": "function", "function": function}
