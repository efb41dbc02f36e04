"""A stand-in for PicoClaw's command, for faults and for machines without it; standard library only.

The same arguments, variables, configuration, session files, output, exit codes, model requests and hook messages as the real
one (commit cf67dd385), as far as the adapter can see them; its tools are few and simple. A copy of this file with another
`FAULT` fails in that way: see `FAULTS`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

BANNER = "\r\n██████╗ ██╗ ██████╗ (a banner)\n \r\n"
FAULT = ""
FAULTS = ("crash", "hang", "silent", "no-mark", "no-version", "leave-child", "bad-session")
EMPTY = "The model returned an empty response. This may indicate a provider error or token limit."
LIMIT = (
    "I've reached `max_tool_iterations` without a final response. Increase `max_tool_iterations` in config.json if this task "
    "needs more tool steps."
)
COMMANDS = {"clear": "Chat history cleared!", "help": "/start - Start\n/help - Help"}
TOOLS = {
    "read_file": {"path": "string"},
    "write_file": {"path": "string", "content": "string", "overwrite": "boolean"},
    "list_dir": {"path": "string"},
    "exec": {"action": "string", "command": "string"},
}


class Failed(Exception):
    """What the command prints behind ``Error:`` before it ends with status 1."""


class Hook:
    """Its process hook: a child that answers JSON-RPC, a line each."""

    def __init__(self, config: dict) -> None:
        processes = config.get("hooks", {}).get("processes", {})
        self.child, self.number = None, 0
        for name, entry in processes.items():
            try:
                self.child = subprocess.Popen(
                    entry["command"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
                )
            except OSError as error:
                raise Failed(f'start process hook "{name}": start process hook: fork/exec: {error}') from error
            self.call("hook.hello", {"name": name, "version": 1, "modes": ["llm", "tool"]})

    def call(self, method: str, params: dict) -> None:
        if self.child is None:
            return
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        try:
            self.child.stdin.write(json.dumps(message, separators=(",", ":")) + "\n")
            self.child.stdin.flush()
            assert json.loads(self.child.stdout.readline() or "null")["id"] == self.number
        except (OSError, TypeError):  # the hook is gone: go on without it
            self.child.wait()
            self.child = None

    def tell(self, kind: str, payload: dict) -> None:
        if self.child is not None:
            message = {"jsonrpc": "2.0", "method": "hook.runtime_event", "params": {"kind": kind, "payload": payload}}
            self.child.stdin.write(json.dumps(message) + "\n")
            self.child.stdin.flush()

    def close(self) -> None:
        if self.child is not None:
            self.child.stdin.close()
            self.child.wait(2)


class Store:
    """A session: its messages and its counters, each message written out at once."""

    def __init__(self, workspace: Path, key: str) -> None:
        folder = workspace / "sessions"
        for name in ("sessions", "memory", "state"):
            (workspace / name).mkdir(parents=True, exist_ok=True)
        if not key.startswith(("agent:", "sk_v1_")):
            key = "sk_v1_shared"
        stem = key.replace(":", "_").replace("/", "_").replace("\\", "_")
        self.key, self.lines, self.meta = key, folder / f"{stem}.jsonl", folder / f"{stem}.meta.json"

    def read(self) -> list[dict]:
        if not self.lines.exists():
            return []
        skip = json.loads(self.meta.read_text()).get("skip", 0) if self.meta.exists() else 0
        found = []
        for line in self.lines.read_text("utf-8").split("\n"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found[skip:]

    def add(self, message: dict) -> None:
        now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
        with self.lines.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**message, "created_at": now}, ensure_ascii=False) + "\n")
        meta = json.loads(self.meta.read_text()) if self.meta.exists() else {"created_at": now, "count": 0}
        meta |= {"key": self.key, "summary": meta.get("summary", ""), "skip": meta.get("skip", 0), "updated_at": now}
        self.meta.write_text(json.dumps({**meta, "count": meta["count"] + 1}, indent=2))


def requested(history: list[dict]) -> list[dict]:
    """History as it goes into a request: known fields only, no system lines, no tool call in a wrong place."""
    sent: list[dict] = []
    for line in history:
        calls = line.get("tool_calls")
        if line["role"] == "system" or (calls and (not sent or sent[-1]["role"] not in ("user", "tool"))):
            continue
        if line["role"] == "tool" and not any(message.get("tool_calls") for message in sent):
            continue
        sent.append({key: line[key] for key in ("role", "content", "tool_calls", "tool_call_id") if key in line})
    return sent


def ask(config: dict, messages: list[dict], hook: Hook) -> dict:
    """One answer of the model, with its retries."""
    model, defaults = config["model_list"][0], config["agents"]["defaults"]
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {"properties": fields}}}
        for name, fields in TOOLS.items()
    ]
    name = model["model"].removeprefix("litellm/")  # one of the beginnings that it takes away
    body = {"model": name, "messages": messages, "tools": tools, "tool_choice": "auto", "max_tokens": 32768}
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {model['api_keys'][0]}"}
    request = urllib.request.Request(f"{model['api_base']}/chat/completions", json.dumps(body).encode(), headers)
    retries = defaults.get("max_llm_retries", 2)
    for attempt in range(retries + 1):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                said = f"API request failed:\n  Status: {error.code}\n  Body:   {error.read().decode()}"
            again = error.code >= 500 or error.code == 429
        except ValueError:
            said, again = "failed to parse JSON response: failed to decode response: unexpected EOF", True
        except OSError as error:
            said, again = f'failed to send request: Post "{request.full_url}": dial tcp: {error}', True
        if not again or attempt == retries:
            raise Failed(f"LLM call failed after retries: {said}")
        hook.tell("agent.llm.retry", {"Attempt": attempt + 1})
        time.sleep(0.1)
    raise AssertionError


def run_tool(name: str, arguments: dict, workspace: Path) -> tuple[str, bool]:
    """Text for the model, and whether it is an error."""
    path = workspace / str(arguments.get("path", "."))
    try:
        if name == "read_file":
            text = path.read_text()
            size = len(text.encode())
            head = f"[file: {path.name} | total: {size} bytes | read: bytes 0-{size - 1}]"
            return f"{head}\n[END OF FILE - no further content.]\n\n{text}", False
        if name == "write_file":
            path.write_text(arguments["content"])
            return f"File written: {arguments['path']}", False
        if name == "list_dir":
            kinds = [("DIR:  " if entry.is_dir() else "FILE: ") + entry.name for entry in sorted(path.iterdir())]
            return "\n".join(kinds) + "\n", False
        if name == "exec":
            done = subprocess.run(  # noqa: PLW1510
                arguments["command"], shell=True, cwd=workspace, capture_output=True, text=True
            )
            return done.stdout + done.stderr, done.returncode != 0
    except (OSError, KeyError) as error:
        return f"failed: {error}", True
    return f'tool "{name}" not found', True


def turn(config: dict, store: Store, prompt: str, fault: str) -> str:
    """One turn up to its answer."""
    workspace = Path(config["agents"]["defaults"]["workspace"])
    first = prompt.split(maxsplit=1)[0] if prompt.split() else ""
    if first[:1] in ("/", "!") and first[1:] in COMMANDS:
        return COMMANDS[first[1:]]
    hook = Hook(config)
    history = store.read()
    store.add({"role": "user", "content": prompt})
    messages = [{"role": "system", "content": f"stand-in for PicoClaw in {workspace}"}, *requested(history)]
    messages.append({"role": "user", "content": prompt})
    meta = {"TurnID": "main-turn-1", "SessionKey": store.key}
    try:
        for _ in range(config["agents"]["defaults"].get("max_tool_iterations", 50)):
            hook.call("hook.before_llm", {"meta": meta, "messages": messages})
            answer = ask(config, messages, hook)
            choice = (answer.get("choices") or [{"message": {"content": ""}, "finish_reason": "stop"}])[0]
            said = choice["message"]
            calls = said.get("tool_calls") or []
            short = {"content": said.get("content") or "", "finish_reason": choice["finish_reason"]}
            response = {**short, "tool_calls": [{"id": call["id"]} for call in calls], "usage": answer.get("usage")}
            hook.call("hook.after_llm", {"meta": meta, "response": response})
            record = {"role": "assistant", "content": short["content"], "model_name": "claw"}
            if not calls:
                text = short["content"] or EMPTY
                store.add({**record, "content": text})
                return text
            record["tool_calls"] = [{k: call[k] for k in ("id", "type", "function")} for call in calls]
            store.add(record)
            messages.append({key: record[key] for key in ("role", "content", "tool_calls")})
            for call in calls:
                messages.append(used(call, meta, workspace, hook))
                store.add(messages[-1])
            if fault == "crash":
                os.kill(os.getpid(), signal.SIGKILL)
        store.add({"role": "assistant", "content": LIMIT})
        return LIMIT
    finally:
        hook.close()


def used(call: dict, meta: dict, workspace: Path, hook: Hook) -> dict:
    """Run one tool call between its two hook messages; returns the message with its result."""
    name, raw = call["function"]["name"], call["function"]["arguments"]
    try:
        arguments = json.loads(raw)
    except ValueError:
        arguments = {}
    hook.call("hook.before_tool", {"meta": meta, "tool": name, "arguments": arguments})
    text, failed = run_tool(name, arguments, workspace)
    hook.call(
        "hook.after_tool",
        {"meta": meta, "tool": name, "arguments": arguments, "result": {"for_llm": text, "is_error": failed}},
    )
    return {"role": "tool", "content": text, "tool_call_id": call["id"]}


def main(arguments: list[str]) -> int:
    """The command."""
    fault = FAULT
    sys.stdout.write(BANNER)
    if arguments == ["version"]:
        sys.stdout.write("something else\n" if fault == "no-version" else "🦞 picoclaw stand-in (git: cf67dd385)\n")
        return 0
    values = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    if fault == "leave-child":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    if fault == "hang":
        time.sleep(600)
    config = json.loads(Path(os.environ["PICOCLAW_CONFIG"]).read_text())
    assert config["version"] == 3
    store = Store(Path(config["agents"]["defaults"]["workspace"]), values["-s"])
    try:
        text = turn(config, store, values["-m"], fault)
    except Failed as error:
        sys.stderr.write(f"Error: error processing message: {error}\n")
        return 1
    if fault == "bad-session":
        store.lines.write_text("not JSON\n")
    if fault == "silent":
        return 0
    sys.stdout.write(text if fault == "no-mark" else f"\n🦞 {text}\n")
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", newline="")
    sys.exit(main(sys.argv[1:]))
