"""Promise: a machine that stands still for a moment changes no result: what came counts, what is to die is killed.

The loop is held up on purpose until both a deadline has passed and what it waits for is there.
"""

import asyncio
import contextlib
import fcntl
import os
import secrets
import signal
import struct
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from claw_adapter.drivers import PIPE, Command, Lifeline, LineChild, Process, environment, process, reaper, run, start
from claw_adapter.drivers import lifeline as lifelines
from claw_adapter.drivers.acp import AcpChild
from claw_adapter.drivers.waiting import shielded, to_thread
from claw_adapter.errors import SandboxError
from support.processes import until

SHORT = 0.05


@pytest.fixture
def marker():
    value = f"test-{secrets.token_hex(6)}"
    yield value
    reaper.sweep(value, 2)


def shell(script: str, marker: str, **more) -> Command:
    return Command(("sh", "-c", script), env=environment(), marker=marker, **more)


def hold_up(ready: Callable[[], object]) -> None:
    """Hold the loop up, from its next turn on, until something is there and a deadline of SHORT has passed."""

    def held() -> None:
        end = time.monotonic() + 3 * SHORT
        while not ready() or time.monotonic() < end:
            time.sleep(0.005)

    asyncio.get_running_loop().call_soon(held)


def gone(child: Process) -> Callable[[], bool]:
    return lambda: reaper.entry(child.pid) is None


def waiting(child: Process) -> int:
    """Bytes in the pipe of its standard output."""
    return struct.unpack("i", fcntl.ioctl(child._out._fd, termios.FIONREAD, b"\0" * 4))[0]


async def test_a_child_that_has_ended_when_the_deadline_is_noticed_has_ended(marker):
    async with await start(shell("exit 0", marker)) as child:
        hold_up(gone(child))
        assert await child.ended(SHORT)
        assert child.exit.ok


async def test_a_check_that_passed_in_time_is_not_timed_out_because_the_loop_was_held_up(marker, monkeypatch):
    began = process.Process.__init__

    def made(self, *given) -> None:
        began(self, *given)
        hold_up(gone(self))

    monkeypatch.setattr(process.Process, "__init__", made)
    done = await run(shell("exit 0", marker), 2 * SHORT)
    assert done.exit.ok
    assert not done.timed_out


async def test_a_line_that_is_there_when_the_deadline_is_noticed_is_read(marker):
    async with await start(shell("read asked; echo answer; sleep 60", marker, stdin=PIPE, lines=True)) as child:
        asyncio.get_running_loop().call_soon(os.write, child._in._pipe.fileno(), b"\n")
        hold_up(lambda: waiting(child))
        assert await child.readline(SHORT) == b"answer\n"


async def test_streams_that_have_ended_when_the_deadline_is_noticed_are_drained(marker):
    async with await start(shell("exit 0", marker)) as child:
        hold_up(gone(child))
        assert await child.drained(SHORT)


async def test_an_answer_that_is_there_when_the_deadline_is_noticed_is_the_answer(marker):
    answer = '{"id": 1, "result": {"text": "in time"}}'
    child = LineChild(await start(shell(f"echo '{answer}'; sleep 60", marker, stdin=PIPE, lines=True)))
    try:
        hold_up(lambda: waiting(child.process))
        assert await child.call("turn", {}, SHORT) == {"text": "in time"}
    finally:
        await child.close(0)


async def test_what_left_the_group_is_killed_even_when_the_first_look_outlasts_the_time_for_killing(
    marker, monkeypatch
):
    child = await start(shell("setsid sleep 61 & echo up; sleep 62", marker, lines=True))
    await child.readline()
    await until(lambda: len(reaper.find(marker)) >= 3)
    look, looks = reaper.look, []

    def slow(*given):
        looks.append(look(*given))
        if len(looks) == 1:
            time.sleep(1.0)  # longer than KILL_SECONDS
        return looks[-1]

    monkeypatch.setattr(reaper, "look", slow)
    await child.stop(0)
    monkeypatch.undo()
    async with asyncio.timeout(30):
        await until(lambda: not reaper.find(marker))


async def test_stop_looks_twice_since_a_process_that_replaces_its_program_shows_no_marker(marker, monkeypatch):
    child = await start(shell("setsid sleep 61 & echo up; exit", marker, lines=True))
    await child.readline()
    await child.ended()
    await until(lambda: len(reaper.find(marker)) == 1)
    look, looks = reaper.look, []

    def blind_at_first(*given):
        looks.append(given)
        return look(*given) if len(looks) > 1 else ([], False)

    monkeypatch.setattr(reaper, "look", blind_at_first)
    assert await child.stop(0) == 0
    monkeypatch.undo()
    assert reaper.find(marker) == []


