"""Tables 1–4, 7 and 8, Figure 4 by prompt style, and what the paper leaves out: intervals, null lines, pass^k, paired tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import lcm
from statistics import fmean
from typing import Any

from claw_adapter.scoring import holm, smallest_detectable
from claw_adapter_forge.evaluation.patterns import PATTERNS
from claw_adapter_forge.families import families
from claw_adapter_forge.report.stats import clustered, pass_hat_k, sign_flip
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.tasks.family import ABILITIES
from claw_adapter_forge.tasks.spec import STYLES

__all__ = ["TABLE_7", "Records", "summarise"]

Records = Sequence[RunRecord]

TABLE_7 = (
    "already_done_skip_followthrough",
    "duplicate_avoidance_followthrough",
    "release_gate_followthrough",
    "wrong_state_replacement_followthrough",
    "interrupted_workflow_resume",
    "multi_source_decision_followthrough",
)
"""The slices the paper's Table 7 shows."""


Label = tuple[str, str]
"""(agent, harness): what a column of the tables stands for."""


def _labelled(records: Records) -> dict[Label, list[RunRecord]]:
    found: dict[Label, list[RunRecord]] = {}
    for record in records:
        found.setdefault((record.agent, record.harness), []).append(record)
    return found


def _names(labels: Iterable[Label]) -> dict[Label, str]:
    """The harness is named where there are several."""
    known = list(labels)
    several = len({harness for _, harness in known}) > 1
    return {label: " · ".join(label) if several else label[0] for label in known}


def _rate(records: Iterable[RunRecord]) -> dict[str, Any]:
    rows = list(records)
    passed = sum(r.passed for r in rows)
    low, high = clustered(_passes(rows).values())
    accuracy = passed / len(rows) if rows else 0.0
    return {"n": len(rows), "passed": passed, "accuracy": accuracy, "low": low, "high": high}


def _mean(rows: Iterable[RunRecord], value: Callable[[RunRecord], float]) -> float:
    values = [value(r) for r in rows]
    return fmean(values) if values else 0.0


def _passes(rows: Records) -> dict[str, list[bool]]:
    found: dict[str, list[bool]] = {}
    for r in rows:
        found.setdefault(r.task, []).append(r.passed)
    return found


def _main(rows: list[RunRecord]) -> dict[str, Any]:
    counted = sum(r.scored for r in rows)
    row = _rate(rows)
    trials = min(len(t) for t in _passes(rows).values())
    return row | {
        "partial": _mean(rows, lambda r: r.partial),
        "null_partial": _mean(rows, lambda r: r.null_partial),
        "progress": _mean(rows, lambda r: r.progress),
        "null_progress": 0.0,
        "pass_hat_k": {str(k): pass_hat_k(_passes(rows), k) for k in range(1, trials + 1)},
        "provider_failures": sum(r.provider_failure for r in rows),
        "harness_failures": sum(r.ended == "harness" for r in rows),
        "bypass_rate": _mean(rows, lambda r: bool(r.bypasses)),
        "provider_impacted": sum(r.provider_impacted for r in rows),
        "adjusted_accuracy": row["passed"] / counted if counted else None,
        "forbidden_rate": _mean(rows, lambda r: bool(r.forbidden)),
        "guard_violation_rate": _mean(rows, lambda r: bool(r.violations)),
        "redundant_reads": _mean(rows, lambda r: r.redundant_reads),
        "unread_decisive": _mean(rows, lambda r: bool(r.unread)),
        "steps": _mean(rows, lambda r: len(r.steps)),
    }


def _split(rows: list[RunRecord], keys: Sequence[Any], key: Callable[[RunRecord], Any]) -> dict[str, list[RunRecord]]:
    return {str(k): [r for r in rows if key(r) == k] for k in keys}


def _patterns(rows: list[RunRecord]) -> dict[str, Any]:
    failed = [r for r in rows if not r.passed]
    mix = Counter(r.pattern for r in failed)
    return {"failed": len(failed), **{p: mix[p] for p in PATTERNS}, "excess_steps": sum(r.excess for r in rows)}


