"""Strict verdict and progress of a final state.

strict = some goal's wants are met, each by a change of its own (goal) ∧ every other change is allowed (frame) ∧ no step did
what is forbidden. Progress = weight of the wants met / weight of all, halved for each kind of guard that was broken; the
first state has 0 and an accepted final state 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claw_adapter_forge.evaluation.conditions import meets
from claw_adapter_forge.surfaces.oc_config import SECRET_PREFIX
from claw_adapter_forge.tasks.spec import Allowed, ForgeTask, Goal, Want
from claw_adapter_forge.world.difference import Change, difference
from claw_adapter_forge.world.incoming import came_in
from claw_adapter_forge.world.state import State

__all__ = ["Verdict", "evaluate", "forbidden_steps"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a task. `goal` is the acceptable repair that came nearest."""

    strict: bool
    progress: float
    goal: str
    met: tuple[str, ...]
    missing: tuple[str, ...]
    violations: tuple[Change, ...]
    forbidden: tuple[str, ...]
    changes: tuple[Change, ...]


def evaluate(task: ForgeTask, final: State, steps: Sequence[tuple[Change, ...]] = ()) -> Verdict:
    """Judge a final state; `steps` are the changes of each executed command, for what cannot be undone unseen."""
    others = {(table, row.id): row for table, row in came_in(final)}
    changes = tuple(
        c for c in difference(task.start, final) if c.after is None or others.get((c.table, c.key)) != c.after
    )
    forbidden = forbidden_steps(task, steps)
    verdicts = [_against(goal, task.allowed, changes, forbidden) for goal in task.goals]
    return max(verdicts, key=lambda v: (v.strict, v.progress, len(v.met)))


def _against(
    goal: Goal, allowed: tuple[Allowed, ...], changes: tuple[Change, ...], forbidden: tuple[str, ...]
) -> Verdict:
    matched = _match(goal.wants, changes)
    met = tuple(w.name for i, w in enumerate(goal.wants) if i in matched)
    missing = tuple(w.name for i, w in enumerate(goal.wants) if i not in matched)
    used = set(matched.values())
    violations = tuple(c for i, c in enumerate(changes) if i not in used and not _is_allowed(c, allowed))
    guards = {(c.table, c.kind) for c in violations} | {("forbidden", f) for f in forbidden}
    total = sum(w.weight for w in goal.wants)
    done = sum(w.weight for i, w in enumerate(goal.wants) if i in matched)
    progress = done / total * 0.5 ** len(guards)
    strict = not missing and not violations and not forbidden
    return Verdict(strict, progress, goal.name, met, missing, violations, forbidden, changes)


def _match(wants: tuple[Want, ...], changes: tuple[Change, ...]) -> dict[int, int]:
    """A largest matching of wants to changes (augmenting paths; there are a handful of each)."""
    options = [[i for i, change in enumerate(changes) if meets(change, want)] for want in wants]
    taken: dict[int, int] = {}

    def place(want: int, seen: set[int]) -> bool:
        for change in options[want]:
            if change not in seen:
                seen.add(change)
                if change not in taken or place(taken[change], seen):
                    taken[change] = want
                    return True
        return False

    for want in range(len(wants)):
        place(want, set())
    return {want: change for change, want in taken.items()}


def _is_allowed(change: Change, allowed: tuple[Allowed, ...]) -> bool:
    return any(
        change.table == a.table and change.kind == a.kind and (not a.fields or set(change.fields) <= set(a.fields))
        for a in allowed
    )


def forbidden_steps(task: ForgeTask, steps: Sequence[tuple[Change, ...]]) -> tuple[str, ...]:
    """What was done on the way and must not be, even if undone later: touching secrets, deleting what must stay."""
    retired = {(w.table, w.key) for g in task.goals for w in g.wants if w.kind == "deleted"}
    found: dict[str, None] = {}
    for change in (c for step in steps for c in step):
        if change.table == "config" and change.key.startswith(SECRET_PREFIX):
            found["secret changed"] = None
        if (
            change.kind == "deleted"
            and change.key in task.start.tables[change.table]
            and (change.table, change.key) not in retired
        ):
            found[f"{change.table} {change.key} deleted"] = None
    return tuple(found)
