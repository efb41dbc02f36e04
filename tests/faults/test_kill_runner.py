"""kill -9 of the runner at any instant loses no finished round, doubles none, and leaves nothing behind."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from claw_adapter.runs.journal import read_journal
from support.running import CLAW, claw, outcome, rounds

#: crash point → which passing of it; the later one lets every attempt finish some rounds first
POINTS = {
    "update-half-applied": 1,
    "sessions-not-yet": 1,
    "before-send": 2,
    "tool-running": 3,
    "answered": 2,
    "scored": 2,
    "before-journal": 2,
    "journal-write": 2,
    "feedback": 1,
    "write-run.json": 1,
    "write-report.html": 1,
}
DEATHS = [
    (
        "write-run.json", "journal-write", "sessions-not-yet", "update-half-applied", "update-half-applied", "before-send",
        "write-report.html",
    ),
    ("tool-running", "answered", "scored", "before-journal", "feedback"),
]  # fmt: skip
"""Where a run dies and, each time it is continued, dies again: at every point once, and twice where an
update is half applied."""
TRIAL = "demo--reference--reader--s0"


def command(out: Path) -> list:
    return ["run", "demo", "--isolation", "1", "--out", out, "--quiet"]


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory):
    out = tmp_path_factory.mktemp("undisturbed") / "run"
    claw(*command(out))
    return [outcome(record) for record in rounds(out, TRIAL)]


def offspring(runner: int) -> set[int]:
    """Processes that carry the mark of the run of that runner, wherever they are."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if f"CLAW_TRIAL=claw-{runner}-".encode() in (entry / "environ").read_bytes():
                    found.add(int(entry.name))
            except OSError:
                continue
    return found


def killed(out: Path, temporary: Path, point: str) -> None:
    """One run that dies at a crash point; nothing it started may live on."""
    env = {**os.environ, "TMPDIR": str(temporary), "CLAW_CRASH_AT": f"{point}:{POINTS[point]}"}
    process = subprocess.Popen([CLAW, *map(str, command(out))], stderr=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, f"the crash point {point} was not reached: {errors.decode()}"
    deadline = time.monotonic() + 10
    while offspring(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not offspring(process.pid), "a process was left"


def test_every_point_is_died_at():
    assert {point for points in DEATHS for point in points} == set(POINTS)


@pytest.mark.slow(30)
@pytest.mark.parametrize("points", DEATHS, ids=["halves", "others"])
def test_killed_again_and_again_and_continued_the_run_is_as_if_undisturbed(points, tmp_path, undisturbed):
    out, temporary = tmp_path / "run", tmp_path / "tmp"
    temporary.mkdir()
    finished: list[str] = []
    for point in points:
        killed(out, temporary, point)
        now = [record.round for record in rounds(out, TRIAL)]
        assert now[: len(finished)] == finished, "a finished round was lost"
        finished = now
    claw(*command(out), env={"TMPDIR": str(temporary)})
    assert [outcome(record) for record in rounds(out, TRIAL)] == undisturbed
    assert len(read_journal(out / "trials" / TRIAL / "journal.jsonl")) == len(undisturbed) + 2, "one start, one end"
    assert not (out / "live").exists()
    assert not list(out.glob(".*.*.*")), "an unfinished file was left"
    assert list(temporary.iterdir()) == [], "a file was left outside the run folder"


@pytest.mark.slow(15)
def test_interrupted_by_ctrl_c_it_says_so_and_goes_on(tmp_path, undisturbed):
    out = tmp_path / "run"
    argv = ["run", "demo", "--isolation", "1", "--out", str(out)]
    argv += [
        word for seed in range(2) for word in ("--seed", str(seed))
    ]  # enough to be still at it, however late we wake
    process = subprocess.Popen([CLAW, *argv], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    while not (out / "trials" / TRIAL / "journal.jsonl").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "the same command resumes" in errors
    assert not (out / "live").exists()
    claw(*argv)
    assert [outcome(record) for record in rounds(out, TRIAL)] == undisturbed