@pytest.mark.parametrize(("whole", "times"), [(True, 1), (False, 2)])
async def test_stop_is_over_with_one_look_that_missed_nothing(marker, monkeypatch, whole, times):
    child = await start(shell("exit", marker))
    await child.ended()
    looks = []
    monkeypatch.setattr(reaper, "look", lambda *given: (looks.append(given) or [], whole))
    assert await child.stop(0) == 0
    assert len(looks) == times


async def test_stop_tries_again_when_processes_were_left(marker, monkeypatch):
    child = await start(shell("echo up; sleep 62", marker, lines=True))
    await child.readline()
    monkeypatch.setattr(process, "KILL_SECONDS", 0.05)
    monkeypatch.setattr(reaper, "send", lambda *_: None)
    monkeypatch.setattr(os, "killpg", lambda *_: None)
    assert await child.stop(0) > 0
    monkeypatch.undo()
    assert await child.stop(0) == 0
    assert child.exit is not None
    assert child.exit.signal == signal.SIGKILL
    assert reaper.find(marker) == []


async def cancel_its_close(child: LineChild | AcpChild) -> None:
    """Begin to close it, and cancel that while it waits for the child to end by itself."""
    closing = asyncio.create_task(child.close(60))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing


async def test_a_close_that_is_cancelled_ends_the_child_all_the_same(marker):
    child = LineChild(await start(shell("sleep 96", marker, stdin=PIPE, lines=True)))
    await cancel_its_close(child)
    assert reaper.find(marker) == []


async def test_a_lifeline_that_is_cancelled_twice_while_it_closes_has_swept():
    lifeline, up = Lifeline(), asyncio.Event()
    started = []

    async def body() -> None:
        async with lifeline:
            started.append(await start(shell("sleep 97", lifeline.marker + "/t")))
            up.set()
            await asyncio.sleep(3600)

    task = asyncio.create_task(body())
    await up.wait()
    sidecar = lifeline._sidecar
    os.kill(sidecar.pid, signal.SIGSTOP)  # the sidecar gets no time until both have been heard
    task.cancel()
    await until(lambda: lifeline._sidecar is None)
    task.cancel()
    await asyncio.sleep(SHORT)
    with contextlib.suppress(ProcessLookupError):
        os.kill(sidecar.pid, signal.SIGCONT)
    await asyncio.wait({task})
    assert task.cancelled()
    assert reaper.find(lifeline.marker) == []
    await started[0].stop(0)


async def test_a_lifeline_is_only_there_when_signals_of_a_terminal_no_longer_end_its_sidecar(monkeypatch, tmp_path):
    """A sidecar that takes its time before it is deaf to them is waited for."""
    slow, deaf = tmp_path / "reaper.py", "    for number in (signal.SIGINT"
    slow.write_text(Path(reaper.__file__).read_text().replace(deaf, f"    time.sleep(0.5)\n{deaf}"))
    monkeypatch.setattr(lifelines.reaper, "__file__", str(slow))
    async with Lifeline() as lifeline:
        monkeypatch.undo()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(lifeline._sidecar.pid, number)
        assert not await lifeline._sidecar.ended(SHORT)
        child = await start(shell("sleep 97", lifeline.marker))
    assert await child.ended()
    await child.stop(0)


async def test_a_sidecar_that_does_not_come_up_is_an_error_with_its_last_words(monkeypatch, tmp_path):
    broken = tmp_path / "reaper.py"
    broken.write_text("import sys\nsys.stdin.readline()\nsys.exit('no such luck')\n")
    monkeypatch.setattr(lifelines.reaper, "__file__", str(broken))
    with pytest.raises(SandboxError, match="no such luck"):
        async with Lifeline():
            pass


async def test_work_in_a_thread_leaves_the_loop_free_and_is_waited_for_when_cancelled():
    began, go_on, done = asyncio.Event(), threading.Event(), []
    loop = asyncio.get_running_loop()

    def work() -> None:
        loop.call_soon_threadsafe(began.set)
        go_on.wait()
        done.append(1)

    task = asyncio.create_task(to_thread(work))
    await began.wait()
    for _ in range(3):
        task.cancel()
        await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert done


async def test_what_is_waited_for_whole_returns_and_raises_as_itself():
    async def failing() -> None:
        raise ValueError("as it is")

    assert await shielded(asyncio.sleep(0, "value")) == "value"
    with pytest.raises(ValueError, match="as it is"):
        await shielded(failing())


async def test_the_close_of_an_acp_agent_that_is_cancelled_ends_it_all_the_same(marker):
    pytest.importorskip("acp", reason="the extra claw-adapter[acp] is not installed")
    child = AcpChild(await start(shell("sleep 96", marker, stdin=PIPE, lines=True)), "allow", "per_turn")
    await cancel_its_close(child)
    assert reaper.find(marker) == []
