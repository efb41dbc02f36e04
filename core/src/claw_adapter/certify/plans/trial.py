"""Plans run by the ordinary runner, each a trial of one run, and judged by the ledger."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit import AuditFinding, audit_run
from claw_adapter.certify.plans.layout import LaidPlan, lay_out
from claw_adapter.certify.plans.plan import SessionPlan
from claw_adapter.endpoint.models.played import ToolUse
from claw_adapter.errors import Owner
from claw_adapter.folders import remove_tree
from claw_adapter.harness import Harness
from claw_adapter.protocol import Failure, HarnessSpec, ModelSpec, RoundRecord, RunSettings, Scenario, TrialSpec
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import TrialData, load_run
from claw_adapter.runs.plan import Plan, slug
from claw_adapter.scenario.load import load_scenario
from claw_adapter.workspace import history_path

__all__ = ["PlanOutcome", "PlanRunner"]

OURS: Final = (Owner.INTERNAL, Owner.MACHINE)


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """What the ledger says of one plan; `unjudged` is why nothing can be said of it (a fault of ours, or of the machine)."""

    plan: SessionPlan
    findings: tuple[AuditFinding, ...] = ()
    unjudged: str = ""
    rounds: int = 0
    requests: int = 0

    @property
    def keys(self) -> set[str]:
        """The findings by MUST and cause."""
        return {finding.key for finding in self.findings}


@dataclass(slots=True)
class PlanRunner:
    """Runs plans through one harness.

    Attributes:
        harness: the adapter under test.
        options: what it was made with.
        isolation: of its processes.
        deadline: seconds that a turn may take.
        keep: a folder that gets the run's journals and transcripts; nothing is kept without.
        beside: the folder in which runs are made, for the time that they take.
    """

    harness: Harness
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    isolation: int = 0
    deadline: float = 90.0
    keep: Path | None = None
    beside: Path | None = None
    runs: int = 0
    """How many runs were made."""

    async def outcomes(self, plans: Sequence[SessionPlan], *, at_once: int = 1) -> list[PlanOutcome]:
        """Run plans as the trials of one run, so many at once, and judge each."""
        self.runs += 1
        with tempfile.TemporaryDirectory(prefix="run-", dir=self.beside, ignore_cleanup_errors=True) as name:
            root = Path(name).resolve()
            laid, scenarios = {}, {}
            for plan in plans:
                laid[plan.name] = lay_out(plan, root / "scenarios" / plan.name, self._reading)
                scenarios[plan.name] = load_scenario(root / "scenarios" / plan.name)
            asked = self._asked(plans, laid, scenarios)
            incidents = {trial.id: laid[trial.scenario].incidents for trial in asked.trials}
            with RunFolder(root / "run") as folder:
                folder.begin(asked)
                await run(
                    folder, asked, scenarios, {self.harness.name: self.harness}, jobs=at_once, incidents=incidents
                )
            found = await asyncio.to_thread(self._judged, root, plans, laid)
            if self.keep is not None:
                await asyncio.to_thread(_kept, root / "run", self.keep / f"{self.runs}")
            await asyncio.to_thread(remove_tree, root / "run")
        return found

    def _reading(self, session: str) -> ToolUse | None:
        """How a history is read."""
        match self.harness.capabilities().seed_history:
            case "native":
                names = tuple(dict.fromkeys((self.harness.session_key(session), session)))
                return ToolUse(kind="history", target=session, names=names)
            case "files":
                return ToolUse(kind="read", target=history_path(session))
            case _:
                return None

    def _asked(
        self, plans: Iterable[SessionPlan], laid: Mapping[str, LaidPlan], scenarios: Mapping[str, Scenario]
    ) -> Plan:
        harness = HarnessSpec(name=self.harness.name, label=self.harness.name, options=dict(self.options))
        settings = RunSettings(isolation=self.isolation, deadline=self.deadline)
        trials = []
        for plan in plans:
            here = laid[plan.name]
            model = ModelSpec(
                name=plan.model, kind="scripted", script=tuple(one.model_dump(mode="json") for one in here.script),
                options={"faults": list(here.faults)},
            )  # fmt: skip
            words = (plan.name, self.harness.name, plan.model, "s0")
            trials.append(
                TrialSpec(
                    id="--".join(map(slug, words)), scenario=plan.name, harness=harness, model=model, settings=settings
                )
            )
        return Plan(
            trials=tuple(trials),
            scenarios={name: scenario.digest for name, scenario in scenarios.items()},
            rounds={name: len(scenario.rounds) for name, scenario in scenarios.items()},
            sources=tuple(str(scenario.root) for scenario in scenarios.values()),
        )

    def _judged(self, root: Path, plans: Sequence[SessionPlan], laid: Mapping[str, LaidPlan]) -> list[PlanOutcome]:
        data = load_run(root / "run")
        audited = {one.trial: one for one in audit_run(data).trials}
        found = []
        for plan, trial in zip(plans, data.trials, strict=True):
            audit, (failed, unjudged) = audited[trial.spec.id], _failed(trial, laid[plan.name])
            findings = (*audit.findings, *(failed if not audit.findings else ()))
            found.append(PlanOutcome(plan, findings, "" if findings else unjudged, audit.rounds, audit.requests))
        return found


def _failed(trial: TrialData, laid: LaidPlan) -> tuple[tuple[AuditFinding, ...], str]:
    """What failed though nothing was done to it, and what was answered though nothing could be."""
    found: dict[str, AuditFinding] = {}
    unjudged = ""

    def note(must: str, cause: str, what: str, failure: Failure | None, name: str) -> None:
        nonlocal unjudged
        if failure is not None and failure.owner in OURS:
            unjudged = unjudged or f"{failure.kind}: {failure.what}"
            return
        owner = "harness" if failure is not None and failure.owner is Owner.HARNESS else "adapter"
        found.setdefault(
            cause,
            AuditFinding.model_validate(
                {"must": must, "cause": cause, "what": what, "owner": owner, "rounds": (name,)}
            ),
        )

    for record in trial.rounds:
        for failure in _unprovoked(record, laid):
            must = "M12" if record.index == 0 and failure.kind == "HarnessStartError" else "M15"
            what = f"in {record.round} {failure.kind}, and nothing was done to it: {failure.what}"
            note(must, f"failed-{failure.kind}", what, failure, record.round)
        if record.round in laid.held and not record.earlier_failures and record.error is None:
            what = f"in {record.round} the model had not answered, and there is an answer: {record.text[:80]!r}"
            note("M15", "answered-unheard", what, None, record.round)
        if record.round in laid.failing and record.error is None:
            what = f"every request of {record.round} failed, and there is an answer: {record.text[:80]!r}"
            note("M15", "failure-answered", what, None, record.round)
    end = trial.end.error if trial.end is not None else None
    if end is not None:
        note("M15", f"ended-{end.kind}", f"the trial ended: {end.kind}: {end.what}", end, "")
    return tuple(found.values()), unjudged


def _unprovoked(record: RoundRecord, laid: LaidPlan) -> list[Failure]:
    """Failures of a round that no plan explains: faults explain those of the endpoint, an incident the first."""
    failures = [*record.earlier_failures, *([record.error] if record.error else [])]
    if record.round in laid.failing:
        return []
    if record.round in laid.faulty:
        failures = [failure for failure in failures if failure.owner is not Owner.ENDPOINT]
    return failures[1:] if record.round in laid.disturbed else failures


def _kept(run_folder: Path, folder: Path) -> None:
    """Journals and transcripts of a run, without what only lives while it goes on."""
    for path in sorted(run_folder.rglob("*")):
        if path.is_file() and path.suffix in (".jsonl", ".json", ".log") and "live" not in path.parts:
            target = folder / path.relative_to(run_folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
