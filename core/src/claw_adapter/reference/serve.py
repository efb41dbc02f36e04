"""The reference agent as a child process: ``python -I serve.py lines`` or ``python -I serve.py acp``. Standard library only.

``lines``: requests as JSON lines (see `claw_adapter.drivers.lines`): ``open`` (workspace, url, model, sessions), ``send``
(prompt), ``cancel``, ``sync`` (sessions), ``export`` (what is new in them); tool calls go out as events.

``acp``: the Agent Client Protocol, version 1. The protocol knows no way to give an agent a past, so the agent has an
extension for it, told by ``{"claw": {"sessions": 1}}`` in the ``_meta`` of its capabilities:

    _claw/sessions  {"sessions": [...]}   neutral sessions (``claw schema session``); those of the same id are replaced, the
                                          first one ever given is the main session
    _claw/export    {}                    {"sessions": [...]}, with all finished turns
    session/resume                        with the id of the main session begins the conversation

The model's endpoint is in the environment: CLAW_URL, CLAW_MODEL, CLAW_KEY. A model that fails is an error of the prompt,
with ``{"claw": {"status": ...}}`` in its data.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

Record = dict[str, Any]
METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
OUTPUT_CHARACTERS = 200_000
"""What a command may say to the model."""
DRAIN_SECONDS = 0.5
"""How long the output of a command that has ended is waited for."""


def _beside(name: str) -> Any:
    """A module of this folder, also where the package itself cannot be seen."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    if spec is None or spec.loader is None:
        raise ImportError(name)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Shell:
    """Runs commands with a shell in `workspace`, one at a time; the process this runs in is the isolation."""

    def __init__(self, workspace: Path, timeout: float = 120.0) -> None:
        self.workspace, self.timeout = workspace, timeout
        self._running: subprocess.Popen[bytes] | None = None

    def __call__(self, command: str) -> tuple[int, str]:
        """Exit status and output of a command; 124 when it ran too long, minus the signal when it was stopped."""
        self._running = running = subprocess.Popen(  # noqa: S602 - the exec tool of an agent is a shell
            command,
            shell=True,
            cwd=self.workspace,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        output = bytearray()
        reader = threading.Thread(target=_keep, args=(running.stdout, output), daemon=True)
        reader.start()
        try:
            running.wait(self.timeout)
        except subprocess.TimeoutExpired:
            self.stop()
            return 124, f"no end within {self.timeout:g} s"
        finally:
            self._running = None
        reader.join(DRAIN_SECONDS)  # what it left in the background may hold the pipe for ever
        return running.returncode, bytes(output).decode("utf-8", "replace")[:OUTPUT_CHARACTERS]

    def stop(self) -> None:
        """End the command under way and what it started in its session."""
        if (running := self._running) is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)


def _keep(pipe: Any, kept: bytearray) -> None:
    """Read a pipe to its end and keep the beginning."""
    with pipe:
        while data := pipe.read1(65536):
            if len(kept) < 4 * OUTPUT_CHARACTERS:
                kept += data


class Server(ABC):
    """Reads requests from standard input; all but those done at once wait their turn in one thread."""

    TURN: str
    """The method that is a turn."""

    def __init__(self, reference: Any) -> None:
        self.reference = reference
        self.agent: Any = None
        self.number = 0
        """Of the turn under way."""
        self._writing = threading.Lock()
        self._waiting: queue.Queue[tuple[int, Record]] = queue.Queue()

    def run(self) -> None:
        """Serve until the end of the input."""
        threading.Thread(target=self._work, daemon=True, name="turns").start()
        for line in sys.stdin.buffer:
            if line.strip() and not self.at_once(request := json.loads(line)):
                is_turn = self.agent is not None and request["method"] == self.TURN
                self._waiting.put((self.agent.accept() if is_turn else 0, request))

    def _work(self) -> None:
        while True:
            self.number, request = self._waiting.get()
            self.handle(request)

    @abstractmethod
    def at_once(self, request: Record) -> bool:
        """Do what does not wait for the turn under way; False leaves it to `handle`."""

    @abstractmethod
    def handle(self, request: Record) -> None:
        """Do any other request."""

    def say(self, record: Record) -> None:
        """Write one line; several threads may."""
        with self._writing:
            sys.stdout.write(json.dumps(record) + "\n")
            sys.stdout.flush()

    def make(self, workspace: Path, url: str, model: str, sessions: list[Record]) -> None:
        """The agent; the key is in the environment, commands run in this process's isolation."""
        self.agent = self.reference.Agent(workspace, url, os.environ["CLAW_KEY"], model, Shell(workspace))
        self.agent.sessions = sessions

    def cancel(self) -> None:
        """End the turn under way."""
        if self.agent is not None:
            self.agent.cancel()


