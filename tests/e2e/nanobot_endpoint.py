"""A scripted OpenAI-compatible server for driving a real harness: plain standard library, streaming included, and faults."""

from __future__ import annotations

import contextlib
import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

USAGE = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
ID = itertools.count(1)


@dataclass(frozen=True)
class Reply:
    """What the model says, or how it fails.

    `calls` are (tool name, arguments); a string as arguments goes out as it is, valid JSON or not. `stall` seconds pass
    before anything is sent; `cut` ends the stream in the middle; `raw` is a body sent instead of an answer.
    """

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    status: int = 200
    raw: bytes | None = None
    stall: float = 0.0
    cut: bool = False
    empty: bool = False
    finish: str = ""


Script = Callable[[dict[str, Any]], Reply]


def say(text: str) -> Script:
    """Always the same answer."""
    return lambda request: Reply(text)


def in_turn(*replies: Reply) -> Script:
    """These answers one after the other, the last one for ever."""
    left = list(replies)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


@dataclass
class TalkingEndpoint:
    """``with TalkingEndpoint(script) as server``: listens on a free port, keeps every request body in `requests`."""

    script: Script = field(default_factory=lambda: say("ok"))
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        owner = self
        self._taken: socket.socket | None = None
        self.stopping = threading.Event()

        class Handler(_Handler):
            endpoint = owner

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop()
        if self._taken is not None:
            self._taken.close()

    def refuse(self) -> None:
        """Refuse connections from now on; the port stays taken."""
        address = self._server.server_address
        self._stop()
        self._taken = socket.socket()
        self._taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._taken.bind(address)

    def _stop(self) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def texts(self, index: int = -1) -> str:
        """All message contents of a request as one text."""
        return "\n".join(str(message.get("content")) for message in self.requests[index]["messages"])


class _Handler(BaseHTTPRequestHandler):
    endpoint: TalkingEndpoint
    protocol_version = "HTTP/1.0"

    def log_message(self, *args: Any) -> None:
        """Say nothing."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.endpoint.requests.append(body)
        self.endpoint.keys.append(self.headers.get("Authorization") or self.headers.get("x-api-key") or "")
        self.endpoint.paths.append(self.path)
        reply = self.endpoint.script(body)
        end = time.monotonic() + reply.stall
        while time.monotonic() < end and not self.endpoint.stopping.is_set():
            time.sleep(0.02)
        with contextlib.suppress(OSError):  # the harness hung up, as it may
            self._answer(body, reply)

    def _answer(self, body: dict[str, Any], reply: Reply) -> None:
        if reply.raw is not None:
            self._head(reply.status, "application/json")
            self.wfile.write(reply.raw)
        elif reply.status != 200:
            self._head(reply.status, "application/json")
            self.wfile.write(json.dumps({"error": {"message": reply.text or f"status {reply.status}"}}).encode())
        elif self.path.partition("?")[0].endswith("/messages"):
            self._head(200, "text/event-stream" if body.get("stream") else "application/json")
            self.wfile.write(_anthropic(body, reply))
        elif body.get("stream"):
            self._head(200, "text/event-stream")
            for chunk in _chunks(body, reply):
                self.wfile.write(b"data: " + chunk + b"\n\n")
        else:
            self._head(200, "application/json")
            self.wfile.write(json.dumps(_whole(body, reply)).encode())

    def _head(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()


def _tool_calls(reply: Reply) -> list[dict[str, Any]]:
    return [
        {
            "index": index,
            "id": f"call_{next(ID)}",
            "type": "function",
            "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
        }
        for index, (name, args) in enumerate(reply.calls)
    ]


def _finish(reply: Reply) -> str:
    return reply.finish or ("tool_calls" if reply.calls else "stop")


def _chunks(body: dict[str, Any], reply: Reply) -> Iterator[bytes]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        return json.dumps({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}).encode()

    if reply.empty:
        yield json.dumps({**head, "choices": []}).encode()
        yield b"[DONE]"
        return
    yield chunk({"role": "assistant", "content": ""})
    for start in range(0, len(reply.text), 4000):
        yield chunk({"content": reply.text[start : start + 4000]})
    if reply.cut:
        return
    if reply.calls:
        yield chunk({"tool_calls": _tool_calls(reply)})
    yield chunk({}, _finish(reply))
    yield json.dumps({**head, "choices": [], "usage": USAGE}).encode()
    yield b"[DONE]"


def _whole(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.calls:
        message["tool_calls"] = _tool_calls(reply)
    choices = [] if reply.empty else [{"index": 0, "message": message, "finish_reason": _finish(reply)}]
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": choices,
        "usage": USAGE,
    }


def _anthropic(body: dict[str, Any], reply: Reply) -> bytes:
    """The reply in the Anthropic dialect: a block of text if there is any, then the tool calls."""
    usage = {"input_tokens": 1000, "output_tokens": 10}
    stop = reply.finish or ("tool_use" if reply.calls else "end_turn")
    message = {"type": "message", "role": "assistant", "model": body["model"], "stop_sequence": None}
    message["id"] = f"msg_{next(ID)}"
    blocks = [{"type": "text", "text": reply.text}] if reply.text or not reply.calls else []
    for call in _tool_calls(reply):
        function = call["function"]
        blocks.append({"type": "tool_use", "id": call["id"], "name": function["name"], "input": function["arguments"]})
    if not body.get("stream"):
        whole = [{**b, "input": json.loads(b["input"])} if "input" in b else b for b in blocks]
        return json.dumps({**message, "content": whole, "stop_reason": stop, "usage": usage}).encode()
    events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "usage": usage}}]
    for index, block in enumerate(blocks):
        events += _anthropic_block(index, block)
    if reply.cut:
        events = events[:3]
    else:
        delta = {"stop_reason": stop, "stop_sequence": None}
        events += [{"type": "message_delta", "delta": delta, "usage": usage}, {"type": "message_stop"}]
    return b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in events)


def _anthropic_block(index: int, block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        start, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
    else:
        start, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": block["input"]}
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]
