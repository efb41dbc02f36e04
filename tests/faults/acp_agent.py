"""A scripted ACP agent for the driver's tests: standard library only. The prompt's text says what it does, good or bad."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

SESSION = "s1"
SERVERS: list[dict[str, Any]] = []
"""The MCP servers of the session."""


def write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def say(**record: Any) -> None:
    write(json.dumps({"jsonrpc": "2.0", **record}))


def update(what: str, **fields: Any) -> None:
    say(method="session/update", params={"sessionId": SESSION, "update": {"sessionUpdate": what, **fields}})


def chunk(text: str, **more: Any) -> None:
    update("agent_message_chunk", content={"type": "text", "text": text}, **more)


def tool(number: str, name: str, given: Any, result: Any = None, status: str = "completed") -> None:
    update("tool_call", toolCallId=number, title=f"{name}: about it", kind="read", status="pending", rawInput=given)
    update("tool_call_update", toolCallId=number, status="in_progress")
    update("tool_call_update", toolCallId=number, status=status, rawOutput=result)


def ask(number: int, options: list[dict[str, str]]) -> dict[str, Any]:
    call = {"toolCallId": "p", "title": "rm -rf everything"}
    params = {"sessionId": SESSION, "toolCall": call, "options": options}
    say(id=number, method="session/request_permission", params=params)
    return json.loads(sys.stdin.readline())


def option(kind: str) -> dict[str, str]:
    return {"optionId": f"id-{kind}", "name": kind, "kind": kind}


def tools() -> None:
    chunk("first I ")
    chunk("look")
    tool("1", "read", {"path": "a.txt"}, {"content": [{"type": "text", "text": "alpha"}]})
    tool("2", "exec", ["ls"], "boom", status="failed")
    update("agent_thought_chunk", content={"type": "text", "text": "hm"})
    update("something_new", wonder=1)
    update("usage_update", used=777, size=1000)
    chunk("the ")
    chunk("answer ✓")


def messages() -> None:
    chunk("not this", messageId="a")
    chunk("but this", messageId="b")


def wait_for_cancel() -> str:
    chunk("half")
    while json.loads(sys.stdin.readline()).get("method") != "session/cancel":
        pass
    return "cancelled"


def die() -> None:
    tool("1", "read", {})
    sys.stderr.write("last words\n")
    sys.stderr.flush()
    os._exit(3)


def permission() -> None:
    said = ask(900, [option("reject_once"), option("allow_always"), option("allow_once")])
    none = ask(901, [{**option("x"), "kind": "reject_always"}])
    chunk(json.dumps([said["result"]["outcome"], none["result"]["outcome"]]))


def unasked() -> None:
    say(id=902, method="fs/read_text_file", params={"sessionId": SESSION, "path": "/etc/passwd"})
    chunk(str(json.loads(sys.stdin.readline())["error"]["code"]))


def noise(lines: int) -> None:
    for number in range(lines):
        write(f"warning {number}: \udcff not json".encode("utf-8", "replace").decode())
    write("[1, 2]")


def huge(size: int) -> None:
    sys.stdout.write('{"jsonrpc": "2.0", "method": "x", "params": "')
    for _ in range(size // (1 << 20)):
        sys.stdout.write("x" * (1 << 20))
    write('"}')


def call_tool(name: str, arguments: str) -> None:
    """Start the first MCP server, call one of its tools, say what it returned."""
    server = SERVERS[0]
    env = {**os.environ, **{variable["name"]: variable["value"] for variable in server["env"]}}
    messages = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": json.loads(arguments)}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    argv = [server["command"], *server["args"]]
    done = subprocess.run(argv, input=lines, env=env, text=True, check=True, stdout=subprocess.PIPE)
    chunk(json.loads(done.stdout.splitlines()[-1])["result"]["content"][0]["text"])


def prompt(text: str) -> dict[str, Any]:
    word, _, more = text.partition(" ")
    if word == "echo":
        chunk(more)
    elif word == "empty":
        chunk(" \n")
    elif word == "stop":
        chunk("so far")
        return {"stopReason": more}
    elif word == "cancel":
        return {"stopReason": wait_for_cancel()}
    elif word == "usage":
        chunk("counted")
        usage = {"inputTokens": 5, "outputTokens": 2, "totalTokens": 7, "cachedReadTokens": 1}
        return {"stopReason": "end_turn", "usage": usage, "_meta": {"k": "v"}}
    elif word in ("noise", "huge"):
        {"noise": noise, "huge": huge}[word](int(more))
        chunk("after it")
    elif word == "hang":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        time.sleep(600)
    elif word == "call":
        call_tool(*more.splitlines()[0].split(" ", 1))
    elif word == "flood":
        for _ in range(int(more)):
            tool("1" if more == "1" else os.urandom(4).hex(), "read", {}, "x")
        chunk("dry")
    else:
        known = {"tools": tools, "messages": messages, "die": die, "permission": permission, "unasked": unasked}
        known.get(word, lambda: chunk(text))()
    return {"stopReason": "end_turn"}


def bad(mode: str) -> None:
    """Ways not to begin."""
    if mode == "silent":
        time.sleep(600)
    if mode == "gone":
        sys.stderr.write("no licence\n")
        sys.exit(4)
    say(id=0, result={"protocolVersion": 7})


def main() -> None:
    if len(sys.argv) > 1:
        bad(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        method, number, params = request["method"], request.get("id"), request.get("params") or {}
        if method == "initialize":
            info = {"name": "scripted", "version": "9"}
            say(id=number, result={"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {"loadSession": True}})
        elif method == "session/new":
            SERVERS[:] = params["mcpServers"]
            say(id=number, result={"sessionId": SESSION})
        elif method == "session/load":
            chunk("replayed")
            say(id=number, result=None)
        elif method == "session/prompt" and params["prompt"][0]["text"] == "error":
            say(id=number, error={"code": -32603, "message": "Internal error", "data": {"details": "no credit"}})
        elif method == "session/prompt" and params["prompt"][0]["text"] == "wrong":
            say(id=number, result={"stopReason": "because"})
        elif method == "session/prompt" and params["prompt"][0]["text"] == "nothing":
            say(id=number)
        elif method == "session/prompt":
            say(id=number, result=prompt(params["prompt"][0]["text"]))
        elif number is not None:
            say(id=number, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
