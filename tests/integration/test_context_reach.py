"""A server that a harness runs is reached by its adapter, with a network of its own or without."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.drivers.ports import free_port
from claw_adapter.runner.context import Address
from claw_adapter.sandbox import IsolationLevel, detect
from claw_adapter.sandbox.relay import connect_unix
from claw_adapter.testing import FolderContext

SERVER = """
import socket, sys, time
time.sleep(0.3)
server = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    peer, _ = server.accept()
    peer.sendall(b"re: " + peer.recv(100))
    peer.close()
"""
LEVELS = [
    IsolationLevel.NONE,
    IsolationLevel.PROCESS,
    pytest.param(
        IsolationLevel.NAMESPACE,
        marks=pytest.mark.skipif(detect().level < IsolationLevel.NAMESPACE, reason="there are no namespaces here"),
    ),
]


def context(folder: Path, level: int) -> FolderContext:
    folder.mkdir(exist_ok=True)
    endpoint = folder / "endpoint.sock"
    endpoint.touch()
    return FolderContext(folder / "t", Address("http://127.0.0.1:1", endpoint), isolation=level)


def ask(reach) -> bytes:
    peer = connect_unix(reach.socket) if reach.socket else socket.create_connection(("127.0.0.1", reach.port))
    with peer:
        peer.sendall(b"hello")
        return peer.recv(100)


async def answer(reach) -> bytes:
    """What the server says, once it is there."""
    for _ in range(200):
        try:
            if said := await asyncio.to_thread(ask, reach):
                return said
        except OSError:
            pass
        await asyncio.sleep(0.05)
    return b""


@pytest.mark.parametrize("level", LEVELS)
async def test_the_adapter_reaches_a_port_that_its_child_listens_on(tmp_path, level):
    ctx = context(tmp_path / ("deep" * 25), level)
    port = free_port()
    argv = [os.path.realpath(sys.executable), "-I", "-c", SERVER, str(port)]
    async with await ctx.spawn(argv, listens=port) as child:
        reach = ctx.reach(port)
        assert (reach.socket is not None) == (level == IsolationLevel.NAMESPACE)
        assert await answer(reach) == b"re: hello", child.stderr.text
        if reach.socket:
            assert reach.socket.parent == ctx.state_dir
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port))
    assert reaper.find(child.marker) == []


@pytest.mark.skipif(detect().level < IsolationLevel.NAMESPACE, reason="there are no namespaces here")
async def test_nothing_is_reachable_unless_asked_for(tmp_path):
    ctx = context(tmp_path, IsolationLevel.NAMESPACE)
    async with await ctx.spawn([os.path.realpath(sys.executable), "-I", "-c", SERVER, "8123"]):
        await asyncio.sleep(0.6)
        assert not list(ctx.state_dir.iterdir())
