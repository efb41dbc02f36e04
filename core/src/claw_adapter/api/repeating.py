"""One round of a finished run again, from its checkpoint; `claw run RUN --trial T --round R --into DIR` is made of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.api.blocking import finish, system_errors
from claw_adapter.api.results import Run, open_run
from claw_adapter.api.running import Prepared, Watching
from claw_adapter.errors import JournalError, ScenarioError
from claw_adapter.protocol import RoundRecord, Scenario, StopRules
from claw_adapter.runner.preparing import prepare as prepare_plan
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.repetition import PastRound, find_round
from claw_adapter.scenario.named import find_scenarios

__all__ = ["PreparedRound", "prepare_round", "repeat_round"]


@dataclass(frozen=True, slots=True)
class PreparedRound:
    """A round that can be repeated: everything was found, and nothing written or spent.

    Attributes:
        changed: what of the harness is of another version than it was, as ``name: before → now``.
    """

    past: PastRound
    prepared: Prepared
    changed: tuple[str, ...]

    async def execute(self, watching: Watching | None = None) -> RoundRecord:
        """Repeat it; its new record.

        Raises:
            JournalError: the folder is in use, or the trial ended without a record; says why.
        """
        folder = RunFolder(self.prepared.root)
        with folder:
            folder.begin(self.prepared.plan)
            self.past.copy_into(folder)
        await self.prepared.execute(watching=watching)
        records = read_journal(folder.journal(self.past.spec.id))
        rounds = [record for record in records if isinstance(record, RoundRecord)]
        if len(rounds) > len(self.past.before):
            return rounds[-1]
        error = getattr(records[-1], "error", None)
        raise JournalError(
            f"the round was not repeated: {error.what if error else 'the trial ended before it'}",
            where=str(self.prepared.root),
            remedy=error.remedy if error else "",
        )


def prepare_round(run: Path, trial: str, round_: str, into: Path) -> PreparedRound:
    """Find a round of a run, its scenario and its harness.

    Raises:
        JournalError: there is no such run, trial or finished round, its checkpoint is not kept, or `into` is not empty.
        ScenarioError: the scenario is not where the run found it, or was changed since.
        ClawError: the harness, an overlay, the model or the isolation level is missing here.
    """
    past = find_round(run, trial, round_)
    root = into.resolve()
    if root.is_dir() and any(root.iterdir()):
        remedy = "Name a new folder, or an empty one: the run itself is never changed."
        raise JournalError("the folder of the repetition is not empty", where=str(root), remedy=remedy)
    if root.is_relative_to(past.run.root):
        remedy = "Name one outside: the run itself is never changed."
        raise JournalError("the folder of the repetition lies in the run", where=str(root), remedy=remedy)
    scenario = _scenario(past)
    plan = past.repetition
    before = plan.versions[past.spec.harness.label]
    plan, harnesses = prepare_plan(plan, {scenario.id: scenario})
    now = plan.versions[past.spec.harness.label]
    changed = tuple(f"{name}: {before[name]} → {now[name]}" for name in now if before.get(name, now[name]) != now[name])
    return PreparedRound(past, Prepared(root, plan, {scenario.id: scenario}, harnesses, StopRules()), changed)


def _scenario(past: PastRound) -> Scenario:
    """The scenario, ending with the round."""
    name = past.spec.scenario
    remedy = "Put it back as it was when the run was made."
    found = find_scenarios(past.plan.sources).get(name)
    if found is None:
        sources = ", ".join(past.plan.sources)
        raise ScenarioError(f"scenario {name!r} is not where the run found it ({sources})", remedy=remedy)
    if found.digest != past.plan.scenarios[name]:
        what = f"scenario {name!r} is not the one that was run: its files have changed"
        raise ScenarioError(what, where=str(found.root), remedy=remedy)
    return found.model_copy(update={"rounds": found.rounds[: len(past.before) + 1]})


def repeat_round(run: str | Path, trial: str, round: str, *, into: str | Path) -> Run:  # noqa: A002 - its name elsewhere
    """Repeat one round of a finished run as it began: sessions, workspace and environment as they were before it.

    Args:
        run: the run folder; it is only read.
        trial: id of the trial.
        round: id of the round.
        into: a new folder, which becomes a run folder of one trial that ends with this round.

    Returns:
        That run; its `data.plan.repeats` says what it repeats.

    Raises:
        ClawError: something is wrong or missing; the message says what, where, and what to do.
    """

    async def repeat() -> None:
        prepared = await asyncio.to_thread(prepare_round, Path(run), trial, round, Path(into))
        await prepared.execute()

    with system_errors():
        finish(repeat())
    return open_run(into)
