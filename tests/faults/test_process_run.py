"""Promise: a deadline is kept, nothing survives it, and an answer that came is never lost."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import (
    PIPE,
    Command,
    CommandInvalid,
    ProgramNotFound,
    ProgramNotStarted,
    environment,
    reaper,
    run,
    start,
)
from claw_adapter.errors import DeadlineExceeded, HarnessNotFound
from claw_adapter.sandbox import Confinement, IsolationLevel, detect, wrap
from support.processes import HANG, until

LEVELS = [
    IsolationLevel.PROCESS,
    pytest.param(
        IsolationLevel.NAMESPACE,
        marks=pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}"),
    ),
]

STUBBORN = {
    "plain": "import time; time.sleep(60)",
    "grandchild holds the pipe": "import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)",
    "setsid grandchild": "import subprocess, time; subprocess.Popen(['setsid', 'sleep', '60']); time.sleep(60)",
    "orphaned setsid grandchild": (
        "import subprocess, time; subprocess.Popen(['sh', '-c', 'setsid sh -c \"sleep 60 & sleep 60\" & exit']);"
        "time.sleep(60)"
    ),
    "ignores SIGTERM": "import signal, time; signal.signal(15, signal.SIG_IGN)\nwhile True: time.sleep(60)",
    "all of it": (
        "import signal, subprocess, time; signal.signal(15, signal.SIG_IGN)\n"
        "subprocess.Popen(['setsid', 'sh', '-c', 'trap \"\" TERM; while :; do sleep 1; done'])\n"
        "while True: time.sleep(60)"
    ),
}


@pytest.fixture
def marker():
    """A marker of this test alone; whatever the test did, nothing that carries it is left behind."""
    value = f"test-{secrets.token_hex(6)}"
    yield value
    reaper.sweep(value, 2)


def confined(level: IsolationLevel, code: str, marker: str, tmp_path: Path) -> Command:
    confinement = Confinement(level=level, home=tmp_path, cwd=tmp_path)
    argv, env = wrap((os.path.realpath(sys.executable), "-I", "-c", code), environment(), confinement)
    return Command(argv, env=env, cwd=tmp_path, marker=marker)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("code", STUBBORN.values(), ids=STUBBORN)
async def test_e1_a_passed_deadline_leaves_no_survivor(level, code, marker, tmp_path):
    began = time.monotonic()
    done = await run(confined(level, code, marker, tmp_path), 2)
    took = time.monotonic() - began
    assert done.timed_out
    assert 1.9 < took < HANG
    assert done.survivors == 0
    assert reaper.find(marker) == []


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("how", ["sleep 60 &", "setsid sleep 60 &"])
async def test_e1_the_answer_of_a_parent_that_is_gone_is_kept(level, how, marker, tmp_path):
    code = f"import os, subprocess; subprocess.Popen({how!r}, shell=True); print('the answer', flush=True)"
    began = time.monotonic()
    done = await run(confined(level, code, marker, tmp_path), 10)
    took = time.monotonic() - began
    assert done.stdout.text == "the answer\n"
    assert done.exit.ok
    assert not done.timed_out
    # Level 2 ends the namespace with the parent, so nobody holds the pipe there.
    assert done.drained is (level == IsolationLevel.NAMESPACE)
    assert took < HANG
    assert reaper.find(marker) == []


async def test_a_child_without_output_held_open_is_swept_too(marker):
    argv = ("sh", "-c", "setsid sleep 60 >/dev/null 2>&1 </dev/null & echo done")
    done = await run(Command(argv, env=environment(), marker=marker), 5)
    assert done.drained
    assert done.stdout.text == "done\n"
    assert reaper.find(marker) == []


@pytest.mark.parametrize("level", LEVELS)
async def test_a_child_that_ends_on_sigterm_is_given_the_time(level, marker, tmp_path):
    code = (
        "import signal, sys, time\n"
        f"signal.signal(15, lambda *_: (open({str(tmp_path / 'saved')!r}, 'w').write('saved'), sys.exit(7)))\n"
        "print('up', flush=True); time.sleep(60)"
    )
    process = await start(confined(level, code, marker, tmp_path))
    for _ in range(500):
        if process.stdout.total:
            break
        await asyncio.sleep(0.02)
    assert await process.stop(5) == 0
    assert process.exit is not None
    assert process.exit.code == 7
    assert (tmp_path / "saved").read_text() == "saved"


async def test_ending_one_child_leaves_the_others_of_the_same_trial_alone(marker):
    long = await start(Command(("sleep", "60"), env=environment(), marker=marker))
    done = await run(Command(("true",), env=environment(), marker=marker), 5)
    assert done.exit.ok
    assert long.exit is None
    assert reaper.find(marker) == [long.pid]
    assert await long.stop(0) == 0


@pytest.mark.parametrize("what", ["run", "wait"])
async def test_cancelling_kills(what, marker):
    command = Command(("sh", "-c", "setsid sleep 60 & sleep 60"), env=environment(), marker=marker)
    task = asyncio.create_task(run(command, 60) if what == "run" else (await start(command)).wait())
    await asyncio.sleep(0)  # the task has begun to wait: one that never began has nothing to end
    await until(lambda: len(reaper.find(marker)) >= 2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reaper.find(marker) == []


async def test_cancelling_while_a_passed_deadline_is_being_enforced_waits_until_nothing_is_alive(
    marker, tmp_path, monkeypatch
):
    """Within the time a stubborn child has to end by itself: who gave up goes on only when it cannot write any more."""
    monkeypatch.setattr(sys.modules["claw_adapter.drivers.run"], "GRACE_SECONDS", 5.0)
    asked = tmp_path / "asked"
    stubborn = ("sh", "-c", f"trap 'touch {asked}' TERM; while :; do sleep 0.05; done")
    task = asyncio.create_task(run(Command(stubborn, env=environment(), marker=marker), 3.0))
    while not (asked.exists() or task.done()):  # noqa: ASYNC110  # there is no event to wait for
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert reaper.find(marker) == []


async def test_wait_past_its_deadline_is_typed_and_leaves_the_child_running(marker):
    async with await start(Command(("sleep", "60"), env=environment(), marker=marker)) as process:
        with pytest.raises(DeadlineExceeded):
            await process.wait(0.05)
        assert process.exit is None
    assert reaper.find(marker) == []


async def test_e1_a_missing_program_is_typed():
    with pytest.raises(ProgramNotFound, match="no such program") as caught:
        await run(Command(("no-such-program-here",), env=environment()), 2)
    assert isinstance(caught.value, HarnessNotFound)
    assert caught.value.remedy
    with pytest.raises(ProgramNotFound):
        await run(Command(("/no/such/program",), env=environment()), 2)


async def test_what_cannot_be_started_is_typed_with_its_reason(tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("text")
    with pytest.raises(ProgramNotStarted, match="could not be started"):
        await run(Command((str(plain),), env=environment()), 2)
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(ProgramNotStarted, match="interpreter"):
        await run(Command((str(script),), env=environment()), 2)
    with pytest.raises(ProgramNotStarted, match="working folder"):
        await run(Command(("true",), env=environment(), cwd=tmp_path / "absent"), 2)
    with pytest.raises(CommandInvalid, match="standard input"):
        await run(Command(("true",), env=environment(), stdin=tmp_path / "absent"), 2)


async def test_the_program_is_looked_for_on_the_childs_path(tmp_path):
    tool = tmp_path / "only-here"
    tool.write_text("#!/bin/sh\necho found\n")
    tool.chmod(0o755)
    done = await run(Command(("only-here",), env={"PATH": f"{tmp_path}:/usr/bin:/bin"}), 5)
    assert done.stdout.text == "found\n"


@pytest.mark.parametrize(
    ("argv", "env"),
    [((), {}), (("echo", "x" * 102_401), {}), (("echo", "é" * 60_000), {}), (("echo",), {"V": "x" * 102_401}),
     (("echo", "a\0b"), {})],
    ids=["empty", "long", "long in bytes", "long variable", "nul"],
)  # fmt: skip
async def test_an_impossible_command_is_refused_with_a_way_out(argv, env):
    with pytest.raises(CommandInvalid) as caught:
        await run(Command(argv, env=env), 2)
    assert caught.value.remedy


async def test_e1_1_mb_on_standard_input_and_back_does_not_deadlock():
    data = os.urandom(1_000_000)
    done = await run(Command(("cat",), env=environment(), stdin=data), 20)
    assert done.stdout.total == len(data)
    assert done.stdout.head == data[: len(done.stdout.head)]
    assert done.stdout.tail == data[-len(done.stdout.tail) :]


async def test_a_child_that_closes_its_input_early_is_fine():
    done = await run(Command(("head", "-c", "3"), env=environment(), stdin=b"abc" * 1_000_000), 20)
    assert done.stdout.text == "abc"
    assert done.exit.ok


async def test_a_child_that_never_reads_its_input_still_ends_at_the_deadline(marker):
    done = await run(Command(("sleep", "60"), env=environment(), stdin=b"x" * 2_000_000, marker=marker), 0.3)
    assert done.timed_out
    assert reaper.find(marker) == []


async def test_standard_input_from_a_file(tmp_path):
    (tmp_path / "in").write_text("from a file")
    done = await run(Command(("cat",), env=environment(), stdin=tmp_path / "in"), 5)
    assert done.stdout.text == "from a file"


async def test_the_environment_is_exactly_what_was_given(monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", "sk-canary")
    done = await run(Command(("env",), env=environment(extra={"EXTRA": "1"})), 5)
    names = {line.partition("=")[0] for line in done.stdout.text.splitlines()}
    assert "FAKE_API_KEY" not in names
    assert names - {"EXTRA", "CLAW_TRIAL"} <= {"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM"}


async def test_no_file_of_ours_is_inherited(tmp_path):
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        done = await run(Command(("ls", "-l", "/proc/self/fd"), env=environment()), 5)
    assert "secret" not in done.stdout.text


async def test_a_hundred_children_leave_no_descriptor_behind(marker):
    await run(Command(("true",), env=environment()), 5)
    before = len([*Path("/proc/self/fd").iterdir()])
    for _ in range(10):
        await asyncio.gather(*(run(Command(("echo", "x"), env=environment(), marker=marker), 20) for _ in range(10)))
    assert len([*Path("/proc/self/fd").iterdir()]) == before


async def test_stop_twice_and_at_once(marker):
    process = await start(Command(("cat",), env=environment(), stdin=PIPE, marker=marker))
    assert await asyncio.gather(process.stop(1), process.stop(0)) == [0, 0]
    assert await process.stop() == 0