class Lines(Server):
    """Our own line protocol."""

    TURN = "send"

    def at_once(self, request: Record) -> bool:
        """See `Server.at_once`."""
        if request["method"] != "cancel":
            return False
        self.cancel()
        self.say({"id": request["id"], "result": {}})
        return True

    def handle(self, request: Record) -> None:
        """See `Server.handle`."""
        number, params = request["id"], request.get("params") or {}
        try:
            result = self._do(request["method"], params, number)
        except self.reference.ModelFailure as failure:
            result = {"failure": {"status": failure.status, "message": str(failure)}}
        self.say({"id": number, "result": result})

    def _do(self, method: str, params: Record, number: int) -> Record:
        if method == "open":
            self.make(Path(params["workspace"]), params["url"], params["model"], params["sessions"])
        if method == "send":
            turn: Record = self.agent.turn(
                params["prompt"], lambda event: self.say({"id": number, "event": event}), self.number
            )
            return turn
        if method == "sync":
            self.agent.replace(params["sessions"])
        return {"sessions": self.agent.news()} if method == "export" else {}


class Acp(Server):
    """The Agent Client Protocol over standard streams."""

    TURN = "session/prompt"

    def at_once(self, request: Record) -> bool:
        """See `Server.at_once`; an answer to us is for nobody, we ask nothing."""
        if request.get("method") == "session/cancel":
            self.cancel()
        return "id" not in request or "method" not in request

    def handle(self, request: Record) -> None:
        """See `Server.handle`."""
        number, method, params = request["id"], request["method"], request.get("params") or {}
        known = {
            "initialize": self._initialize, "session/new": self._new, "session/resume": self._resume,
            "session/prompt": self._prompt, "_claw/sessions": self._sessions, "_claw/export": self._export,
        }  # fmt: skip
        try:
            result = known.get(method, self._unknown)(params)
            self.say({"jsonrpc": "2.0", "id": number, "result": result})
        except _Refused as refused:
            error = {"code": refused.code, "message": str(refused), "data": refused.data}
            self.say({"jsonrpc": "2.0", "id": number, "error": error})

    def _unknown(self, _params: Record) -> Record:
        raise _Refused(METHOD_NOT_FOUND, "no such method")

    def _initialize(self, _params: Record) -> Record:
        self.make(Path.cwd(), os.environ["CLAW_URL"], os.environ["CLAW_MODEL"], [])
        can = {"sessionCapabilities": {"resume": {}}, "_meta": {"claw": {"sessions": 1}}}
        return {"protocolVersion": 1, "agentCapabilities": can, "agentInfo": {"name": "reference", "version": "1"}}

    def _sessions(self, params: Record) -> Record:
        self.agent.replace(params["sessions"])
        return {}

    def _export(self, _params: Record) -> Record:
        return {"sessions": self.agent.sessions}

    def _new(self, _params: Record) -> Record:
        if not self.agent.sessions:
            self.agent.sessions = [{"id": "main", "messages": []}]
        return {"sessionId": self.agent.main["id"]}

    def _resume(self, params: Record) -> Record:
        self._known(params)
        return {}

    def _prompt(self, params: Record) -> Record:
        session = self._known(params)
        text = "".join(block.get("text", "") for block in params["prompt"])
        try:
            turn = self.agent.turn(text, lambda event: self._tell(session, _update(event)), self.number)
        except self.reference.ModelFailure as failure:
            if failure.status == self.reference.CANCELLED:
                return {"stopReason": "cancelled"}
            raise _Refused(INTERNAL_ERROR, str(failure), {"claw": {"status": failure.status}}) from None
        if turn["text"]:
            content = {"type": "text", "text": turn["text"]}
            self._tell(session, {"sessionUpdate": "agent_message_chunk", "content": content})
        used = {"inputTokens": turn["usage"]["input"], "outputTokens": turn["usage"]["output"]}
        usage = {**used, "totalTokens": sum(used.values())}
        return {"stopReason": "end_turn", "usage": usage, "_meta": {"claw": {"seconds": turn["seconds"]}}}

    def _known(self, params: Record) -> str:
        session = str(params.get("sessionId"))
        if not self.agent.sessions or session != self.agent.main["id"]:
            raise _Refused(INTERNAL_ERROR, f"no session {session!r} to speak in")
        return session

    def _tell(self, session: str, update: Record) -> None:
        params = {"sessionId": session, "update": update}
        self.say({"jsonrpc": "2.0", "method": "session/update", "params": params})


class _Refused(Exception):
    """A request is answered with an error."""

    def __init__(self, code: int, text: str, data: Record | None = None) -> None:
        super().__init__(text)
        self.code, self.data = code, data


def _update(event: Record) -> Record:
    """What ACP says of a tool call that begins or ends."""
    if event["kind"] == "tool_call":
        return {
            "sessionUpdate": "tool_call", "toolCallId": event["id"], "title": event["name"], "status": "in_progress",
            "rawInput": event["arguments"],
        }  # fmt: skip
    status = "failed" if event["is_error"] else "completed"
    return {
        "sessionUpdate": "tool_call_update",
        "toolCallId": event["id"],
        "status": status,
        "rawOutput": event["text"],
    }


if __name__ == "__main__":
    {"lines": Lines, "acp": Acp}[sys.argv[1]](_beside("agent")).run()
