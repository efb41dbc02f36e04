"""Plans as evidence: drawn from the nonce once more, held against what was run, and judged again from what was recorded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from claw_adapter.certify.demand import Level
from claw_adapter.certify.plans.draw import PLANS, draw
from claw_adapter.certify.plans.judging import judge_plans
from claw_adapter.certify.plans.layout import lay_out
from claw_adapter.certify.records import Report
from claw_adapter.errors import ClawError
from claw_adapter.runs.load import load_run
from claw_adapter.scenario.load import load_scenario

__all__ = ["derive", "evidence_folder"]


def evidence_folder(evidence: Path, level: Level) -> Path:
    """Where the runs of a level's plans are kept, by number: the first is of all of them."""
    return evidence / "plans" / level


def derive(report: Report, evidence: Path) -> Iterator[tuple[str, str]]:
    """Each check of drawn plans that is said to have passed, with what speaks against it; nothing if it passes again."""
    for result in report.results:
        if result.id.startswith("PLAN-") and result.outcome == "passed":
            try:
                yield result.id, _derived(report.nonce, result.level, evidence_folder(evidence, result.level) / "1")
            except (ClawError, OSError, ValueError) as error:
                yield result.id, f"its run cannot be read: {error}"


def _derived(nonce: str, level: Level, folder: Path) -> str:
    data = load_run(folder)
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
