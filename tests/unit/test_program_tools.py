"""Tools of an MCP server whose work is done elsewhere."""

import json

import pytest

from claw_adapter.environment import Printed, Surroundings
from claw_adapter.programs import Ran, ServerTool, ToolServer
from claw_adapter.testing import FolderContext, ScriptedEndpoint

SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "times": {"type": "integer"}, "any": {}},
    "required": ["text"],
}
SAY = ServerTool("say", "Says it.", SCHEMA)


async def said(tool, arguments):
    """Says what it was given; fails on request."""
    if arguments["text"] == "break":
        raise RuntimeError("it broke")
    return Ran(arguments["text"], stderr="seen", status=int(arguments["text"] == "no"))


async def executed(line):
    return Printed(line)


def calling(number, name, arguments):
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def lines(*messages):
    return "".join(f"{m if isinstance(m, str) else json.dumps({'jsonrpc': '2.0', **m})}\n" for m in messages).encode()


async def spoken(folder, attached, *messages, endpoint=None, isolation=0):
    """What the server answers when a harness starts it and says `messages`."""
    ctx = FolderContext(folder, endpoint, isolation=isolation, environment=Surroundings(attached, executed))
    (server,) = ctx.mcp
    done = await ctx.run(server.command, 30, stdin=lines(*messages), env=server.env)
    assert done.exit.code == 0, done.stderr.text
    return [json.loads(line) for line in done.stdout.text.splitlines()]


@pytest.fixture
async def talk(tmp_path):
    server = ToolServer("mouth", [SAY], said)
    attached = await server.start(tmp_path / "env")
    yield lambda *messages: spoken(tmp_path / "trial", attached, *messages)
    await server.stop()


@pytest.mark.parametrize("isolation", [0, 1, 2])
async def test_a_harness_starts_it_at_every_isolation_level(tmp_path, isolation):
    server = ToolServer("mouth", [SAY], said)
    attached = await server.start(tmp_path / ("long-" * 20) / "env")
    assert attached.path == ()
    first = {"id": 0, "method": "initialize", "params": {"protocolVersion": "2024-11-05", "capabilities": {}}}
    async with ScriptedEndpoint(tmp_path / "endpoint", "hello") as endpoint:
        answers = await spoken(
            tmp_path / "trial", attached,
            first, {"method": "notifications/initialized"}, {"id": "a", "method": "tools/list"}, {"id": 2, "method": "ping"},
            calling(3, "say", {"text": "ü ✓", "times": 2, "any": []}), calling(4, "say", {"text": "no"}),
            endpoint=endpoint, isolation=isolation,
        )  # fmt: skip
    await server.stop()
    assert [answer["id"] for answer in answers] == [0, "a", 2, 3, 4], "a notification is not answered"
    begun, listed, pong, yes, no = (answer["result"] for answer in answers)
    assert begun == {
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "mouth", "version": "1"},
    }
    assert listed == {"tools": [{"name": "say", "description": "Says it.", "inputSchema": SCHEMA}]}
    assert pong == {}
    assert yes == {"content": [{"type": "text", "text": "ü ✓\nseen"}], "isError": False}
    assert no["isError"] is True


async def test_another_version_of_the_protocol_is_answered_with_ours(talk):
    (answer,) = await talk({"id": 0, "method": "initialize", "params": {"protocolVersion": "2031-01-01"}})
    assert answer["result"]["protocolVersion"] == "2025-06-18"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "'text' is missing"), ({"text": 3}, "not of type string"), ({"text": "a", "times": True}, "not of type integer"),
        ({"text": "a", "more": 1}, "no argument 'more'"), (["a"], "not an object"),
    ],
)  # fmt: skip
async def test_arguments_that_are_none_of_the_tools_are_its_failure_and_call_nothing(talk, arguments, fault):
    (answer,) = await talk(calling(1, "say", arguments))
    assert answer["result"]["isError"] is True
    assert fault in answer["result"]["content"][0]["text"]


@pytest.mark.parametrize(
    ("message", "number", "code"),
    [
        ("not JSON", None, -32700), ("[" * 60_000, None, -32700), ({"id": 1, "method": "resources/list"}, 1, -32601),
        (calling(1, "shout", {}), 1, -32602), ({"id": 1, "method": "tools/call", "params": 5}, 1, -32602),
        ({"id": 1, "method": "ping", "more": "x" * 300_000}, 1, -32603),
    ],
)  # fmt: skip
async def test_what_it_cannot_do_is_an_error_and_it_goes_on(talk, message, number, code):
    refused, answered = await talk(message, calling(2, "say", {"text": "still there"}))
    assert (refused["id"], refused["error"]["code"]) == (number, code)
    assert answered["result"]["content"][0]["text"].startswith("still there")


async def test_what_a_call_raises_is_known_afterwards(tmp_path):
    server = ToolServer("mouth", [SAY], said)
    attached = await server.start(tmp_path / "env")
    (answer,) = await spoken(tmp_path / "one", attached, calling(1, "say", {"text": "break"}))
    assert answer["error"]["message"] == "internal error"
    assert str(await server.settle()) == "it broke"
    await server.stop()
    (answer,) = await spoken(tmp_path / "two", attached, calling(1, "say", {"text": "hello"}))
    assert "the server is not there" in answer["error"]["message"]
