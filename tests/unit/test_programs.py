"""Programs on PATH whose work is done elsewhere."""

import asyncio
import json

import pytest

from claw_adapter.environment import Printed, Surroundings
from claw_adapter.programs import ProgramServer, Ran
from claw_adapter.testing import FolderContext, ScriptedEndpoint


async def said(words):
    """Says what it was given; fails on request."""
    if words[1:] == ["break"]:
        raise RuntimeError("it broke")
    return Ran(stdout=" ".join(words), stderr="seen", status=3 if words[1:] == ["three"] else 0)


async def executed(line):
    return Printed(line)


@pytest.mark.parametrize("isolation", [0, 1, 2])
async def test_a_shell_finds_them_at_every_isolation_level_and_in_a_long_folder(tmp_path, isolation):
    folder = tmp_path / ("long-" * 20) / ("longer-" * 20)
    server = ProgramServer(["say", "shout"], said)
    attached = await server.start(folder)
    async with ScriptedEndpoint(tmp_path / "endpoint", "hello") as endpoint:
        around = Surroundings(attached, executed)
        ctx = FolderContext(tmp_path / "trial", endpoint, isolation=isolation, environment=around)
        done = await ctx.run(["/bin/sh", "-c", "say 'two words' && shout three; echo $?"], 30)
    await server.stop()
    assert done.stdout.text.splitlines() == ["say two words", "shout three", "3"]
    assert done.stderr.text.splitlines() == ["seen", "seen"]


async def test_without_a_server_a_program_says_so(tmp_path):
    server = ProgramServer(["say"], said)
    attached = await server.start(tmp_path / "env")
    await server.stop()
    ctx = FolderContext(tmp_path / "trial", isolation=0, environment=Surroundings(attached, executed))
    done = await ctx.run(["say", "hello"], 30)
    assert done.exit.code == 69
    assert "the server is not there" in done.stderr.text


async def test_what_an_execution_raises_is_known_afterwards(tmp_path):
    server = ProgramServer(["say"], said)
    attached = await server.start(tmp_path / "env")
    ctx = FolderContext(tmp_path / "trial", isolation=0, environment=Surroundings(attached, executed))
    assert (await ctx.run(["say", "break"], 30)).exit.code == 70
    assert str(await server.settle()) == "it broke"
    assert await server.settle() is None
    await server.stop()


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"[]", 2), (b'{"argv": []}', 2), (b"not JSON", 2), (b'{"argv": ["rm"], "token": "TOKEN"}', 2),
        (b'{"argv": ["say"], "token": "guess"}', 77), (b'{"argv": ["say"], "token": "TOKEN"}', 0),
    ],
)  # fmt: skip
async def test_only_clients_are_served(tmp_path, request_, status):
    server = ProgramServer(["say"], said)
    attached = await server.start(tmp_path)
    token = json.loads((attached.readable[0] / "client.json").read_text())["token"]
    reader, writer = await asyncio.open_unix_connection(str(attached.readable[0] / "server.sock"))
    writer.write(request_.replace(b"TOKEN", token.encode()) + b"\n")
    answer = json.loads(await reader.readline())
    writer.close()
    await server.stop()
    assert answer["status"] == status


async def test_commands_at_once_are_executed_one_after_the_other(tmp_path):
    under_way, most = 0, 0

    async def slow(words):
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.01)
        under_way -= 1
        return Ran()

    server = ProgramServer(["say"], slow)
    attached = await server.start(tmp_path / "env")
    ctx = FolderContext(tmp_path / "trial", isolation=0, environment=Surroundings(attached, executed))
    done = await ctx.run(["/bin/sh", "-c", "say 1 & say 2 & say 3 & say 4 & wait"], 30)
    await server.stop()
    assert done.exit.code == 0
    assert most == 1