def _paired(labelled: dict[Label, list[RunRecord]], names: dict[Label, str]) -> list[dict[str, Any]]:
    """Tests of pairs that differ in one thing: the agent within a harness, or the harness in front of an agent.

    Trials that were not scored are left out, so a task counts if both have a scored one.
    """
    passes = {label: _passes([r for r in rows if r.scored]) for label, rows in labelled.items()}
    pairs = [(a, b) for a, b in combinations(labelled, 2) if a[0] == b[0] or a[1] == b[1]]
    found = [
        {"a": names[a], "b": names[b], "differ": "harness" if a[0] == b[0] else "agent"}
        | _compared(passes[a], passes[b], len(pairs))
        for a, b in pairs
    ]
    for row, p in zip(found, holm([r["p"] for r in found]), strict=True):
        row["p_holm"] = p
    return found


def _compared(a: dict[str, list[bool]], b: dict[str, list[bool]], pairs: int) -> dict[str, Any]:
    """The difference b − a over the tasks both have, tasks weighing alike, and what such a test of `pairs` could have shown."""
    both = [(a[t], b[t]) for t in a if t in b]
    rates = [sum(y) / len(y) - sum(x) / len(x) for x, y in both]
    # whole numbers in one unit: the number of trials may differ from task to task
    unit = lcm(*(len(side) for pair in both for side in pair))
    whole = [sum(y) * unit // len(y) - sum(x) * unit // len(x) for x, y in both]
    return {
        "tasks": len(both),
        "only_a": sum(r < 0 for r in rates),
        "only_b": sum(r > 0 for r in rates),
        "difference": fmean(rates) if rates else None,
        "smallest_detectable": smallest_detectable(rates, 0.05 / pairs) if rates else None,
        "p": sign_flip(whole),
    }


def _by_length(rows: list[RunRecord]) -> dict[str, Any]:
    lengths = sorted({r.length for r in rows})
    split = _split(rows, lengths, lambda r: r.length)
    return {k: _rate(v) | {"steps": _mean(v, lambda r: len(r.steps))} for k, v in split.items()}


def summarise(records: Records) -> dict[str, Any]:
    """All tables as plain data."""
    labelled = _labelled(records)
    names = _names(labelled)
    by_agent = {names[label]: rows for label, rows in labelled.items()}
    slugs = [f.slug for f in families()]
    table_1 = {a: _main(rows) for a, rows in by_agent.items()}
    abilities = {a: _split(rows, ABILITIES, lambda r: r.ability) for a, rows in by_agent.items()}
    family = {
        a: {k: _rate(v) for k, v in _split(rows, slugs, lambda r: r.family).items()} for a, rows in by_agent.items()
    }
    return {
        "tasks": len({r.task for r in records}),
        "records": len(records),
        "modes": sorted({r.mode for r in records}),
        "table_1": dict(sorted(table_1.items(), key=lambda pair: -pair[1]["accuracy"])),
        "table_2": {a: {k: _rate(v) for k, v in split.items()} for a, split in abilities.items()},
        "table_3": {
            a: {
                k: {
                    "n": len(v),
                    "partial": _mean(v, lambda r: r.partial),
                    "null": _mean(v, lambda r: r.null_partial),
                    "progress": _mean(v, lambda r: r.progress),
                }
                for k, v in split.items()
            }
            for a, split in abilities.items()
        },
        "table_4": {a: _by_length(rows) for a, rows in by_agent.items()},
        "table_7": {a: {k: rows[k] for k in TABLE_7} for a, rows in family.items()},
        "table_8": {a: _patterns(rows) for a, rows in by_agent.items()},
        "figure_4": family,
        "figure_4_by_style": {
            a: {
                style: {
                    k: _rate(r for r in v if r.style == style)
                    for k, v in _split(rows, slugs, lambda r: r.family).items()
                }
                for style in STYLES
            }
            for a, rows in by_agent.items()
        },
        "paired": _paired(labelled, names),
    }
