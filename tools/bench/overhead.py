"""What the runner itself costs per round: scripted model, reference harness in the runner's process, 120 rounds.

The **runner's share** of a round is all that passes from the moment the record of the round before was journalled to the
moment that its own was, less what passes inside the calls of the harness's conversation (send, sync, checkpoint). So nothing of
the runner is left out: answer key, prompt, snapshot, checkpoint, store, score, record, checksum, fsync, looking at the
machine, and the watcher of the limits while it is at work. What the agent does is not in it, nor what the endpoint does,
which is another process. It is told twice: as CPU time of the runner's process, all threads together, which other programs
hardly touch; and as time on the clock, which has the waits for the disk and for the endpoint's answers in it. The limit,
2 ms in the median, is for the CPU time. With the path of another checkout's ``core/src``, each run of this one alternates
with a run of that one, `PAIRS` times.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from claw_adapter.reference import adapter
from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.run import Watcher, run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

ROUNDS: Final = 120
PAIRS: Final = 5
LIMIT: Final = 2.0
SHARES = list[tuple[float, float]]


class Share:
    """The runner's share of each round but the first, with which a trial opens: CPU and clock, milliseconds."""

    def __init__(self) -> None:
        self.rounds: SHARES = []
        self._inside = self._last = (0.0, 0.0)

    def outside(self, call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """The same call; what passes inside it is not the runner's."""

        async def clocked(*given: Any, **more: Any) -> Any:
            began = _now()
            try:
                return await call(*given, **more)
            finally:
                self._inside = _add(self._inside, _since(began))

        return clocked

    def journalled(self, _trial: object, record: Any, _total: int) -> None:
        """A round's record is on disk."""
        now = _now()
        passed = (now[0] - self._last[0] - self._inside[0], now[1] - self._last[1] - self._inside[1])
        if record.index:
            self.rounds.append((1000 * passed[0], 1000 * passed[1]))
        self._last, self._inside = now, (0.0, 0.0)


def _now() -> tuple[float, float]:
    return time.process_time(), time.perf_counter()


def _since(began: tuple[float, float]) -> tuple[float, float]:
    now = _now()
    return now[0] - began[0], now[1] - began[1]


def _add(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return one[0] + other[0], one[1] + other[1]


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


async def measure(root: Path) -> SHARES:
    """One run; the runner's share of its rounds."""
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
    share, conversation = Share(), adapter._InProcess  # noqa: SLF001 - the agent in the runner's process
    for name in ("send", "sync", "checkpoint"):
        setattr(conversation, name, share.outside(getattr(conversation, name)))
    with RunFolder(root / "run") as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, harnesses, watcher=Watcher(on_round=share.journalled))
    return share.rounds


def one() -> SHARES:
    """The rounds of one run in a folder of its own, below TMPDIR."""
    with tempfile.TemporaryDirectory() as name:
        write_scenario(Path(name) / "scenario")
        return asyncio.run(measure(Path(name)))


def elsewhere(sources: Path) -> SHARES:
    """The same in a process of its own, with the sources of any checkout."""
    command = [sys.executable, __file__, "--one"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(sources)}, check=True, stdout=subprocess.PIPE)
    return [(cpu, wall) for cpu, wall in json.loads(done.stdout)]


def describe(rounds: SHARES) -> str:
    """Medians and 90th percentiles."""
    parts = []
    for what, costs in zip(("CPU", "clock"), zip(*rounds, strict=True), strict=True):
        at = sorted(costs)[int(len(costs) * 0.9)]
        parts.append(f"{what} {statistics.median(costs):.2f} ms (90 %: {at:.2f} ms)")
    return f"runner's share of {len(rounds)} rounds: {', '.join(parts)}"


def main(*words: str) -> int:
    """Print the shares; exit status 1 over the limit."""
    if words == ("--one",):
        print(json.dumps(one()))
        return 0
    own = Path(__file__).parents[2] / "core/src"
    rounds: dict[Path, SHARES] = {sources.resolve(): [] for sources in (own, *map(Path, words))}
    for _ in range(PAIRS if words else 1):
        for sources in rounds:
            rounds[sources] += elsewhere(sources)
    for sources, found in rounds.items():
        print(f"{describe(found)}; limit {LIMIT:g} ms of CPU" + (f"; {sources}" if words else ""))
    return 0 if statistics.median(cpu for cpu, _ in rounds[own]) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
