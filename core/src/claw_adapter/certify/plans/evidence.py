"""Plans as evidence: drawn from the nonce once more, held against what was run, and judged again from what was recorded."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from claw_adapter.certify.demand import Level
from claw_adapter.certify.plans.draw import PLANS, draw
from claw_adapter.certify.plans.judging import judge_plans
from claw_adapter.certify.plans.layout import lay_out
from claw_adapter.certify.records import CheckResult, Report, described_capabilities
from claw_adapter.errors import ClawError
from claw_adapter.notation import render_named
from claw_adapter.runs.load import load_run
from claw_adapter.scenario.load import load_scenario

__all__ = ["derive", "evidence_folder"]


def evidence_folder(evidence: Path, level: Level) -> Path:
    """Where the runs of a level's plans are kept, by number: the first is of all of them."""
    return evidence / "plans" / level


def derive(report: Report, evidence: Path) -> Iterator[tuple[str, str]]:
    """What the evidence says of the checks that are said to have passed.

    Returns:
        Each check of drawn plans, with what speaks against it (nothing if it passes again), and of the others those whose
        turns are not there.
    """
    for result in report.results:
        if result.outcome != "passed":
            continue
        try:
            if result.id.startswith("PLAN-"):
                yield result.id, _derived(report, result.level, evidence_folder(evidence, result.level) / "1")
            elif missing := _missing(result, evidence):
                yield result.id, missing
        except (ClawError, OSError, ValueError) as error:
            yield result.id, f"its evidence cannot be read: {error}"


def _missing(result: CheckResult, evidence: Path) -> str:
    """Which turn of a check is not in the evidence."""
    for turn in result.turns:
        if not turn.round.startswith(f"{result.id}."):
            return f"its turn {turn.round} is that of another check"
        lines = (evidence / turn.trial / "events.jsonl").read_text("utf-8").splitlines()
        if not any(line.get("round") == turn.round for line in map(json.loads, lines)):
            return f"its turn {turn.round} is not in the evidence"
    gone = [trial for trial in result.trials if not (evidence / trial / "transcript.jsonl").is_file()]
    return f"its conversation {gone[0]} is not in the evidence" if gone else ""


def _derived(report: Report, level: Level, folder: Path) -> str:
    nonce, data = report.nonce, load_run(folder)
    for trial in data.trials:
        told = trial.spec.harness.name, trial.spec.harness.options, trial.start.versions if trial.start else {}
        if told != (report.adapter.name, report.adapter.options, report.adapter.versions):
            return f"what was run is {render_named(*told[:2])}, not the {report.adapter.label} of the report"
        declared = trial.start.capabilities if trial.start else None
        if declared is None or described_capabilities(declared) != report.adapter.capabilities:
            return "what was run declares something else than the report"
    plans = [draw(nonce, number, level) for number in range(PLANS[level])]
    with tempfile.TemporaryDirectory(prefix="claw-verify-") as name:
        roots = {plan.name: Path(name).resolve() / plan.name for plan in plans}
        laid = {plan.name: lay_out(plan, roots[plan.name], lambda _session: None) for plan in plans}
        drawn = {plan.name: (load_scenario(roots[plan.name]).digest, plan.model) for plan in plans}
        run = {one.scenario: (data.plan.scenarios[one.scenario], one.model.name) for one in data.plan.trials}
        if drawn != run:
            return f"what was run is not what the nonce {nonce} draws"
        outcomes = judge_plans(data, plans, laid, sources=[str(root) for root in roots.values()])
    found = sorted({key for one in outcomes for key in one.keys})
    if found:
        return f"the evidence shows {', '.join(found)}"
    short = next((one.plan for one in outcomes if one.unjudged or one.rounds != len(one.plan.turns)), None)
    return f"the evidence does not have all of plan {short.number}" if short is not None else ""
