"""RUN: scenarios of `lite`, drawn, run as `claw run` runs them, and audited as `claw audit` does it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from claw_adapter.audit import AuditFinding, TrialAudit, audit_run
from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding, Unverified
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.plans.judging import failed
from claw_adapter.certify.plans.layout import LaidPlan, run_folder
from claw_adapter.certify.plans.texts import Texts
from claw_adapter.errors import Owner, PluginError
from claw_adapter.folders import scratch
from claw_adapter.notation import render_named
from claw_adapter.protocol import RunSettings, Scenario
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import TrialData, load_run
from claw_adapter.runs.plan import Experiment, Plan, expand
from claw_adapter.scenario.named import find_scenarios

SCENARIOS: Final = 6
AT_ONCE: Final = 4
"""Trials at once, where the harness can have several conversations."""
VARIANTS: Final = 8
"""Seeds of which one is drawn: each makes other numbers of a scenario."""
YARDSTICK: Final = "yardstick"
"""What the reference harness is called in the run."""


@dataclass(frozen=True, slots=True)
class _Told:
    """A trial of the harness, what the ledger says of it, and the same trial through the reference harness."""

    trial: TrialData
    audit: TrialAudit
    reference: TrialData

    def findings(self) -> Iterator[AuditFinding]:
        """What is wrong, each with the rounds it was seen in."""
        found, _ = failed(self.trial, LaidPlan())
        yield from self.audit.findings or found
        bitten = {name for bite in self.audit.bites for name in bite.rounds}
        for here, there in zip(self.trial.rounds, self.reference.rounds, strict=False):
            if here.score.value is None or here.score.value == there.score.value or here.round in bitten:
                continue
            what = (
                f"the answer scores {here.score.value:g}, and {there.score.value} where the same model is asked through the "
                f"reference harness: {here.text[:80]!r} in place of {there.text[:80]!r}"
            )
            if there.score.value is not None:
                yield AuditFinding(must="M30", cause="verdict-differs", what=what, owner="harness", rounds=(here.round,))

    @property
    def unjudged(self) -> str:
        """Why nothing can be said of it: what the machine did, or a fault of ours."""
        return failed(self.trial, LaidPlan())[1] or ("" if self.reference.status == "finished" else "the reference failed")


@check(
    "RUN-001", level="gold", must="M30", shows="nothing", also=("M7", "M14", "M15", "M17", "M18", "M20", "M21", "M22", "M25"),
    catches="What the drawn sessions did not find bites in an ordinary run: a loss, a change, a leak or another verdict.",
    remedy="Run the scenario by itself and look at what `claw audit` says; declare what the harness itself loses.",
    needs=("turns", "stream_events", "seed_main", "update_session", "update_workspace"),
)  # fmt: skip
async def ordinary_run(kit: Kit) -> None:
    """Scenarios of `lite`, drawn: the audit finds nothing, and the answers score as they do through the reference."""
    rng = Random(f"{kit.bench.nonce}/ordinary")
    variant = rng.randrange(VARIANTS)
    asked = f"lite:seed={variant},sample={SCENARIOS},draw={rng.randrange(16**8):08x}"
    try:
        scenarios = await asyncio.to_thread(find_scenarios, (asked,), places=False)
    except PluginError as error:
        raise Unverified(f"needs the scenarios of `lite` (pip install claw-adapter-scenarios): {error}") from None
    told = await _run(kit, _plan(kit, asked, scenarios, Texts(rng).model()), scenarios)
    kit.note(f"{asked}: {', '.join(_scored(one) for one in told)}")
    if bitten := list(dict.fromkeys(bite.loss for one in told for bite in one.audit.bites)):
        kit.warn(f"declared losses that took something away in ordinary scenarios: {'; '.join(bitten)}")
    every = [(one.trial.spec.scenario, finding) for one in told for finding in one.findings()]
    if every:
        raise _finding(kit, every, variant)
    if reason := next(filter(None, (one.unjudged for one in told)), ""):
        raise Unverified(f"{asked} could not be judged: {reason}")


def _plan(kit: Kit, asked: str, scenarios: dict[str, Scenario], model: str) -> Plan:
    name = kit.harness.name
    experiment = Experiment.model_validate({
        "scenarios": [asked],
        "harnesses": [
            {"name": name, "label": name, "options": kit.bench.options},
            {"name": "reference", "label": YARDSTICK},
        ],
        "models": [{"name": model, "kind": "reader"}],
        "settings": RunSettings(isolation=kit.bench.isolation, deadline=kit.bench.deadline).model_dump(),
    })  # fmt: skip
    return expand(experiment, scenarios)


async def _run(kit: Kit, plan: Plan, scenarios: dict[str, Scenario]) -> list[_Told]:
    from claw_adapter.reference.adapter import ReferenceHarness

    jobs = AT_ONCE if kit.capabilities.concurrent else 1
    harnesses = {kit.harness.name: kit.harness, YARDSTICK: ReferenceHarness()}
    with scratch(beside=kit.bench.root.parent) as root, RunFolder(run_folder(root, f"{kit.bench.nonce}/ordinary")) as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, harnesses, jobs=jobs)
        data = load_run(folder.root)
        audits = {one.trial: one for one in (await asyncio.to_thread(audit_run, data, scenarios=scenarios)).trials}
        read = [replace(trial, rounds=tuple(trial.rounds)) for trial in data.trials]
        ours = [trial for trial in read if trial.spec.harness.label != YARDSTICK]
        theirs = {trial.spec.scenario: trial for trial in read if trial.spec.harness.label == YARDSTICK}
        return [_Told(trial, audits[trial.spec.id], theirs[trial.spec.scenario]) for trial in ours]


def _scored(told: _Told) -> str:
    values = [record.score.value for record in told.trial.rounds]
    return (
        f"{told.trial.spec.scenario} {values.count(1.0)} of {told.trial.total} right, {values.count(None)} unscored, "
        f"{told.audit.requests} requests compared"
    )


def _finding(kit: Kit, every: list[tuple[str, AuditFinding]], variant: int) -> CheckFinding:
    """The first finding, the others by keys, and how it is seen again."""
    scenario, first = every[0]
    others = sorted({finding.key for _, finding in every} - {first.key})
    more = f"\nalso found, possibly by the same cause: {', '.join(others)}" if others else ""
    where = f" (in {', '.join(first.rounds[:3])} of {scenario})" if first.rounds else f" (in {scenario})"
    name = render_named(kit.harness.name, kit.bench.options)
    only = scenario.removesuffix(f"-v{variant}")
    what = (
        f"{first.key}: {first.what}{where}{more}\n"
        f"again: claw run lite:seed={variant},only={only} --harness {name} --model reader --out RUN; claw audit RUN"
    )
    return CheckFinding(what, owner=Owner.HARNESS if first.owner == "harness" else Owner.ADAPTER, usual=False)
