"""What a row says of its harness is true: what can be measured is what the first request had, and notes agree with it."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from claw_adapter.protocol import FirstRequest
from claw_adapter.report import summarise
from claw_adapter.report.html import page
from claw_adapter.report.records import Row
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import load_run
from claw_adapter.runs.transcript import Exchange, read_transcript
from support.running import experiment, run_experiment
from support.scenarios import write_scenario

sys.path.insert(0, str(Path(__file__).parent))
import claude_code_context
import nanobot_context
import picoclaw_context
from picoclaw_context import both, choose

pytestmark = pytest.mark.timeout(240)


FILES = (
    "AGENT.md",
    "AGENTS.md",
    "SOUL.md",
    "USER.md",
    "IDENTITY.md",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "TOOLS.md",
    "memory/MEMORY.md",
)
"""Files of a workspace that harnesses are known to read by themselves."""


async def ran(folder: Path, name: str, files: Collection[str] = (), **options) -> tuple[Row, Exchange]:
    """The row of a run of one round, and the first exchange of its transcript; the page says what was measured."""
    scenario = write_scenario(folder / "small", [{"id": "r1"}])
    for file in files:
        path = scenario / "workspace" / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"the mark of {file}.\n", "utf-8")
    harness = {"name": name, "options": options}
    model = {"name": "m", "kind": "scripted", "script": ["\\bbox{A}"]}
    asked = experiment(scenario, models=[model], harnesses=[harness], settings={"isolation": 1, "deadline": 60})
    ((trial, (record,)),) = (await run_experiment(folder / "run", asked)).items()
    assert record.error is None, record.error
    first = next(read_transcript(RunFolder(folder / "run").transcript(trial)))
    run = load_run(folder / "run")
    (row,) = summarise(run).rows
    (measured,) = row.first_requests
    texts = [message["content"] for message in first.messages if message["role"] in ("system", "developer")]
    said = sum(len(t if isinstance(t, str) else "\n".join(part["text"] for part in t)) for t in texts)
    assert measured == record.first == FirstRequest(system=said, tools=len(first.tools))
    assert f"{said:,} characters, {len(first.tools)} tools" in page(run, summarise(run))
    return row, first


def names(first: Exchange) -> set[str]:
    return {tool["function"]["name"] for tool in first.tools}


def read_by_itself(first: Exchange) -> set[str]:
    """Whose marks are in the request."""
    text = str(first.messages)
    return {file for file in FILES if f"the mark of {file}." in text}


def notes(row: Row) -> str:
    return "\n".join(row.notes)


@nanobot_context.real
async def test_nanobot_in_three_settings_and_its_agent_files(tmp_path):
    bridge, one = await ran(tmp_path / "a", "nanobot", FILES)
    assert read_by_itself(one) == {"AGENTS.md", "SOUL.md", "USER.md", "memory/MEMORY.md"}
    assert "AGENTS.md, SOUL.md, USER.md and memory/MEMORY.md" in notes(bridge)
    serve, two = await ran(tmp_path / "b", "nanobot", mode="serve")
    less, three = await ran(tmp_path / "c", "nanobot", exec=False, tools_denied=["my", "spawn"])
    assert "exec" in names(one)
    assert names(one) - names(three) >= {"exec", "my", "spawn"}
    assert not [name for name in names(one) if "web" in name], "as its notes say"
    assert ("no shell tool" in notes(less), "no shell tool" in notes(bridge)) == (True, False)
    assert "mode serve" in notes(serve)
    assert "of its own" in notes(serve)
    assert len({row.first_requests for row in (bridge, serve, less)}) == 3, "each setting has its own numbers"
    assert names(two) != names(three)


@claude_code_context.real
async def test_claude_code_s_agent_files_are_those_of_its_notes_with_and_without_its_shell(tmp_path):
    fewer = {*FILES} - {"CLAUDE.md", "CLAUDE.local.md"}
    for folder, files, options, read in (
        ("a", FILES, {}, {"CLAUDE.md", "CLAUDE.local.md"}),
        ("b", fewer, {"exec": False, "mode": "turn"}, {"AGENTS.md"}),
    ):
        row, first = await ran(tmp_path / folder, "claude-code", files, **options)
        assert read_by_itself(first) == read
        (said,) = [note for note in row.notes if note.startswith("tools: ")]
        assert set(said.removeprefix("tools: ").partition(";")[0].split(", ")) == names(first)
    assert "CLAUDE.md and CLAUDE.local.md of the workspace, or AGENTS.md if there is neither" in notes(row)


@picoclaw_context.real
async def test_picoclaw_s_agent_files_are_those_of_its_notes(tmp_path, picoclaw):
    row, first = await ran(tmp_path / "a", "picoclaw", FILES)
    always = {"SOUL.md", "USER.md", "memory/MEMORY.md"}
    assert read_by_itself(first) == {"AGENT.md", *always}
    _, first = await ran(tmp_path / "b", "picoclaw", {*FILES} - {"AGENT.md"})
    assert read_by_itself(first) == {"AGENTS.md", "IDENTITY.md", *always}
    assert "AGENT.md (or AGENTS.md and IDENTITY.md if there is none), SOUL.md, USER.md, memory/MEMORY.md" in notes(row)


@pytest.fixture
def picoclaw(request, tmp_path, monkeypatch) -> str:
    choose(request.param, tmp_path / "program", monkeypatch)
    return request.param


@both
async def test_picoclaw_without_its_shell(tmp_path, picoclaw):
    row, first = await ran(tmp_path / "a", "picoclaw", retries=5, exec=False)
    assert "up to 5 times" in notes(row)
    assert "no shell tool" in notes(row)
    if picoclaw == "real":  # the stand-in always offers the same tools
        assert "exec" not in names(first)
