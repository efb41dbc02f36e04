"""Running scenarios from tests, inside the test's own process or as the command a user types."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

from claw_adapter.protocol import RoundRecord
from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

CLAW = Path(sys.executable).with_name("claw")
IN_PROCESS = {"name": "reference", "options": {"mode": "in-process"}}


def experiment(*scenarios: Path | str, **changes) -> Experiment:
    """The in-process reference harness under the careful reader, at isolation 0 so that hundreds of rounds are cheap."""
    asked = {
        "scenarios": [str(s) for s in scenarios],
        "harnesses": [IN_PROCESS],
        "models": ["reader"],
        "settings": {"isolation": 0, "deadline": 60},
        **changes,
    }
    return Experiment.model_validate(asked)


async def run_experiment(
    root: Path, asked: Experiment, jobs: int = 2, harnesses: dict | None = None, **more
) -> dict[str, list[RoundRecord]]:
    """Run it; finished rounds by trial id. `harnesses` replaces adapters by label; `more` goes to the runner."""
    scenarios = find_scenarios(asked.scenarios)
    plan, made = prepare(expand(asked, scenarios), scenarios)
    with RunFolder(root) as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, {**made, **(harnesses or {})}, jobs=jobs, **more)
        return {trial.id: rounds(folder.root, trial.id) for trial in plan.trials}


def rounds(root: Path, trial: str) -> list[RoundRecord]:
    """The finished rounds of a trial."""
    return [r for r in read_journal(RunFolder(root).journal(trial)) if isinstance(r, RoundRecord)]


def run_sync(root: Path, asked: Experiment, **more) -> dict[str, list[RoundRecord]]:
    """The same without an event loop."""
    return asyncio.run(run_experiment(root, asked, **more))


def claw(
    *argv: str | Path, check: bool = True, env: dict[str, str] | None = None, **more
) -> subprocess.CompletedProcess[str]:
    """The command line as a user calls it."""
    done = subprocess.run(
        [CLAW, *map(str, argv)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, **(env or {})}, **more,
    )  # fmt: skip
    assert not check or done.returncode == 0, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def outcome(record: RoundRecord) -> dict:
    """What must be equal between two runs of the same thing: no times, no digests of what holds times."""
    kept = record.model_dump(
        mode="json", include={"round", "index", "type", "text", "score", "feedback", "taught", "updates"}
    )
    kept["score"]["detail"] = {}
    return json.loads(json.dumps(kept))
