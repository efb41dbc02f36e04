"""What a turn costs with each real harness that is here: the adapter's share, and its default mode against the plain one.

Scripted model, one request per turn, 21 rounds, the first left out; medians with the 10th and 90th percentile. Limits: own time
at most 5 % of the turn or 10 ms; the default mode at least so many times as fast as the command line that people script.
"""

import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

from overhead import write_scenario

from claw_adapter.plugins import create
from claw_adapter.protocol import RoundRecord
from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

ROUNDS, OWN_SHARE, OWN_SECONDS, OPENCLAW = 21, 0.05, 0.010, 4.0
HARNESSES = {
    "openclaw": ({}, None, 0.0),
    "claude-code": ({}, {"mode": "turn"}, 3.0),
    "nanobot": ({}, {"mode": "cli"}, 4.0),
    "picoclaw": ({}, None, 0.0),
}
"""Harness → options of the default mode, options of the plain one (None: only measured alone), how much slower that must be."""


async def turns(root: Path, harness: str, options: dict) -> list[RoundRecord]:
    """The records of one run, the first left out."""
    write_scenario(root / "scenario", ROUNDS)
    asked = {
        "scenarios": [str(root / "scenario")],
        "harnesses": [{"name": harness, "options": options}],
        "models": [{"name": "script", "kind": "scripted", "script": ["I think \\bbox{A}."]}],
        "settings": {"isolation": 1},
    }
    experiment = Experiment.model_validate(asked)
    scenarios = find_scenarios(experiment.scenarios)
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    with RunFolder(root / "run") as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, harnesses)
        return [r for r in read_journal(folder.journal(plan.trials[0].id)) if isinstance(r, RoundRecord)][1:]


def median(name: str, records: list[RoundRecord]) -> tuple[float, float]:
    """Print a line; seconds per turn, and of that the adapter's own."""
    failed = [r for r in records if r.error is not None]
    total = sorted(r.timing.total for r in records if r.error is None)
    own = statistics.median(r.timing.own for r in records if r.error is None)
    middle = statistics.median(total)
    low, high = total[len(total) // 10], total[len(total) * 9 // 10]
    print(
        f"{name}: {1000 * middle:.0f} ms per turn ({1000 * low:.0f} to {1000 * high:.0f}), "
        f"adapter {1000 * own:.1f} ms ({100 * own / middle:.1f} %), {len(total)} turns, {len(failed)} failed"
    )
    return middle, own


def measure(harness: str) -> bool:
    """One harness in both modes; whether the limits hold."""
    options, plain, limit = HARNESSES[harness]
    with tempfile.TemporaryDirectory() as folder:
        middle, own = median(harness, asyncio.run(turns(Path(folder), harness, options)))
    fine = own <= max(OWN_SECONDS, OWN_SHARE * middle)
    if plain is not None:
        with tempfile.TemporaryDirectory() as folder:
            slower, _ = median(f"{harness} {plain}", asyncio.run(turns(Path(folder), harness, plain)))
        print(f"{harness}: {slower / middle:.1f} times as fast; limit {limit:g}")
        fine = fine and slower >= limit * middle
    return fine


def openclaw_ways() -> bool:
    """OpenClaw over HTTP and ACP against its own command line through the same gateway; whether both are four times as fast."""
    sys.path.insert(0, str(Path(__file__).parents[2] / "tests/e2e"))
    from openclaw_ways import measure as ways

    with tempfile.TemporaryDirectory() as folder:
        middle = {way: statistics.median(taken) for way, taken in asyncio.run(ways(Path(folder))).items()}
    slow = middle.pop("cli")
    print(f"openclaw agent: {1000 * slow:.0f} ms per turn")
    for way, seconds in middle.items():
        print(f"openclaw over {way}: {1000 * seconds:.0f} ms, {slow / seconds:.1f} times as fast; limit {OPENCLAW:g}")
    return all(slow >= OPENCLAW * seconds for seconds in middle.values())


def main() -> int:
    """Measure those that are installed, or those named; exit status 1 when a limit is not met."""
    fine = True
    for harness in sys.argv[1:] or HARNESSES:
        probe = create("harness", harness).probe()
        if probe.ready:
            fine = measure(harness) and fine
            fine = (harness != "openclaw" or openclaw_ways()) and fine
        else:
            print(f"{harness}: not measured ({probe.reason})")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
