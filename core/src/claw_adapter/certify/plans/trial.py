"""Plans run by the ordinary runner, each a trial of one run, and judged by the ledger."""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pydantic import JsonValue

from claw_adapter.audit import AuditFinding
from claw_adapter.certify.offspring import adopting, connections, end, left_behind, offspring
from claw_adapter.certify.plans.judging import PlanOutcome, judge_plans
from claw_adapter.certify.plans.layout import lay_out, run_folder, run_plan
from claw_adapter.certify.plans.plan import SessionPlan, said_in
from claw_adapter.certify.plans.taken import taken_for
from claw_adapter.certify.script import history_use
from claw_adapter.certify.tried import ToolsTried
from claw_adapter.certify.watch import command_of, traces_outside
from claw_adapter.folders import remove_tree, scratch
from claw_adapter.harness import Harness
from claw_adapter.protocol import HarnessSpec, RunSettings
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import load_run
from claw_adapter.runs.plan import Plan
from claw_adapter.runs.pruning import prune
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.scenario.load import load_scenario

__all__ = ["PlanRunner"]

MARKS = 3
"""Lines that a file has which is left of a conversation, or little else: one or two may be those of a report about it."""
PATIENCE = 20
"""So many times what one turn may take a session may take; one of 120 turns takes a hundredth of that each on most."""
MARK = 40
"""Characters of a line from which on nobody else says it."""


@dataclass(slots=True)
class PlanRunner:
    """Runs plans through one harness.

    Attributes:
        harness: the adapter under test.
        options: what it was made with.
        overlays: what stands between it and the model.
        isolation: of its processes.
        deadline: seconds that a turn may take; a session may take `PATIENCE` times as long, and is judged by what it came to.
        keep: a folder that gets the run's journals and transcripts; nothing is kept without.
        beside: the folder in which runs are made, for the time that they take.
        tried: takes what was called.
    """

    harness: Harness
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    overlays: Sequence[str] = ()
    isolation: int = 0
    deadline: float = 90.0
    keep: Path | None = None
    beside: Path | None = None
    tried: ToolsTried = field(default_factory=ToolsTried)
    runs: int = 0
    """How many runs were made."""
    taken: tuple[str, str] = ("", "")
    """What the tools that the last one offered were taken for, and what was not asked for, since no tool was known for it."""

    async def outcomes(self, plans: Sequence[SessionPlan], *, at_once: int = 1) -> list[PlanOutcome]:
        """Run plans as the trials of one run, so many at once, and judge each."""
        self.runs += 1
        with scratch(beside=self.beside) as root:
            made = run_folder(root, plans[0].nonce)
            laid, scenarios = {}, {}
            helper = self.harness.capabilities().sub_agent
            for plan in plans:
                laid[plan.name] = lay_out(
                    plan, root / "scenarios" / plan.name, partial(history_use, self.harness), helper
                )
                scenarios[plan.name] = load_scenario(root / "scenarios" / plan.name)
            harness = HarnessSpec(name=self.harness.name, label=self.harness.name, options=dict(self.options))
            settings = RunSettings(isolation=self.isolation, deadline=self.deadline)
            asked = run_plan(plans, laid, scenarios, harness, settings, self.overlays)
            incidents = {trial.id: laid[trial.scenario].incidents for trial in asked.trials}
            with RunFolder(made) as folder:
                folder.begin(asked)
                before, since = offspring(), time.time()
                with adopting(), connections(root) as reached:
                    playing = run(
                        folder, asked, scenarios, {self.harness.name: self.harness}, jobs=at_once, incidents=incidents
                    )
                    await _within(playing, PATIENCE * self.deadline)
                    left = await asyncio.to_thread(left_behind, before)
            end(left)
            strays = await asyncio.to_thread(_strays, root, made, plans, since, self.keep)
            escaped = tuple(_escaped(left, reached, strays))
            found = await asyncio.to_thread(judge_plans, load_run(made), plans, laid, escaped=escaped)
            self.taken = await asyncio.to_thread(self._take, RunFolder(made), asked)
            if self.keep is not None:
                await asyncio.to_thread(_kept, made, self.keep / f"{self.runs}")
            await asyncio.to_thread(remove_tree, made)
        return found

    def _take(self, made: RunFolder, asked: Plan) -> tuple[str, str]:
        paths = [path for path in (made.transcript(trial.id) for trial in asked.trials) if path.is_file()]
        every = [one for path in paths for one in read_transcript(path)]
        self.tried.take(every)
        return taken_for(one.tools for one in every)


async def _within(playing: Coroutine[object, object, object], seconds: float) -> None:
    """Play so long at most; what has been finished until then is kept."""
    try:
        async with asyncio.timeout(seconds) as limit:
            await playing
    except TimeoutError:
        if not limit.expired():
            raise


def _strays(root: Path, made: Path, plans: Iterable[SessionPlan], since: float, kept: Path | None) -> list[str]:
    """Files of a run that lie elsewhere than it does, and where runs are `kept`, and hold what was said in it."""
    ours = (root, made, *([kept] if kept is not None else []))
    marks = {line for plan in plans for text in said_in(plan) for line in text.splitlines() if len(line) >= MARK}
    own = [path for folder in (root, made.parent) for path in folder.iterdir()]
    found = [path for path in own if path not in (made, made.parent, root / "scenarios")]
    return [str(path) for path in (*found, *traces_outside(marks, since, ours=ours, least=MARKS))]


def _escaped(left: Sequence[int], reached: Sequence[str], strays: Sequence[str]) -> Iterator[AuditFinding]:
    """What got away from a run: processes that were still there behind it, what the adapter's code spoke to, and files."""
    if strays:
        what = f"files with words of the conversation were left outside: {', '.join(strays[:3])}"
        yield AuditFinding(must="M9", cause="files-left", what=what, owner="adapter")
    if left:
        what = f"when all was closed these still ran: {[command_of(pid) for pid in left][:3]}"
        yield AuditFinding(must="M26", cause="process-left", what=what, owner="adapter")
    if reached:
        what = f"code in the runner's process connects to {', '.join(dict.fromkeys(reached))[:200]}"
        yield AuditFinding(must="M11", cause="connects-elsewhere", what=what, owner="adapter")


def _kept(run_folder: Path, folder: Path) -> None:
    """A run, without what only lives while it goes on, and without what no record names: restarts leave checkpoints."""
    prune(run_folder)
    shutil.copytree(
        run_folder, folder, ignore=shutil.ignore_patterns("live", "tmp", "*.lock", "*.sock"), dirs_exist_ok=True
    )
    for place in [one for one in (folder / "store").iterdir() if not any(one.iterdir())]:
        place.rmdir()
