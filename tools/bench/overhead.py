"""What the runner itself costs per round: scripted model, reference harness in the runner's process, 60 rounds.

Overhead is the time of a round less the time inside the harness and less the check; it is measured by the runner for every
round of every run (`overhead` in the journal). The limit is 3 ms in the median.
"""

import asyncio
import json
import statistics
import sys
import tempfile
from pathlib import Path

from claw_adapter.protocol import RoundRecord
from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

ROUNDS, LIMIT = 60, 3.0


def write_scenario(root: Path, rounds: int = ROUNDS) -> Path:
    """A scenario of multi_choice rounds over a workspace of 40 files."""
    for folder in ("workspace/notes", "sessions", "gold"):
        (root / folder).mkdir(parents=True)
    for number in range(40):
        (root / "workspace/notes" / f"{number}.md").write_text(f"note {number}\n" * 50)
    (root / "sessions/main.jsonl").write_text(
        '{"role": "user", "text": "hello"}\n{"role": "assistant", "text": "hello"}\n'
    )
    ids = [f"r{number}" for number in range(rounds)]
    asked = [
        {"id": i, "type": "multi_choice", "question": "Which?", "options": {"A": "this", "B": "that"}} for i in ids
    ]
    feedback = {"correct": "Right.", "options": {"A": "A is true.", "B": "B is not."}}
    answers = {i: {"answer": ["A"], "feedback": feedback} for i in ids}
    about = {"schema": "scenario/1", "id": "bench", "title": "Bench", "clock": "2026-01-01T00:00:00+00:00"}
    about |= {"main": {"id": "main"}}
    for name, data in (("scenario", about), ("rounds", {"rounds": asked}), ("gold/answers", {"rounds": answers})):
        (root / f"{name}.yaml").write_text(json.dumps(data))
    return root


async def measure(root: Path) -> list[RoundRecord]:
    """One run; the records of its rounds."""
    model = {"name": "script", "kind": "scripted", "script": ["I think \\bbox{A}."]}
    harness = {"name": "reference", "options": {"mode": "in-process"}}
    asked = {
        "scenarios": [str(root / "scenario")],
        "harnesses": [harness],
        "models": [model],
        "settings": {"isolation": 0},
    }
    experiment = Experiment.model_validate(asked)
    scenarios = find_scenarios(experiment.scenarios)
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    with RunFolder(root / "run") as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, harnesses)
        return [r for r in read_journal(folder.journal(plan.trials[0].id)) if isinstance(r, RoundRecord)]


def main() -> int:
    """Print medians and the 90th percentile; exit status 1 over the limit."""
    with tempfile.TemporaryDirectory() as name:
        write_scenario(Path(name) / "scenario")
        records = asyncio.run(measure(Path(name)))[1:]
    costs = sorted(1000 * record.overhead for record in records)
    median = statistics.median(costs)
    turns = statistics.median(1000 * record.timing.total for record in records)
    print(f"{len(records)} rounds: runner {median:.2f} ms per round (90 %: {costs[int(len(costs) * 0.9)]:.2f} ms), "
          f"turn {turns:.2f} ms; limit {LIMIT:g} ms")  # fmt: skip
    return 0 if median <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
