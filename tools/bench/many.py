"""How a run grows with its trials: planning, journalling, reading, report, page and comparison, for 10 to 10,000 trials.

One real trial of ten rounds is run (reference harness, scripted model, no isolation); its records are then journalled for
every repeat of the plan, by the product's own plan and journal, half of them under a second label of the harness. Each
step is measured in a process of its own: CPU seconds and the most memory it had. The **exponent** is the slope between two
sizes on logarithmic scales: 1 means that twice the trials take twice the time. Limit: 1.1 between the two largest sizes.
"""

import asyncio
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from overhead import write_scenario

ROUNDS = 10
STEPS = ("plan", "journal", "read", "summary", "page", "compare")
REPEATS = 500
"""Of a seed, at most."""
LIMIT = 1.1
LITTLE = 0.5
"""CPU seconds below which a step's exponent says nothing."""


def asked(root: Path, times: int) -> Any:
    """The experiment: two labels of one harness, each so many times."""
    from claw_adapter.runs.plan import Experiment

    harness = {"name": "reference", "options": {"mode": "in-process"}}
    return Experiment.model_validate(
        {
            "scenarios": [str(root / "scenario")],
            "harnesses": [harness | {"label": "one"}, harness | {"label": "other"}],
            "models": [{"name": "script", "kind": "scripted", "script": ["I think \\bbox{A}."]}],
            "seeds": list(range(max(times // REPEATS, 1))),
            "repeats": min(times, REPEATS),
            "settings": {"isolation": 0},
        }
    )


def planned(root: Path, trials: int) -> tuple[Any, Any, Any]:
    """Plan, scenarios and harnesses of a run with so many trials."""
    from claw_adapter.runner.preparing import prepare
    from claw_adapter.runs.plan import expand
    from claw_adapter.scenario.named import find_scenarios

    experiment = asked(root, max(trials // 2, 1))
    scenarios = find_scenarios(experiment.scenarios)
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    return plan, scenarios, harnesses


def real(root: Path) -> None:
    """The one trial that is run."""
    from claw_adapter.runner.run import run
    from claw_adapter.runs.folder import RunFolder

    write_scenario(root / "scenario", ROUNDS)
    plan, scenarios, harnesses = planned(root, 2)
    with RunFolder(root / "real") as folder:
        folder.begin(plan)
        asyncio.run(run(folder, plan, scenarios, harnesses))


def step(name: str, root: Path, trials: int) -> None:
    """One step, in this process."""
    from claw_adapter.api.results import open_run
    from claw_adapter.runs.folder import RunFolder
    from claw_adapter.runs.journal import Journal, read_journal

    out = root / str(trials)
    if name == "plan":
        plan, _, _ = planned(root, trials)
        with RunFolder(out) as folder:
            folder.begin(plan)
    elif name == "journal":
        first = RunFolder(root / "real")
        records = read_journal(first.journal(first.plan().trials[0].id))
        with RunFolder(out) as folder:
            subprocess.run(["cp", "-r", str(root / "real/store"), str(out)], check=True)
            for trial in folder.plan().trials:
                path = folder.journal(trial.id)
                path.parent.mkdir(parents=True, exist_ok=True)
                with Journal(path) as journal:
                    for record in records:
                        named = {"trial": trial.id} if "trial" in type(record).model_fields else {}
                        journal.append(record.model_copy(update=named))
    elif name == "read":
        open_run(out)
    elif name == "summary":
        open_run(out).summary()
    elif name == "page":
        open_run(out).report()
        sizes = [path.stat().st_size for path in (out / "report.html", *out.glob("report-data/*"))]
        print(f"{sizes[0] / 1e6:.1f} MB and {sum(sizes[1:]) / 1e6:.1f} MB beside it", end="", file=sys.stderr)
    else:
        open_run(out).compare()


def measured(name: str, root: Path, trials: int) -> dict[str, float]:
    """CPU seconds and peak memory of a step in a process of its own; what merely starting and opening takes is in it."""
    command = [sys.executable, __file__, "--step", name, str(root), str(trials)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main(*sizes: int) -> int:
    """Print a table; exit status 1 if an exponent is over the limit."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in STEPS}
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        real(root)
        for trials in sizes:
            for name in STEPS:
                found[name].append(one := measured(name, root, trials))
                print(
                    f"{trials:7d} trials, {name:8s} {one['cpu']:8.2f} s CPU {one['memory'] / 1e6:6.0f} MB", flush=True
                )
    worst = 0.0
    for name, values in found.items():
        before, after = (value["cpu"] for value in values[-2:])
        exponent = math.log(after / before) / math.log(sizes[-1] / sizes[-2])
        worst = max(worst, exponent if after > LITTLE else 0.0)
        print(f"{name:8s} exponent {exponent:.2f}, memory x {values[-1]['memory'] / values[-2]['memory']:.2f}")
    return 0 if worst <= LIMIT else 1


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        began = time.process_time()
        step(sys.argv[2], Path(sys.argv[3]), int(sys.argv[4]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps({"cpu": time.process_time() - began, "memory": peak}))
        sys.stdout.flush()
        os._exit(0)
    sys.exit(main(*map(int, sys.argv[1:] or ["10", "100", "1000", "10000"])))
