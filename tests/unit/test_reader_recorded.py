"""The reader on the tools of real agents, recorded from their requests (descriptions are cut)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claw_adapter.protocol.answer_key import AnswerKey, Locator
from claw_adapter.protocol.gold import OptionEvidence, RoundEvidence
from support.tool_agents import Does, ToolAgent, reader

RECORDED = Path(__file__).parents[1] / "data" / "tools"
ABSOLUTE = {"absolute": True}
SHELL = ("run_shell_command", "command")
AGENTS = {
    "reference": (("read_file", "path"), ("write_file", "path", "content"), ("exec", "command"), {}),
    "nanobot": (("read_file", "path"), ("write_file", "path", "content"), ("exec", "command"), {}),
    "claude-code": (("Read", "file_path"), ("Write", "file_path", "content"), ("Bash", "command"), ABSOLUTE),
    "openclaw": (("read", "path"), ("write", "path", "content"), ("exec", "command"), {}),
    "opencode": (("read", "filePath"), ("write", "filePath", "content"), ("bash", "command"), ABSOLUTE),
    "qwen-code": (("read_file", "file_path"), ("write_file", "file_path", "content"), SHELL, ABSOLUTE),
    "gemini-cli": (("read_file", "file_path"), ("write_file", "file_path", "content"), SHELL, {}),
    "codex": ((), (), ("exec_command", "cmd"), {}),
}  # fmt: skip
A_TEXT, B_TEXT = "the limit is 41.5 litres", 'she said: "not \\ before noon"'
REPORT = '{\n  "total": 12,\n  "name": "Café \\"Juno\\""\n}\n'


def agent(name: str, workspace: Path, *kept: str) -> ToolAgent:
    """An agent that has the recorded tools, and obeys those of these kinds."""
    read, write, run, more = AGENTS[name]
    does = {}
    if read:
        does[read[0]] = Does("read", read[1], **more)
    if write:
        does[write[0]] = Does("write", write[1], write[2], **more)
    does[run[0]] = Does("run", run[1])
    tools = json.loads((RECORDED / f"{name}.json").read_text("utf-8"))
    return ToolAgent(workspace, tools, {tool: what for tool, what in does.items() if not kept or what.kind in kept})


def told(workspace: Path, **more) -> AnswerKey:
    """A round that rests on two files."""
    fragments = (Locator(id="a", text=A_TEXT, path="notes/a.md"), Locator(id="b", text=B_TEXT, path="b.md"))
    (workspace / "notes").mkdir(parents=True, exist_ok=True)
    (workspace / "notes/a.md").write_text(f"# Notes\n\n- {A_TEXT}\n")
    (workspace / "b.md").write_text(f"{B_TEXT}\n")
    return AnswerKey(round="q", fragments=fragments, workspace=str(workspace), **more)


@pytest.mark.parametrize("name", AGENTS)
def test_the_recorded_tools_are_those_that_are_named_here(name):
    known = {tool["function"]["name"] for tool in json.loads((RECORDED / f"{name}.json").read_text("utf-8"))}
    assert {entry[0] for entry in AGENTS[name][:3] if entry} <= known


@pytest.mark.parametrize("name", AGENTS)
async def test_files_are_read_and_written_without_a_refused_call(name, tmp_path):
    options = RoundEvidence(options={"A": OptionEvidence(supports=(("a", "b"),), hasty=False)})
    one = agent(name, tmp_path)
    model = reader(told(tmp_path, type="multi_choice", letters=("A",), evidence=options))
    assert (await one.turn(model, "Which?")).endswith(r"\bbox{A}")
    assert model.seen().no_way == ()
    needs = RoundEvidence(needs=("a", "b"), answer="Written.", hasty_answer="Perhaps.")
    two = agent(name, tmp_path)
    model = reader(
        told(tmp_path, type="exec_check", evidence=needs, oracle={"out/r.json": REPORT, "out/s.md": "one\ntwo\n"})
    )
    assert await two.turn(model, "Write it.") == "Written."
    assert (tmp_path / "out/r.json").read_text() == REPORT
    assert (tmp_path / "out/s.md").read_text() == "one\ntwo\n"
    assert model.seen().no_way == ()
    if AGENTS[name][3]:
        assert [*one.wrong, *two.wrong] == [], "what wants absolute paths says so in its schema"


@pytest.mark.parametrize("name", [name for name in AGENTS if name != "codex"])
@pytest.mark.parametrize("kind", ["read", "run"])
async def test_a_tool_that_refuses_everything_is_given_up_for_another(name, kind, tmp_path):
    needs = RoundEvidence(needs=("a", "b"), answer="Written.", hasty_answer="Perhaps.")
    one = agent(name, tmp_path, kind, *(["write"] if kind == "read" else []))
    model = reader(told(tmp_path, type="exec_check", evidence=needs, oracle={"out.md": "one\ntwo\n"}))
    assert await one.turn(model, "Write it.") == "Written."
    assert (tmp_path / "out.md").read_text() == "one\ntwo\n"
    assert model.seen().no_way == ()


@pytest.mark.parametrize("name", AGENTS)
async def test_where_no_tool_can_do_it_that_is_said_and_nobody_is_blamed(name, tmp_path):
    needs = RoundEvidence(needs=("a",), answer="Written.", hasty_answer="Perhaps.")
    one = agent(name, tmp_path, "none")
    model = reader(told(tmp_path, type="exec_check", evidence=needs, oracle={"x.md": "one"}, hasty={"x.md": "two"}))
    await one.turn(model, "Write it.")
    assert model.seen().no_way == ("reading notes/a.md", "writing x.md")
