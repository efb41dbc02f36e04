"""The leak probe: does the outside of a statement tell whether it is true? Over many scenarios and seeds at once.

A feature (length, position, negation …) leaks if it tells true statements from false ones better than it tells shuffled ones.
That is measured by the area under the ROC curve: the share of pairs of a true and a false statement in which the true one has
more of it, ties counting half (Hanley and McNeil 1982, Radiology 143:29-36). The control exchanges what is true among the
statements of a round, in all seeds at once, so that a text that comes again in eight seeds counts once. A classifier is trained
on the words and features of one half of the scenarios and asked about the other half.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.language.draw import dice
from claw_adapter_scenarios.proof.baselines import surface
from claw_adapter_scenarios.validation.memorised import statements

__all__ = ["FEATURES", "Leak", "Statement", "asked", "leaks"]

SHUFFLES: Final = 200
LEVEL: Final = 0.01
"""Chance of a false alarm among all features together."""
CLASSIFIER: Final = "classifier"
EXACT: Final = "exact matches"
_WORD: Final = re.compile(r"[^\W\d_㐀-鿿]+|[㐀-鿿]")
_NEGATION: Final = re.compile(r"\b(?:no|not|never|nobody|none|nothing|neither|nor|without)\b|n't\b|[不没未无非]")
_COMMAS: Final = ",;\uff0c\u3001\uff1b"
_WHOLE: Final = re.compile(r"\b(?:all|only|every|always|any|each|both)\b|[只仅都全均每]")


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement as it is asked, and whether it is true.

    Attributes:
        round: scenario, seed and round.
        place: where it stands in the spec; the same in every seed.
        position: among the options of its round, 0 to 1.
        options: how many there are.
        question: what is asked above them.
    """

    scenario: str
    seed: int
    round: str
    place: Hashable
    text: str
    question: str
    position: float
    options: int
    holds: bool


@dataclass(frozen=True, slots=True)
class Leak:
    """A feature: its area (or, of exact matches, its share), the middle 99 % of the control, and how likely by chance."""

    feature: str
    found: float
    low: float
    high: float
    probability: float
    leaks: bool


def _overlap(one: Statement) -> float:
    words = _words(one.text)
    return len(words & _words(one.question)) / max(1, len(words))


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


FEATURES: Final[Mapping[str, Callable[[Statement], float]]] = {
    "length": lambda one: len(one.text),
    "position": lambda one: one.position,
    "number of options": lambda one: one.options,
    "negation": lambda one: len(_NEGATION.findall(one.text.casefold())),
    "all, only, every": lambda one: len(_WHOLE.findall(one.text.casefold())),
    "digits": lambda one: sum(letter.isdigit() for letter in one.text),
    "commas": lambda one: sum(one.text.count(sign) for sign in _COMMAS),
    "words of the question": _overlap,
}
"""What can be seen of a statement without reading anything."""


def asked(made: Compiled) -> Iterator[Statement]:
    """The statements of a variant; those that a later round asks again are left out."""
    truths = statements(made)
    for one in made.rounds:
        if not one.options or (one.spec.type == "revision" and not one.spec.options):
            continue
        places = zip(one.options, truths[one.spec.id].items(), strict=True)
        for number, (option, (place, holds)) in enumerate(places):
            yield Statement(
                scenario=made.spec.truth.id,
                seed=made.canon.seed,
                round=one.spec.id,
                place=place,
                text=option.text,
                question=one.round.question,
                position=number / max(1, len(one.options) - 1),
                options=len(one.options),
                holds=holds,
            )


def leaks(found: Sequence[Statement], shuffles: int = SHUFFLES) -> list[Leak]:
    """Every feature, the classifier, and its exact matches, each beside what it finds in shuffled statements."""
    probe = _Probe(found)
    true = probe.measured([one.holds for one in found])
    control = [probe.measured(probe.shuffled(number)) for number in range(shuffles)]
    return [_judged(name, value, [one[name] for one in control], len(true)) for name, value in true.items()]


