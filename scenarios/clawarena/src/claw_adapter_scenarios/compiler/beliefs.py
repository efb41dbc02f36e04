"""Claims, and what follows from those visible at a round: the value of a fact, and the claims that decide it.

Of the visible claims about a fact those of the highest rank count; among equals the one that arrived last. A fact with an
expression is also known through its parts, as surely as the least sure of them. Claims with the value that wins decide it
if no visible claim of another value is as good as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, TypeVar

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.compiler.canon import NOW, Canon
from claw_adapter_scenarios.language.expressions import UNKNOWN, calls_in, evaluate, names_in
from claw_adapter_scenarios.language.values import Value

__all__ = ["Beliefs", "Claim", "Verdict", "feature"]

T = TypeVar("T")
SURE: Final = 99
MOST_SETS: Final = 6


@dataclass(frozen=True, slots=True)
class Claim:
    """One fact claimed by one marked span. Several claims can share a fragment (one span about several facts)."""

    fragment: str
    """Id of the fragment; also the name of the claim in ``says``, ``agree`` and ``disagree``."""
    fact: str
    value: Value
    text: str
    where: str
    """As in a fragment: workspace/<path>, session/<id>#<message>, feedback/<round>."""
    place: str
    """What tells sources apart: the path, the session."""
    source: str
    rank: int
    first: int
    """Index of the first round at which it can be seen."""
    until: int | None = None
    """Index of the first round at which it is gone; None when it stays."""
    update: str = ""
    true: bool = True
    """Whether it claims the fact's own value."""
    written: str = ""
    """The mark as it stands in the spec."""

    def visible(self, index: int) -> bool:
        """Whether it can be seen at a round."""
        return self.first <= index and (self.until is None or index < self.until)


