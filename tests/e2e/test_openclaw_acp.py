"""The real OpenClaw with prompts over ACP: they arrive, their turns are told whole, and each failure has its class.

Only the prompt goes another way than over HTTP: what becomes of sessions, updates and long loops is in test_openclaw_turns.py.
That it goes on after being killed in mid turn is in test_killed_harness.py; that a deadline over ACP ends it, in
tests/unit/test_openclaw_adapter.py.

OpenClaw's bridge calls a turn that failed one that ended; so what is shown here is what the adapter makes of it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.endpoint.faults import USUAL_FAULTS
from claw_adapter.harness import Message, SessionChange
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from claw_adapter_openclaw.adapter import OpenClaw

sys.path.insert(0, str(Path(__file__).parent))
from openclaw_context import Context, real, said, session
from openclaw_ways import conversation

from support.packages import needs_acp

pytestmark = [needs_acp, pytest.mark.timeout(900), pytest.mark.slow(70)]

STALL = "stall"
CLASSES = {
    "refused": "EndpointTransientError",
    "400": "EndpointError",
    "context": "EndpointError",
    "500": "EndpointTransientError",
    "529": "EndpointTransientError",
    "filter": "EndpointFilteredError",
    "cut": "EndpointTransientError",
    "garbage": "EndpointMalformedError",
    "truncated_arguments": "EndpointMalformedError",
    "empty": "EmptyAnswer",
    "429": "EndpointQuotaError",
    "401": "EndpointAuthError",
}
"""What the adapter says by itself, in this order: after the last one the key is disabled."""
OVER_ACP = {"warm", "400", "500", "garbage", "empty", "429", "after"}
"""What is played over ACP, too: a class is read from the session whichever way the prompt came."""


READ = {"name": "read", "arguments": {"path": "notes.txt"}}
LOOK = {
    "name": "sessions_history",
    "arguments": {"sessionKey": OpenClaw().session_key("ops"), "includeTools": True},
}
PAST = (Message(id="p1", role="user", text="canary-main ü"), Message(id="p2", role="assistant", text="yes"))
SCRIPT = ({"text": "I look", "tools": [READ, LOOK]}, "the answer ✓ 你好", "fine")


async def _one(gateway, endpoint, workspace: Path, name: str, *, http: bool):
    made = await conversation(gateway, "main" if http else name, workspace, http=http)
    await endpoint.begin_round("t", name)
    turn = await made.send(f"go {name}", 200)
    return turn, await endpoint.end_round("t")


@real
async def test_twelve_faults_behind_a_conversation_have_their_class_and_a_refused_key_stays_refused(tmp_path):
    """In one gateway that is kept on purpose; the adapter ends it after any failure, and the last turns show why."""
    assert set(CLASSES) | {STALL} == set(USUAL_FAULTS)
    rules = [{"at": "every 1", "round": kind, "kind": kind} for kind in CLASSES]
    found: dict[str, dict[str, str]] = {"http": {}, "acp": {}}
    asked: dict[str, dict[str, int]] = {"http": {}, "acp": {}}
    main, ops = session("main").with_messages(PAST), session("ops", "canary-ops", "noted")
    async with await ModelEndpoint.start(tmp_path / "endpoint") as endpoint:
        model = ModelSpec(name="the-model", kind="scripted", script=SCRIPT, options={"faults": rules})
        key = await endpoint.open_trial("t", model, tmp_path / "transcript.jsonl")
        ctx = Context(tmp_path / "t", endpoint.url, main, [ops], key=key)
        (ctx.workspace / "notes.txt").write_text("canary fact\n")
        async with await OpenClaw(mode="acp", retries=1).open(ctx) as base:
            await _talk(base, endpoint, main)
            for name in ("warm", *CLASSES, "after"):
                for way in found if name in OVER_ACP else ["http"]:
                    turn, meter = await _one(base._gateway, endpoint, ctx.workspace, name, http=way == "http")
                    found[way][name] = turn.error.kind if turn.error else turn.text
                    asked[way][name] = meter.metered.requests
        assert reaper.find(ctx.children[0].marker) == []
        await endpoint.close_trial("t")
    assert key not in json.dumps([child.argv for child in ctx.children]), "no key is on a command line"
    _arrived([one for one in read_transcript(tmp_path / "transcript.jsonl") if one.round == "talk"])
    for way, outcomes in found.items():
        assert outcomes.pop("warm") == "fine"
        assert outcomes.pop("after") == "EndpointAuthError", (
            "one refused key disables it: that is why nothing goes on here"
        )
        assert asked[way].pop("after") == 0
        assert outcomes == {name: CLASSES[name] for name in outcomes}
        assert max(asked[way].values()) <= 8, f"retries are bounded: {asked}"


PROMPTS = ("now?", "second", "/new", "0123456789abcde\n" * 8192 + "é")
"""The third cannot go over ACP as it is."""


async def _talk(made, endpoint, main) -> None:
    """Four turns, the first with calls, and an update behind it."""
    await endpoint.begin_round("t", "talk")
    turn = await made.send(PROMPTS[0], 120)
    assert (turn.text, turn.error) == ("the answer ✓ 你好", None)
    assert [(e.kind, e.name) for e in turn.events] == [
        ("text", ""),
        ("tool_call", "read"),
        ("tool_call", "sessions_history"),
        ("tool_result", "read"),
        ("tool_result", "sessions_history"),
    ]
    assert "canary fact" in turn.events[3].text
    assert "canary-ops" in turn.events[4].text
    assert turn.usage.kind == "per_turn"
    assert turn.usage.input > turn.usage.output > 0
    grown = main.with_messages([*main.messages, Message(id="u", role="user", text="zebra-main")])
    await made.sync([SessionChange(session=main.id, action="append", before=main, after=grown)])
    for prompt in PROMPTS[1:]:
        turn = await made.send(prompt, 120)
        assert (turn.text, turn.error) == ("fine", None)
    meter = await endpoint.end_round("t")
    assert meter.metered.requests == len(PROMPTS) + 1, "no requests of its own"


def _arrived(exchanges) -> None:
    first, *_ = requests = [said({"messages": one.messages}) for one in exchanges]
    assert first[-3:] == [("user", "canary-main ü"), ("assistant", "yes"), ("user", "now?")]
    assert [texts[-1] for texts in requests[2:]] == [("user", prompt) for prompt in PROMPTS[1:]]
    assert [json.dumps(texts).count("zebra-main") for texts in requests] == [0, 0, 1, 1, 1]
