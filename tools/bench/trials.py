"""What a trial costs through the whole loop: one-round tasks of Forge, the bare loop, a scripted policy as the model.

Counted is the CPU time of the runner and of the endpoint's process, start-up included. The limit is 20 trials per CPU second.
"""

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

SAMPLE, LIMIT = 306, 20.0


async def measure(root: Path) -> tuple[int, int, float, float]:
    """One run: trials, requests, CPU seconds of the runner and of its children."""
    asked = {"scenarios": [f"forge:sample={SAMPLE}"], "harnesses": ["bare"], "models": ["policy:careful"]}
    experiment = Experiment.model_validate(asked)
    scenarios = find_scenarios(experiment.scenarios)
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.process_time()
    with RunFolder(root / "run") as folder:
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
    return len(plan.trials), requests, own, children


def main() -> int:
    """Print trials per CPU second; exit status 1 below the limit."""
    with tempfile.TemporaryDirectory() as name:
        trials, requests, own, children = asyncio.run(measure(Path(name)))
    rate = trials / (own + children)
    each = f"runner {1000 * own / trials:.1f} ms, endpoint {1000 * children / trials:.1f} ms each"
    print(f"{trials} trials, {requests} requests: {rate:.1f} trials per CPU second ({each}); limit {LIMIT:g}")
    return 0 if rate >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
