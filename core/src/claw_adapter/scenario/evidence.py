"""The evidence layer: which fragments stand in the world at a round, and what follows from them.

The rule of the reader, in one place: a statement is true iff one of its `supports` sets is complete and none of its `refutes`
sets is; it is false iff a `refutes` set is complete; undecided, it gets the `hasty` value.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from claw_adapter.protocol import Fragment, Gold, Scenario
from claw_adapter.protocol.gold import RoundEvidence
from claw_adapter.scenario.world import World, worlds

__all__ = [
    "decide",
    "feedback_passages",
    "flatten",
    "fragments_of",
    "spoken_to_all",
    "stands",
    "visible_at",
    "visible_in",
]


def flatten(text: str) -> str:
    """Text as fragments are compared: NFKC, runs of blanks within a line collapsed, lines kept apart."""
    lines = unicodedata.normalize("NFKC", text).split("\n")
    return "\n".join(" ".join(line.split()) for line in lines)


def decide(evidence: RoundEvidence, visible: AbstractSet[str]) -> dict[str, bool]:
    """Per option letter, whether a careful reader who has seen the fragments `visible` takes the statement for true."""
    decided: dict[str, bool] = {}
    for letter, option in evidence.options.items():
        if any(visible >= set(needed) for needed in option.refutes):
            decided[letter] = False
        elif any(visible >= set(needed) for needed in option.supports):
            decided[letter] = True
        else:
            decided[letter] = option.hasty
    return decided


def fragments_of(evidence: RoundEvidence) -> tuple[str, ...]:
    """Ids of all fragments that a round's evidence names, each once, in order."""
    named: dict[str, None] = {}
    for option in evidence.options.values():
        for needed in (*option.supports, *option.refutes):
            named.update(dict.fromkeys(needed))
    named.update(dict.fromkeys(evidence.needs))
    return tuple(named)


def feedback_passages(gold: Gold, round_id: str) -> Iterator[tuple[str, str]]:
    """What the next prompt may say about a round: (when it is said, text), the taught preferences included.

    When is ``correct``, ``incorrect``, ``option X``, ``taught correct`` or ``taught incorrect``. A preference that several
    rounds teach counts as said after the first of them.
    """
    answer = gold.answers.rounds.get(round_id)
    if answer is None:
        return
    yield "correct", answer.feedback.correct
    yield "incorrect", answer.feedback.incorrect
    for letter, text in answer.feedback.options.items():
        yield f"option {letter}", text
    for name in answer.teach:
        preference = gold.answers.preferences.get(name)
        first = next(key for key, other in gold.answers.rounds.items() if name in other.teach)
        if preference is not None and first == round_id:
            yield "taught correct", preference.feedback.correct
            yield "taught incorrect", preference.feedback.incorrect


def spoken_to_all(gold: Gold, round_id: str, text: str) -> bool:
    """Whether a careful agent hears a text in a round's feedback: said when right, or taught to who does not know the rule."""
    wanted = flatten(text)
    return any(
        wanted in flatten(said)
        for when, said in feedback_passages(gold, round_id)
        if when in ("correct", "taught incorrect")
    )


def stands(fragment: Fragment, world: World, gold: Gold, earlier: AbstractSet[str]) -> bool:
    """Whether a fragment is in the world: in a file, in a message, or in the feedback of one of the rounds `earlier`."""
    kind, _, place = fragment.where.partition("/")
    if kind == "feedback":
        return place in earlier and spoken_to_all(gold, place, fragment.text)
    if kind == "workspace":
        return flatten(fragment.text) in flatten(world.text(place))
    session_id, _, message_id = place.partition("#")
    session = world.sessions.get(session_id)
    messages = session.messages if session else ()
    return any(m.id == message_id and flatten(fragment.text) in flatten(m.text) for m in messages)


def visible_in(world: World, gold: Gold, earlier: AbstractSet[str]) -> set[str]:
    """Ids of the fragments that stand in a world after the rounds `earlier`."""
    fragments = gold.evidence.fragments if gold.evidence else {}
    return {name for name, fragment in fragments.items() if stands(fragment, world, gold, earlier)}


def visible_at(
    scenario: Scenario,
    gold: Gold,
    round_index: int,
    *,
    without: AbstractSet[str] = frozenset(),
    states: Sequence[World] | None = None,
) -> set[str]:
    """Ids of the fragments that stand in the world at a round.

    Args:
        scenario: the scenario.
        gold: its hidden part.
        round_index: position of the round, 0-based; its own updates are applied, feedback is that of earlier rounds.
        without: ids of updates to withhold.
        states: `worlds(scenario, without=without)`, when the caller has it already.

    Raises:
        ScenarioError: the updates cannot be applied.
    """
    found = states if states is not None else worlds(scenario, without=without)
    return visible_in(found[round_index], gold, {item.id for item in scenario.rounds[:round_index]})
