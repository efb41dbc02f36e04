"""What a trial costs through the whole loop: one-round tasks of Forge, the bare loop, a scripted policy as the model.

Counted is the CPU time of the runner and of the endpoint's process, start-up included. The limit is 20 trials per CPU second.

With numbers of trials (``trials.py 10 100 1000``) it is what real trials of ten rounds cost, with the reference harness in the
runner's process and a scripted model, and how that grows: the exponent between two sizes is 1 where twice the trials take
twice the time, or a folder twice as large. Limit: 1.1 between the two largest.
"""

import asyncio
import itertools
import math
import resource
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from overhead import write_scenario

from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

SAMPLE, LIMIT = 306, 20.0
ROUNDS, EXPONENT = 10, 1.1


@dataclass(frozen=True)
class Cost:
    """Of one run: CPU seconds of the runner and of its children; bytes of its folder, and most memory of the runner so far."""

    trials: int
    requests: int
    own: float
    children: float
    folder: int
    memory: int

    def __str__(self) -> str:
        each = (
            f"runner {1000 * self.own / self.trials:.1f} ms, endpoint {1000 * self.children / self.trials:.1f} ms each"
        )
        rate = self.trials / (self.own + self.children)
        return f"{self.trials} trials, {self.requests} requests: {rate:.1f} trials per CPU second ({each})"


async def measure(root: Path, **asked: object) -> Cost:
    """Run an experiment in a folder that is not there."""
    experiment = Experiment.model_validate(asked)
    scenarios = find_scenarios(experiment.scenarios)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    with RunFolder(root) as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, harnesses, jobs=2)
        own, after = time.process_time() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        requests = sum(
            record.usage.metered.requests
            for trial in plan.trials
            for record in read_journal(folder.journal(trial.id))
            if record.kind == "round"
        )
    children = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Cost(len(plan.trials), requests, own, children, size, memory)


def tasks() -> int:
    """Print trials per CPU second; exit status 1 below the limit."""
    with tempfile.TemporaryDirectory() as name:
        asked = {"scenarios": [f"forge:sample={SAMPLE}"], "harnesses": ["bare"], "models": ["policy:careful"]}
        cost = asyncio.run(measure(Path(name, "run"), **asked))
    print(f"{cost}; limit {LIMIT:g}")
    return 0 if cost.trials / (cost.own + cost.children) >= LIMIT else 1


def growing(*sizes: int) -> int:
    """Print costs for each size, and exponents; exit status 1 over the limit."""
    found: list[Cost] = []
    with tempfile.TemporaryDirectory() as name:
        write_scenario(Path(name, "scenario"), ROUNDS)
        for trials in sizes:
            asked = {
                "scenarios": [f"{name}/scenario"],
                "harnesses": [{"name": "reference", "options": {"mode": "in-process"}}],
                "models": [{"name": "script", "kind": "scripted", "script": ["I think \\bbox{A}."]}],
                "repeats": trials,
                "settings": {"isolation": 0},
            }
            found.append(cost := asyncio.run(measure(Path(name, str(trials)), **asked)))
            print(f"{cost}, folder {cost.folder / 1e6:.1f} MB, memory {cost.memory / 1e6:.0f} MB", flush=True)
    worst = 0.0
    for one, other in itertools.pairwise(found):
        more = math.log(other.trials / one.trials)
        time_exponent = math.log((other.own + other.children) / (one.own + one.children)) / more
        folder_exponent = math.log(other.folder / one.folder) / more
        worst = max(time_exponent, folder_exponent)
        print(
            f"{one.trials} to {other.trials}: exponent of time {time_exponent:.2f}, of the folder {folder_exponent:.2f}"
        )
    return 0 if worst <= EXPONENT else 1


if __name__ == "__main__":
    sys.exit(growing(*map(int, sys.argv[1:])) if sys.argv[1:] else tasks())
