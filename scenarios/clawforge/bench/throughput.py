# ruff: noqa: INP001
"""Commands per second in mock mode on one core, cost of generating and proving against n, memory of an episode.

Run: ``python scenarios/clawforge/bench/throughput.py [--prove]`` with both distributions importable. Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable

from claw_adapter_forge.episodes.episode import Episode
from claw_adapter_forge.generator.task_sets import generate
from claw_adapter_forge.proof.verify import verify
from claw_adapter_forge.surfaces.shell import execute
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.state import World

WINDOWS = 7
WINDOW = 0.5
SIZES = (250, 500, 1000, 2000)


def commands_per_second(tasks: list[ForgeTask]) -> dict[str, float]:
    """The references of all tasks, over and over, from a fresh world each time: parsed, executed, differences taken."""
    rates = []
    for _ in range(WINDOWS):
        done, started = 0, time.process_time()
        while time.process_time() - started < WINDOW:
            for task in tasks[::7]:
                world = World(task.start)
                for line in task.reference:
                    execute(world, line)
                done += len(task.reference)
        rates.append(done / (time.process_time() - started))
    return {"median": round(sorted(rates)[WINDOWS // 2]), "lowest": round(min(rates)), "highest": round(max(rates))}


def cost(work: Callable[[int], object]) -> dict[str, float]:
    """Processor seconds per task at several sizes; flat means linear."""
    rows = {}
    for size in SIZES:
        started = time.process_time()
        work(size)
        rows[str(size)] = round((time.process_time() - started) / size, 6)
    return rows


def episode_memory(task: ForgeTask) -> dict[str, int]:
    """Bytes an episode holds after its whole budget was spent on its largest writes, and at the peak."""
    tracemalloc.start()
    episode = Episode(task)
    text = "x" * 15_000
    for number in range(episode.horizon + 10):
        episode.step(f"file create --path /big/{number}.txt --content {text}")
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return {"held": held, "peak": peak}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prove", action="store_true", help="measure proving as well (minutes)")
    args = parser.parse_args()
    tasks = list(generate("paper362", 0))
    found: dict[str, object] = {
        "python": sys.version.split()[0],
        "world_commands_per_second": commands_per_second(tasks),
        "generate_seconds_per_task": cost(lambda n: list(generate("scale", 1, n))),
        "episode_bytes": episode_memory(tasks[0]),
    }
    if args.prove:
        found["prove_seconds_per_task"] = cost(lambda n: verify("scale", 1, n // 10, jobs=1))
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
