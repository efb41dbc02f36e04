"""Template 6: the evaluation specification, layer 3."""

from __future__ import annotations

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.specdocs.common import document, table

__all__ = ["flips", "text"]


def text(made: Compiled) -> str:
    """The document."""
    return document(
        f"Evaluation specification (layer 3): {made.id}",
        [
            ("Round Inventory", _inventory(made)),
            ("Round Specs", "\n\n".join(_round(made, one) for one in made.rounds)),
            ("Reversal Matrix", _matrix(made)),
            ("Personalization Scoring Notes", _personal(made)),
            ("Evidence Coverage Check", _coverage(made)),
        ],
    )


def flips(made: Compiled) -> list[tuple[CompiledRound, CompiledRound, str]]:
    """Earlier round, later round and predicate of every statement that changed its truth."""
    asked: dict[str, tuple[CompiledRound, bool]] = {}
    found = []
    for one in made.rounds:
        for option in one.options:
            truth, key = bool(option.verdict.value), option.spec.condition
            if key in asked and asked[key][1] != truth:
                found.append((asked[key][0], one, key))
            asked[key] = (one, truth)
    return found


def _inventory(made: Compiled) -> str:
    later = {id(one) for _, one, _ in flips(made)}
    rows = [
        (
            one.spec.id,
            one.spec.type,
            one.round.tags.category,
            "yes" if one.dependent else "no",
            "yes" if id(one) in later else "no",
        )
        for one in made.rounds
    ]
    return table(("Round", "Question type", "Main skill tested", "Depends on update?", "Reversal?"), rows)


def _round(made: Compiled, one: CompiledRound) -> str:
    goal = made.canon.render(one.spec.goal).text or one.round.question
    named = {n for option in one.options for group in option.verdict.sets for n in group} | set(one.evidence.needs)
    evidence = ", ".join(dict.fromkeys(made.fragments[name].where for name in sorted(named) if name in made.fragments))
    if one.options:
        logic = "; ".join(
            f"{o.letter} {'holds' if o.verdict.value else 'does not hold'}: {o.spec.condition}" for o in one.options
        )
    else:
        logic = "; ".join(
            f"{file['path']} ({file['format']})" for file in (one.work.expected["files"] if one.work else ())
        )
    rows = [
        ("Type", one.spec.type),
        ("Question goal", goal),
        ("Evidence required", evidence),
        ("Correct answer logic", logic),
        ("Shallow failure mode", made.canon.render(one.spec.shallow).text or "answers without looking"),
    ]
    return f"### {one.spec.id}\n\n{table(('What', 'Content'), rows)}"


def _matrix(made: Compiled) -> str:
    rows = []
    for earlier, later, condition in flips(made):
        arrived = ", ".join(
            name for one in made.rounds[earlier.index + 1 : later.index + 1] for name in one.spec.updates
        )
        rows.append(
            (earlier.spec.id, later.spec.id, f"`{condition}`", f"evidence of {arrived} outranks what was known")
        )
    return table(("Earlier round", "Later round", "What changed", "Why the earlier answer should be revised"), rows)


def _personal(made: Compiled) -> str:
    rows = []
    for one in made.rounds:
        for name in (*one.spec.teach, *one.spec.exam):
            rule = made.preferences[name].rule
            change = f"must hold: {rule}" if name in one.spec.exam else f"feedback teaches it: {rule}"
            rows.append(
                (one.spec.id, f"{name} ({made.preferences[name].dimension}, {one.spec.stage or 'no stage'})", change)
            )
    return table(("Round", "Preference in scope", "What should change in the correct answer"), rows)


def _coverage(made: Compiled) -> str:
    bare = [
        f"{one.spec.id}/{o.letter}"
        for one in made.rounds
        for o in one.options
        if o.verdict.value and not o.verdict.sets
    ]
    limits = [one.spec.id for one in made.rounds if one.spec.limits]
    revised = sorted({one.spec.id for _, one, _ in flips(made)})
    return "\n".join(
        (
            f"- Every correct option has a named evidence source: {'yes' if not bare else 'not ' + ', '.join(bare)}.",
            f"- Rounds that ask about epistemic limits: {', '.join(limits) or 'none'}.",
            f"- Rounds that ask about revision after new information: {', '.join(revised) or 'none'}.",
        )
    )
