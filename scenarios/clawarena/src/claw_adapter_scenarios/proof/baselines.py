"""Answering without reading: none of these may do better than chance.

Chance for one set-selection round is to know how many statements are true and to draw that many: 1 / C(n, k). A baseline fails
when so many hits or more had a probability below `LEVEL` by chance (Poisson binomial tail, computed exactly). The level is 1 %
for all baselines of a scenario together, divided by their number (Bonferroni): else one scenario in sixteen fails by chance.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from claw_adapter_scenarios.compiler.compiled import Compiled

__all__ = ["BASELINES", "LEVEL", "Outcome", "Question", "baselines", "questions", "surface"]

FAMILY = 0.01
HAN = "\u2e7f"
SIZE_BAR = 0.15
"""Most that guessing sets of the commonest size may score on average."""


@dataclass(frozen=True, slots=True)
class Question:
    """What an agent without sources sees of a round, and the key."""

    id: str
    texts: tuple[str, ...]
    truth: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hits of a baseline, and the probability of that many by chance."""

    name: str
    hits: float
    rounds: int
    probability: float

    @property
    def holds(self) -> bool:
        """Whether it is no better than chance."""
        return self.probability >= LEVEL


def questions(made: Compiled) -> list[Question]:
    """The set-selection rounds; those that ask earlier statements again are left out, as they would count twice."""
    return [
        Question(one.spec.id, tuple(o.text for o in one.options), tuple(bool(o.verdict.value) for o in one.options))
        for one in made.rounds
        if one.options and one.spec.type != "revision"
    ]


def baselines(asked: Sequence[Question]) -> Iterator[Outcome]:
    """The outcome of every baseline."""
    chance = [1 / math.comb(len(q.truth), sum(q.truth)) for q in asked]
    for name, answer in BASELINES.items():
        hits = sum(answer(index, asked) == q.truth for index, q in enumerate(asked))
        yield Outcome(name, hits, len(asked), _tail(chance, hits))
    yield _size_prior(asked)
    yield _leak_by_statement(asked)


def _tail(chance: Sequence[float], hits: int) -> float:
    """Probability of at least `hits` successes in independent trials of these probabilities."""
    spread = [1.0]
    for p in chance:
        spread = [a * (1 - p) + b * p for a, b in zip([*spread, 0.0], [0.0, *spread], strict=True)]
    return min(1.0, sum(spread[hits:]))


def _all(index: int, asked: Sequence[Question]) -> tuple[bool, ...]:
    return (True,) * len(asked[index].texts)


def _longest(index: int, asked: Sequence[Question]) -> tuple[bool, ...]:
    q = asked[index]
    bar = sorted((len(text) for text in q.texts), reverse=True)[sum(q.truth) - 1]
    return tuple(len(text) >= bar for text in q.texts)


def _shortest(index: int, asked: Sequence[Question]) -> tuple[bool, ...]:
    q = asked[index]
    bar = sorted(len(text) for text in q.texts)[sum(q.truth) - 1]
    return tuple(len(text) <= bar for text in q.texts)


def _letters(index: int, asked: Sequence[Question]) -> tuple[bool, ...]:
    """The positions that are true most often in the other rounds."""
    others = [q for i, q in enumerate(asked) if i != index]
    counts = Counter(position for q in others for position, holds in enumerate(q.truth) if holds)
    best = sorted(range(len(asked[index].texts)), key=lambda p: (-counts[p], p))[: sum(asked[index].truth)]
    return tuple(p in best for p in range(len(asked[index].texts)))


def _leak(index: int, asked: Sequence[Question]) -> tuple[bool, ...]:
    """The statements that look most like true ones of the other rounds."""
    scores = _scores(index, asked)
    best = sorted(range(len(scores)), key=lambda p: (-scores[p], p))[: sum(asked[index].truth)]
    return tuple(p in best for p in range(len(scores)))


BASELINES: dict[str, Callable[[int, Sequence[Question]], tuple[bool, ...]]] = {
    "select all": _all, "longest statements": _longest, "shortest statements": _shortest, "majority letters": _letters,
    "leak probe": _leak,
}  # fmt: skip
"""Answers by name, given the index of a question; those that need the number of true statements are told it."""
LEVEL = FAMILY / (len(BASELINES) + 1)
"""With the leak probe by statement, which is no answer to a round."""


def _scores(index: int, asked: Sequence[Question]) -> list[float]:
    """Log odds of naive Bayes over words and surface features, trained on other rounds without the same texts."""
    own = set(asked[index].texts)
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    totals: Counter[bool] = Counter()
    for i, q in enumerate(asked):
        for text, holds in zip(q.texts, q.truth, strict=True):
            if i != index and text not in own:
                seen[holds].update(surface(text))
                totals[holds] += 1
    return [sum(_odds(seen, totals, feature) for feature in surface(text)) for text in asked[index].texts]


def _odds(seen: dict[bool, Counter[str]], totals: Counter[bool], feature: str) -> float:
    yes = (seen[True][feature] + 0.5) / (totals[True] + 1)
    no = (seen[False][feature] + 0.5) / (totals[False] + 1)
    return math.log(yes / no)


def surface(text: str) -> set[str]:
    """Words of a statement, and what can be seen of it at a glance."""
    words = set(re.findall(r"[a-z]{2,}", text.lower()))
    words.update(
        a + b for a, b in pairwise(text) if a > HAN and b > HAN
    )  # no blanks between words: pairs of characters
    return {
        *words,
        f"length {len(text) // 30}",
        f"digits {bool(re.search(r'[0-9]', text))}",
        f"commas {text.count(',') + text.count(chr(0xFF0C))}",
    }


def _size_prior(asked: Sequence[Question]) -> Outcome:
    """Guess sets of the size that is commonest: the expected score."""
    size = Counter(sum(q.truth) for q in asked).most_common(1)[0][0] if asked else 0
    score = sum((sum(q.truth) == size) / math.comb(len(q.truth), size) for q in asked)
    fine = not asked or score / len(asked) <= SIZE_BAR
    return Outcome("gold-size prior", round(score, 2), len(asked), 1.0 if fine else 0.0)


def _leak_by_statement(asked: Sequence[Question]) -> Outcome:
    """Statement by statement: the leak probe against always saying what is commoner."""
    flat = [
        (score > 0) == holds
        for i, q in enumerate(asked)
        for score, holds in zip(_scores(i, asked), q.truth, strict=True)
    ]
    truths = [holds for q in asked for holds in q.truth]
    base = max(sum(truths), len(truths) - sum(truths)) / max(1, len(truths))
    return Outcome("leak probe by statement", sum(flat), len(flat), _tail([base] * len(flat), sum(flat)))
