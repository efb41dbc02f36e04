"""The offline policies behind an endpoint: what they read of a request."""

from __future__ import annotations

import json

import aiohttp
import pytest

from claw_adapter.reference.agent import TOOLS
from claw_adapter_forge.policies.chat import LAST_WORD, conversation, next_reply, shell_tool
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.policies.upstream import PolicyServer, completion
from claw_adapter_forge.tasks.spec import ForgeTask


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
