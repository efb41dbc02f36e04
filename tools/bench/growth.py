"""Does what a round adds to a run depend on the rounds before it? The same run with 250 rounds and with 1,000.

Every reply has a few hundred words, and every request repeats the whole conversation. Store and transcript of the long run
may be 4.5 times those of the short one. CPU time per round is printed beside them, of the runner and of the endpoint: it should
be the same in both, for what is new in a round is. The reference harness, in the runner's process, is taken out: it writes the
whole conversation into every request.
"""

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

from overhead import write_scenario

from claw_adapter.reference.agent import Agent
from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

LIMIT = 4.5


class Harness:
    """CPU seconds of the agent's turns, in whatever thread."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._turn = Agent.turn

    def __enter__(self) -> Self:
        def turn(agent: Agent, *given: Any) -> dict[str, Any]:
            began = time.thread_time()
            try:
                return self._turn(agent, *given)
            finally:
                self.seconds += time.thread_time() - began

        Agent.turn = turn  # type: ignore[method-assign]
        return self

    def __exit__(self, *_: object) -> None:
        Agent.turn = self._turn  # type: ignore[method-assign]


async def measure(root: Path, rounds: int) -> dict[str, float]:
    """One run: bytes of store, transcript and journal, and seconds."""
    write_scenario(root / "scenario", rounds)
    script = [" ".join(f"Reply {n}, word {n * 31 + w}." for w in range(80)) + " \\bbox{A}" for n in range(rounds + 1)]
    asked = {
        "scenarios": [str(root / "scenario")],
        "harnesses": [{"name": "reference", "options": {"mode": "in-process"}}],
        "models": [{"name": "script", "kind": "scripted", "script": script}],
        "settings": {"isolation": 0},
    }
    experiment = Experiment.model_validate(asked)
    scenarios = find_scenarios(experiment.scenarios)
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    own, began = time.process_time(), time.perf_counter()
    children = _children()
    with RunFolder(root / "run") as folder, Harness() as harness:
        folder.begin(plan)
        await run(folder, plan, scenarios, harnesses)
        trial = plan.trials[0].id
        records = [r for r in read_journal(folder.journal(trial)) if r.kind == "round"]
        blobs = [path.stat().st_size for path in folder.store.rglob("*") if path.is_file()]
        return {
            "rounds": len(records),
            "store": sum(blobs),
            "transcript": folder.transcript(trial).stat().st_size,
            "runner": time.process_time() - own - harness.seconds,
            "harness": harness.seconds,
            "endpoint": _children() - children,
            "wall": time.perf_counter() - began,
        }


def _children() -> float:
    found = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found.ru_utime + found.ru_stime


def main(short: int, long: int) -> int:
    """Print both runs; exit status 1 over the limit."""
    found = []
    for rounds in (short, long):
        with tempfile.TemporaryDirectory() as name:
            found.append(asyncio.run(measure(Path(name), rounds)))
        one = found[-1]
        each = {name: 1000 * one[name] / rounds for name in ("runner", "endpoint", "harness")}
        print(f"{rounds:5d} rounds: store {one['store'] / 1e6:8.2f} MB, transcript {one['transcript'] / 1e6:6.2f} MB, "
              f"runner {each['runner']:.1f} ms and endpoint {each['endpoint']:.1f} ms a round "
              f"(harness {each['harness']:.1f} ms), {one['wall']:.0f} s", flush=True)  # fmt: skip
    ratios = {
        name: found[1][name] / found[0][name] for name in ("store", "transcript", "runner", "endpoint", "harness")
    }
    print(f"{long / short:g} times the rounds: " + ", ".join(f"{name} x {ratio:.2f}" for name, ratio in ratios.items()))
    return 0 if max(ratios["store"], ratios["transcript"]) <= LIMIT * long / short / 4 else 1


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]] or [250, 1000]
    sys.exit(main(*words))