def _judged(name: str, value: float, control: Sequence[float], tests: int) -> Leak:
    """By a normal approximation of the control: a leak is rarer than so many shuffles could show."""
    middle = fmean(control)
    spread = math.sqrt(fmean((one - middle) ** 2 for one in control)) or 1e-9
    away = abs(value - middle) / spread
    probability = math.erfc(away / math.sqrt(2))
    return Leak(
        feature=name,
        found=value,
        low=middle - 2.576 * spread,
        high=middle + 2.576 * spread,
        probability=probability,
        leaks=probability < LEVEL / tests and (value > middle or name not in (CLASSIFIER, EXACT)),
    )


class _Probe:
    """Measures one set of statements under any labels."""

    def __init__(self, found: Sequence[Statement]) -> None:
        self.found = found
        self.values = {name: [float(feature(one)) for one in found] for name, feature in FEATURES.items()}
        self.surfaces = [surface(one.text) for one in found]
        scenarios = sorted({one.scenario for one in found})
        half = set(scenarios[::2])
        self.first = [one.scenario in half for one in found]
        self.groups: dict[tuple[str, str], dict[Hashable, list[int]]] = {}
        self.rounds: dict[tuple[str, int, str], list[int]] = {}
        for number, one in enumerate(found):
            places = self.groups.setdefault((one.scenario, one.round), {})
            places.setdefault(one.place, []).append(number)
            self.rounds.setdefault((one.scenario, one.seed, one.round), []).append(number)

    def shuffled(self, number: int) -> list[bool]:
        """What is true, exchanged among the places of each round: a place takes over what another has in each seed."""
        rng = dice(number, "leaks")
        labels = [one.holds for one in self.found]
        for places in self.groups.values():
            names = list(places)
            taken = rng.sample(names, len(names))
            for place, other in zip(names, taken, strict=True):
                by_seed = {self.found[n].seed: self.found[n].holds for n in places[other]}
                spare = list(by_seed.values())
                for n in places[place]:
                    labels[n] = by_seed.get(self.found[n].seed, rng.choice(spare))
        return labels

    def measured(self, labels: Sequence[bool]) -> dict[str, float]:
        """Area by feature; the classifier's; exact matches."""
        areas = {name: area(values, labels) for name, values in self.values.items()}
        scores = self._classified(labels)
        return areas | {CLASSIFIER: area(scores, labels), EXACT: self._exact(scores, labels)}

    def _classified(self, labels: Sequence[bool]) -> list[float]:
        """Log odds of naive Bayes, each half of the scenarios by what the other half teaches."""
        scores = [0.0] * len(labels)
        for half in (True, False):
            seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
            totals: Counter[bool] = Counter()
            taught = set[str]()
            for number, holds in enumerate(labels):
                if self.first[number] == half and (text := f"{holds} {self.found[number].text}") not in taught:
                    taught.add(text)
                    seen[holds].update(self.surfaces[number])
                    totals[holds] += 1
            odds = {
                word: math.log((seen[True][word] + 0.5) / (totals[True] + 1))
                - math.log((seen[False][word] + 0.5) / (totals[False] + 1))
                for word in seen[True].keys() | seen[False].keys()
            }
            for number, words in enumerate(self.surfaces):
                if self.first[number] != half:
                    scores[number] = sum(odds.get(word, 0.0) for word in words)
        return scores

    def _exact(self, scores: Sequence[float], labels: Sequence[bool]) -> float:
        """Share of the rounds in which the highest scores are just the true statements; how many there are is known."""
        hits = []
        for numbers in self.rounds.values():
            true = {n for n in numbers if labels[n]}
            best = sorted(numbers, key=lambda n: (-scores[n], n))[: len(true)]
            hits.append(set(best) == true)
        return fmean(hits or [0.0])


def area(values: Sequence[float], labels: Sequence[bool]) -> float:
    """The area under the ROC curve; 0.5 where there is nothing to compare."""
    true = sum(labels)
    if not 0 < true < len(labels):
        return 0.5
    order = sorted(range(len(values)), key=values.__getitem__)
    total, at = 0.0, 0
    while at < len(order):
        end = at
        while end < len(order) and values[order[end]] == values[order[at]]:
            end += 1
        total += (at + end + 1) / 2 * sum(labels[n] for n in order[at:end])
        at = end
    return (total - true * (true + 1) / 2) / (true * (len(labels) - true))
