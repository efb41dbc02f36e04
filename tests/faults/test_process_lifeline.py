"""Promise: kill -9 of the runner leaves no process and no socket file behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import claw_adapter
from claw_adapter.drivers import Command, Lifeline, environment, reaper, start

RUNNER = """
    import asyncio, json, sys
    from pathlib import Path
    from claw_adapter.drivers import Command, Lifeline, environment, start
    async def main():
        async with Lifeline([Path(sys.argv[1])]) as lifeline:
            await lifeline.add(Path(sys.argv[2]))
            code = "setsid sh -c 'sleep 120 & sleep 120' & trap '' TERM; sleep 120"
            child = await start(Command(("sh", "-c", code), env=environment(), marker=lifeline.marker + "/trial"))
            print(json.dumps({"marker": lifeline.marker, "child": child.pid}), flush=True)
            await asyncio.sleep(120)
    asyncio.run(main())
"""


@pytest.fixture
def runner(tmp_path):
    script = tmp_path / "runner.py"
    script.write_text(textwrap.dedent(RUNNER))
    sockets = [tmp_path / "a.sock", tmp_path / "b.sock"]
    for path in sockets:
        path.touch()
    source = str(Path(next(iter(claw_adapter.__path__))).parent)
    process = subprocess.Popen(
        [sys.executable, str(script), *map(str, sockets)],
        stdout=subprocess.PIPE,
        env={**environment(), "PYTHONPATH": source},
        start_new_session=True,
    )
    assert process.stdout is not None
    seen = json.loads(process.stdout.readline())
    while len(reaper.find(seen["marker"])) < 4:  # the shell starts its own
        time.sleep(0.02)
    yield process, seen["marker"], sockets
    process.kill()
    process.wait()
    process.stdout.close()
    reaper.sweep(seen["marker"], 2)


def gone(marker: str, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while reaper.find(marker):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def sidecars(marker: str) -> list[int]:
    return reaper.find(f"lifeline-{marker}")


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_kill_9_of_the_runner_leaves_no_survivor(runner, how):
    process, marker, sockets = runner
    os.kill(process.pid, how)
    process.wait()
    assert gone(marker, 30)
    assert gone(f"lifeline-{marker}", 30)
    assert not any(path.exists() for path in sockets)


def test_ctrl_c_in_the_terminal_does_not_reach_the_sidecar(runner):
    process, marker, _ = runner
    (sidecar,) = sidecars(marker)
    assert os.getsid(sidecar) != os.getsid(process.pid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(sidecar, number)
    time.sleep(0.1)
    assert sidecars(marker) == [sidecar]


async def test_an_orderly_close_sweeps_too_and_spares_other_runs(tmp_path):
    path = tmp_path / "socket"
    path.touch()
    async with Lifeline() as other, Lifeline([path]) as lifeline:
        theirs = await start(Command(("sleep", "60"), env=environment(), marker=other.marker))
        ours = await start(Command(("setsid", "sleep", "60"), env=environment(), marker=lifeline.marker))
        await lifeline.close()
        assert await ours.ended(30)
        assert theirs.exit is None
        assert not path.exists()
        await ours.stop(0)
        await theirs.stop(0)
    await lifeline.close()
