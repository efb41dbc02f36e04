"""Scoring a published run again, with no model: letters from the recorded replies, checks on rebuilt workspaces."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from claw_adapter.data_format import RoundProgress
from claw_adapter.drivers.waiting import side_by_side, to_thread
from claw_adapter.errors import ClawError, ScenarioError
from claw_adapter.protocol import Check
from claw_adapter.questions.extract import extract, extract_compat
from claw_adapter.questions.multi_choice import agreement
from claw_adapter.runs.store import Store
from claw_adapter.sandbox import IsolationLevel
from claw_adapter.scenario import load_scenario
from claw_adapter.workspace import Snapshotter, apply_update, lay_out
from claw_adapter_clawarena.convert import to_scenario
from claw_adapter_clawarena.examine import examine
from claw_adapter_clawarena.mirror import mirror
from claw_adapter_clawarena.records import PublishedRound, PublishedScenario
from claw_adapter_clawarena.replay import Replay
from claw_adapter_clawarena.results import RecordedRound, read_report, read_results
from claw_adapter_clawarena.suite import open_suite
from claw_adapter_clawarena.verdicts import Rescored, RescoredRound, RescoredScenario

__all__ = ["rescore_published"]

COPIES: Final = 3
"""Copies of a scenario's workspace that wait for their checks, or are being checked, while its replay goes on."""


async def rescore_published(
    results: Path, data: Path, *, isolation: int = 2, replay: bool = True, progress: RoundProgress | None = None
) -> Rescored:
    """Score a published result folder again.

    Args:
        results: the folder, ``<scenario>/<round>/infer_result.json``, or a submission, which has it as ``infer``.
        data: the data set it ran on (its ``tests.json``).
        isolation: level at which recorded commands and checks run; 2 has no network.
        replay: whether workspaces are rebuilt; without, exec_check keeps its recorded verdicts.
        progress: told about every round.

    Raises:
        ScenarioError: results or data cannot be read, or do not belong together.
        SandboxError: the isolation level cannot be provided.
    """
    recorded = read_results(results)
    layout = next(iter(next(iter(recorded.values())).values())).layout
    suite = open_suite(data)
    scenarios = {one.id: one for one in examine(suite, suite.layouts(layout)[0]).scenarios}
    if unknown := next((name for name in recorded if name not in scenarios), None):
        raise ScenarioError(f"the data set has no scenario {unknown!r}", where=str(suite.source.path))

    async def again(name: str) -> RescoredScenario:
        with tempfile.TemporaryDirectory(prefix="claw-replay-", ignore_cleanup_errors=True) as folder:
            worker = _Worker(scenarios[name], recorded[name], Path(folder).resolve(), IsolationLevel(isolation))
            return await worker.run(replay=replay, progress=progress)

    longest = sorted(recorded, key=lambda name: -sum(len(one.calls or ()) for one in recorded[name].values()))
    made = {one.id: one for one in await side_by_side(again, longest)}
    return Rescored(results, layout, isolation, replay, [made[name] for name in recorded], read_report(results))


@dataclass
class _Worker:
    scenario: PublishedScenario
    recorded: Mapping[str, RecordedRound]
    folder: Path
    level: IsolationLevel
    copies: asyncio.Queue[Path] = field(default_factory=asyncio.Queue)
    """Those that no check uses."""

    def __post_init__(self) -> None:
        for number in range(COPIES):
            self.copies.put_nowait(self.folder / f"copy-{number}")

    async def run(self, *, replay: bool, progress: RoundProgress | None) -> RescoredScenario:
        made = RescoredScenario(self.scenario.id)
        neutral = load_scenario(to_scenario(self.scenario, self.folder / "scenario", mode="clawarena-1.0"))
        workspace = self.folder / "workspace"
        lay_out(neutral.workspace, workspace)
        again = Replay(workspace, self.level, made.log)
        snapshotter = Snapshotter(Store(self.folder / "store"))
        checks: list[asyncio.Task[RescoredRound]] = []
        try:
            for index, one in enumerate(self.scenario.rounds):
                for update in neutral.expand(one.item.updates):
                    plan = apply_update(
                        update, scenario_root=neutral.root, workspace=workspace, snapshotter=snapshotter
                    )
                    again.forget(change.path for change in plan)
                recorded = self.recorded.get(one.item.id)
                if replay and recorded is not None:
                    await again.round(recorded)
                checks.append(await self._begin(one, recorded, workspace, replay=replay))
                if progress:
                    progress(self.scenario.id, index + 1, len(self.scenario.rounds))
            made.rounds.extend(await asyncio.gather(*checks))
        finally:
            for check in checks:
                check.cancel()
            await asyncio.gather(*checks, return_exceptions=True)
        again.finish(self.scenario.id)
        return made

    async def _begin(
        self, one: PublishedRound, recorded: RecordedRound | None, workspace: Path, *, replay: bool
    ) -> asyncio.Task[RescoredRound]:
        """Begin to decide a round, on a copy of the workspace as it is now; the replay goes on meanwhile."""
        why = _undecided(one, recorded, replay=replay)
        copy = None
        if one.item.type == "exec_check" and not why:
            copy = await self.copies.get()
            await to_thread(mirror, workspace, copy)
        return asyncio.create_task(self._decided(one, recorded, why, copy))

    async def _decided(
        self, one: PublishedRound, recorded: RecordedRound | None, why: str, copy: Path | None
    ) -> RescoredRound:
        if recorded is not None and one.item.type == "multi_choice":
            return _choice(one, recorded)
        passed, check = None, one.answer.check
        if copy is not None and check is not None:
            try:
                passed, why = await self._decide(check, copy)
            finally:
                self.copies.put_nowait(copy)
        return RescoredRound(one.item.id, one.item.type, recorded.passed if recorded else None, passed, why=why)

    async def _decide(self, check: Check, copy: Path) -> tuple[bool | None, str]:
        """The check's verdict; None with the reason when the sandbox cannot run it."""
        from claw_adapter.protocol import Answers, Gold
        from claw_adapter.question import ScoringContext
        from claw_adapter.questions.exec_check import decide_check

        gold = Gold(root=self.folder / "scenario" / "gold", answers=Answers(rounds={}))
        try:
            result = await decide_check(check, ScoringContext(gold=gold, workspace=copy, isolation=int(self.level)))
        except ClawError as error:
            return None, error.what
        said = (result.stderr.strip() or result.stdout.strip()).splitlines()
        return result.passed, "; ".join(filter(None, (result.why, *(said[-1:] if result.why else ()))))


def _undecided(one: PublishedRound, recorded: RecordedRound | None, *, replay: bool) -> str:
    """Why there is no check to run for a round, or empty."""
    if recorded is None:
        return "no recorded result"
    if one.missing:
        return one.answer.unscorable
    if not replay:
        return "the workspace was not rebuilt"
    if recorded.calls is None or one.answer.check is None:
        return "no trace to rebuild the workspace from"
    return ""


def _choice(one: PublishedRound, recorded: RecordedRound) -> RescoredRound:
    gold, options = set(one.answer.answer), one.item.options
    compat, default = extract_compat(recorded.text).letters, extract(recorded.text, options).letters
    measured = agreement(tuple(letter for letter in compat or () if letter in options), one.answer.answer, options)
    return RescoredRound(
        round=one.item.id,
        type=one.item.type,
        recorded=recorded.passed,
        derived=compat is not None and set(compat) == gold,
        default=default is not None and set(default) == gold,
        compat_letters=compat,
        default_letters=default,
        per_option=measured.v1,
    )
