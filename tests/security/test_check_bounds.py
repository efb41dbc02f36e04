"""Promise: a check as a whole stays within bounds and fails over them; what the machine could not give is no verdict."""

import asyncio
import sys
import tempfile
from pathlib import Path

import pytest

from claw_adapter.errors import MachineError, Owner, SandboxError
from claw_adapter.protocol import Answers, Check, Gold
from claw_adapter.question import ScoringContext
from claw_adapter.questions.exec_check import decide_check
from claw_adapter.sandbox import CheckLimits, IsolationLevel, check, detect, run_check, wrap

NAMESPACE = pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}")
LEVELS = [IsolationLevel.PROCESS, pytest.param(IsolationLevel.NAMESPACE, marks=NAMESPACE)]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sums are taken from /proc")

SMALL = CheckLimits(memory=150_000_000, processes=40, disk=30_000_000, shm=30_000_000)
HOLD = "import os, time, mmap; {}; time.sleep(60)"
FILLS = {
    "memory": ("head -c 300000000 /dev/zero | tail -n 1 | sleep 60", "of memory"),
    "memory of several": ("for i in 1 2 3 4; do head -c 60000000 /dev/zero | tail -n 1 | sleep 60 & done; wait", "of memory"),
    "shared memory": (f'python -c "{HOLD.format("m = mmap.mmap(-1, 400 << 20); m.write(bytes(390 << 20))")}"', "of memory"),
    "memory behind a descriptor": (
        f'python -c "{HOLD.format("f = os.memfd_create(chr(97)); os.write(f, bytes(200 << 20))")}"', "of memory"
    ),
    "processes": ("for i in $(seq 60); do sleep 60 & done; wait", "processes at once"),
    "disk": ("for i in 1 2 3; do head -c 20000000 /dev/zero > big$i; done; sleep 60", "of disk"),
    "disk, and gone": ("for i in 1 2 3; do head -c 20000000 /dev/zero > big$i; done", "of disk"),
    "disk without a name": (
        f'python -c "{HOLD.format("f = os.open(chr(97), 65); os.unlink(chr(97)); os.write(f, bytes(60000000))")}"',
        "of disk",
    ),
    "names": (f'python -c "{HOLD.format("[os.symlink(chr(97), str(n)) for n in range(8000)]")}"', "of disk"),
    "shm": ("exec 3> /dev/shm/claw-test-check; head -c 60000000 /dev/zero >&3; sleep 60", "in /dev/shm"),
}  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("what", FILLS)
async def test_a_check_over_its_limits_is_ended_and_says_of_what(tmp_path, what, level):
    command, told = FILLS[what]
    done = await run_check(command, workspace=tmp_path, level=level, deadline=50, limits=SMALL)
    assert done.over.startswith("over its limits: "), done
    assert told in done.over
    assert (done.timed_out, done.survivors) == (False, 0)


@pytest.mark.parametrize("level", LEVELS)
async def test_what_lay_in_the_workspace_before_is_not_the_checks(tmp_path, level):
    (tmp_path / "data.bin").write_bytes(b"x" * 40_000_000)
    command = "head -c 20000000 /dev/zero > more; sleep 1; cat data.bin | wc -c"
    done = await run_check(command, workspace=tmp_path, level=level, deadline=50, limits=SMALL)
    assert (done.over, done.stdout.text.strip()) == ("", "40000000")


async def test_what_others_leave_in_the_machines_shared_memory_is_neither_charged_nor_removed(tmp_path):
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as theirs:
        others = asyncio.create_task(asyncio.to_thread(theirs.write, b"x" * 60_000_000))
        done = await run_check("sleep 1", workspace=tmp_path, level=IsolationLevel.PROCESS, deadline=50, limits=SMALL)
        await others
        assert (done.over, Path(theirs.name).exists()) == ("", True)


def context(tmp_path, level):
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return ScoringContext(
        gold=Gold(root=tmp_path, answers=Answers(rounds={})), workspace=workspace, isolation=int(level)
    )


async def test_a_check_over_its_limits_has_failed_whatever_it_would_have_said(tmp_path):
    level = detect().level
    command = "for i in $(seq 400); do sleep 20 & done; sleep 30; exit 0"
    run = await decide_check(Check(command=command, timeout=50), context(tmp_path, level))
    assert not run.passed
    assert run.why.endswith(" processes at once, 200 are allowed")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("name", "value"), [("space", lambda _: (1000, None)), ("killed_for_memory", object)])
async def test_a_check_that_fails_where_the_machine_gives_nothing_is_no_verdict(
    tmp_path, monkeypatch, level, name, value
):
    monkeypatch.setattr(check, name, value)
    with pytest.raises(MachineError) as caught:
        await decide_check(Check(command="exit 1", timeout=20), context(tmp_path, level))
    assert caught.value.owner is Owner.MACHINE


@NAMESPACE
async def test_a_sandbox_that_cannot_be_made_is_no_verdict(tmp_path, monkeypatch):
    def broken(*given, **more):
        argv, env = wrap(*given, **more)
        at = argv.index("--")
        return (*argv[:at], "--bind", "/no/such", "/x", *argv[at:]), env

    monkeypatch.setattr(check, "wrap", broken)
    with pytest.raises(SandboxError, match=r"could not be made: bwrap: .*no/such"):
        await decide_check(Check(command="exit 1", timeout=20), context(tmp_path, IsolationLevel.NAMESPACE))


@NAMESPACE
async def test_a_check_cannot_pretend_that_its_sandbox_was_not_made(tmp_path):
    command = "echo 'bwrap: no luck' >&2; for i in 3 4 5 6 7 8 9; do echo x >&$i; done 2>/dev/null; kill -9 1; exit 1"
    run = await decide_check(Check(command=command, timeout=20), context(tmp_path, IsolationLevel.NAMESPACE))
    assert not run.passed
