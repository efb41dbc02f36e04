"""What learned answers are worth: how far the truth moves from seed to seed, and what knowing one seed's key says of another's.

Somebody who has learned the key of one seed answers another by it: a statement that was there as it was there, a new one by
what is commoner. A statement is the same where it stands at the same place of the spec.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from statistics import fmean
from typing import Any

from claw_adapter.scenario.yamlsource import FieldPath
from claw_adapter.values import YES_NO
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.spec.load import Spec
from claw_adapter_scenarios.spec.worlds import Resolved

__all__ = ["Memorised", "memorised", "statements", "yes_or_no"]

Statement = tuple[str, FieldPath]
"""A round, and the place of a statement in the spec."""

Truths = Mapping[Any, bool]
"""What is true, by the place in the spec."""


@dataclass(frozen=True, slots=True)
class Memorised:
    """Shares are of 1; `seeds` variants were compared, each with each other.

    Attributes:
        turned: mean share of the statements that two seeds have in common whose truth differs.
        least: the smallest such share, of any two seeds.
        worst: the two seeds that have it; None where no two have a statement in common.
        still: statements that two seeds or more ask and that never turn: round, and place in the spec counted from 0.
        booleans: the same mean for what checks ask for with yes or no; None where no check does.
        sets: mean share of set-selection rounds answered whole by another seed's key.
        right: mean share of statements answered rightly by another seed's key.
        commoner: mean share answered rightly by always saying what is commoner there.
    """

    seeds: int
    turned: float
    least: float
    worst: tuple[int, int] | None
    still: tuple[str, ...]
    booleans: float | None
    sets: float
    right: float
    commoner: float

    @property
    def shortfalls(self) -> Iterator[str]:
        """What the second edition demands and is not so, in words."""
        if self.turned < 1 / 3:
            yield f"two seeds differ in the truth of {self.turned:.0%} of their statements on average; a third is asked for"
        if self.least < 1 / 5:
            pair = "two of the seeds" if self.worst is None else f"seeds {self.worst[0]} and {self.worst[1]}"
            yield f"{pair} differ in the truth of only {self.least:.0%} of their statements; a fifth is asked for"
        if self.booleans is not None and self.booleans < 1 / 3:
            yield f"what is asked for with yes or no differs in {self.booleans:.0%} on average; a third is asked for"
        if self.sets > 0.15:
            yield f"learned sets answer {self.sets:.0%} of the rounds of another seed; at most 15 % may be"
        if self.right > self.commoner + 0.05:
            bar = f"always saying what is commoner {self.commoner:.0%}"
            yield f"learned statements are right in {self.right:.0%} of cases, {bar}; five points more are the most"


def memorised(spec: Spec, seeds: Sequence[int] = range(8)) -> Memorised:
    """Compare seeds of a spec.

    Raises:
        ScenarioError: a seed does not compile.
    """
    variants = [compile_spec(spec, seed) for seed in seeds]
    rounds = [statements(made) for made in variants]
    flat = [{key: holds for one in made.values() for key, holds in one.items()} for made in rounds]
    decided = [yes_or_no(made) for made in variants]
    pairs = combinations(zip(seeds, flat, strict=True), 2)
    shares = {(one, two): share for (one, a), (two, b) in pairs if (share := _differing(a, b)) is not None}
    booleans = [share for a, b in combinations(decided, 2) if (share := _differing(a, b)) is not None]
    tried = [_recalled(known, asked) for known, asked in permutations(rounds, 2)]
    return Memorised(
        seeds=len(variants),
        turned=fmean(shares.values() or [0.0]),
        least=min(shares.values(), default=0.0),
        worst=min(shares, key=lambda pair: shares[pair], default=None),
        still=tuple(_still(flat)),
        booleans=fmean(booleans) if booleans else None,
        sets=fmean([sets for sets, _ in tried] or [1.0]),
        right=fmean([right for _, right in tried] or [1.0]),
        commoner=fmean(max(fmean(truth.values()), 1 - fmean(truth.values())) for truth in flat),
    )


def statements(made: Compiled) -> dict[str, dict[Statement, bool]]:
    """The truth of every statement, by round and by its place in the spec."""
    found: dict[str, dict[Statement, bool]] = {}
    for one in made.rounds:
        if one.options:
            asked = _asked_in(made, one)
            found[one.spec.id] = {
                (one.spec.id, _place(made, asked, option.number)): bool(option.verdict.value) for option in one.options
            }
    return found


def _asked_in(made: Compiled, one: CompiledRound) -> int:
    """The round whose options these are: a revision may ask those of an earlier one again."""
    while one.spec.type == "revision" and not one.spec.options:
        one = next(earlier for earlier in made.rounds if earlier.spec.id == one.spec.of)
    return one.index


def _place(made: Compiled, index: int, number: int) -> FieldPath:
    source, path = made.spec.sources["3-rounds"], ("rounds", index, "options", number)
    return source.origins[path] if isinstance(source, Resolved) else path


def yes_or_no(made: Compiled) -> dict[Hashable, bool]:
    """What checks ask for with yes or no, or with true or false, by round and by the way to it."""
    return {
        (one.spec.id, *way): holds
        for one in made.rounds
        if one.work is not None
        for way, holds in _decided(one.work.expected, ())
    }


def _decided(data: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], bool]]:
    if isinstance(data, dict):
        kind = data.get("as")
        if isinstance(kind, dict) and kind.get("type") == "choice" and kind.get("of") == YES_NO:
            yield way, data.get("value") in (True, "yes")
            return
        if isinstance(data.get("flag"), bool):
            yield way, data["flag"]
            return
        for key, value in data.items():
            yield from _decided(value, (*way, key))
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from _decided(value, (*way, str(number)))


def _differing(a: Truths, b: Truths) -> float | None:
    both = a.keys() & b.keys()
    return fmean(a[key] != b[key] for key in both) if both else None


def _still(variants: Sequence[Mapping[Statement, bool]]) -> Iterator[str]:
    for key in dict.fromkeys(key for truth in variants for key in truth):
        seen = [truth[key] for truth in variants if key in truth]
        if len(seen) > 1 and len({*seen}) == 1:
            round_id, place = key
            where, said = ".".join(map(str, place)), "true" if seen[0] else "false"
            among = f" that ask it, of {len(variants)}" if len(seen) < len(variants) else ""
            yield f"{round_id}, {where}: {said} in all {len(seen)} seeds{among}"


def _recalled(known: Mapping[str, Truths], asked: Mapping[str, Truths]) -> tuple[float, float]:
    """Share of whole sets and of statements answered rightly by the key of another seed."""
    learned = {key: holds for one in known.values() for key, holds in one.items()}
    commoner = fmean(learned.values()) >= 0.5
    hits = [[learned.get(key, commoner) == holds for key, holds in one.items()] for one in asked.values()]
    return fmean(map(all, hits)), fmean(hit for one in hits for hit in one)
