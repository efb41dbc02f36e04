"""Necessary length: the fewest commands of an accepted solution whose every argument and branch was revealed earlier in it.

Writes: as many as the goal with the fewest conditions has, for each is met by a change of its own. Reads: the fewest of those
the reference makes that still show all that it uses and every decisive fact. What a read shows does not depend on other reads,
so that they can be left out one by one: those without which something is missing are kept, and of the others every choice is
tried, smallest first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

from claw_adapter_forge.generator.taint import sources
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.tasks.family import Draft

__all__ = ["necessary_length"]

MOST = 12
"""Reads that can stand for each other, up to which every choice of them is tried; of more, the last ones are left out, each if
the others still show all."""


def necessary_length(request: str, executions: Sequence[Execution], draft: Draft) -> int:
    """The number of commands; `executions` are those of the reference."""
    reads = [i for i, e in enumerate(executions) if not e.changes]
    facts = [e.text for e in draft.evidence if any(e.text in x.text for x in executions)]

    def enough(kept: Collection[int]) -> bool:
        done = [e for i, e in enumerate(executions) if e.changes or i in kept]
        shown = all(any(fact in e.text for e in done) for fact in facts)
        return shown and all(t.source >= 0 for t in sources(request, done, draft.derived))

    every = set(reads)
    needed = {i for i in reads if not enough(every - {i})}
    spare = [i for i in reads if i not in needed]
    for i in reversed(spare[MOST:]):
        if not enough((needed | set(spare)) - {i}):
            needed.add(i)
        spare.remove(i)
    fewest = next((len(choice) for choice in _choices(spare[:MOST]) if enough(needed | set(choice))), len(spare[:MOST]))
    return min(len(goal.wants) for goal in draft.goals) + len(needed) + fewest


def _choices(spare: Sequence[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(spare) + 1):
        yield from combinations(spare, size)
