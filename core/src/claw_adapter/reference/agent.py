"""The reference agent: a tool loop around one chat endpoint. Standard library only, so that it runs anywhere as a file.

`serve.py` makes a child process of it, and runs its commands there.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import time
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

SYSTEM = "You are a careful assistant. Work in the current directory with the tools you have, then answer the user."
MAX_STEPS = 40
READ_LIMIT = 200_000
RETRIES = 2
RETRY_STATUS = {0, 429, 500, 502, 503, 504, 529}
CANCELLED = -2
"""In the place of a status: the turn was cancelled."""
GAVE_UP = -3
"""In the place of a status: the model went on calling tools."""

Emit = Callable[[dict[str, Any]], None]
Execute = Callable[[str], tuple[int, str]]


class ModelFailure(Exception):
    """No answer came; `status` is that of HTTP, 0 without one, -1 for an unreadable answer, or one of the names above."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


def _tool(name: str, about: str, **parameters: str) -> dict[str, Any]:
    """A function tool whose parameters are all strings; a trailing ``?`` in the description marks an optional one."""
    properties = {key: {"type": "string", "description": text.rstrip("?")} for key, text in parameters.items()}
    required = [key for key, text in parameters.items() if not text.endswith("?")]
    schema = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


TOOLS = [
    _tool("list_files", "List the files below a directory.", directory="Directory, relative to the workspace?"),
    _tool(
        "search_files",
        "Search the text files below a directory for a text.",
        query="Text to look for",
        directory="Directory, relative to the workspace?",
    ),
    _tool(
        "read_file", "Read a text file.", path="Path relative to the workspace", offset="First line?", limit="Lines?"
    ),
    _tool("write_file", "Create or replace a file.", path="Path relative to the workspace", content="The whole text"),
    _tool("edit_file", "Replace a text that occurs once.", path="Path", old="Text to replace", new="Its replacement"),
    _tool("exec", "Run a shell command in the workspace.", command="The command"),
    _tool("sessions_list", "List other conversations."),
    _tool("session_history", "Read another conversation.", session_key="Key of the conversation"),
    _tool("task", "Have another agent do a task; its report is the result.", task="All that it is to know"),
]


