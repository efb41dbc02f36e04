"""Proving a whole task set on several processes, and the totals of what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context

from claw_adapter_forge.generator.task_sets import Blueprint, Counts, blueprints, round_length
from claw_adapter_forge.proof.gate import TaskProof, prove
from claw_adapter_forge.proof.guessing import MOST

__all__ = ["SAMPLE", "Proofs", "verify"]

SAMPLE = 1000
"""Tasks proven of a set that has more: one of each stretch, and the report says so."""

ENOUGH = 40
"""Tasks of a family from which on its branches can be called balanced or not."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Proofs:
    """What was found for a task set; `total` tasks exist, `proofs` covers those that were proven."""

    task_set: str
    seed: int
    total: int
    proofs: tuple[TaskProof, ...]

    @property
    def faults(self) -> tuple[tuple[str, str], ...]:
        """(task, obligation that does not hold)."""
        found = tuple((p.task, fault) for p in self.proofs for fault in p.faults)
        return (*found, *self._unbalanced())

    def guessing(self) -> dict[str, tuple[int, int, int]]:
        """Family → tasks with a decision, those that always wet or live passes, those that always dry or async does."""
        sums: dict[str, list[int]] = {}
        for proof in self.proofs:
            if not all(proof.guesses):
                row = sums.setdefault(proof.family, [0, 0, 0])
                row[0] += 1
                row[1] += proof.guesses[0]
                row[2] += proof.guesses[1]
        return {name: (row[0], row[1], row[2]) for name, row in sums.items()}

    def _unbalanced(self) -> Iterator[tuple[str, str]]:
        """In `scale` no branch is the better guess (`paper362` has the published counts)."""
        for family, (tasks, first, second) in self.guessing().items():
            if self.task_set == "scale" and tasks >= ENOUGH and max(first, second) > MOST * tasks:
                yield family, f"a constant guess is right in {max(first, second)} of {tasks}"

    def baselines(self) -> dict[str, tuple[int, float]]:
        """Name → strict passes, mean progress."""
        passes: Counter[str] = Counter()
        progress: Counter[str] = Counter()
        for proof in self.proofs:
            for name, strict, value in proof.baselines:
                passes[name] += strict
                progress[name] += value  # type: ignore[assignment]  # a Counter adds floats as well
        return {name: (passes[name], progress[name] / len(self.proofs)) for name in progress}

    def mutants(self) -> dict[str, tuple[int, int, int]]:
        """Operator → made, killed, equivalent."""
        sums: dict[str, list[int]] = {}
        for proof in self.proofs:
            for name, *counts in proof.tally.rows:
                row = sums.setdefault(name, [0, 0, 0])
                for i, count in enumerate(counts):
                    row[i] += count
        return {name: (row[0], row[1], row[2]) for name, row in sums.items()}

    def alternatives(self) -> dict[str, tuple[int, int]]:
        """Alternative → tried, accepted."""
        sums: dict[str, list[int]] = {}
        for proof in self.proofs:
            for name, tried, accepted in proof.alternatives:
                row = sums.setdefault(name, [0, 0])
                row[0] += tried
                row[1] += accepted
        return {name: (row[0], row[1]) for name, row in sums.items()}

    def siblings(self) -> dict[str, tuple[int, int]]:
        """Kind of sibling → tried, verdict kept."""
        sums: dict[str, list[int]] = {}
        for proof in self.proofs:
            for name, kept in proof.siblings:
                row = sums.setdefault(name, [0, 0])
                row[0] += 1
                row[1] += kept
        return {name: (row[0], row[1]) for name, row in sums.items()}

    def kill_rate(self) -> float:
        """Killed of those that are not equivalent."""
        rows = self.mutants().values()
        harmful = sum(made - same for made, _, same in rows)
        return sum(killed for _, killed, _ in rows) / harmful if harmful else 0.0

    def balance(self) -> dict[str, dict[str, int]]:
        """Family → counts of variant/branch, style and length."""
        table: dict[str, Counter[str]] = {}
        for p in self.proofs:
            row = table.setdefault(p.family, Counter())
            settings = {f"knob {name} {setting}" for name, setting in p.knobs}
            if p.knobs:
                settings.add(f"necessary {p.necessary}")
            for label in {f"{p.variant} / {p.branch}", f"style {p.style}", f"length {p.length}"} | settings:
                row[label] += 1
        return {family: dict(sorted(row.items())) for family, row in table.items()}


def _chosen(
    task_set: str, seed: int, count: int, asked: Counts | None = None, knobs: Counts | None = None
) -> tuple[int, list[Blueprint]]:
    every = list(blueprints(task_set, seed, count, asked, knobs))
    if len(every) <= SAMPLE:
        return len(every), every
    # one place further in the stretch after every round: an even step could meet the same variants round after round
    ends = [i * len(every) // SAMPLE for i in range(SAMPLE + 1)]
    turns = ((i // round_length(), a, b) for i, (a, b) in enumerate(pairwise(ends)))
    return len(every), [every[a + turn % (b - a)] for turn, a, b in turns]


def _results(chosen: list[Blueprint], jobs: int) -> Iterator[TaskProof]:
    if jobs < 2:
        yield from map(prove, chosen)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(prove, chosen, chunksize=8)


def verify(
    task_set: str,
    seed: int,
    count: int,
    *,
    jobs: int = 2,
    progress: Progress | None = None,
    asked: Counts | None = None,
    knobs: Counts | None = None,
) -> Proofs:
    """Prove a set's tasks (a sample of `SAMPLE` if there are more); families and knobs as for `blueprints`."""
    total, chosen = _chosen(task_set, seed, count, asked, knobs)
    proofs = []
    for done, proof in enumerate(_results(chosen, jobs), start=1):
        proofs.append(proof)
        if progress is not None:
            progress(done, len(chosen))
    return Proofs(task_set, seed, total, tuple(proofs))
