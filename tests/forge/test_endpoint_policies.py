"""The offline policies behind an endpoint: the same choices, from a harness's own conversation and tools."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from claw_adapter.errors import (
    EndpointAuthError,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointQuotaError,
    EndpointTransientError,
)
from claw_adapter.reference.agent import TOOLS, Agent
from claw_adapter_forge.policies.chat import LAST_WORD, conversation, next_reply, shell_tool
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.policies.upstream import PolicyServer, completion
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.runner.agents import ContextOverflow, Turn
from claw_adapter_forge.runner.chat_agent import ChatAgent
from claw_adapter_forge.runner.loop import run_episode
from claw_adapter_forge.shim import ShimWorld
from claw_adapter_forge.tasks.spec import ForgeTask


def shell_in(world: ShimWorld) -> Callable[[str], tuple[int, str]]:
    def execute(command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["/bin/sh", "-c", command], capture_output=True, text=True, env=world.environment(), check=False, timeout=60
        )
        return done.returncode, done.stdout + done.stderr

    return execute


async def work(task: ForgeTask, policy: str, folder: Path, url: str, *, blank: bool = False) -> ShimWorld:
    """The reference harness, its own tools, a policy behind an endpoint, the world on PATH."""
    async with ShimWorld(task, folder, blank=blank) as world:
        agent = Agent(folder / "files", url, "key", policy, shell_in(world), 30.0)
        agent.sessions = [{"id": "main", "messages": []}]
        await asyncio.to_thread(agent.turn, world.episode.observation, lambda _event: None)
    return world


@pytest.mark.slow
async def test_the_reference_harness_works_in_a_shim_world(
    one_per_family: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    async with PolicyServer() as server:
        for number, task in enumerate(one_per_family[::6]):
            for policy in POLICIES:
                world = await work(task, policy, tmp_path / f"{number}-{policy}", server.url)
                alone = drive(task, policy)
                assert world.episode.verdict() == alone.verdict
                assert world.record(policy).strict is (policy == "careful")


@pytest.mark.slow
async def test_with_blank_output_no_policy_passes_through_the_harness(
    one_per_family: tuple[ForgeTask, ...], tmp_path: Path
) -> None:
    async with PolicyServer() as server:
        for number, task in enumerate(one_per_family[::8]):
            for policy in POLICIES:
                world = await work(task, policy, tmp_path / f"{number}-{policy}", server.url, blank=True)
                assert not world.record(policy).strict


def test_the_shell_tool_is_found_by_its_parameters() -> None:
    assert shell_tool(TOOLS) == ("exec", "command")
    odd = {"name": "Terminal", "parameters": {"properties": {"cmd": {"type": "string"}}}}
    assert shell_tool([TOOLS[0], odd]) == ("Terminal", "cmd")
    assert shell_tool(TOOLS[:3]) is None


def test_without_a_request_or_a_shell_a_policy_only_says_its_last_word(paper: tuple[ForgeTask, ...]) -> None:
    assert next_reply("careful", [{"role": "user", "content": "hello"}], TOOLS).text == LAST_WORD
    assert next_reply("careful", [{"role": "user", "content": "Request:\nx"}], TOOLS[:3]).text == LAST_WORD


def test_the_conversation_is_read_from_calls_and_results() -> None:
    call = {"id": "c1", "function": {"name": "exec", "arguments": '{"command": "tasks list"}'}}
    other = {"id": "c2", "function": {"name": "read_file", "arguments": '{"path": "x"}'}}
    messages = [
        {"role": "system", "content": "be good"},
        {"role": "user", "content": [{"type": "text", "text": "Hi\nRequest:\ndo it"}]},
        {"role": "assistant", "content": None, "tool_calls": [call, other]},
        {"role": "tool", "tool_call_id": "c2", "content": "zzz"},
        {"role": "tool", "tool_call_id": "c1", "content": "Tasks:"},
    ]
    assert conversation(messages) == ("Request:\ndo it", [("tasks list", "Tasks:")])


async def test_the_server_streams_and_refuses_what_it_does_not_know() -> None:
    body = {"model": "careful", "messages": [{"role": "user", "content": "hello"}], "stream": True}
    async with PolicyServer() as server, aiohttp.ClientSession() as client:
        async with client.post(f"{server.url}/chat/completions", json=body) as answer:
            lines = [line async for line in answer.content if line.strip()]
        assert lines[-1].strip() == b"data: [DONE]"
        assert json.loads(lines[0][6:])["choices"][0]["delta"]["content"] == LAST_WORD
        for wrong in ({"model": "gpt"}, {"model": "careful"}):
            async with client.post(f"{server.url}/chat/completions", json=wrong) as answer:
                assert answer.status == 400
        async with client.get(f"{server.url}/models") as answer:
            assert {m["id"] for m in (await answer.json())["data"]} == set(POLICIES)


def test_an_unknown_model_is_an_error() -> None:
    with pytest.raises(KeyError, match="no policy"):
        completion({"model": "gpt", "messages": []})


async def test_a_model_behind_an_endpoint_works_in_the_bare_loop(paper: tuple[ForgeTask, ...]) -> None:
    async with PolicyServer() as server:
        for task in paper[::60]:
            for policy in ("careful", "half-finisher"):
                agent = ChatAgent(policy, server.url)
                record = await asyncio.to_thread(run_episode, agent, task)
                assert record.strict is (policy == "careful")
                assert [s.command for s in record.steps] == [e.line for e in drive(task, policy).executions]
        with pytest.raises(EndpointError, match="HTTP 400"):
            await asyncio.to_thread(ChatAgent("gpt", server.url).reply, [Turn("user", "hi")])


def test_a_provider_s_failures_have_their_own_errors(paper: tuple[ForgeTask, ...]) -> None:
    gone = ChatAgent("m", "http://127.0.0.1:9/v1", timeout=1.0)
    with pytest.raises(EndpointTransientError):
        gone.reply([Turn("user", "hi")])
    record = run_episode(gone, paper[0])
    assert (record.ended, record.provider_failure) == ("provider", True)
    with pytest.raises(EndpointError, match="not an http address"):
        ChatAgent("m", "ftp://x/v1")


async def test_statuses_filters_and_rubbish_of_a_provider() -> None:
    answers = [(401, "no"), (402, "no"), (429, "no"), (503, "no"), (400, "content_filter"), (200, "rubbish")]
    answers += [(400, "maximum context length is 4096 tokens"), (429, "insufficient_quota"), (400, "bad role")]
    answers.append((200, json.dumps({"choices": [{"message": {}, "finish_reason": "content_filter"}]})))
    kinds = [EndpointAuthError, EndpointQuotaError, EndpointTransientError, EndpointTransientError]
    kinds += [EndpointFilteredError, EndpointMalformedError, ContextOverflow, EndpointQuotaError, EndpointError]
    kinds.append(EndpointFilteredError)

    async def handle(_request: web.Request) -> web.Response:
        status, text = answers[len(seen)]
        seen.append(status)
        return web.Response(status=status, text=text)

    seen: list[int] = []
    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    agent = ChatAgent("m", f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    try:
        for kind in kinds:
            with pytest.raises(kind):
                await asyncio.to_thread(agent.reply, [Turn("user", "hi")])
    finally:
        await runner.cleanup()
