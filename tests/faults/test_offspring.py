"""Orphans that come to us are found, ended, and their ends taken in."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

import pytest

from claw_adapter.certify.offspring import adopting, connections, end, left_behind, offspring
from claw_adapter.drivers import reaper
from claw_adapter.drivers.ports import free_port

ORPHAN = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep({seconds})\n"


def start(seconds: float) -> None:
    subprocess.run([sys.executable, "-I", "-c", ORPHAN.format(seconds=seconds)], check=True, env={})


def test_an_orphan_without_a_mark_is_found_and_leaves_no_zombie():
    known, zombies = offspring(), reaper.zombies(os.getpid())
    with adopting():
        start(60)
        left = left_behind(known)
        end(left)
    assert len(left) == 1
    assert not offspring() - known
    assert reaper.zombies(os.getpid()) <= zombies


def test_an_orphan_that_ends_by_itself_leaves_no_zombie():
    known, zombies = offspring(), reaper.zombies(os.getpid())
    with adopting():
        start(0.05)
        limit = time.monotonic() + 10
        while offspring() - known and time.monotonic() < limit:
            time.sleep(0.01)
        assert not left_behind(known)
    assert reaper.zombies(os.getpid()) <= zombies


@pytest.mark.parametrize(("kind", "found"), [(socket.SOCK_STREAM, 0), (socket.SOCK_DGRAM, 1)], ids=["tcp", "udp"])
def test_a_port_at_which_nobody_listens_yet_may_be_asked(kind, found):
    port = free_port()
    with connections() as reached, socket.socket(type=kind) as asking:
        asking.connect_ex(("127.0.0.1", port))
    assert len(reached) == found


def test_a_port_at_which_somebody_else_listens_may_not():
    with socket.socket() as listening, connections() as reached, socket.socket() as asking:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        asking.connect_ex(listening.getsockname())
    assert len(reached) == 1
