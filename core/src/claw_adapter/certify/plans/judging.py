"""Judging a run of plans: by the ledger, and by what failed or was answered although nothing in the plan explains it."""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from claw_adapter.audit import AuditFinding, Bite, Unjudged, audit_run
from claw_adapter.audit.told import ToldCommand
from claw_adapter.certify.plans.layout import LaidPlan
from claw_adapter.certify.plans.plan import SessionPlan
from claw_adapter.endpoint.failures import is_too_long
from claw_adapter.endpoint.models.played import ASIDE, PlayedReply, PlayedRound, ToolUse
from claw_adapter.errors import EmptyAnswer, Owner
from claw_adapter.protocol import Failure, RoundRecord
from claw_adapter.protocol.limits import Drop
from claw_adapter.runs.load import RunData, TrialData

__all__ = ["PlanOutcome", "also_found", "compared", "failed", "judge_plans", "owner_of"]

REFUSED: Final = 400
"""The status with which the endpoint refuses what does not fit."""
OURS: Final = (Owner.INTERNAL, Owner.MACHINE)


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """What the ledger says of one plan; `unjudged` is why nothing can be said of it (a fault of ours, or of the machine)."""

    plan: SessionPlan
    findings: tuple[AuditFinding, ...] = ()
    unjudged: str = ""
    rounds: int = 0
    requests: int = 0
    bites: tuple[Bite, ...] = ()
    results: int = 0
    left: tuple[Unjudged, ...] = ()
    """Of the results of tools, those that were held against nothing."""
    overflowed: int = 0
    """Turns that ended with an error since what was asked did not fit the window that the harness was told."""

    @property
    def keys(self) -> set[str]:
        """The findings by MUST and cause."""
        return {finding.key for finding in self.findings}


def compared(outcomes: Sequence[PlanOutcome]) -> str:
    """How much was compared, in words."""
    turns, requests = sum(one.rounds for one in outcomes), sum(one.requests for one in outcomes)
    left = Counter[str]()
    for one in outcomes:
        left.update({tool.tool: tool.times for tool in one.left})
    told = ", ".join(f"{tool} {times}" for tool, times in left.most_common())
    none = f", of which {left.total()} were held against nothing that is known ({told})" if left else ""
    return f"{turns} turns, {requests} requests compared whole, {sum(one.results for one in outcomes)} results of tools{none}"


def owner_of(finding: AuditFinding) -> Owner:
    """Whose it is, as findings of checks say it."""
    return Owner(finding.owner)


def also_found(first: AuditFinding, every: Iterable[AuditFinding]) -> str:
    """A line with the keys of all findings but the first; nothing where there are no others."""
    others = sorted({finding.key for finding in every} - {first.key})
    return f"\nalso found, possibly by the same cause: {', '.join(others)}" if others else ""


def judge_plans(
    data: RunData,
    plans: Sequence[SessionPlan],
    laid: Mapping[str, LaidPlan],
    *,
    escaped: Sequence[AuditFinding] = (),
    sources: Sequence[str] = (),
) -> list[PlanOutcome]:
    """What a run of plans shows, plan by plan.

    Args:
        data: the run.
        plans: what was played, in the order of its trials.
        laid: what became of each, by name.
        escaped: what was found of the run as a whole.
        sources: folders of the scenarios, if they are not where the run found them.
    """
    restarts = {
        trial.spec.id: {one.round for one in laid[plan.name].incidents if one.kind == "restart"}
        for plan, trial in zip(plans, data.trials, strict=True)
    }
    told = {
        trial.spec.id: {played.round: _told(played) for played in laid[plan.name].script}
        for plan, trial in zip(plans, data.trials, strict=True)
    }
    audited = {one.trial: one for one in audit_run(data, sources, restarts=restarts, told=told).trials}
    found = []
    for plan, trial in zip(plans, data.trials, strict=True):
        audit, (more, unjudged) = audited[trial.spec.id], failed(trial, laid[plan.name])
        over = [one.index for one in trial.rounds if one.error is not None and _overflows(one.error, laid[plan.name])]
        before = {one.round for one in trial.rounds if not over or one.index < over[0]}
        seen = [one for one in audit.findings or more if not over or before.intersection(one.rounds)]
        findings = (*seen, *escaped)
        found.append(
            PlanOutcome(
                plan,
                findings,
                "" if findings else unjudged,
                audit.rounds,
                audit.requests,
                audit.bites,
                audit.results,
                audit.unjudged,
                len(over),
            )
        )
    return found


