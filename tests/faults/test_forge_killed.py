"""kill -9 in the middle of tasks, then the same command: every episode is there once, and passed."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest

from claw_adapter.report.rescore import rescore
from support.forge import outcomes
from support.running import CLAW, claw

TASKS = ("forge-017", "forge-018", "forge-103")


POINTS = ("answered:2", "before-journal:2")
"""Where the run dies, and dies again when it is continued: each time one more episode is finished."""


def command(out: Path) -> list[str]:
    options = ["-m", "policy:careful", "--isolation", "1", "--out", str(out), "--quiet"]
    return ["run", "forge:only=17+18+103", "-H", "reference", *options]


@pytest.mark.slow(30)
def test_killed_and_continued_every_episode_is_there_once(tmp_path):
    """The bare loop resumes in tests/integration/test_bare_runs.py."""
    out = tmp_path / "run"
    for number, point in enumerate(POINTS, start=1):
        env = {**os.environ, "CLAW_CRASH_AT": point}
        killed = subprocess.run([CLAW, *command(out)], capture_output=True, env=env, timeout=120, check=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert len(outcomes(out)) == number
    claw(*command(out))
    found = outcomes(out)
    assert sorted(one.task for one in found) == list(TASKS)
    assert all(one.record.score.value == 1 for one in found)
    assert not (out / "live").exists()
    assert asyncio.run(rescore(out)).differences == ()
