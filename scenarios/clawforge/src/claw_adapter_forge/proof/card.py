"""The validator-quality card: what was proven, as JSON and as Markdown."""

from __future__ import annotations

import hashlib
from typing import Any

from claw_adapter_forge import GENERATOR_VERSION
from claw_adapter_forge.proof.verify import Proofs

__all__ = ["card_json", "card_markdown"]


def card_json(found: Proofs) -> dict[str, Any]:
    """The card as plain data; nothing in it depends on the machine or the time."""
    proofs = found.proofs
    mutants = found.mutants()
    digest = hashlib.sha256("".join(p.digest for p in proofs).encode()).hexdigest()
    survivors = [s for p in proofs for s in p.tally.survivors]
    return {
        "generator": GENERATOR_VERSION,
        "task_set": found.task_set,
        "seed": found.seed,
        "tasks": found.total,
        "proven": len(proofs),
        "sampled": len(proofs) < found.total,
        "digest": digest,
        "faults": [{"task": t, "fault": f} for t, f in found.faults],
        "oracle": {
            "strict": sum("oracle does not pass" not in p.faults for p in proofs),
            "failing_commands": sum(f.startswith("oracle command") for _, f in found.faults),
            "arguments_traced": sum(p.arguments for p in proofs),
            "arguments_without_source": sum(f.startswith("oracle argument") for _, f in found.faults),
        },
        "baselines": {n: {"strict": s, "progress": round(g, 4)} for n, (s, g) in found.baselines().items()},
        "paper_check_score_of_doing_nothing": round(sum(p.paper_baseline for p in proofs) / len(proofs), 4),
        "blind_passes_both_of_a_pair": sum(all(p.blind_pair) for p in proofs),
        "guessing": {n: {"tasks": t, "wet_or_live": a, "dry_or_async": b} for n, (t, a, b) in found.guessing().items()},
        "minimal_pairs_flipped": sum(p.pair_flips for p in proofs),
        "mutants": {
            "operators": len(mutants),
            "made": sum(m for m, _, _ in mutants.values()),
            "killed": sum(k for _, k, _ in mutants.values()),
            "equivalent": sum(e for _, _, e in mutants.values()),
            "kill_rate": round(found.kill_rate(), 6),
            "by_operator": {n: {"made": m, "killed": k, "equivalent": e} for n, (m, k, e) in mutants.items()},
        },
        "survivors": [
            {"task": s.task, "operator": s.operator, "note": s.note, "equivalent": s.equivalent} for s in survivors
        ],
        "alternatives": {n: {"tried": t, "accepted": a} for n, (t, a) in found.alternatives().items()},
        "siblings": {n: {"tried": t, "verdict_kept": k} for n, (t, k) in found.siblings().items()},
        "balance": found.balance(),
    }


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return [*lines, *("| " + " | ".join(str(c) for c in row) + " |" for row in rows), ""]


def card_markdown(card: dict[str, Any]) -> str:
    """The card for people."""
    alternatives = [(n, a["tried"], a["accepted"]) for n, a in card["alternatives"].items()]
    siblings = [(n, s["tried"], s["verdict_kept"]) for n, s in card["siblings"].items()]
    balance = [(f, ", ".join(f"{k}: {v}" for k, v in row.items())) for f, row in card["balance"].items()]
    lines = [
        *_head(card),
        *_failing(card),
        *_guessing(card),
        *_mutants(card),
        *_survivors(card),
        "## Declared alternatives",
        "",
        *_table(("alternative", "tried", "accepted"), [*alternatives]),
        "## Metamorphic siblings",
        "",
        *_table(("sibling", "tried", "verdict kept"), [*siblings]),
        "## Balance",
        "",
        *_table(("family", "variants / branches, styles, lengths"), [*balance]),
    ]
    return "\n".join(lines)


def _head(card: dict[str, Any]) -> list[str]:
    sampled = f" (a sample of {card['tasks']}, one of each stretch)" if card["sampled"] else ""
    oracle = card["oracle"]
    found = (
        f"Strict {oracle['strict']} of {card['proven']}; failing commands {oracle['failing_commands']}; "
        f"{oracle['arguments_traced']} arguments traced to what was read, "
        f"{oracle['arguments_without_source']} without a source. "
        "The oracle is a script that sees only printed text; the evaluator compares states with the task's facts."
    )
    return [
        f"# Validator quality: {card['task_set']}, seed {card['seed']}",
        "",
        f"Generator {card['generator']}; {card['proven']} tasks proven{sampled}; digest `{card['digest'][:16]}…`.",
        f"Obligations that do not hold: **{len(card['faults'])}**.",
        "",
        "## Oracle",
        "",
        found,
        "",
    ]


def _failing(card: dict[str, Any]) -> list[str]:
    rows: list[tuple[object, ...]] = [(n, b["strict"], f"{b['progress']:.4f}") for n, b in card["baselines"].items()]
    nothing = (
        f"By the paper's kind of checks (Eq. 3) doing nothing scores {card['paper_check_score_of_doing_nothing']:.4f}: "
        "the do-nothing baseline to read partial scores against."
    )
    pairs = (
        f"Minimal pairs flipped: {card['minimal_pairs_flipped']} of {card['proven']}; "
        f"pairs of which the blind policy passes both: {card['blind_passes_both_of_a_pair']}."
    )
    table = _table(("baseline", "strict passes", "mean progress"), rows)
    return ["## Baselines that must fail", "", *table, nothing, pairs, ""]


def _guessing(card: dict[str, Any]) -> list[str]:
    rows: list[tuple[object, ...]] = [
        (n, g["tasks"], g["wet_or_live"], g["dry_or_async"]) for n, g in card["guessing"].items()
    ]
    text = (
        "Strict passes of one who reads all and then decides always the same way, on tasks that turn on such a decision. "
        "Of a minimal pair neither guess passes both."
    )
    table = _table(("family", "tasks with a decision", "always wet or live", "always dry or async"), rows)
    return ["## Guessing the branch", "", text, "", *table]


def _mutants(card: dict[str, Any]) -> list[str]:
    mutants = card["mutants"]
    rows: list[tuple[object, ...]] = [
        (n, m["made"], m["killed"], m["equivalent"]) for n, m in mutants["by_operator"].items()
    ]
    total = (
        f"{mutants['operators']} operators, {mutants['made']} mutants, {mutants['killed']} killed, "
        f"{mutants['equivalent']} equivalent (their final state equals an accepted one by difference): "
        f"**{100 * mutants['kill_rate']:.2f} %** of the others killed."
    )
    table = _table(("operator", "made", "killed", "equivalent"), rows)
    return ["## Mutants of the oracle", "", total, "", *table]


def _survivors(card: dict[str, Any]) -> list[str]:
    left = [s for s in card["survivors"] if not s["equivalent"]]
    if not left:
        return ["No mutant survives that is not equivalent; the equivalent ones are listed in the JSON card.", ""]
    rows: list[tuple[object, ...]] = [(s["task"], s["operator"], f"`{s['note']}`") for s in left]
    return ["Survivors that are not equivalent:", "", *_table(("task", "operator", "what"), rows)]
