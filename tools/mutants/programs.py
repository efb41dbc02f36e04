"""Mutants whose defect is in the program: the reference agent as a child, with one line changed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from claw_adapter.harness import TrialContext
from mutants.base import Child, Mutant, patched

TURN_BEGINS = '        self._add("user", prompt)\n'
ANSWER = 'return {"text": reply.get("content") or "", '
HANDLED = 'result = {"failure": {"status": failure.status, "message": str(failure)}}'
RESET = 'self.usage, started = {"input": 0, "output": 0}, time.monotonic()'
AS_ANSWER = 'result = {"text": f"Error: {failure}", "usage": {"input": 1, "output": 1}, "seconds": 0.0}'
UNREADABLE = 'raise ModelFailure(-1, "unreadable answer: " + answer.decode("utf-8", "replace")[:500]) from None'
FOLDED = """said = reply.get("content") or ""
                return {"text": "\\n".join(said[i : i + 4096] for i in range(0, len(said), 4096)), """
COLOURLESS = 'return {"text": __import__("re").sub("\x1b\\\\[[0-9;]*m", "", reply.get("content") or ""), '
GLUED = """said = [m["text"] for m in self.main["messages"][began:] if m["role"] == "assistant" and m["text"]]
                return {"text": "\\n".join(said), """
MADE = "        self.agent.sessions = sessions\n"
OPENED = '        text = self._path(path).read_text("utf-8", "replace")\n'
EXEC = '    _tool("exec", "Run a shell command in the workspace.", command="The command"),\n'
CALLS_HOME = """with contextlib.suppress(OSError):
            socket.create_connection(("192.0.2.1", 443), 0.05).close()
        connection = http.client.HTTPConnection("""
BY_SHELL = 'text = self.execute(f"cat {path}")[1]'
LEAKS = '__import__("subprocess").Popen(["sleep", "300"])'
TALKS = '{"role": "system", "content": SYSTEM + " x" * __import__("random").randrange(1, 10**6)}'


class OurEnvironment(Child):
    """Hands on everything of our environment."""

    def given(self, ctx: TrialContext, more: Mapping[str, Any]) -> dict[str, Any]:
        return {**super().given(ctx, more), "env": {**os.environ, **more["env"]}}


class ReadsEverything(Child):
    """May read the folder in which all trials lie."""

    def given(self, ctx: TrialContext, more: Mapping[str, Any]) -> dict[str, Any]:
        return {**super().given(ctx, more), "readable": (ctx.state_dir.parents[2],)}


def program(name: str, run: str, trips: str, *patches: tuple[str, str, str], quick: bool = False) -> Mutant:
    """A mutant with a patched program."""
    return Mutant(name, patched(*patches), tuple(run.split()), frozenset(trips.split()), child=True, quick=quick)


PROGRAMS = (
    program(
        "loses the session",
        "PLAN-001",
        "PLAN-001",
        ("agent", TURN_BEGINS, '        del self.main["messages"][:]\n' + TURN_BEGINS),
    ),
    program(
        "sends the prompt twice",
        "TURN-003 PLAN-001",
        "PLAN-001",
        ("agent", TURN_BEGINS, TURN_BEGINS * 2),
    ),
    program(
        "glues earlier steps to the answer",
        "TURN-003 PLAN-001",
        "PLAN-001",
        ("agent", TURN_BEGINS, '        began = len(self.main["messages"])\n' + TURN_BEGINS),
        ("agent", ANSWER, GLUED),
    ),
    program(
        "strips what is not ASCII",
        "TURN-003 PLAN-001",
        "PLAN-001",
        ("agent", ANSWER, 'return {"text": (reply.get("content") or "").encode("ascii", "ignore").decode(), '),
    ),
    program("strips terminal sequences", "TURN-003 TURN-005", "TURN-003", ("agent", ANSWER, COLOURLESS), quick=True),
    program("folds long answers", "TURN-003 PLAN-001", "PLAN-001", ("agent", ANSWER, FOLDED)),
    program(
        "asks for a model of its own",
        "TURN-003 PLAN-001",
        "PLAN-001",
        ("agent", '{"model": self.model,', '{"model": "gpt-4o",'),
    ),
    program(
        "runs a prompt that begins with a slash",
        "TURN-003 TURN-011",
        "TURN-011",
        ("agent", TURN_BEGINS, '        self._add("user", prompt.lstrip("/"))\n'),
    ),
    program(
        "sees only files that were there at the beginning",
        "PLAN-002",
        "PLAN-002",
        ("serve", MADE, MADE + "        self.agent.there = set(self.agent.workspace.rglob('*'))\n"),
        (
            "agent",
            OPENED,
            "        if (full := self._path(path)) not in self.there:\n            raise ValueError('no such file')\n"
            + OPENED,
        ),
        ("agent", EXEC, ""),
    ),
    program(
        "cumulative usage as per-turn",
        "TOK PLAN-001",
        "PLAN-001",
        ("agent", RESET, "started = time.monotonic()"),
    ),
    program(
        "counts the last request only",
        "TOK PLAN-001",
        "PLAN-001",
        ("agent", 'self.usage["input"] += int(', 'self.usage["input"] = int('),
    ),
    program(
        "is never the same twice",
        "TOK-004",
        "TOK-004",
        ("agent", '{"role": "system", "content": SYSTEM}', TALKS),
    ),
    program(
        "cuts a long prompt in silence",
        "PROC-005 TURN-011",
        "PROC-005",
        ("agent", TURN_BEGINS, '        self._add("user", prompt[:500_000])\n'),
        quick=True,
    ),
    program(
        "output that is no text goes on as it is",
        "PROC-002",
        "PROC-002",
        ("serve", 'bytes(output).decode("utf-8", "replace")', 'bytes(output).decode("utf-8", "surrogateescape")'),
    ),
    program(
        "leaves a process per turn",
        "PROC-003 PROC-004",
        "PROC-004",
        ("agent", TURN_BEGINS, f"        {LEAKS}\n" + TURN_BEGINS),
    ),
    program(
        "error text as answer",
        "FAULT",
        "FAULT-001 FAULT-002 FAULT-003 FAULT-004 FAULT-006 FAULT-007 FAULT-008 FAULT-009 FAULT-010 FAULT-011",
        ("serve", HANDLED, AS_ANSWER),
    ),
    program(
        "garbage as answer",
        "FAULT-007 FAULT-008 FAULT-011 FAULT-012",
        "FAULT-007 FAULT-011",
        ("agent", UNREADABLE, 'return {"content": answer.decode("utf-8", "replace")}'),
        quick=True,
    ),
    program(
        "hammers on",
        "FAULT-001 FAULT-002 FAULT-003 FAULT-004 FAULT-012",
        "FAULT-001 FAULT-003 FAULT-004",
        ("agent", "RETRIES = 2\n", "RETRIES = 40\n"),
        ("agent", "time.sleep(0.05 * 2**attempt)", "time.sleep(0.001)"),
    ),
    program(
        "calls another host",
        "SEC-002",
        "SEC-002",
        ("agent", "connection = http.client.HTTPConnection(", CALLS_HOME),
        quick=True,
    ),
    program(
        "names of files go through a shell",
        "SEC-004",
        "SEC-004",
        ("agent", 'text = self._path(path).read_text("utf-8", "replace")', BY_SHELL),
    ),
    program(
        "its key in the workspace",
        "SEC-001 SEC-005 LIFE-014",
        "SEC-005",
        (
            "serve",
            "        self.agent.sessions = sessions\n",
            '        self.agent.sessions = sessions\n        (workspace / "conf").write_text(os.environ["CLAW_KEY"])\n',
        ),
    ),
    Mutant(
        "hands on our environment",
        OurEnvironment,
        ("SEC-001", "SEC-005"),
        frozenset({"SEC-001"}),
        child=True,
        quick=True,
    ),
    Mutant("reads what is outside", ReadsEverything, ("SEC-001", "SEC-003"), frozenset({"SEC-003"}), child=True),
)
