"""A small environment that counts, a question type that looks at the count, and a harness that acts through it alone."""

import asyncio
import json
from pathlib import Path
from typing import ClassVar

import pytest

from claw_adapter import plugins
from claw_adapter.environment import Attached, Environment, EnvironmentContext, Printed
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Event, Harness, Probe, Session, TrialContext
from claw_adapter.protocol import Message, Round, Score, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter.questions.types import question_type


class Counter(Environment):
    """``add N`` adds; ``count.txt`` in the workspace shows the sum, and what is written there counts."""

    name = "counter"

    def __init__(self, start: int = 0, broken: str = "") -> None:
        self.count, self.broken = start, broken
        self.attached = False

    async def open(self, ctx: EnvironmentContext) -> None:
        self.file = ctx.workspace / "count.txt"
        self._break("open")
        self._show()

    async def attach(self) -> Attached:
        self.attached = True
        return Attached(path=(self.file.parent,), env={"COUNTED": "yes"})

    def prompt(self, item: Round) -> str:
        self._break("prompt")
        return f"{item.id} in a counter{' with programs' if self.attached else ''}."

    async def execute(self, line: str) -> Printed:
        self._break(line)
        self.count += int(line.removeprefix("add "))
        self._show()
        return Printed(str(self.count), over=self.count > 100)

    async def snapshot(self) -> bytes:
        self._break("snapshot")
        self.count = int(self.file.read_text())
        return json.dumps(self.count).encode()

    async def restore(self, snapshot: bytes) -> None:
        self.count = json.loads(snapshot)
        self._show()

    def _show(self) -> None:
        self.file.write_text(str(self.count))

    def _break(self, what: str) -> None:
        if what == self.broken:
            raise RuntimeError(f"no {what}")


class Counted(QuestionType):
    """Right if the turn has added what the question says."""

    name = "counted"

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        states = context.environment
        added = json.loads(states.after) - json.loads(states.before)
        return Score(value=float(added == int(item.question)), pattern="" if added else "did-nothing")

    def feedback(self, item: Round, score: Score, gold: object) -> str:
        return ""


class Adder(Harness):
    """Adds what the prompt's first word says; `faults` are (prompt word, exception) raised once, after adding."""

    name = "adder"
    executes = False
    faults: ClassVar[dict[str, BaseException]] = {}

    def capabilities(self) -> Capabilities:
        return Capabilities(seed_history="none")

    def probe(self) -> Probe:
        return Probe(ready=True, versions={"adder": "1"})

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        return Adding(ctx, list(checkpoint.sessions[0].messages) if checkpoint else [])


class Adding(Conversation):
    def __init__(self, ctx: TrialContext, messages: list[Message]) -> None:
        self.ctx, self.messages = ctx, messages

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        word = prompt.split(maxsplit=1)[0]
        done = await self.ctx.environment.execute(f"add {word}")
        await asyncio.sleep(0)
        if fault := Adder.faults.pop(word, None):
            raise fault
        number = len(self.messages)
        self.messages += [
            Message(id=f"m{number}", role="user", text=prompt), Message(id=f"m{number + 1}", role="assistant", text=done.text)
        ]  # fmt: skip
        event = Event(kind="tool_call", id="c", name="command", arguments={"command": f"add {word}"})
        return TurnResult(text=done.text, events=(event,))

    async def checkpoint(self) -> Checkpoint:
        return Checkpoint(sessions=(Session(id="main", messages=tuple(self.messages)),))

    async def close(self) -> None:
        pass


@pytest.fixture
def counting(monkeypatch):
    """The three under their names, as if plugins had brought them."""
    brought = {"counter": {"environment": Counter}, "counted": {"question_type": Counted}, "adder": {"harness": Adder}}
    known = plugins.provides
    monkeypatch.setattr(plugins, "provides", lambda name, *kinds: brought.get(name) or known(name, *kinds))
    monkeypatch.setattr(Adder, "faults", {})
    question_type.cache_clear()
    yield
    question_type.cache_clear()


def write_counting(root: Path, *numbers: int, options: dict | None = None) -> Path:
    """A scenario with a round for each number to add."""
    for folder in ("workspace", "sessions", "gold"):
        (root / folder).mkdir(parents=True)
    (root / "sessions/main.jsonl").write_text("")
    manifest = {
        "schema": "scenario/1", "id": "counting", "title": "counting", "clock": "2026-01-01T00:00:00+00:00",
        "main": {"id": "main"}, "environment": {"name": "counter", "options": options or {}},
    }  # fmt: skip
    rounds = [{"id": f"r{i}", "type": "counted", "question": str(n)} for i, n in enumerate(numbers, 1)]
    for file, data in (
        ("scenario", manifest), ("rounds", {"rounds": rounds}), ("gold/answers", {"rounds": {r["id"]: {} for r in rounds}}),
    ):  # fmt: skip
        (root / f"{file}.yaml").write_text(json.dumps(data))
    return root
