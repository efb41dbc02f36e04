"""Scoring a published run again, with no model: letters from the recorded replies, checks on rebuilt workspaces."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

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
from claw_adapter_clawarena.records import PublishedRound, PublishedScenario
from claw_adapter_clawarena.replay import Replay
from claw_adapter_clawarena.results import RecordedRound, read_results
from claw_adapter_clawarena.suite import open_suite
from claw_adapter_clawarena.verdicts import Rescored, RescoredRound, RescoredScenario

__all__ = ["rescore_published"]


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

    return Rescored(results, layout, isolation, replay, await side_by_side(again, recorded))


@dataclass
class _Worker:
    scenario: PublishedScenario
    recorded: Mapping[str, RecordedRound]
    folder: Path
    level: IsolationLevel

    async def run(self, *, replay: bool, progress: RoundProgress | None) -> RescoredScenario:
        made = RescoredScenario(self.scenario.id)
        neutral = load_scenario(to_scenario(self.scenario, self.folder / "scenario", mode="clawarena-1.0"))
        workspace = self.folder / "workspace"
        lay_out(neutral.workspace, workspace)
        again = Replay(workspace, self.level, made.log)
        snapshotter = Snapshotter(Store(self.folder / "store"))
        for index, one in enumerate(self.scenario.rounds):
            for update in neutral.expand(one.item.updates):
                plan = apply_update(update, scenario_root=neutral.root, workspace=workspace, snapshotter=snapshotter)
                again.forget(change.path for change in plan)
            recorded = self.recorded.get(one.item.id)
            if recorded is None:
                made.rounds.append(RescoredRound(one.item.id, one.item.type, None, None, why="no recorded result"))
                continue
            if replay:
                await again.round(recorded)
            if one.item.type == "multi_choice":
                made.rounds.append(_choice(one, recorded))
            else:
                made.rounds.append(await self._checked(one, recorded, workspace, replay=replay))
            if progress:
                progress(self.scenario.id, index + 1, len(self.scenario.rounds))
        again.finish(self.scenario.id)
        return made

    async def _checked(
        self, one: PublishedRound, recorded: RecordedRound, workspace: Path, *, replay: bool
    ) -> RescoredRound:
        def kept(why: str) -> RescoredRound:
            return RescoredRound(one.item.id, one.item.type, recorded.passed, None, why=why)

        if one.missing:
            return kept(one.answer.unscorable)
        if not replay or recorded.calls is None or one.answer.check is None:
            return kept(
                "no trace to rebuild the workspace from" if recorded.calls is None else "the workspace was not rebuilt"
            )
        passed, why = await self._decide(one.answer.check, workspace)
        return RescoredRound(one.item.id, one.item.type, recorded.passed, passed, why=why)

    async def _decide(self, check: Check, workspace: Path) -> tuple[bool | None, str]:
        """The check's verdict on a copy of the workspace; None with the reason when the sandbox cannot run it."""
        from claw_adapter.protocol import Answers, Gold
        from claw_adapter.question import ScoringContext
        from claw_adapter.questions.exec_check import decide_check

        copy = self.folder / "copy"
        await to_thread(shutil.copytree, workspace, copy, symlinks=True)
        gold = Gold(root=self.folder / "scenario" / "gold", answers=Answers(rounds={}))
        try:
            result = await decide_check(check, ScoringContext(gold=gold, workspace=copy, isolation=int(self.level)))
        except ClawError as error:
            return None, error.what
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        said = (result.stderr.strip() or result.stdout.strip()).splitlines()
        return result.passed, "; ".join(filter(None, (result.why, *(said[-1:] if result.why else ()))))


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
