"""The offline policies as a model: behind tools and without, the choices are those that a policy makes by itself."""

from __future__ import annotations

import json

import aiohttp
import pytest

from claw_adapter.bare.adapter import BareHarness
from claw_adapter.bare.history import RULE
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.environment import Attached, Printed, Surroundings
from claw_adapter.errors import AdapterError
from claw_adapter.protocol import ModelSpec
from claw_adapter.testing import FolderContext
from claw_adapter_forge.policies.chat import LAST_WORD, next_reply, spoken
from claw_adapter_forge.policies.model import PolicyModel
from claw_adapter_forge.policies.offline import POLICIES
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.state import World
from support.commands import call

TOOL = {"type": "function", "function": {"name": "sh", "parameters": {"properties": {"cmd": {"type": "string"}}}}}


def spec(policy: str) -> ModelSpec:
    return ModelSpec(name=f"policy-{policy}", kind="policy", options={"name": policy}, embedded=True)


def test_an_unknown_policy_is_refused_with_those_there_are(tmp_path):
    with pytest.raises(AdapterError, match="no policy 'wise'") as caught:
        PolicyModel("wise")
    assert all(name in caught.value.remedy for name in POLICIES)
    done = call("run", "demo", "-m", "policy:wise", "--out", tmp_path / "run")
    assert done.code == 2
    assert "half-finisher" in done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("policy", list(POLICIES))
async def test_without_tools_it_is_an_agent_of_the_bare_loop(tmp_path, one_per_family: tuple[ForgeTask, ...], policy):
    async with EndpointServer(tmp_path) as server:
        for number, task in enumerate(one_per_family[::6]):
            world, lines = World(task.start), []

            async def typed(line: str, world: World = world, lines: list[str] = lines) -> Printed:
                done = execute(world, line)
                lines.append(line)
                return Printed(done.text, done.output.code)

            key = await server.open_trial("t", spec(policy), tmp_path / "t.jsonl")
            ctx = FolderContext(tmp_path / str(number), server, key=key, environment=Surroundings(Attached(), typed))
            async with await BareHarness().open(ctx) as conversation:
                for prompt in (first_observation(task.instruction, task.start), "Thanks. That is all."):
                    before = list(lines)
                    turn = await conversation.send(prompt, 60)
                    if prompt.startswith("Request"):
                        assert lines == [e.line for e in drive(task, policy).executions]
                        assert turn.text == "done"
            assert lines[: len(before)] == before


async def test_with_tools_it_types_into_the_shell_in_every_dialect(tmp_path, paper: tuple[ForgeTask, ...]):
    task = paper[3]
    lines = [e.line for e in drive(task, "careful").executions]
    request = first_observation(task.instruction, task.start)
    async with EndpointServer(tmp_path) as server, aiohttp.ClientSession() as client:
        key = await server.open_trial("t", spec("careful"), tmp_path / "t.jsonl")
        url, headers = f"{server.url}/v1/chat/completions", {"x-api-key": key}
        messages, world, ids = [{"role": "user", "content": request}], World(task.start), []
        for line in lines:
            async with client.post(url, json={"messages": messages, "tools": [TOOL]}, headers=headers) as answer:
                (choice,) = (await answer.json())["choices"]
            (asked,) = choice["message"]["tool_calls"]
            assert (asked["function"]["name"], json.loads(asked["function"]["arguments"])) == ("sh", {"cmd": line})
            ids.append(asked["id"])
            printed = execute(world, line).text
            messages += [choice["message"], {"role": "tool", "tool_call_id": asked["id"], "content": printed}]
        async with client.post(url, json={"messages": messages, "tools": [TOOL]}, headers=headers) as answer:
            assert (await answer.json())["choices"][0]["message"]["content"] == LAST_WORD
        assert len(set(ids)) == len(lines)
        body = {
            "messages": [{"role": "user", "content": request}], "max_tokens": 9, "stream": True,
            "tools": [{"name": "sh", "input_schema": TOOL["function"]["parameters"]}],
        }  # fmt: skip
        async with client.post(f"{server.url}/v1/messages", json=body, headers=headers) as answer:
            assert '"tool_use"' in await answer.text()


def test_the_last_request_of_a_conversation_counts(paper: tuple[ForgeTask, ...]):
    first, second = (first_observation(task.instruction, task.start) for task in (paper[0], paper[200]))
    talk = [
        ("user", first),
        ("assistant", "x"),
        ("user", "[exit 0]\nRequest:\nno"),
        ("assistant", "done"),
        ("user", second),
    ]
    messages = [{"role": role, "content": f"{text}\n\n{RULE}" if "Commands" in text else text} for role, text in talk]
    assert spoken(messages[:3]) == [("x", "Request:\nno")]
    assert spoken(messages) == []
    for policy in POLICIES:
        alone = drive(paper[200], policy).executions
        assert next_reply(policy, messages, ()).text == alone[0].line
