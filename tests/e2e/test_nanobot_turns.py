"""The real NanoBot behind its adapter: what is peculiar to it. The rest, equal requests included, is the certification's."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from claw_adapter.harness import Message, SessionChange
from claw_adapter_nanobot.adapter import NanoBot

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext, real, session
from nanobot_endpoint import Reply, TalkingEndpoint, in_turn, say

WHEN = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
pytestmark = pytest.mark.timeout(120)


def roles_and_texts(request) -> list[tuple[str, str]]:
    return [(m["role"], m["content"] or "") for m in request["messages"][1:]]


def tool_results(request) -> list[str]:
    return [m["content"] for m in request["messages"] if m["role"] == "tool"]


async def drive(ctx, *prompts, checkpoint=None, **options):
    async with await NanoBot(**options).open(ctx, checkpoint) as conversation:
        return [await conversation.send(prompt, 60) for prompt in prompts]


@real
async def test_each_history_can_be_read_with_its_session_tools_and_only_so(tmp_path):
    histories = [
        session(name, f"canary {name} alpha", "noted", *["filler"] * 10, f"canary {name} omega", title=f"Talk {name}")
        for name in ("ops", "sales", "dm-ann")
    ]
    calls = [("list_sessions", {}), ("search_sessions", {"query": "omega"})]
    for history in histories:
        key = NanoBot().session_key(history.id)
        calls += [("read_session", {"session_key": key}), ("read_session", {"session_key": key, "query": "alpha"})]
    with TalkingEndpoint(in_turn(Reply(calls=tuple(calls)), Reply("done"))) as server:
        (turn,) = await drive(SmallContext(tmp_path, server.url, histories=histories), "look")
    assert turn.text == "done"
    assert "canary" not in server.texts(0), "histories are not in the prompt by themselves"
    listed, found, *read = tool_results(server.requests[1])
    assert len(json.loads(listed)) == 3
    assert len(json.loads(found)["results"]) == 3
    for history, (latest, searched) in zip(histories, zip(read[::2], read[1::2], strict=True), strict=True):
        assert f"canary {history.id} omega" in latest
        assert f"canary {history.id} alpha" not in latest, "the tool shows the last eight messages"
        assert f"canary {history.id} alpha" in searched


@real
async def test_updates_are_visible_in_the_next_turn_not_before_and_once(tmp_path):
    main, ops = session("main", "q0", "a0"), session("ops", "old")
    key = NanoBot().session_key("ops")
    read = Reply(calls=(("read_session", {"session_key": key}),))
    with TalkingEndpoint(in_turn(read, Reply("one"), read, Reply("two"), Reply("three"))) as server:
        ctx = SmallContext(tmp_path, server.url, main, [ops])
        (ctx.workspace / "AGENTS.md").write_text("instruction-one")
        async with await NanoBot().open(ctx) as conversation:
            await conversation.send("first", 60)
            (ctx.workspace / "AGENTS.md").write_text("instruction-two")
            main2 = main.with_messages([*main.messages, Message(id="u", role="user", text="canary-main")])
            ops2 = ops.with_messages([*ops.messages, Message(id="u", role="user", text="canary-ops", time=WHEN)])
            await conversation.sync(
                [
                    SessionChange(session="main", action="append", before=main, after=main2),
                    SessionChange(session="ops", action="append", before=ops, after=ops2),
                ]
            )
            await conversation.send("second", 60)
            await conversation.send("third", 60)
    assert "canary" not in server.texts(1)
    assert server.texts(2).count("canary-main") == 1
    texts = [text for _, text in roles_and_texts(server.requests[2])]
    (place,) = (index for index, text in enumerate(texts) if "canary-main" in text)
    assert place > texts.index("one"), "it comes after the turn that was before it"
    assert tool_results(server.requests[3])[-1].count("canary-ops") == 1
    assert server.texts(4).count("canary-main") == 1
    assert "q0" in server.texts(4)
    assert "first" in server.texts(4), "the turns so far are still there"
    assert "instruction-one" in server.texts(0)
    assert "instruction-two" in server.texts(2), "instructions are read anew for each turn"


@real
async def test_running_out_of_requests_asks_once_more_without_tools_and_an_opening_line_is_kept(tmp_path):
    main = session("main").with_messages(
        [
            Message(id="1", role="assistant", text="canary greeting"),
            Message(id="2", role="user", text="hello"),
            Message(id="3", role="assistant", text="yes?"),
        ]
    )

    def script(request) -> Reply:
        return Reply(calls=(("list_dir", {"path": "."}),)) if request.get("tools") else Reply("what I have so far")

    with TalkingEndpoint(script) as server:
        (turn,) = await drive(SmallContext(tmp_path, server.url, main), "go", max_iterations=3)
    assert (turn.text, turn.error) == ("what I have so far", None)
    assert [bool(request.get("tools")) for request in server.requests] == [True] * 3 + [False]
    assert ("assistant", "canary greeting") in roles_and_texts(server.requests[0])


@real
async def test_token_counts_of_its_own_use_the_real_vocabulary_offline(tmp_path):
    """Without it NanoBot counts a token per byte: 40 kB of history would then not fit a window of 30,000 tokens."""
    main = session("main", "canary " + "word " * 8000, "noted")
    with TalkingEndpoint(say("ok")) as server:
        (turn,) = await drive(SmallContext(tmp_path, server.url, main), "now", context_window=30_000)
    assert turn.text == "ok"
    assert len(server.requests) == 1, "nothing was summarised"
    assert "canary" in server.texts(0)


@real
async def test_a_session_that_no_longer_fits_is_summarised_and_the_turn_says_so(tmp_path):
    texts = [f"canary-{number} " + "word " * 4000 for number in range(10)]
    with TalkingEndpoint(say("a summary")) as server:
        ctx = SmallContext(tmp_path, server.url, session("main", *texts))
        turns = await drive(ctx, "now", "again", context_window=30_000)
    notes = [event.text for turn in turns for event in turn.events if event.name == "compaction"]
    assert notes[:2] == ["NanoBot summarises the session: started", "NanoBot summarises the session: succeeded"]
    assert turns[0].error is None
    assert len(server.texts(0)) < sum(map(len, texts)) / 2, "most of it is sent no more"


@real
async def test_nanobot_still_writes_sessions_as_the_golden_file_has_them(tmp_path):
    from nanobot_golden import GOLDEN, produced

    def shape(text: str) -> list:
        lines = [json.loads(line) for line in text.splitlines()]
        for line in lines:
            line["metadata"] = sorted(line.get("metadata", {}))
            for varying in ("updated_at", "latency_ms", "tool_call_id", *(["timestamp"] if "claw" not in line else [])):
                line[varying] = varying in line
            for call in line.get("tool_calls", ()):
                call["id"] = ""
        return lines

    assert shape(await produced(tmp_path)) == shape(GOLDEN.read_text("utf-8"))
