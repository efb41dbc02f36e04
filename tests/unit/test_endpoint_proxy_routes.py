"""A proxy route: the harness speaks as it likes, the overlay is asked in its way, and what either asks is told apart."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from claw_adapter.endpoint.replay.recording import Recording
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import Owner
from claw_adapter.overlay import MARK, Front
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from support.proxies import SKILL, SkillProxy, serving
from support.wires import DIALECTS, ask, post, streamed, whole

CALLS = [{"name": "read_file", "arguments": {"path": "ü.md"}}, {"name": "read_file", "arguments": {"path": "b"}}]


class World:
    """An endpoint with one trial, and overlays in front of its model."""

    def __init__(self, server: EndpointServer, folder: Path, stack: AsyncExitStack) -> None:
        self.server, self.folder, self.stack = server, folder, stack
        self.transcript = folder / "t.jsonl"
        self.back = self.front = ""

    async def open(self, *script, **more) -> World:
        spec = ModelSpec(name="fixed", kind="scripted", script=script, **more)
        self.back = self.front = await self.server.open_trial("t", spec, self.transcript)
        return self

    async def wrap(self, label: str = "skills", socket: Path | None = None) -> SkillProxy:
        proxy = SkillProxy(self.server.url, self.front)
        port = await self.stack.enter_async_context(serving(proxy, socket))
        front = Front(overlay=label, port=port, socket=socket, headers={"X-Turn-Type": "main"})
        self.front = self.server.open_route("t", front)
        return proxy

    async def say(self, dialect: str = "openai-chat", text: str = "hi", **more):
        return await post(self.server.url, self.front, dialect, ask(dialect, text, **more))

    def exchanges(self) -> list:
        return list(read_transcript(self.transcript))


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(EndpointServer(tmp_path, grace=0.5))
        yield World(server, tmp_path, stack)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("item", [{"text": "long " * 30 + "😀"}, {"text": "I look.", "tools": CALLS}, {"tools": CALLS}])
async def test_every_dialect_gets_text_calls_and_counts_through_an_overlay_that_never_streams(
    world: World, dialect: str, stream: bool, item: dict
):
    proxy = await (await world.open(item)).wrap()
    await world.server.begin_round("t", "r1")
    usage = {"stream_options": {"include_usage": True}} if dialect == "openai-chat" and stream else {}
    status, text, _ = await world.say(dialect, stream=stream, tool="read_file", **usage)
    said = (streamed if stream else whole)(dialect, text)
    assert status == 200
    assert said.text == item.get("text", "")
    assert [json.loads(call["arguments"]) for call in said.calls] == [c["arguments"] for c in item.get("tools", [])]
    assert said.model == "fixed"
    assert said.usage["input"] > 0, "the harness is told what its request took, also in a stream"
    assert proxy.bodies[0].get("stream") is not True
    assert proxy.headers[0]["X-Turn-Type"] == "main"
    meter = await world.server.end_round("t")
    assert meter.metered.requests == 1
    assert meter.metered.asked["model"] == "asked", "what the harness asked for, not the overlay"
    assert meter.failure is None
    assert [event.kind for event in meter.events] == ["tool_call"] * len(item.get("tools", []))
    (exchange,) = world.exchanges()
    assert exchange.messages[0]["content"] == SKILL
    assert exchange.origin == "harness"
    assert MARK not in world.transcript.read_text()


async def test_what_an_overlay_asks_for_itself_is_counted_apart_and_is_no_part_of_the_turn(world: World):
    proxy = await (await world.open("one", "two", {"tools": CALLS[:1]})).wrap()
    await world.server.begin_round("t", "r1")
    proxy.own = ["make a skill of this", "and of that"]
    await world.say()
    meter = await world.server.end_round("t")
    assert (meter.metered.requests, meter.overlay.requests) == (1, 2)
    assert meter.overlay.input > 0
    assert [event.name for event in meter.events] == ["read_file"], "the third reply was the harness's"
    assert [exchange.origin for exchange in world.exchanges()] == ["overlay", "overlay", "harness"]
    assert (await world.server.end_round("t")).overlay.requests == 0, "each request is said once"


async def test_a_trial_without_overlays_says_nothing_of_them(world: World):
    await world.open("one")
    await world.server.begin_round("t", "r1")
    await world.say()
    assert (await world.server.end_round("t")).overlay is None


async def test_faults_by_schedule_count_the_harness_s_requests_only(world: World):
    proxy = await (await world.open("x", options={"faults": [{"at": [2], "kind": "500"}]})).wrap()
    await world.server.begin_round("t", "r1")
    proxy.own = ["mine", "mine too"]
    assert (await world.say())[0] == 200
    assert (await world.say())[0] == 500


@pytest.mark.parametrize(
    ("kind", "status", "name"),
    [
        ("500", 500, "EndpointTransientError"), ("529", 529, "EndpointTransientError"),
        ("429", 429, "EndpointQuotaError"), ("401", 401, "EndpointAuthError"), ("context", 400, "EndpointError"),
        ("filter", 400, "EndpointFilteredError"), ("garbage", 502, "EndpointMalformedError"),
        ("empty", 502, "EndpointMalformedError"), ("cut", 502, "EndpointTransientError"),
        ("refused", 502, "EndpointTransientError"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_what_fails_behind_an_overlay_comes_through_as_what_it_is(
    world: World, dialect: str, kind: str, status: int, name: str
):
    await (await world.open("x", options={"faults": [{"at": [1], "kind": kind, "retry_after": 7}]})).wrap()
    await world.server.begin_round("t", "r1")
    got, text, headers = await world.say(dialect, stream=True)
    assert got == status, text
    assert headers.get("Retry-After") == ("7" if kind in ("429", "529") else None)
    failure = (await world.server.end_round("t")).failure
    assert (failure.owner, failure.kind) == (Owner.ENDPOINT, name)


@pytest.mark.parametrize("fault", ["refuse", "garble", "late garbage", "500", "dead"])
async def test_what_an_overlay_does_wrong_is_its_own_fault(world: World, fault: str):
    proxy = await (await world.open("x")).wrap()
    await world.server.begin_round("t", "r1")
    proxy.fault = fault
    if fault == "dead":
        world.front = world.server.open_route("t", Front(overlay="skills", port=1))
    status, _, _ = await world.say()
    assert status >= 400
    meter = await world.server.end_round("t")
    assert (meter.failure.owner, meter.failure.kind, meter.failure.passing) == (Owner.OVERLAY, "OverlayError", True)
    assert "skills" in meter.failure.where
    assert meter.metered.requests == (1 if fault == "late garbage" else 0)
    kept = [exchange.origin for exchange in world.exchanges()]
    assert kept == (["harness"] if fault == "late garbage" else ["hop"])
    recorded = list(Recording(world.exchanges())._exchanges)
    assert [exchange.origin for exchange in recorded] == (["harness"] if fault == "late garbage" else [])


async def test_a_request_that_is_repeated_with_success_leaves_no_failure(world: World):
    proxy = await (await world.open("x", options={"faults": [{"at": [1], "kind": "500"}]})).wrap()
    await world.server.begin_round("t", "r1")
    assert (await world.say())[0] == 500
    proxy.own = ["an evolver's request between"]
    assert (await world.say())[0] == 200
    assert (await world.server.end_round("t")).failure is None


async def test_a_failure_of_the_overlay_s_own_request_is_none_of_the_turn(world: World):
    proxy = await (await world.open({"match": "evolve", "reply": {"fault": "500"}}, "fine")).wrap()
    await world.server.begin_round("t", "r1")
    proxy.own = ["evolve"]
    assert (await world.say())[0] == 200
    assert (await world.server.end_round("t")).failure is None
    assert [exchange.status for exchange in world.exchanges()] == [500, 200]


async def test_the_end_of_a_round_gives_up_what_hangs_but_not_what_an_overlay_still_asks(world: World):
    proxy = await (await world.open({"match": "slow", "reply": {"fault": "stall"}}, "x", timeout=6)).wrap()
    await world.server.begin_round("t", "r1")
    own = asyncio.create_task(proxy.ask({"messages": [{"role": "user", "content": "slow"}]}))
    await asyncio.sleep(0.1)
    await world.say()
    assert (await world.server.end_round("t")).overlay.requests == 0, "still under way"
    await world.server.settle("t", 60)
    assert (await world.server.end_round("t")).overlay.requests == 1
    own.cancel()
    await asyncio.gather(own, return_exceptions=True)


async def test_overlays_can_be_stacked(world: World):
    inner = await (await world.open("deep")).wrap("inner")
    outer = await world.wrap("outer")
    await world.server.begin_round("t", "r1")
    outer.own, inner.own = ["of the outer"], ["of the inner"]
    _, text, _ = await world.say()
    assert whole("openai-chat", text).text == "deep"
    meter = await world.server.end_round("t")
    assert (meter.metered.requests, meter.overlay.requests) == (1, 2)
    assert [sum(m["content"] == SKILL for m in e.messages) for e in world.exchanges() if e.origin == "harness"] == [2]
    outer.fault = "garble"
    await world.server.begin_round("t", "r2")
    await world.say()
    assert (await world.server.end_round("t")).failure.where == "overlay outer"
    outer.fault, inner.fault = "", "500"
    await world.server.begin_round("t", "r3")
    await world.say()
    assert (await world.server.end_round("t")).failure.where == "overlay inner"


async def test_an_overlay_is_reached_through_a_socket_however_long_its_path_is(world: World):
    folder = world.folder / ("a" * 60) / ("b" * 60)
    folder.mkdir(parents=True)
    proxy = SkillProxy(world.server.url, (await world.open("x")).back)
    short = Path("/proc/self/fd")
    fd = os.open(folder, os.O_RDONLY)
    try:
        await world.stack.enter_async_context(serving(proxy, short / str(fd) / "p.sock"))
        world.front = world.server.open_route("t", Front(overlay="skills", port=9, socket=folder / "p.sock"))
        assert (await world.say())[0] == 200
    finally:
        os.close(fd)


async def test_doors_close_with_their_hops(world: World):
    await (await world.open("x")).wrap()
    gone = world.front
    await world.server.close_routes("t")
    assert (await post(world.server.url, gone, "openai-chat", ask("openai-chat")))[0] == 401
    assert (await post(world.server.url, world.back, "openai-chat", ask("openai-chat")))[0] == 200


async def test_the_reader_tells_an_overlay_nothing_but_what_it_was_told_to(world: World):
    spec = ModelSpec(name="reader", kind="reader", options={"overlay_reply": "[a skill]"})
    world.back = world.front = await world.server.open_trial("t", spec, world.transcript)
    proxy = await world.wrap()
    proxy.own = ["Which options are true?"]
    await world.say()
    assert proxy.replies[0]["choices"][0]["message"]["content"] == "[a skill]"


async def test_the_key_of_a_door_is_never_written_down(world: World):
    await (await world.open("x")).wrap()
    await world.say(text=f"my key is {world.front}, theirs {world.back}")
    assert world.front not in world.transcript.read_text()
    assert world.back not in world.transcript.read_text()
