"""A harness that uses more of the machine than a trial may is ended, and it is told of what, how much, and the limit."""

import asyncio
import sys

import pytest
from tests.faults.test_runner_failures import RIGHT, only

from claw_adapter.errors import Owner
from claw_adapter.protocol import RunSettings
from claw_adapter.runner.bounds import Bounds
from claw_adapter.sandbox import detect
from support.running import experiment, run_sync
from support.scenarios import write_scenario

linux = pytest.mark.skipif(sys.platform != "linux", reason="sums are taken from /proc")
pytestmark = linux

FILLS = {
    "memory": ("head -c 300000000 /dev/zero | tail -n 1 | sleep 60", {"max_memory": 150_000_000}, "of memory"),
    "processes": ("for i in $(seq 60); do sleep 60 & done; wait", {"max_processes": 40}, "processes at once"),
    "disk": ("head -c 60000000 /dev/zero > big; sleep 60", {"max_disk": 30_000_000}, "of disk in workspace"),
    "shm": (
        "exec 3> /dev/shm/claw-test-big; head -c 60000000 /dev/zero >&3; sleep 60",
        {"max_shm": 30_000_000},
        "in /dev/shm",
    ),
}


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("what", FILLS)
def test_a_harness_over_its_limits_is_ended_and_told_so(tmp_path, what, level):
    if level > detect().level:
        pytest.skip("this machine has no namespaces")
    command, limits, told = FILLS[what]
    calls = {"tools": [{"name": "exec", "arguments": {"command": command}}]}
    script = [{"match": "Fill", "reply": calls}, RIGHT]
    scenario = write_scenario(tmp_path / "small", [{"id": "r1", "question": "Fill it. Which?"}, {"id": "r2"}])
    asked = experiment(
        scenario,
        harnesses=["reference"],
        models=[{"name": "script", "kind": "scripted", "script": script}],
        settings={"isolation": level, "deadline": 50, "attempts": 1, **limits},
    )
    first, second = only(run_sync(tmp_path / "run", asked))
    assert first.error.owner is Owner.HARNESS, first.error
    assert first.error.kind == "HarnessOverLimits", first.error
    assert told in first.error.what
    assert first.error.what.startswith("over its limits: ")
    assert first.error.what.endswith(" are allowed")
    assert f"--max-{what}" in first.error.remedy
    assert second.score.value == 1, "the rest of the trial goes on"


def test_what_is_being_put_back_is_not_held_against_the_next_turn(tmp_path):
    """The watcher may look again before a full workspace is the old one: on a busy machine that takes longer than its pause."""
    bounds = Bounds("run", 10**12)
    watched = bounds.add("t", RunSettings(max_disk=1000), (tmp_path,))
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    assert asyncio.run(bounds.look(watched)).what.endswith("are allowed")
    bounds._look()
    assert watched.take_over() is None
    watched.idle = False  # opened anew, and it fills the disk once more
    watched._next_walk = 0
    bounds._look()
    assert watched.take_over() is not None