class Agent:
    """One conversation with the model at `url`; `workspace` is where the tools work."""

    def __init__(
        self, workspace: Path, url: str, key: str, model: str, execute: Execute, timeout: float = 600.0
    ) -> None:
        self.workspace = workspace.resolve()
        self.url = urllib.parse.urlsplit(url)
        self.key, self.model, self.execute, self.timeout = key, model, execute, timeout
        self.sessions: list[dict[str, Any]] = []
        self._told: dict[str, tuple[dict[str, Any], int]] = {}
        self.usage = {"input": 0, "output": 0}
        self._accepted = self._turn_number = 0
        self._cancelled = 0
        """Turns up to this number are cancelled."""
        self._socket: socket.socket | None = None

    @property
    def main(self) -> dict[str, Any]:
        """The main session: the first one."""
        return self.sessions[0]

    def replace(self, sessions: list[dict[str, Any]]) -> None:
        """Put these sessions in the place of those with the same ids; new ones come last."""
        changed = {session["id"]: session for session in sessions}
        kept = [changed.pop(session["id"], session) for session in self.sessions]
        self.sessions = [*kept, *changed.values()]

    def news(self) -> list[dict[str, Any]]:
        """The sessions without the messages that this has returned before, whose number is in ``kept``; ask between turns."""
        found = []
        for session in self.sessions:
            before, kept = self._told.get(session["id"], (None, 0))
            kept = kept if before is session else 0
            messages = session["messages"]
            found.append({**session, "kept": kept, "messages": messages[kept:]})
            self._told[session["id"]] = session, len(messages)
        return found

    def accept(self) -> int:
        """The number of a turn that is going to be; from now on `cancel` means that turn, however late its thread begins."""
        self._accepted += 1
        return self._accepted

    def cancel(self) -> None:
        """End the turn accepted last, from another thread: the request and the command it waits for are cut off."""
        self._cancelled = self._accepted
        if (waiting := self._socket) is not None:
            with contextlib.suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)
        stop = getattr(self.execute, "stop", None)
        if stop is not None:
            stop()

    def turn(self, prompt: str, emit: Emit, number: int = 0) -> dict[str, Any]:
        """Say `prompt`; returns the final text and the usage of this turn, whose `number` is from `accept`.

        After a `ModelFailure` the main session is as if the turn had not been.
        """
        self._turn_number = number or self.accept()
        before = len(self.main["messages"])
        try:
            return self._turn(prompt, emit)
        except ModelFailure:
            del self.main["messages"][before:]
            raise

    def _turn(self, prompt: str, emit: Emit) -> dict[str, Any]:
        self.usage, started = {"input": 0, "output": 0}, time.monotonic()
        self._add("user", prompt)
        for _ in range(MAX_STEPS):
            reply = self._ask(self.main["messages"])
            calls = reply.get("tool_calls") or []
            self._add("assistant", reply.get("content") or "", tool_calls=[_neutral(call) for call in calls])
            if not calls:
                return {"text": reply.get("content") or "", "usage": self.usage, "seconds": time.monotonic() - started}
            for call in self.main["messages"][-1]["tool_calls"]:
                self._go_on()
                emit({"kind": "tool_call", "id": call["id"], "name": call["name"], "arguments": call["arguments"]})
                text, failed = self._run(call["name"], call["arguments"])
                emit({"kind": "tool_result", "id": call["id"], "name": call["name"], "text": text, "is_error": failed})
                self._add("tool", text, tool_call_id=call["id"])
        raise ModelFailure(GAVE_UP, f"no answer within {MAX_STEPS} steps")

    def _go_on(self) -> None:
        if self._turn_number <= self._cancelled:
            raise ModelFailure(CANCELLED, "the turn was cancelled")

    def _add(self, role: str, text: str, **more: Any) -> None:
        messages = self.main["messages"]
        moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        taken, number = {message["id"] for message in messages}, len(messages)
        while f"t{number}" in taken:  # messages can have been taken away
            number += 1
        messages.append({"id": f"t{number}", "role": role, "text": text, "time": moment, **more})

    def _ask(self, said: list[dict[str, Any]]) -> dict[str, Any]:
        messages = [{"role": "system", "content": SYSTEM}, *map(_wire, said)]
        tools = TOOLS if said is self.main["messages"] else TOOLS[:-1]  # who does a task gives none
        body = json.dumps({"model": self.model, "messages": messages, "tools": tools}).encode()
        for attempt in range(RETRIES + 1):
            self._go_on()
            status, answer = self._post(body)
            self._go_on()
            if status not in RETRY_STATUS:
                break
            time.sleep(0.05 * 2**attempt)
        return self._message(status, answer)

    def _post(self, body: bytes) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection(self.url.hostname or "", self.url.port or 80, timeout=self.timeout)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            connection.connect()
            self._socket = connection.sock
            self._go_on()  # who cancelled before this saw no socket to shut down
            connection.request("POST", f"{self.url.path}/chat/completions", body, headers)
            response = connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            return 0, f"{type(error).__name__}: {error}".encode()
        finally:
            self._socket = None
            connection.close()

    def _message(self, status: int, answer: bytes) -> dict[str, Any]:
        if status != 200:
            raise ModelFailure(status, answer.decode("utf-8", "replace")[:2000])
        try:
            reply = json.loads(answer)
            message: dict[str, Any] = reply["choices"][0]["message"]
        except (ValueError, LookupError, TypeError):
            raise ModelFailure(-1, "unreadable answer: " + answer.decode("utf-8", "replace")[:500]) from None
        used = reply.get("usage") or {}
        self.usage["input"] += int(used.get("prompt_tokens") or 0)
        self.usage["output"] += int(used.get("completion_tokens") or 0)
        return message

    def _run(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        tool = getattr(self, f"tool_{name}", None)
        if tool is None:
            return f"error: there is no tool {name!r}", True
        try:
            return str(tool(**arguments)), False
        except (OSError, TypeError, ValueError) as error:
            return f"error: {error}", True

    def _path(self, path: str) -> Path:
        full = (self.workspace / path).resolve()
        if not full.is_relative_to(self.workspace):
            raise ValueError(f"{path!r} is outside the workspace")
        return full

    def tool_list_files(self, directory: str = ".") -> str:
        """The files below a directory, one per line, sorted."""
        found = (path for path in self._path(directory).rglob("*") if path.is_file() and ".git" not in path.parts)
        return "\n".join(sorted(path.relative_to(self.workspace).as_posix() for path in found)) or "(no files)"

    def tool_search_files(self, query: str, directory: str = ".") -> str:
        """The lines that have a text, each behind its file's path and its number."""
        found = (
            f"{path}:{number}: {line}"
            for path in self.tool_list_files(directory).splitlines()
            for number, line in enumerate(self._text_of(path).splitlines(), 1)
            if query in line
        )
        return "\n".join(found) or "(nothing found)"

    def _text_of(self, path: str) -> str:
        """What a file has; nothing where it is no text, or none."""
        full = self.workspace / path
        data = full.read_bytes() if full.is_file() else b""
        return "" if b"\0" in data else data.decode("utf-8", "replace")

    def tool_read_file(self, path: str, offset: str = "1", limit: str = "") -> str:
        """A text file, or some of its lines."""
        text = self._path(path).read_text("utf-8", "replace")
        if str(offset) != "1" or limit:
            first = max(int(offset), 1) - 1
            text = "".join(text.splitlines(keepends=True)[first : first + int(limit) if limit else None])
        return text[:READ_LIMIT]

    def tool_write_file(self, path: str, content: str) -> str:
        """Create or replace a file."""
        full = self._path(path)
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(content.encode())
        return f"wrote {len(content)} characters to {path}"

    def tool_edit_file(self, path: str, old: str, new: str) -> str:
        """Replace a text that occurs exactly once."""
        text = self._path(path).read_bytes().decode()
        if text.count(old) != 1:
            raise ValueError(f"the text occurs {text.count(old)} times in {path}, not once")
        return self.tool_write_file(path, text.replace(old, new))

    def tool_exec(self, command: str) -> str:
        """Run a shell command in the workspace."""
        status, output = self.execute(command)
        return f"{output}\n(exit status {status})" if output else f"(exit status {status})"

    def tool_sessions_list(self) -> str:
        """The other conversations, one per line."""
        others = self.sessions[1:]
        return (
            "\n".join(f"{s['id']}: {s['title']} ({s['channel']}), {len(s['messages'])} messages" for s in others)
            or "(none)"
        )

    def tool_session_history(self, session_key: str) -> str:
        """Another conversation, message by message."""
        for session in self.sessions[1:]:
            if session["id"] == session_key:
                return "\n".join(_line(message) for message in session["messages"])
        raise ValueError(f"there is no conversation {session_key!r}; use sessions_list")

    def tool_task(self, task: str) -> str:
        """What another agent says at last that was given a task, and knows nothing else."""
        said: list[dict[str, Any]] = [{"role": "user", "text": task}]
        for _ in range(MAX_STEPS):
            reply = self._ask(said)
            calls = [_neutral(call) for call in reply.get("tool_calls") or []]
            said.append({"role": "assistant", "text": reply.get("content") or "", "tool_calls": calls})
            if not calls:
                break
            for call in calls:
                self._go_on()
                name = call["name"] if call["name"] != "task" else ""
                text, _ = self._run(name, call["arguments"])
                said.append({"role": "tool", "text": text, "tool_call_id": call["id"]})
        return str(said[-1]["text"])


def _neutral(call: dict[str, Any]) -> dict[str, Any]:
    function = call.get("function") or {}
    try:
        arguments = json.loads(function.get("arguments") or "{}")
    except ValueError:
        arguments = None
    if not isinstance(arguments, dict):
        arguments = {"_unreadable": str(function.get("arguments"))}
    return {"id": str(call.get("id")), "name": str(function.get("name")), "arguments": arguments}


def _wire(message: dict[str, Any]) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": message["role"], "content": message["text"]}
    if calls := message.get("tool_calls"):
        wire["tool_calls"] = [
            {
                "id": c["id"],
                "type": "function",
                "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])},
            }
            for c in calls
        ]
    if message.get("tool_call_id"):
        wire["tool_call_id"] = message["tool_call_id"]
    return wire


def _line(message: dict[str, Any]) -> str:
    return f"[{message.get('time') or ''}] {message.get('speaker') or message['role']}: {message['text']}"
