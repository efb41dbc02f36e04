"""The real OpenClaw with prompts over ACP: the same conversation as over HTTP, and each failure has its class.

That it goes on after being killed in mid turn is in test_killed_harness.py.

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
from claw_adapter_openclaw.adapter import OpenClaw

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say
from openclaw_context import KEY, Context, real, said, session
from openclaw_ways import conversation

from support.packages import needs_acp

pytestmark = [needs_acp, pytest.mark.timeout(900), pytest.mark.slow(50)]

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


def history(name: str) -> tuple:
    return ("sessions_history", {"sessionKey": OpenClaw().session_key(name), "includeTools": True})


@real
async def test_past_histories_tools_updates_and_exact_texts_in_one_conversation(tmp_path):
    main, ops = session("Main", "canary-main ü", "yes"), session("ops", "canary-ops", "noted")
    script = in_turn(
        Reply("I look", calls=(("read", {"path": "notes.txt"}), history("ops"))), Reply("the answer ✓ 你好")
    )
    with TalkingEndpoint(script) as server:
        ctx = Context(tmp_path / "t", server.url, main, [ops])
        (ctx.workspace / "notes.txt").write_text("canary fact\n")
        async with await OpenClaw(mode="acp").open(ctx) as made:
            turn = await made.send("now?", 120)
            assert (turn.text, turn.error) == ("the answer ✓ 你好", None)
            assert said(server.requests[0])[-3:] == [("user", "canary-main ü"), ("assistant", "yes"), ("user", "now?")]
            assert [(e.kind, e.name) for e in turn.events] == [
                ("text", ""),
                ("tool_call", "read"),
                ("tool_call", "sessions_history"),
                ("tool_result", "read"),
                ("tool_result", "sessions_history"),
            ]
            assert "canary fact" in turn.events[3].text
            assert "canary-ops" in turn.events[4].text
            assert (turn.usage.kind, turn.usage.input, turn.usage.output) == ("per_turn", 2000, 20)
            await _update_once(server, made, main)
            await _texts(server, made)
            await _stall(server, made, ctx)
    assert set(server.keys) == {f"Bearer {KEY}"}
    assert KEY not in json.dumps([child.argv for child in ctx.children]), "no key is on a command line"
    assert reaper.find(ctx.children[0].marker) == []


async def _update_once(server, made, main) -> None:
    server.script = say("two")
    grown = main.with_messages([*main.messages, Message(id="u", role="user", text="zebra-main")])
    late = session("late", "zebra-late", "b")
    assert "zebra" not in json.dumps(server.requests)
    changes = [
        SessionChange(session=main.id, action="append", before=main, after=grown),
        SessionChange(session="late", action="new", before=None, after=late),
    ]
    await made.sync(changes)
    for prompt in ("second", "third"):
        assert (await made.send(prompt, 120)).text == "two"
        assert json.dumps(said(server.requests[-1])).count("zebra-main") == 1, "later it is joined to the next message"
    server.script = in_turn(Reply(calls=(history("late"),)), Reply("seen"))
    assert "zebra-late" in (await made.send("fourth", 120)).events[-1].text


async def _texts(server, made) -> None:
    odd = "\x1b[31mred\x1b[0m\n\t﷽ 👩‍👩‍👧 end"
    server.script = say("ok ✓")
    for prompt in ("/new", odd, "0123456789abcde\n" * 8192 + "é"):
        turn = await made.send(prompt, 120)
        assert turn.text == "ok ✓", turn.error
        assert said(server.requests[-1])[-1] == ("user", prompt)
    server.script = in_turn(Reply("half", finish="length"))
    assert (await made.send("long", 120)).text == "half"


async def _stall(server, made, ctx) -> None:
    """The thirteenth fault: a model that says nothing."""
    server.script = lambda request: Reply("late", stall=60)
    turn = await made.send("hang", 3.0)
    assert turn.error.kind == "DeadlineExceeded"
    assert reaper.find(ctx.children[0].marker) == []
    assert (await made.send("again", 5)).error.kind == "HarnessCrash", "nothing is sent into it any more"


async def _one(gateway, endpoint, workspace: Path, name: str, *, http: bool):
    made = await conversation(gateway, "main" if http else name, workspace, http=http)
    await endpoint.begin_round("t", name)
    turn = await made.send(f"go {name}", 200)
    return turn, await endpoint.end_round("t")


@real
async def test_twelve_faults_of_the_endpoint_have_their_class_and_a_refused_key_stays_refused(tmp_path):
    """In one gateway that is kept on purpose; the adapter ends it after any failure, and the last turns show why."""
    assert set(CLASSES) | {STALL} == set(USUAL_FAULTS)
    rules = [{"at": "every 1", "round": kind, "kind": kind} for kind in CLASSES]
    found: dict[str, dict[str, str]] = {"http": {}, "acp": {}}
    asked: dict[str, dict[str, int]] = {"http": {}, "acp": {}}
    async with await ModelEndpoint.start(tmp_path / "endpoint") as endpoint:
        model = ModelSpec(name="the-model", kind="scripted", script=("fine",), options={"faults": rules})
        key = await endpoint.open_trial("t", model, tmp_path / "transcript.jsonl")
        ctx = Context(tmp_path / "t", endpoint.url, key=key)
        async with await OpenClaw(mode="acp", retries=1).open(ctx) as base:
            for name in ("warm", *CLASSES, "after"):
                for way in found if name in OVER_ACP else ["http"]:
                    turn, meter = await _one(base._gateway, endpoint, ctx.workspace, name, http=way == "http")
                    found[way][name] = turn.error.kind if turn.error else turn.text
                    asked[way][name] = meter.metered.requests
        await endpoint.close_trial("t")
    for way, outcomes in found.items():
        assert outcomes.pop("warm") == "fine"
        assert outcomes.pop("after") == "EndpointAuthError", (
            "one refused key disables it: that is why nothing goes on here"
        )
        assert asked[way].pop("after") == 0
        assert outcomes == {name: CLASSES[name] for name in outcomes}
        assert max(asked[way].values()) <= 8, f"retries are bounded: {asked}"
