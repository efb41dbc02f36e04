"""How much of their wording two scenarios share, and what a private variant shares with the public one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.validation.control import expected_values

__all__ = ["WIDTH", "answers", "names", "overlap", "shared_answers", "shingles"]

WIDTH: Final = 8
"""Words in a shingle."""
LONGEST: Final = 20_000
"""Words of one document that are looked at: a log of millions of lines repeats itself long before."""
_WORD: Final = re.compile(r"@|[㐀-鿿]|[^\W\d_㐀-鿿]+|\d[\d.,:]*")
_NUMBER: Final = re.compile(r"\d[\d.:-]*\d")


def shingles(made: Compiled) -> set[str]:
    """All runs of eight words of what was written: documents, messages, questions, options, feedback.

    Names of people and numbers are masked, so that the same sentence about somebody else counts as the same. A Chinese
    character counts as a word, a name without a blank as one. What the compiler says in every scenario (the agent's own files,
    its first reply, what it adds to questions) is left out.
    """
    whole = [name for name in names(made) if " " not in name]
    masks = {"@", *(part.casefold() for name in names(made) for part in name.split())}
    found: set[str] = set()
    for told in _texts(made):
        text = told
        for name in whole:
            text = text.replace(name, " @ ")
        words = [_masked(word, masks) for word in _words(text)]
        found.update(" ".join(words[at : at + WIDTH]) for at in range(len(words) - WIDTH + 1))
    return found


def _words(text: str) -> Iterator[str]:
    for number, match in enumerate(_WORD.finditer(text)):
        if number == LONGEST:
            return
        yield match[0].casefold()


def _masked(word: str, masks: set[str]) -> str:
    return "#" if word[0].isdigit() else "@" if word in masks else word


def _texts(made: Compiled) -> Iterator[str]:
    material = made.material
    yield from (text for path, text in material.files.items() if material.roles.get(path) != "agent")
    yield from (change.text for change in material.changes)
    yield from (message.text for message in material.main if message.role == "user")
    yield from (message.text for loop in material.loops for message in loop.messages if message.role != "tool")
    for one in made.rounds:
        yield made.canon.render(one.spec.ask).text
        yield from one.round.options.values()
        yield made.canon.render(one.spec.correct).text
        yield made.canon.render(one.spec.incorrect).text


def overlap(one: set[str], other: set[str]) -> float:
    """The shared part of the smaller set, 0 to 1."""
    return len(one & other) / max(1, min(len(one), len(other)))


def names(made: Compiled) -> set[str]:
    """Names of the people of a variant."""
    return set(made.canon.people.values())


def answers(made: Compiled) -> list[str]:
    """Texts, numbers and moments that checks expect, in order: the places are the same in every variant."""
    return [value for one in made.rounds if one.work is not None for value in expected_values(one.work.expected)]


def shared_answers(public: Compiled, others: Sequence[Compiled]) -> tuple[float, list[str]]:
    """The part of the different public answers that every other variant has at the same places, and which.

    Only numbers of two digits or more, and moments, count. That one of the variants has the same is chance: a draw from eight
    doses repeats every eighth time.
    """
    theirs: dict[str, set[str]] = {}
    for other in others:
        for ours, value in zip(answers(public), answers(other), strict=False):
            if _NUMBER.fullmatch(ours):
                theirs.setdefault(ours, set()).add(value)
    same = [ours for ours, values in theirs.items() if values == {ours}]
    return len(same) / max(1, len(theirs)), same