def _told(played: PlayedRound) -> list[ToldCommand]:
    """What is said of the commands of a round."""
    uses = [(use, use.effect) for use in _uses(played.replies) if use.effect is not None]
    said = [((use.content, *use.names) if use.kind == "patch" else (use.target,), use, one) for use, one in uses]
    return [
        ToldCommand(text, one.given, one.leaves, one.prints, use.over, one.misses, aside=use.kind == "begin")
        for texts, use, one in said
        for text in texts
    ]


def _uses(replies: Iterable[PlayedReply]) -> Iterator[ToolUse]:
    """All that replies ask for, with what other agents are to do."""
    for use in (use for reply in replies for use in reply.uses):
        yield from (use, *_uses(use.replies))


def failed(trial: TrialData, laid: LaidPlan) -> tuple[tuple[AuditFinding, ...], str]:
    """What failed though nothing was done to it, and what was answered though nothing could be."""
    found: dict[str, AuditFinding] = {}
    unjudged = ""
    declared = trial.start.capabilities if trial.start is not None else None
    thoughtful = declared is not None and Drop(what="wordless_reply") in declared.losses

    def note(must: str, cause: str, what: str, failure: Failure | None, name: str) -> None:
        nonlocal unjudged
        if failure is not None and failure.owner in OURS:
            unjudged = unjudged or f"{failure.kind}: {failure.what}"
            return
        owner = failure.owner if failure is not None else Owner.ADAPTER
        owner = owner if owner in (Owner.HARNESS, Owner.OVERLAY) else Owner.ADAPTER
        must = "M29" if failure is not None and _raw(failure) else must
        found.setdefault(
            cause,
            AuditFinding.model_validate(
                {"must": must, "cause": cause, "what": what, "owner": owner.value, "rounds": (name,)}
            ),
        )

    asides = {played.round: played.aside.strip() for played in laid.script}
    for record in trial.rounds:
        for failure in _unprovoked(record, laid):
            must = "M12" if record.index == 0 and failure.kind == "HarnessStartError" else "M15"
            what = f"in {record.round} {failure.kind}, and nothing was done to it: {failure.what}"
            note(must, f"failed-{failure.kind}", what, failure, record.round)
        if record.round in laid.held and not record.earlier_failures and record.error is None:
            what = f"in {record.round} the model had not answered, and there is an answer: {record.text[:80]!r}"
            note("M15", "answered-unheard", what, None, record.round)
        if record.round in laid.wordless and record.error is None and record.text.strip() and not thoughtful:
            what = f"the final reply of {record.round} has no words, and there is an answer: {record.text[:80]!r}"
            note("M15", "wordless-answered", what, None, record.round)
        elif (
            record.error is None
            and record.text.strip() == asides.get(record.round, ASIDE)
            and record.round not in laid.failing
        ):
            what = f"the answer of {record.round} is what the model says to a request beside the conversation: {record.text!r}"
            note("M14", "answer-beside", what, None, record.round)
        if record.round in laid.failing and record.error is None:
            what = f"every request of {record.round} failed, and there is an answer: {record.text[:80]!r}"
            note("M15", "failure-answered", what, None, record.round)
    end = trial.end.error if trial.end is not None else None
    if end is not None:
        note("M15", f"ended-{end.kind}", f"the trial ended: {end.kind}: {end.what}", end, "")
    if trial.end is None:
        unjudged = (
            unjudged
            or f"it had not come to its end in its time, but to {len(trial.rounds)} rounds (--deadline gives it more)"
        )
    return tuple(found.values()), unjudged


def _raw(failure: Failure) -> bool:
    """Whether an exception left the adapter that is none of the tree of errors, and does not say that it cannot."""
    return hasattr(builtins, failure.kind) and failure.kind != NotImplementedError.__name__


def _overflows(failure: Failure, laid: LaidPlan) -> bool:
    """Whether a conversation did not fit a window that the harness was told; adapters should pass that on, and need not."""
    return laid.windowed and failure.owner is Owner.ENDPOINT and is_too_long(REFUSED, failure.what)


def _unprovoked(record: RoundRecord, laid: LaidPlan) -> list[Failure]:
    """Failures of a round that no plan explains: faults explain those of the endpoint, an incident the first."""
    failures = [*record.earlier_failures, *([record.error] if record.error else [])]
    if record.round in laid.failing:
        return []
    if record.round in laid.wordless:  # whatever it does about a reply without words, no other one is invented (M14)
        failures = [failure for failure in failures if failure.kind != EmptyAnswer.__name__]
    failures = [failure for failure in failures if not _overflows(failure, laid)]
    if record.round in laid.faulty:
        failures = [failure for failure in failures if failure.owner is not Owner.ENDPOINT]
    return failures[1:] if record.round in laid.disturbed else failures
