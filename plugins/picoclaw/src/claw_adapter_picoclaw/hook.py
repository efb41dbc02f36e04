"""PicoClaw's process hook: writes down what happens in a turn; started by PicoClaw itself, with the standard library only.

PicoClaw speaks JSON-RPC, a line each, over our standard streams: requests (with an id) wait for an answer, notifications do
not. Every request is answered with "go on" before anything is written, so that a full disk cannot change a turn. The records
go to the file that the variable ``CLAW_TURN_FILE`` names, one JSON object a line, as `claw_adapter_picoclaw.trace` reads them.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from typing import Any, BinaryIO, TextIO

VARIABLE = "CLAW_TURN_FILE"
NOTED = ("agent.llm.retry", "agent.context.compress", "agent.session.summarize")
"""Runtime events that are worth a note: what PicoClaw does by itself."""
_BIG = re.compile(rb'^\{"jsonrpc":"2\.0","id":(\d+),"method":"hook\.before_llm"')
"""The message that carries the whole request: nothing in it is needed, so it is not parsed."""


def serve(source: BinaryIO, replies: TextIO, records: TextIO) -> None:
    """Answer until PicoClaw closes its end."""
    for line in source:
        if big := _BIG.match(line):
            _reply(replies, int(big[1]), {"action": "continue"})
            continue
        message = json.loads(line)
        if message.get("id"):
            _reply(replies, message["id"], {} if message["method"] == "hook.hello" else {"action": "continue"})
        record = recorded(str(message.get("method")), message.get("params") or {})
        if record is not None:
            records.write(json.dumps({"at": time.monotonic(), **record}) + "\n")
            records.flush()


def _reply(replies: TextIO, number: int, result: dict[str, str]) -> None:
    replies.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\n")
    replies.flush()


def recorded(method: str, params: dict[str, Any]) -> dict[str, Any] | None:
    """What is kept of a message; None for nothing."""
    turn = str((params.get("meta") or {}).get("TurnID", ""))
    if method == "hook.after_llm":
        response = params.get("response") or {}
        return {
            "event": "model",
            "turn": turn,
            "text": response.get("content") or "",
            "calls": [str(call.get("id", "")) for call in response.get("tool_calls") or ()],
            "finish": response.get("finish_reason") or "",
            "usage": response.get("usage"),
        }
    if method == "hook.before_tool":
        return {"event": "call", "turn": turn, "tool": params["tool"], "arguments": params.get("arguments") or {}}
    if method == "hook.after_tool":
        result = params.get("result") or {}
        said, failed = result.get("for_llm") or "", bool(result.get("is_error"))
        return {"event": "result", "turn": turn, "tool": params["tool"], "text": said, "is_error": failed}
    if method == "hook.runtime_event" and params.get("kind") in NOTED:
        return {"event": "note", "name": params["kind"], "text": json.dumps(params.get("payload"))}
    return None


if __name__ == "__main__":
    with open(os.environ[VARIABLE], "a", encoding="utf-8") as file:  # noqa: PTH123  # pathlib costs 10 ms of start-up
        serve(sys.stdin.buffer, sys.stdout, file)
