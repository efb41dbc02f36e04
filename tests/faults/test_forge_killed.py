"""kill -9 in the middle of tasks, then the same command: every episode is there once, and passed."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from support.forge import outcomes, policy_words, serving_policies
from support.running import CLAW, claw

TASKS = ("forge-017", "forge-018", "forge-103")


def command(out: Path, url: str) -> list[str]:
    options = [*policy_words(url, "careful"), "--isolation", "1", "--out", str(out), "--quiet"]
    return ["run", "forge:only=17+18+103", "-H", "reference", *options]


@pytest.mark.slow(20)
@pytest.mark.parametrize("point", ["answered:2", "before-journal:3"])
def test_killed_and_continued_every_episode_is_there_once(tmp_path, point):
    out = tmp_path / "run"
    with serving_policies() as url:
        env = {**os.environ, "CLAW_CRASH_AT": point}
        killed = subprocess.run([CLAW, *command(out, url)], capture_output=True, env=env, timeout=120, check=False)
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        finished = [one.task for one in outcomes(out)]
        assert len(finished) == int(point[-1]) - 1
        claw(*command(out, url))
    found = outcomes(out)
    assert sorted(one.task for one in found) == list(TASKS)
    assert all(one.record.score.value == 1 for one in found)
    assert not (out / "live").exists()
    again = json.loads(claw("score", out, "--json").stdout)
    assert again["differences"] == []
