"""The verifier of an exported task: replays the log against the full task and prints the reward as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from claw_adapter_forge.runner.episode import Episode
from claw_adapter_forge.tasks.manifest import task_from_json

__all__ = ["reward"]


def reward(task_path: Path, log_path: Path) -> dict[str, float]:
    """``reward`` 1 for a strict pass, else 0, with progress beside it."""
    episode = Episode(task_from_json(json.loads(task_path.read_text(encoding="utf-8"))), "mock")
    for line in json.loads(log_path.read_text(encoding="utf-8")):
        episode.step(line)
    verdict = episode.verdict()
    return {"reward": float(verdict.strict), "progress": verdict.progress}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(reward(Path(sys.argv[1]), Path(sys.argv[2]))) + "\n")
