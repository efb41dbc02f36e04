"""An OpenAI-compatible server whose models are the offline policies: a run names one as it names any model.

``POST /v1/chat/completions`` (plain and streamed) and ``GET /v1/models``; the model's name is the policy's. Usage is counted in
words: it is a stand-in and says so by its name in the ``system_fingerprint``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from claw_adapter_forge.policies.chat import Reply, next_reply
from claw_adapter_forge.policies.offline import POLICIES

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["PolicyServer", "completion"]


def completion(body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one chat request.

    Raises:
        KeyError: the model is no policy, or the request has no messages.
    """
    policy = str(body["model"])
    if policy not in POLICIES:
        raise KeyError(f"no policy {policy!r}; there are {', '.join(POLICIES)}")
    messages = body["messages"]
    reply = next_reply(policy, messages, body.get("tools") or ())
    words = sum(len(str(m.get("content") or "").split()) for m in messages)
    usage = {"prompt_tokens": words, "completion_tokens": 1, "total_tokens": words + 1}
    finish = "tool_calls" if reply.name else "stop"
    return {
        "id": f"policy-{len(messages)}",
        "object": "chat.completion",
        "created": 0,
        "model": policy,
        "system_fingerprint": "offline-policy",
        "choices": [{"index": 0, "message": _message(reply, len(messages)), "finish_reason": finish}],
        "usage": usage,
    }


def _message(reply: Reply, number: int) -> dict[str, Any]:
    if not reply.name:
        return {"role": "assistant", "content": reply.text}
    function = {"name": reply.name, "arguments": json.dumps(reply.arguments)}
    call = {"id": f"call_{number:04d}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


class PolicyServer:
    """The server on a free loopback port: an async context manager; `url` ends in ``/v1``."""

    def __init__(self) -> None:
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> PolicyServer:  # noqa: PYI034  # nobody derives from it
        from aiohttp import web

        app = web.Application(client_max_size=32 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _models(self, _request: web.Request) -> web.Response:
        from aiohttp import web

        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in POLICIES]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        from aiohttp import web

        try:
            body = json.loads(await request.text())
            answer = completion(body)
        except (ValueError, KeyError, TypeError) as error:
            return web.json_response({"error": {"message": str(error), "type": "invalid_request_error"}}, status=400)
        if not body.get("stream"):
            return web.json_response(answer)
        return await self._stream(request, answer)

    @staticmethod
    async def _stream(request: web.Request, answer: dict[str, Any]) -> web.StreamResponse:
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        choice = answer["choices"][0]
        calls = [{"index": i, **call} for i, call in enumerate(choice["message"].get("tool_calls", ()))]
        delta = {k: v for k, v in choice["message"].items() if k != "tool_calls"} | (
            {"tool_calls": calls} if calls else {}
        )
        head = {k: answer[k] for k in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
        chunks: list[dict[str, Any]] = [
            head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            head | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]},
            head | {"choices": [], "usage": answer["usage"]},
        ]
        for chunk in chunks:
            await response.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response
