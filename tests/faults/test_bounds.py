"""A harness that uses more of the machine than a trial may is ended, and it is told of what, how much, and the limit."""

import asyncio
import os
import shlex
import sys
import threading

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
HIDDEN = {
    "processes that have ended": (
        """
import os, time
for _ in range(60):
    if not os.fork():
        os._exit(0)
    time.sleep(0.01)
time.sleep(60)
""",
        {"max_processes": 40},
        "processes at once",
    ),
    "processes as threads": (
        """
import threading, time
for _ in range(700):
    threading.Thread(target=time.sleep, args=(60,)).start()
""",
        {"max_processes": 20},
        "threads at once",
    ),
    "memory that a child has filled": (
        """
import mmap, os, time
shared = mmap.mmap(-1, 400_000_000)
if not os.fork():
    for start in range(0, len(shared), 10**6):
        shared[start : start + 10**6] = b"x" * 10**6
    os._exit(0)
time.sleep(60)
""",
        {"max_memory": 150_000_000},
        "of memory",
    ),
}
"""Programs in Python that use what no living process seems to have."""
CASES = [
    *((what.partition(" ")[0], level, *case) for what, case in FILLS.items() for level in (1, 2)),
    *(
        (what.partition(" ")[0], 2, f"python3 -c {shlex.quote(code)}", limits, told)
        for what, (code, limits, told) in HIDDEN.items()
        if os.getuid() == 0 or "child" not in what  # the kernel shows the mappings of others to root only
    ),
]


@pytest.mark.parametrize(("what", "level", "command", "limits", "told"), CASES, ids=lambda one: str(one)[:40])
def test_a_harness_over_its_limits_is_ended_and_told_so(tmp_path, what, level, command, limits, told):
    if level > detect().level:
        pytest.skip("this machine has no namespaces")
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
    watched.begins()  # opened anew, and it fills the disk once more
    watched._next_walk = 0
    bounds._look()
    assert watched.take_over() is not None


def test_the_next_harness_begins_when_nothing_of_the_last_one_is_being_ended_any_more(tmp_path, monkeypatch):
    """The watcher kills until none is left: what is opened meanwhile carries the same mark, and was killed with the rest."""
    bounds, killing, killed, begun = Bounds("run", 10**12), threading.Event(), threading.Event(), threading.Event()
    watched = bounds.add("t", RunSettings(max_disk=1000), (tmp_path,))
    (tmp_path / "big").write_bytes(b"x" * 100_000)
    monkeypatch.setattr("claw_adapter.runner.bounds.reaper.sweep", lambda *_: killing.set() or killed.wait(30))
    watcher = threading.Thread(target=bounds._look)
    watcher.start()
    assert killing.wait(30)
    assert watched.take_over() is not None
    opening = threading.Thread(target=lambda: watched.begins() or begun.set())
    opening.start()
    assert not begun.wait(0.1)
    killed.set()
    assert begun.wait(30)
    watcher.join()
    opening.join()


def test_what_was_seen_of_the_last_harness_is_not_held_against_the_next(tmp_path, monkeypatch):
    bounds = Bounds("run", 10**12)
    watched = bounds.add("t", RunSettings(max_processes=1), (tmp_path,))
    seen = ["/proc/self", "/proc/self"]
    monkeypatch.setattr(bounds, "_processes", lambda: watched.begins() or {"t": seen})
    bounds._look()
    assert watched.take_over() is None
    monkeypatch.setattr(bounds, "_processes", lambda: {"t": seen})
    monkeypatch.setattr("claw_adapter.runner.bounds.reaper.sweep", lambda *_: 0)
    bounds._look()
    assert watched.take_over() is not None
