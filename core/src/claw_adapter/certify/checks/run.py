"""RUN: scenarios of `lite`, drawn, run and audited as anybody does it; and declared cuts, measured."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal

from claw_adapter.audit import AuditFinding, TrialAudit, audit_run
from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding, Unverified
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.lite import drawn_scenarios
from claw_adapter.certify.plans.judging import PlanOutcome, also_found, failed, owner_of
from claw_adapter.certify.plans.layout import LaidPlan, run_folder
from claw_adapter.certify.plans.plan import PlanFault, PlanFile, PlanStep, PlanTurn, SessionPlan
from claw_adapter.certify.plans.texts import NOUNS, Texts
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.folders import scratch
from claw_adapter.protocol import RunSettings, Scenario
from claw_adapter.protocol.limits import Clip, Loss
from claw_adapter.runner.run import run
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.load import TrialData, load_run
from claw_adapter.runs.plan import Experiment, Plan, expand

SCENARIOS: Final = 6
VARIANT: Final = re.compile(r"-v\d+$")
AT_ONCE: Final = 4
"""Trials at once, where the harness can have several conversations."""
PARTS: Final = (0.9, 1.02, 1.5, 2.5)
MOST: Final = 210_000
"""Sizes of what is shown, as parts of that from which on it is declared to be cut, up to so many characters; at the first there
is room for numbers of lines."""
SHOWN: Final[dict[Literal["read", "cat"], str]] = {"read": "file", "cat": "command"}
"""What a cut is of that bites where a file is shown so."""
WIDTH: Final = 150
"""Characters of its lines."""
ROWS: Final = 2_400
"""Short lines of a file that is asked for with a bound that it does not reach."""
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
            one, other = here.score.value, there.score.value
            if one is None or other is None or one == other or here.round in bitten:
                continue
            what = (
                f"the answer scores {one:g}, and {other} where the same model is asked through the "
                f"reference harness: {here.text[:80]!r} in place of {there.text[:80]!r}"
            )
            yield AuditFinding(must="M30", cause="verdict-differs", what=what, owner="harness", rounds=(here.round,))

    @property
    def unjudged(self) -> str:
        """Why nothing can be said of it: what the machine did, or a fault of ours."""
        return failed(self.trial, LaidPlan())[1] or (
            "" if self.reference.status == "finished" else "the reference failed"
        )


@check(
    "RUN-001", level="gold", must="M30", shows="nothing", also=("M7", "M14", "M15", "M17", "M18", "M20", "M21", "M22", "M25"),
    catches="What the drawn sessions did not find bites in an ordinary run: a loss, a change, a leak or another verdict.",
    remedy="Run the scenario by itself and look at what `claw audit` says; declare what the harness itself loses.",
    needs=("turns", "stream_events", "seed_main", "update_session", "update_workspace"),
)  # fmt: skip
async def ordinary_run(kit: Kit) -> None:
    """Scenarios of `lite`, drawn: the audit finds nothing, and the answers score as they do through the reference."""
    rng = Random(f"{kit.bench.nonce}/ordinary")
    asked, scenarios = await drawn_scenarios(rng, SCENARIOS)
    told = await _run(kit, _plan(kit, asked, scenarios, Texts(rng).model()), scenarios)
    kit.note(f"{asked}: {', '.join(_scored(one) for one in told)}")
    if bitten := list(dict.fromkeys(bite.loss for one in told for bite in one.audit.bites)):
        kit.warn(f"declared losses that took something away in ordinary scenarios: {'; '.join(bitten)}")
    every = [(one.trial.spec.scenario, finding) for one in told for finding in one.findings()]
    if every:
        raise _finding(kit, every, asked)
    if reason := next(filter(None, (one.unjudged for one in told)), ""):
        raise Unverified(f"{asked} could not be judged: {reason}")


def _plan(kit: Kit, asked: str, scenarios: dict[str, Scenario], model: str) -> Plan:
    name = kit.harness.name
    experiment = Experiment.model_validate({
        "scenarios": [asked],
        "harnesses": [
            {"name": name, "label": name, "options": kit.bench.options, "overlays": kit.bench.overlays},
            {"name": "reference", "label": YARDSTICK},
        ],
        "models": [{"name": model, "kind": "reader"}],
        "settings": RunSettings(isolation=kit.bench.isolation, deadline=kit.bench.deadline),
    })  # fmt: skip
    return expand(experiment, scenarios)


async def _run(kit: Kit, plan: Plan, scenarios: dict[str, Scenario]) -> list[_Told]:
    from claw_adapter.reference.adapter import ReferenceHarness

    jobs = AT_ONCE if kit.capabilities.concurrent else 1
    harnesses = {kit.harness.name: kit.harness, YARDSTICK: ReferenceHarness()}
    with (
        scratch(beside=kit.bench.root.parent) as root,
        RunFolder(run_folder(root, f"{kit.bench.nonce}/ordinary")) as folder,
    ):
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


def _finding(kit: Kit, every: list[tuple[str, AuditFinding]], asked: str) -> CheckFinding:
    """The first finding, the others by keys, and how it is seen again."""
    scenario, first = every[0]
    more = also_found(first, (finding for _, finding in every))
    where = f" (in {', '.join(first.rounds[:3])} of {scenario})" if first.rounds else f" (in {scenario})"
    name = kit.bench.label
    seed, only = asked.partition(",")[0], VARIANT.sub("", scenario)
    what = (
        f"{first.key}: {first.what}{where}{more}\n"
        f"again: claw run {seed},only={only} --harness {name} --model reader --out RUN; claw audit RUN"
    )
    return CheckFinding(what, remedy=first.usual, owner=owner_of(first), usual=False)


@check(
    "RUN-002", level="gold", must="M20", shows="nothing",
    catches="Files, or what commands print, are cut, and that is not declared, or only from a larger size or more lines on.",
    remedy="Declare the number of characters up to which nothing is missing (Capabilities.losses).",
    needs=("turns", "stream_events", "update_workspace"),
)  # fmt: skip
async def cuts_are_where_they_are_declared(kit: Kit) -> None:
    """What is shorter than a declared cut comes back whole, and without one, what is very long; the rest is measured."""
    losses = kit.capabilities.losses
    cuts = [(one, kind) for one in losses if isinstance(one, Clip) for kind in [_shown_by(one, losses)] if kind]
    sizes = [(kind, _sizes(clip)) for clip, kind in cuts]
    cut_at_all = {loss.of for loss in losses if isinstance(loss, Clip)}
    sizes += [(kind, [MOST]) for kind, of in SHOWN.items() if not cut_at_all & {of, "result"}]
    plans = [_cut_plan(kit.bench.nonce, number, *one) for number, one in enumerate(sizes)]
    plans.append(_rows_plan(kit.bench.nonce, len(sizes)))
    for outcome in await kit.plans().outcomes(plans, at_once=AT_ONCE if kit.capabilities.concurrent else 1):
        if outcome.plan.number == len(sizes):
            _rows(outcome)
            continue
        if outcome.plan.number >= len(cuts):
            _whole(kit, outcome, *sizes[outcome.plan.number])
            continue
        clip = cuts[outcome.plan.number][0]
        if outcome.findings:
            first = outcome.findings[0]
            raise CheckFinding(f"{first.key}: {first.what} (declared is: {clip})", owner=owner_of(first), usual=False)
        if outcome.unjudged:
            raise Unverified(f"{clip}: could not be measured: {outcome.unjudged}")
        bitten = {name for bite in outcome.bites if bite.loss == str(clip) for name in bite.rounds}
        _measured(kit, clip, bitten)


def _rows_plan(nonce: str, number: int) -> SessionPlan:
    """A session in which a file of short lines is asked for with a bound that it does not reach."""
    texts = Texts(Random(f"{nonce}/rows"))
    file = PlanFile(
        path=texts.path(), text="".join(f"{texts.number()} {texts.rng.choice(NOUNS)}\n" for _ in range(ROWS))
    )
    asks = PlayedReply(uses=(ToolUse(kind="pages", target=file.path, starts=(1,), page=2 * ROWS),))
    turn = PlanTurn(question=texts.message(), replies=(asks, PlayedReply(text=texts.sentence())))
    return SessionPlan(
        nonce=nonce, number=number, level="gold", name=texts.scenario(), model=texts.model(), clock=texts.now,
        steps=(file, turn),
    )  # fmt: skip


def _rows(outcome: PlanOutcome) -> None:
    """All of them come back, or those of a declared cut, or it is said that there are more."""
    for first in outcome.findings:
        what = f"{first.key}: {first.what} ({ROWS:,} short lines, asked for with a larger bound)"
        raise CheckFinding(what, remedy=first.usual, owner=owner_of(first), usual=False)


def _measured(kit: Kit, clip: Clip, bitten: set[str]) -> None:
    """Where a declared cut begins."""
    sizes = _sizes(clip)
    cut = [size for number, size in enumerate(sizes, start=1) if f"r{number}" in bitten]
    if sizes[0] in cut:
        raise CheckFinding(f"{sizes[0]:,} characters came back cut already, and what is declared is: {clip}")
    if cut:
        whole = [size for size in sizes if size < cut[0]]
        kit.note(f"{clip}: whole at {whole[-1]:,}, cut at {cut[0]:,}")
    else:
        kit.warn(f"declared, and {sizes[-1]:,} characters of plain sentences came back whole: {clip}")


def _whole(kit: Kit, outcome: PlanOutcome, kind: Literal["read", "cat"], sizes: Sequence[int]) -> None:
    """Where no cut is declared, a very long text comes back whole, or in pages."""
    of = "files" if kind == "read" else "what commands print"
    if outcome.findings:
        first = outcome.findings[0]
        what = f"{first.key}: {first.what} (no cut of {of} is declared, and it has {sizes[-1]:,} characters)"
        raise CheckFinding(what, remedy=first.usual, owner=owner_of(first), usual=False)
    if outcome.unjudged:
        raise Unverified(f"{of}: {sizes[-1]:,} characters could not be shown: {outcome.unjudged}")
    kit.note(
        f"{sizes[-1]:,} characters {'of a file' if kind == 'read' else 'by a command'} came back whole, or as pages"
    )


def _sizes(clip: Clip) -> list[int]:
    sizes = [round(clip.characters * part) for part in PARTS]
    return [*sizes[:2], *(size for size in sizes[2:] if size <= MOST)]


def _shown_by(clip: Clip, losses: Sequence[Loss]) -> Literal["read", "cat", ""]:
    """How what a cut is of is shown: by a tool that reads files, or by a command; nothing where it is neither's alone."""
    own = {loss.of for loss in losses if isinstance(loss, Clip)}
    match clip.of:
        case "file":
            return "read"
        case "command":
            return "cat"
        case "result" if "file" not in own:
            return "read"
        case "result" if "command" not in own:
            return "cat"
        case _:
            return ""


def _cut_plan(nonce: str, number: int, kind: Literal["read", "cat"], sizes: Sequence[int]) -> SessionPlan:
    """A session in which files of these sizes are shown, one in each turn; behind one alone, a request fails."""
    texts = Texts(Random(f"{nonce}/cut/{number}"))
    files, turns = list[PlanStep](), list[PlanStep]()
    for size in sizes:
        text = "\n".join(texts.line(WIDTH) for _ in range(size // WIDTH * 2))
        file = PlanFile(path=texts.path(), text=f"{text[: size - 1]}\n")
        shows = PlayedReply(uses=(ToolUse(kind=kind, target=file.path),))
        files.append(file)
        turns.append(PlanTurn(question=texts.message(), replies=(shows, PlayedReply(text=texts.sentence()))))
    return SessionPlan(
        nonce=nonce, number=number, level="gold", name=texts.scenario(), model=texts.model(), clock=texts.now,
        steps=(*files, *(() if sizes[1:] else (PlanFault(fault="503", at=(2,)),)), *turns),
    )  # fmt: skip
