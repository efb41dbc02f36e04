"""The mutation gate: every mutant of the reference is killed, or leaves a state that an accepted run leaves too."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from claw_adapter_forge.proof import mutate_world, mutate_writes
from claw_adapter_forge.proof.replay import fingerprint, replay
from claw_adapter_forge.proof.script import Mutant, Script

__all__ = ["OPERATORS", "Survivor", "Tally", "mutants", "try_mutants"]

OPERATORS = {**mutate_writes.OPERATORS, **mutate_world.OPERATORS}


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that passed. `equivalent`: its final state equals an accepted one by difference."""

    task: str
    operator: str
    note: str
    equivalent: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """Mutants of one task: (operator, made, killed, equivalent) and the survivors."""

    rows: tuple[tuple[str, int, int, int], ...]
    survivors: tuple[Survivor, ...]


def mutants(script: Script) -> Iterator[Mutant]:
    """Every mutant of every operator."""
    for make in OPERATORS.values():
        yield from make(script)


def try_mutants(script: Script, accepted: Collection[tuple[str, ...]]) -> Tally:
    """Run all mutants; `accepted` are the fingerprints of accepted final states."""
    counts = {name: [0, 0, 0] for name in OPERATORS}
    survivors: list[Survivor] = []
    for mutant in mutants(script):
        count = counts[mutant.operator]
        count[0] += 1
        verdict = replay(script.task, mutant.lines).verdict
        if not verdict.strict:
            count[1] += 1
            continue
        same = fingerprint(verdict.changes) in accepted
        count[2] += same
        survivors.append(Survivor(script.task.id, mutant.operator, mutant.note, same))
    rows = tuple((name, count[0], count[1], count[2]) for name, count in counts.items())
    return Tally(rows, tuple(survivors))
