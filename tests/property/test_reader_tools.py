"""On tools of any make the reader does what can be done with them, and says so where nothing can be done."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.protocol.answer_key import AnswerKey, Locator
from claw_adapter.protocol.gold import RoundEvidence
from support.tool_agents import Does, ToolAgent, reader

FACT = "the limit is 41.5 litres"
TEXT = "# Report\n\n- one: 1\n- two: “2”\n"
PATHS = ("path", "file_path", "filePath", "filename", "target_file")
EXTRA: dict[str, dict[str, Any]] = {
    "explanation": {"type": "string"},
    "style": {"type": "string", "enum": ["plain", "fancy"]},
    "limit": {"type": "integer", "minimum": 5},
    "background": {"type": "boolean"},
}
SAYS_ABSOLUTE = (
    "The absolute path to the file.",
    "Path (must be absolute, not relative).",
    "Must start with '/'. No relative paths.",
    "",
)
"""The last one says nothing: the reader learns it from being refused."""
REFUSALS = ("Sorry. {}", "✗ {}", '{{"ok": false, "reason": "{}"}}', "Fehler: {}", "Error: {}")


@st.composite
def tools(draw: st.DrawFn) -> tuple[list[dict[str, Any]], dict[str, Does]]:
    """Tools for reading or a shell, for writing or a shell, under any name."""
    names = draw(st.permutations(["alpha", "read_it", "tool7", "beta_2", "gamma"]))
    has_shell = draw(st.booleans())
    made, does = [], {}
    if not has_shell or draw(st.booleans()):
        known, what = draw(file_tool("read", ""))
        made.append((names[0], known))
        does[names[0]] = what
    if not has_shell or draw(st.booleans()):
        known, what = draw(file_tool("write", draw(st.sampled_from(["content", "contents", "file_text", "text"]))))
        made.append((names[1], known))
        does[names[1]] = what
    if has_shell:
        name = draw(st.sampled_from(["command", "cmd", "script"]))
        made.append((names[2], function({name: {"type": "string", "description": "What to run"}}, [name])))
        does[names[2]] = Does("run", name)
    made.append((names[3], function({"query": {"type": "string"}}, ["query"])))
    listed = [{"type": "function", "function": {"name": name, "description": "", "parameters": p}} for name, p in made]
    return draw(st.permutations(listed)), does


def function(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """The schema of a function."""
    return {"type": "object", "properties": properties, "required": required}


@st.composite
def file_tool(draw: st.DrawFn, kind: str, content: str) -> tuple[dict[str, Any], Does]:
    """Schema and behaviour of a tool for files."""
    absolute = draw(st.booleans())
    about = (
        draw(st.sampled_from(SAYS_ABSOLUTE)) if absolute else draw(st.sampled_from(["", "Path, absolute or relative."]))
    )
    name = draw(st.sampled_from(PATHS))
    properties: dict[str, Any] = {name: {"type": "string", "description": about}}
    if draw(st.booleans()):  # no name that is known: the description says what it is for
        del properties[name]
        name = "where_it_is"
        properties[name] = {"type": "string", "description": f"{about} The path of the file to {kind}.".strip()}
    if content:
        properties[content] = {"type": "string"}
    for extra in draw(st.sets(st.sampled_from(sorted(EXTRA)), max_size=2)):
        properties[extra] = EXTRA[extra]
    required = list(properties)
    pretends = bool(content) and draw(st.booleans())
    return function(properties, required), Does(kind, name, content, absolute, pretends)


def described(tool: dict[str, Any], does: dict[str, Does]) -> dict[str, Any]:
    """The tool under a verb where only the description tells its parameters apart: something has to."""
    what = does.get(tool["function"]["name"])
    if what is None or what.target != "where_it_is":
        return tool
    return {**tool, "function": {**tool["function"], "description": f"{what.kind.capitalize()} a file of the user."}}


@settings(max_examples=150)
@given(tools(), st.sampled_from(REFUSALS))
def test_what_can_be_done_is_done_and_what_cannot_is_said(drawn, refusal):
    listed, does = drawn
    with tempfile.TemporaryDirectory() as name:
        workspace = Path(name)
        (workspace / "a.md").write_text(f"# Notes\n\n- {FACT}\n")
        needs = RoundEvidence(needs=("a",), answer="Yes.", hasty_answer="No.")
        told = AnswerKey(
            round="q", type="exec_check", workspace=name, evidence=needs,
            fragments=(Locator(id="a", text=FACT, path="a.md"),), oracle={"out/r.md": TEXT}, hasty={"out/r.md": "?"},
        )  # fmt: skip
        agent = ToolAgent(workspace, [described(tool, does) for tool in listed], does, refusal.format)
        model = reader(told)
        assert asyncio.run(agent.turn(model, "Write it.")) == "Yes."
        written = workspace / "out/r.md"
        shell = any(what.kind == "run" for what in does.values())
        if shell or not any(what.pretends for what in does.values()):
            assert written.read_text() == TEXT
            assert model.seen().no_way == ()
        else:
            assert not written.exists()
            assert model.seen().no_way == ("writing out/r.md",)
