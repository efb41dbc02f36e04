"""Promise: a terminal carries bytes both ways unchanged, keeps deadlines, leaves nothing behind, and stays bounded."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
import secrets
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from claw_adapter.drivers import (
    PIPE,
    Command,
    CommandInvalid,
    Limits,
    ProgramNotFound,
    ProgramNotStarted,
    environment,
    reaper,
)
from claw_adapter.drivers.pty import start_pty
from claw_adapter.errors import DeadlineExceeded, HarnessCrash
from claw_adapter.sandbox import Confinement, IsolationLevel, detect, wrap
from support.processes import HANG, until

BACK = "import os, sys\nwhile data := os.read(0, 65536):\n    os.write(1, data)\n"
"""Gives back what it gets."""
ALL_BYTES = bytes(range(256))
ANSI = b"\x1b[?25l\x1b[2J\x1b[31mred\x1b[0m\r\x1b]0;title\x07\x1b[1;1H\n"


@pytest.fixture
def marker():
    """A marker of this test alone; whatever the test did, nothing that carries it is left behind."""
    value = f"test-{secrets.token_hex(6)}"
    yield value
    reaper.sweep(value, 2)


def python(code: str, marker: str = "", **more) -> Command:
    return Command((sys.executable, "-I", "-c", code), env=environment(), marker=marker, **more)


async def test_1_mb_of_any_bytes_goes_through_unchanged_in_both_directions(marker):
    data = os.urandom(1_000_000) + b"\nEND-OF-DATA\n"
    async with await start_pty(python(BACK, marker)) as child:
        await child.send(data, 30)
        heard = await child.expect(rb"END-OF-DATA\n", 30)
    assert heard.before + heard.match == data
    assert heard.dropped == 0


async def test_the_child_gets_a_single_line_of_1_mb_whole(marker):
    code = (
        "import hashlib, sys\n"
        "line = sys.stdin.buffer.readline()\n"
        "print(len(line), hashlib.sha256(line).hexdigest(), flush=True)\n"
    )
    line = b"x" * 999_999 + b"\n"
    async with await start_pty(python(code, marker)) as child:
        await child.send(line, 30)
        heard = await child.expect(rb"(\d+) ([0-9a-f]{64})\n", 30)
    assert heard.groups == (b"1000000", hashlib.sha256(line).hexdigest().encode())


@pytest.mark.parametrize("data", [ALL_BYTES, b"\xff\xfe\x80 caf\xc3", ANSI, b"\x03\x04\x1a\x11\x13\x00\r\n"])
async def test_invalid_utf8_control_bytes_and_ansi_are_bytes_like_others(marker, data):
    async with await start_pty(python(BACK, marker)) as child:
        await child.send(data + b"|", 10)
        heard = (
            await child.expect(rb"\|$", 10) if b"|" not in data else await child.expect(re.escape(data) + rb"\|", 10)
        )
        assert heard.before + heard.match == data + b"|"
        assert child.exit is None
    assert isinstance(heard.text, str)


async def test_nothing_is_echoed_and_line_ends_are_not_translated(marker):
    code = "import os; os.read(0, 100); os.write(1, b'one\\ntwo\\n'); os.read(0, 1)"
    async with await start_pty(python(code, marker)) as child:
        await child.send(b"secret\n", 10)
        heard = await child.expect(rb"two\n", 30)
        await child.send(b"x")
    assert heard.before + heard.match == b"one\ntwo\n"


async def test_it_is_a_terminal_of_its_own_and_the_environment_is_exact(marker, monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", "sk-canary")
    code = (
        "import os\n"
        "print(os.isatty(0), os.isatty(1), os.isatty(2), os.getsid(0) == os.getpid(), os.get_terminal_size().columns)\n"
        "os.close(os.open('/dev/tty', os.O_RDWR))\n"
        "print(sorted(os.environ))\n"
    )
    command = Command(
        (sys.executable, "-I", "-c", code), env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, marker=marker
    )
    async with await start_pty(command, size=(30, 123)) as child:
        heard = await child.expect(rb"True True True True 123\n.*\]\n", 10)
    assert b"['CLAW_TRIAL', 'LC_ALL', 'PATH']" in heard.match


async def test_the_first_of_several_patterns_and_what_was_before(marker):
    async with await start_pty(python("print('first then second'); input()", marker)) as child:
        heard = await child.expect([b"second", re.compile(rb"FIRST", re.IGNORECASE), "third"], 10)
        assert (heard.index, heard.match, heard.before) == (1, b"first", b"")
        heard = await child.expect("second", 10)
        assert (heard.index, heard.before) == (0, b" then ")


async def test_a_match_may_arrive_in_pieces(marker):
    code = "import os, time\nfor c in 'ready> ': os.write(1, c.encode()); time.sleep(0.02)\ninput()"
    async with await start_pty(python(code, marker)) as child:
        assert (await child.expect(rb"ready> ", 10)).match == b"ready> "


async def test_a_child_that_dies_is_told_with_its_status_and_last_words(marker):
    async with await start_pty(python("import sys; print('last words'); sys.exit(7)", marker)) as child:
        with pytest.raises(HarnessCrash, match=r"(?s)exit status 7.*last words"):
            await child.expect(rb"never", 10)
        with pytest.raises(HarnessCrash):
            await child.send(b"x" * 200_000, 10)
    async with await start_pty(python("import os; os.kill(os.getpid(), 9)", marker)) as child:
        with pytest.raises(HarnessCrash, match="SIGKILL"):
            await child.expect(rb"never", 10)


async def test_what_a_child_said_before_it_died_is_not_lost(marker):
    async with await start_pty(python("print('the answer')", marker)) as child:
        assert (await child.wait(10)).ok
        heard = await child.read_until_quiet(30, 60)
    assert heard.text == "the answer\n"
    assert heard.ended


HANGS = {
    "hangs": "import time; time.sleep(60)",
    "ignores SIGTERM and SIGHUP": (
        "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 15)]\nwhile True: time.sleep(60)"
    ),
    "setsid grandchild": "import subprocess, time; subprocess.Popen(['setsid', 'sleep', '60']); time.sleep(60)",
    "orphaned grandchild": (
        "import subprocess, time; subprocess.Popen(['sh', '-c', 'trap \"\" HUP TERM; setsid sleep 60 & sleep 60 & exit']);"
        "time.sleep(60)"
    ),
}


@pytest.mark.parametrize("how", ["expect", "read_until_quiet", "send"])
@pytest.mark.parametrize("code", HANGS.values(), ids=HANGS)
async def test_a_passed_deadline_kills_the_whole_family(marker, code, how):
    noise = (
        "import threading, os, time\n"
        "def talk():\n"
        "    for _ in range(3000): os.write(1, b'.'); time.sleep(.02)\n"
        "threading.Thread(target=talk, daemon=True).start()\n"
    )
    child = await start_pty(python(noise + code, marker))
    await child.expect(rb"\.\.\.", 10)
    began = time.monotonic()
    calls = {
        "expect": lambda: child.expect("never", 1),
        "read_until_quiet": lambda: child.read_until_quiet(30, 1),
        "send": lambda: child.send(b"x" * 5_000_000, 1),
    }
    with pytest.raises(DeadlineExceeded, match="within 1 s") as caught:
        await calls[how]()
    assert time.monotonic() - began < HANG
    assert "its output ends with" in str(caught.value)
    assert reaper.find(marker) == []
    assert child.exit is not None


async def test_a_grandchild_that_holds_the_terminal_open_is_ended_by_stop(marker):
    code = (
        "import subprocess; subprocess.Popen(['sh', '-c', 'trap \"\" HUP; sleep 60']); print('parent done', flush=True)"
    )
    child = await start_pty(python(code, marker))
    assert (await child.expect("parent done", 10)).match
    await child.wait(10)
    assert await child.stop(0.2) == 0
    assert reaper.find(marker) == []


async def test_a_child_that_ends_on_sigterm_is_given_the_time(marker, tmp_path):
    code = (
        "import signal, sys, time\n"
        f"signal.signal(15, lambda *_: (open({str(tmp_path / 'saved')!r}, 'w').write('saved'), sys.exit(7)))\n"
        "print('up', flush=True); time.sleep(60)"
    )
    child = await start_pty(python(code, marker))
    await child.expect("up", 10)
    assert await child.stop(5) == 0
    assert str(child.exit) == "exit status 7"
    assert (tmp_path / "saved").read_text() == "saved"


async def test_cancelling_loses_no_output_and_leaves_the_child_running(marker):
    code = "import os; os.write(1, b'one '); os.read(0, 1); os.write(1, b'two'); os.read(0, 1)"
    async with await start_pty(python(code, marker)) as child:
        task = asyncio.create_task(child.expect("two", 30))
        await until(lambda: child.stdout.total >= len("one "))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert child.exit is None
        await child.send(b"x", 10)
        assert (await child.expect("two", 30)).before == b"one "


@pytest.mark.slow
async def test_50_mb_of_output_stay_bounded_and_the_end_is_still_found(marker, tmp_path):
    code = (
        "import os\n"
        "block = b'x' * 65536\n"
        "def put(data):\n"
        "    while data: data = data[os.write(1, data):]\n"
        "for _ in range(800): put(block)\n"
        "put(b'\\nTHE END')\n"
        "os.read(0, 1)\n"
    )
    limits = Limits(head_bytes=1000, tail_bytes=1000)
    tracemalloc.start()
    try:
        async with await start_pty(python(code, marker, limits=limits), window=1_000_000) as child:
            heard = await child.expect(rb"THE END", 240)
            peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    total = 800 * 65536 + len(b"\nTHE END")
    assert heard.dropped + len(heard.before) + len(heard.match) == total
    assert len(heard.before) <= 2_000_000
    assert child.stdout.total == total
    assert len(child.stdout.data) == 2000
    assert peak < 20_000_000


async def test_output_nobody_reads_does_not_stop_the_child(marker):
    code = "import os\nfor _ in range(200): os.write(1, b'y' * 65536)\n"
    async with await start_pty(python(code, marker), window=100_000) as child:
        assert (await child.wait(60)).ok
        heard = await child.read_until_quiet(30, 60)
    assert heard.dropped > 0
    assert heard.dropped + len(heard.before) == child.stdout.total


async def test_what_cannot_be_started_is_typed_with_its_reason(tmp_path):
    with pytest.raises(ProgramNotFound, match="no such program"):
        await start_pty(Command(("no-such-program-here",), env=environment()))
    plain = tmp_path / "plain"
    plain.write_text("text")
    with pytest.raises(ProgramNotStarted, match="could not be started"):
        await start_pty(Command((str(plain),), env=environment()))
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    before = len([*Path("/proc/self/fd").iterdir()])
    with pytest.raises(ProgramNotStarted, match="interpreter") as caught:
        await start_pty(Command((str(script),), env=environment()))
    assert len([*Path("/proc/self/fd").iterdir()]) <= before
    assert caught.value.remedy
    with pytest.raises(ProgramNotStarted, match="working folder"):
        await start_pty(Command(("true",), env=environment(), cwd=tmp_path / "absent"))
    with pytest.raises(CommandInvalid, match="input of a terminal"):
        await start_pty(Command(("cat",), env=environment(), stdin=b"data"))
    with pytest.raises(CommandInvalid):
        await start_pty(Command((), env=environment(), stdin=PIPE))


async def test_the_program_is_looked_for_on_the_childs_path_and_started_in_its_folder(tmp_path, marker):
    tool = tmp_path / "only-here"
    tool.write_text("#!/bin/sh\npwd\n")
    tool.chmod(0o755)
    command = Command(("only-here",), env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, cwd=tmp_path, marker=marker)
    async with await start_pty(command) as child:
        assert (await child.expect(rb"(.*)\n", 10)).groups == (str(tmp_path).encode(),)


async def test_descriptors_are_passed_on_and_no_other_is_inherited(tmp_path, marker):
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        read, write = os.pipe()
        os.write(write, b"through a pipe\n")
        os.close(write)
        code = (
            "import os\n"
            f"print(os.read({read}, 100))\n"
            "paths = [f'/proc/self/fd/{n}' for n in os.listdir('/proc/self/fd') if int(n) > 2]\n"
            "print([os.readlink(path) for path in paths if os.path.exists(path)])\n"
        )
        async with await start_pty(python(code, marker, pass_fds=(read,))) as child:
            heard = await child.expect(rb"\]\n", 10)
        os.close(read)
    assert b"through a pipe" in heard.before
    assert b"secret" not in heard.before


async def test_many_children_leave_no_descriptor_and_no_zombie_behind(marker):
    async with await start_pty(python("pass", marker)) as child:
        await child.wait(10)
    before, known = len([*Path("/proc/self/fd").iterdir()]), reaper.zombies(os.getpid())
    for _ in range(20):
        async with await start_pty(Command(("echo", "x"), env=environment(), marker=marker)) as child:
            await child.expect("x", 10)
    assert len([*Path("/proc/self/fd").iterdir()]) <= before
    assert reaper.zombies(os.getpid()) <= known


@pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}")
async def test_in_a_namespace_too_bytes_are_unchanged_and_a_deadline_leaves_nothing(marker, tmp_path):
    code = BACK + "\nimport time; time.sleep(60)"
    confinement = Confinement(level=IsolationLevel.NAMESPACE, home=tmp_path, cwd=tmp_path)
    argv, env = wrap((os.path.realpath(sys.executable), "-I", "-c", code), environment(), confinement)
    child = await start_pty(Command(argv, env=env, cwd=tmp_path, marker=marker))
    data = os.urandom(200_000) + b"\nEND-OF-DATA\n"
    await child.send(data, 20)
    heard = await child.expect(rb"END-OF-DATA\n", 20)
    assert heard.before + heard.match == data
    with pytest.raises(DeadlineExceeded):
        await child.expect("never", 0.5)
    assert reaper.find(marker) == []
