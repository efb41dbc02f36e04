"""Does what a round adds to a run depend on the rounds before it? One run, looked at after 250 rounds and after 1,000.

Every reply has a few dozen words, and every request repeats the whole conversation. Store and transcript after the long part
may be 4.5 times those after the short one. CPU time is told for the last 50 rounds of both parts, and may grow by a fifth: of
the runner per round, because what is new in a round is as large there as here; of the endpoint per byte that it has received,
because that is the whole conversation each time. What stands beside the runner's time is the adapter's export, which is a whole
session by claw/1 (docs/decisions/0004). Times are told in units of a small loop that ran between the same rounds, too, because
the speed of a machine changes by the minute. With the name of a harness that is installed, that one (isolation level 1, its own
processes are not counted); else the reference in the runner's process, whose turns, which write the whole conversation each
time, are taken out.
"""

import asyncio
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from overhead import write_scenario

from claw_adapter.harness import Conversation
from claw_adapter.protocol import Checkpoint
from claw_adapter.reference.agent import Agent
from claw_adapter.runner.preparing import prepare
from claw_adapter.runner.rounds import RoundRunner
from claw_adapter.runner.run import Watcher, run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.plan import Experiment, expand
from claw_adapter.scenario.named import find_scenarios

LIMIT: Final = 4.5
FIFTH: Final = 1.2
LAST: Final = 50
WORDS: Final = 80
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Mark:
    """Since the beginning: CPU seconds of runner, adapter's export, endpoint and small loop; bytes of store and transcript.

    And the bytes of the conversation that requests have repeated.
    """

    runner: float
    export: float
    endpoint: float
    loop: float
    store: int
    transcript: int
    received: int


class Marks:
    """Takes a mark after some of the rounds; what is measured here, and the agent's turns, are no time of the runner."""

    def __init__(self, rounds: set[int], folder: RunFolder, trial: str) -> None:
        self.found: dict[int, Mark] = {}
        self._rounds, self._folder, self._trial = rounds, folder, trial
        self._loop = self._own = self._export = 0.0
        self._said = self._received = 0
        self._turn, self._checkpoint = Agent.turn, RoundRunner._checkpoint  # noqa: SLF001

    def turn(self, agent: Agent, *given: Any) -> dict[str, Any]:
        """A turn of the agent in the runner's process."""
        began = time.thread_time()
        try:
            return self._turn(agent, *given)
        finally:
            self._own += time.thread_time() - began

    async def checkpoint(self, runner: RoundRunner, conversation: Conversation) -> Checkpoint:
        """An adapter tells the whole session."""
        began = time.process_time()
        try:
            return await self._checkpoint(runner, conversation)
        finally:
            self._export += time.process_time() - began

    def journalled(self, _trial: object, record: Any, _total: int) -> None:
        """A round's record is on disk."""
        began = time.thread_time()
        sum(number * number for number in range(20_000))
        self._loop += time.thread_time() - began
        self._said += len(record.prompt.encode())
        self._received += self._said * record.usage.metered.requests
        self._said += len(record.text.encode())
        if record.error is not None:
            raise SystemExit(f"round {record.round}: {record.error.message}")
        if record.index + 1 in self._rounds:
            store = sum(path.stat().st_size for path in self._folder.store.rglob("*") if path.is_file())
            size, endpoint = self._folder.transcript(self._trial).stat().st_size, _endpoint()
            runner = time.process_time() - self._own - self._export - (time.thread_time() - began)
            self.found[record.index + 1] = Mark(runner, self._export, endpoint, self._loop, store, size, self._received)
        self._own += time.thread_time() - began


def _endpoint() -> float:
    """CPU seconds of our endpoint processes."""
    total = 0
    for path in Path("/proc").glob("[0-9]*"):
        try:
            told = (path / "stat").read_text().rpartition(")")[2].split()
            if told[1] == str(os.getpid()) and b"claw_adapter.endpoint" in (path / "cmdline").read_bytes():
                total += int(told[11]) + int(told[12])
        except OSError:
            continue
    return total / TICKS


async def measure(root: Path, harness: str, rounds: list[int]) -> dict[int, Mark]:
    """One run of as many rounds as the last of `rounds`; marks after each of them, and `LAST` rounds before."""
    write_scenario(root / "scenario", rounds[-1])
    script = [
        " ".join(f"Reply {n}, word {n * 31 + w}." for w in range(WORDS)) + " \\bbox{A}" for n in range(rounds[-1] + 1)
    ]
    inside = harness == "reference"
    asked = {
        "scenarios": [str(root / "scenario")],
        "harnesses": [{"name": harness, "options": {"mode": "in-process"} if inside else {}}],
        "models": [{"name": "script", "kind": "scripted", "script": script}],
        "settings": {"isolation": 0 if inside else 1},
    }
    experiment = Experiment.model_validate(asked)
    scenarios = find_scenarios(experiment.scenarios)
    plan, harnesses = prepare(expand(experiment, scenarios), scenarios)
    with RunFolder(root / "run") as folder:
        folder.begin(plan)
        marks = Marks({at - back for at in rounds for back in (0, LAST)}, folder, plan.trials[0].id)

        def turn(agent: Agent, *given: Any) -> dict[str, Any]:
            return marks.turn(agent, *given)

        async def checkpoint(runner: RoundRunner, conversation: Conversation) -> Checkpoint:
            return await marks.checkpoint(runner, conversation)

        Agent.turn = turn  # type: ignore[method-assign]
        RoundRunner._checkpoint = checkpoint  # type: ignore[method-assign]  # noqa: SLF001
        await run(folder, plan, scenarios, harnesses, watcher=Watcher(on_round=marks.journalled))
    return marks.found


def main(harness: str, rounds: list[int]) -> int:
    """Print both parts and their ratios; exit status 1 over a limit."""
    with tempfile.TemporaryDirectory() as name:
        marks = asyncio.run(measure(Path(name), harness, rounds))
    costs: list[dict[str, float]] = []
    for at in rounds:
        now, before = marks[at], marks[at - LAST]
        loop = now.loop - before.loop
        received = (now.received - before.received) / 1e6
        each = {name: getattr(now, name) - getattr(before, name) for name in ("runner", "export", "endpoint")}
        told = ", ".join(f"{part} {1000 * spent / LAST:.2f} ms ({spent / loop:.2f})" for part, spent in each.items())
        print(
            f"{harness}, {at} rounds: store {now.store / 1e6:.2f} MB, transcript {now.transcript / 1e6:.2f} MB; "
            f"a round {told}, received {received / LAST:.3f} MB"
        )
        costs.append(
            {
                "runner per round": each["runner"] / loop,
                "endpoint per received byte": each["endpoint"] / loop / received,
            }
        )
    first, last = marks[rounds[0]], marks[rounds[-1]]
    ratios = {"store": last.store / first.store, "transcript": last.transcript / first.transcript}
    times = {part: costs[-1][part] / costs[0][part] for part in costs[0]}
    print(", ".join(f"{name} x {ratio:.2f}" for name, ratio in {**ratios, **times}.items()))
    grown = max(ratios.values()) > LIMIT * rounds[-1] / rounds[0] / 4 or max(times.values()) > FIFTH
    return int(grown)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    names = [word for word in sys.argv[1:] if not word.isdecimal()]
    sys.exit(main((names or ["reference"])[0], numbers or [250, 1000]))
