"""Real harnesses start the MCP server of a scenario's environment: they offer its tools, and a call changes the state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claw_adapter.runs.store import Store
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.sandbox import detect
from support.calendar import calendar, write_plan  # noqa: F401  # a fixture
from support.running import experiment, run_experiment

pytestmark = [pytest.mark.slow(30), pytest.mark.timeout(400), pytest.mark.usefixtures("calendar")]

CLAUDE_CODE = ("live", "acp")
NANOBOT = ("bridge", "pty")
"""The other modes are told of servers as one of these is."""
WAYS = [
    *(
        pytest.param("claude-code", mode, "mcp__calendar__", marks=pytest.mark.real("claude-code"))
        for mode in CLAUDE_CODE
    ),
    *(pytest.param("nanobot", mode, "mcp_calendar_", marks=pytest.mark.real("nanobot")) for mode in NANOBOT),
]


def calls(tool: str, **arguments: object) -> dict[str, object]:
    return {"tools": [{"name": tool, "arguments": arguments}]}


@pytest.mark.parametrize(("harness", "mode", "prefix"), WAYS)
async def test_a_call_changes_the_state_and_its_result_reaches_the_model(
    harness: str, mode: str, prefix: str, tmp_path: Path
) -> None:
    script = [
        {"match": "dominant language of the session", "reply": "a title"},  # what Claude Code asks besides, over ACP
        calls(f"{prefix}add", day="Monday", what="dentist ü"), "It is noted.",
        calls(f"{prefix}remove", number=7), calls(f"{prefix}add", day="Friday", what="tea"), "Noted, too.",
    ]  # fmt: skip
    asked = experiment(
        write_plan(tmp_path / "plan", "The dentist is on Monday.", "Forget 7; tea is on Friday."),
        harnesses=[{"name": harness, "options": {"mode": mode}}],
        models=[{"name": "script", "kind": "scripted", "script": script}],
        settings={"isolation": int(detect().level), "deadline": 180},
    )
    [records] = (await run_experiment(tmp_path / "run", asked)).values()
    assert [record.error for record in records] == [None, None]
    assert [record.text for record in records] == ["It is noted.", "Noted, too."]
    assert [record.score.value for record in records] == [1, 1]
    state = json.loads(Store(tmp_path / "run/store").get(records[-1].environment.after))
    assert state == [2, {"1": "Monday: dentist ü", "2": "Friday: tea"}]
    (path,) = (tmp_path / "run").glob("trials/*/transcript.jsonl")
    requests = [request for request in read_transcript(path) if request.tools]
    offered = {tool["function"]["name"]: tool["function"] for tool in requests[0].tools}
    assert {f"{prefix}{name}" for name in ("add", "list", "remove")} <= set(offered)
    assert offered[f"{prefix}add"]["parameters"]["required"] == ["day", "what"]
    said = [str(message.get("content")) for message in requests[-1].messages if message["role"] == "tool"]
    assert len(said) == 3
    assert all(word in text for word, text in zip(("entry 1 added", "no entry 7", "entry 2 added"), said, strict=True))


@pytest.mark.real("claude-code")
@pytest.mark.parametrize("permission", ["dontAsk"])
async def test_claude_code_is_allowed_the_tools_whatever_else_it_may_do(permission: str, tmp_path: Path) -> None:
    asked = experiment(
        write_plan(tmp_path / "plan", "The dentist is on Monday."),
        harnesses=[{"name": "claude-code", "options": {"permission_mode": permission}}],
        models=[
            {
                "name": "script",
                "kind": "scripted",
                "script": [calls("mcp__calendar__add", day="Monday", what="x"), "Done."],
            }
        ],
        settings={"isolation": int(detect().level), "deadline": 180},
    )
    [[record]] = (await run_experiment(tmp_path / "run", asked)).values()
    assert (record.error, record.score.value) == (None, 1)
