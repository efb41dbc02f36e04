"""A small calendar that is reached by tools of an MCP server alone, and a question type that looks into it."""

import json
from pathlib import Path

import pytest

from claw_adapter import plugins
from claw_adapter.environment import Attached, Environment, EnvironmentContext
from claw_adapter.programs import Ran, ServerTool, ToolServer
from claw_adapter.protocol import Round, Score, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter.questions.types import question_type

TEXT = {"type": "string"}
TOOLS = (
    ServerTool(
        "add",
        "Add an entry to the calendar.",
        {"type": "object", "properties": {"day": TEXT, "what": TEXT}, "required": ["day", "what"]},
    ),
    ServerTool("list", "All entries of the calendar.", {"type": "object", "properties": {}}),
    ServerTool(
        "remove",
        "Remove an entry by its number.",
        {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
    ),
)


class Calendar(Environment):
    """Entries with numbers from 1 on."""

    name = "calendar"

    def __init__(self) -> None:
        self.entries: dict[str, str] = {}
        self.made = 0
        self.tools = ToolServer("calendar", TOOLS, self.called)

    async def open(self, ctx: EnvironmentContext) -> None:
        self.folder = ctx.folder

    async def attach(self) -> Attached:
        return await self.tools.start(self.folder)

    async def called(self, tool: str, arguments: dict) -> Ran:
        if tool == "add":
            self.made += 1
            self.entries[str(self.made)] = f"{arguments['day']}: {arguments['what']}"
            return Ran(f"entry {self.made} added")
        if tool == "remove" and self.entries.pop(str(arguments["number"]), None) is None:
            return Ran(stderr=f"there is no entry {arguments['number']}", status=1)
        return Ran(json.dumps(self.entries, ensure_ascii=False) if tool == "list" else "removed")

    async def snapshot(self) -> bytes:
        if fault := await self.tools.settle():
            raise fault
        return json.dumps([self.made, self.entries]).encode()

    async def restore(self, snapshot: bytes) -> None:
        self.made, self.entries = json.loads(snapshot)

    async def close(self) -> None:
        await self.tools.stop()


class Planned(QuestionType):
    """Right if an entry came with the turn."""

    name = "planned"

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        states = context.environment
        return Score(value=float(len(json.loads(states.after)[1]) > len(json.loads(states.before)[1])))

    def feedback(self, item: Round, score: Score, gold: object) -> str:
        return ""


@pytest.fixture
def calendar(monkeypatch):
    """Both under their names, as if plugins had brought them."""
    brought = {"calendar": {"environment": Calendar}, "planned": {"question_type": Planned}}
    known = plugins.provides
    monkeypatch.setattr(plugins, "provides", lambda name, *kinds: brought.get(name) or known(name, *kinds))
    question_type.cache_clear()
    yield
    question_type.cache_clear()


def write_plan(root: Path, *questions: str) -> Path:
    """A scenario with a round for each question."""
    for folder in ("workspace", "sessions", "gold"):
        (root / folder).mkdir(parents=True)
    (root / "sessions/main.jsonl").write_text("")
    manifest = {
        "schema": "scenario/1", "id": "plan", "title": "plan", "clock": "2026-01-01T00:00:00+00:00",
        "main": {"id": "main"}, "environment": {"name": "calendar"},
    }  # fmt: skip
    rounds = [{"id": f"r{i}", "type": "planned", "question": text} for i, text in enumerate(questions, 1)]
    for file, data in (
        ("scenario", manifest), ("rounds", {"rounds": rounds}), ("gold/answers", {"rounds": {r["id"]: {} for r in rounds}}),
    ):  # fmt: skip
        (root / f"{file}.yaml").write_text(json.dumps(data))
    return root