@dataclass(frozen=True, slots=True)
class Holding:
    """A value and one set of fragments that says so."""

    value: Value
    rank: int
    arrived: int
    fragments: frozenset[str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an expression amounts to at a round, and the sets of fragments that decide it (empty: it cannot be known)."""

    value: Value
    sets: tuple[frozenset[str], ...]
    facts: tuple[str, ...]


def feature(value: Value) -> Value:
    """A value as it is compared: numbers as rounded floats."""
    return round(float(value), 9) if isinstance(value, int | float) and not isinstance(value, bool) else value


class Beliefs:
    """What a reader who has seen everything visible at a round holds for true."""

    def __init__(
        self, canon: Canon, claims: Sequence[Claim], index: int, *, without: frozenset[str] = frozenset()
    ) -> None:
        self.canon = canon
        self.index = index
        self.visible = [c for c in claims if c.visible(index) and c.update not in without]
        self._by_fact: dict[str, list[Claim]] = {}
        for claim in self.visible:
            self._by_fact.setdefault(claim.fact, []).append(claim)
        self._claimed = {claim.fact for claim in claims}
        self._memo: dict[str, tuple[Holding, ...]] = {}

    def known(self, name: str) -> bool:
        """Whether the evidence says something about a fact."""
        return bool(self.holdings(name))

    def value(self, name: str) -> Value:
        """The believed value; the true one for a fact that is given or that nothing visible speaks of."""
        found = self.holdings(name)
        return found[0].value if found else self.canon.value(name)

    def deciding(self, name: str) -> tuple[Holding, ...]:
        """The holdings of the value that wins which no other visible value matches, surest first."""
        found = self.holdings(name)
        if not found:
            return ()
        best = feature(found[0].value)
        rivals = [(h.rank, h.arrived) for h in found if feature(h.value) != best]
        bar = max(rivals, default=(-1, -1))
        return tuple(h for h in found if feature(h.value) == best and (h.rank, h.arrived) > bar)

    def holdings(self, name: str) -> tuple[Holding, ...]:
        """Everything visible about a fact, surest first."""
        if name not in self._memo:
            self._memo[name] = ()  # a fact that depends on itself was refused when its value was computed
            found = [Holding(c.value, c.rank, c.first, frozenset({c.fragment})) for c in self._by_fact.get(name, ())]
            found += self._derived(name) or self._given(name)
            found.sort(key=lambda h: (-h.rank, -h.arrived, sorted(h.fragments)))
            self._memo[name] = tuple(found)
        return self._memo[name]

    def _given(self, name: str) -> list[Holding]:
        fact = self.canon.spec.truth.facts.get(name)
        if name == NOW or (fact is not None and fact.given):
            return [Holding(self.canon.value(name), SURE, -1, frozenset())]
        return []

    def _derived(self, name: str) -> list[Holding]:
        fact = self.canon.spec.truth.facts.get(name)
        if fact is None or fact.expr is None:
            return []
        parts = [self.deciding(part) for part in names_in(fact.expr)]
        if not all(parts) or any(holdings[0].value is UNKNOWN for holdings in parts):
            return []
        value = evaluate(fact.expr, self.value)
        made = []
        for combination in _combinations(parts):
            rank, arrived = min(h.rank for h in combination), max(h.arrived for h in combination)
            made.append(Holding(value, rank, arrived, frozenset().union(*(h.fragments for h in combination))))
        return made

    def evaluated(self, expression: str, *, naive: bool = False) -> Value:
        """The value of an expression as it is believed; or as a careless reader has it, who compares claims wrongly.

        Raises:
            ScenarioError: it cannot be evaluated.
        """
        if naive:
            return evaluate(self._filled(expression), self.naive, self._ask_naively)
        return evaluate(self._filled(expression), self.value, self._ask)

    def _filled(self, expression: str) -> str:
        """``{name}`` in an expression is the true value, a bare name the believed one."""
        return self.canon.render(expression).text

    def rests_on(self, expression: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What an expression speaks of: the facts, and the claims that it compares."""
        filled = self._filled(expression)
        calls = calls_in(filled)
        facts = [*names_in(filled), *(names[0] for function, names in calls if function == "unknown")]
        claims = [name for function, names in calls if function != "unknown" for name in names]
        return tuple(dict.fromkeys(facts)), tuple(dict.fromkeys(claims))

    def verdict(self, expression: str) -> Verdict:
        """The value of an expression on what is visible, and what decides it.

        Raises:
            ScenarioError: it cannot be evaluated.
        """
        expression = self._filled(expression)
        names, calls = names_in(expression), calls_in(expression)
        parts: list[Sequence[frozenset[str]]] = [[h.fragments for h in self.deciding(name)] for name in names]
        facts = list(names)
        for function, arguments in calls:
            if function == "unknown":
                parts.append([h.fragments for h in self.deciding(arguments[0])])
                facts.append(arguments[0])
            else:
                compared = self._compared(arguments)
                parts.append([frozenset(c.fragment for claims in compared for c in claims)] if compared else [])
                facts += [claims[0].fact for claims in compared]
        value = evaluate(expression, self.value, self._ask)
        sets = tuple(frozenset().union(*found) for found in _combinations(parts)) if parts and all(parts) else ()
        return Verdict(value, _minimal(sets), tuple(dict.fromkeys(facts)))

    def _ask(self, function: str, arguments: tuple[str, ...]) -> Value:
        if function == "unknown":
            return self.known(arguments[0]) and self.value(arguments[0]) is UNKNOWN
        if function == "says":
            claim = self.claim(arguments[0])
            return claim.value if claim else None
        compared = self._compared(arguments)
        same = all(feature(claim.value) == feature(claims[0].value) for claims in compared for claim in claims)
        return bool(compared) and (same if function == "agree" else not same)

    def _compared(self, names: Sequence[str]) -> list[list[Claim]]:
        """The visible claims of these names, one list for each fact of which all of them speak; none if one cannot be seen.

        Raises:
            ScenarioError: they can be seen, and do not speak of the same fact.
        """
        if len(names) == 1:
            return [[claim] for claim in [self.claim(names[0])] if claim]
        found = [{claim.fact: claim for claim in self.visible if claim.fragment == name} for name in names]
        shared = [fact for fact in found[0] if all(fact in claims for claims in found)]
        if all(found) and not shared:
            raise ScenarioError(
                f"{' and '.join(names)} do not speak of the same fact",
                remedy="Compare claims about one fact, or the facts themselves.",
            )
        return [[claims[fact] for claims in found] for fact in shared]

    def _ask_naively(self, function: str, arguments: tuple[str, ...]) -> Value:
        """Who does not compare takes what differs for the same, and what agrees for different."""
        found = self._ask(function, arguments)
        return found if function == "says" else not found

    def claim(self, name: str) -> Claim | None:
        """The visible claim of that name."""
        return next((claim for claim in self.visible if claim.fragment == name), None)

    def naive(self, name: str) -> Value:
        """What a careless reader takes for true: the least sure visible claim, the true value where all agree."""
        direct = sorted(self._by_fact.get(name, ()), key=lambda c: (c.rank, c.first))
        if direct:
            return direct[0].value
        fact = self.canon.spec.truth.facts.get(name)
        return self.canon.value(name) if fact is None or fact.expr is None else evaluate(fact.expr, self.naive)


def _combinations(parts: Iterable[Sequence[T]]) -> list[tuple[T, ...]]:
    found: list[tuple[T, ...]] = []
    for combination in product(*(part[:3] for part in parts)):
        found.append(combination)
        if len(found) == MOST_SETS:
            break
    return found


def _minimal(sets: tuple[frozenset[str], ...]) -> tuple[frozenset[str], ...]:
    """Sets without those that contain another one, and without empty ones."""
    distinct = [one for one in dict.fromkeys(sets) if one]
    return tuple(one for one in distinct if not any(other < one for other in distinct))
