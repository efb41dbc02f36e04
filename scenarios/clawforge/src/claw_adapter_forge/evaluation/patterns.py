"""Failure patterns decided by rule (the paper's Table 8), the first wrong step, and decisive sources left unread.

With dG the share of goal conditions met (0 at the start), in this order: early_breakdown (dG = 0, or something for another
place or branch is made before anything right) → stale_state_mishandling (any other side effect, such as what was there changed,
removed or made a second time, whenever it happens; or a stale item is still active next to its replacement) →
hallucinated_completion (the agent stopped) → incomplete_closure (budget or stop rule). ``excess`` is a flag beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from claw_adapter_forge.evaluation.verdict import Verdict, evaluate
from claw_adapter_forge.surfaces.registry import surface_of
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.tasks.spec import ForgeTask
from claw_adapter_forge.world.difference import Change, apply_changes

__all__ = ["MEANINGS", "Diagnosis", "diagnose", "redundant_reads"]

RETIRED = "stale item retired"
MEANINGS = {
    "early_breakdown": "nothing right, or something wrong made before anything right",
    "stale_state_mishandling": "what was there was changed, removed or made again",
    "hallucinated_completion": "it stopped by itself before the goal was met",
    "incomplete_closure": "the budget or a stop rule ended it before the goal was met",
}
"""What each pattern means, for people."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found. `pattern` is empty for a strict pass; `first_wrong` counts commands from 1, 0 for none.

    `unread` are decisive facts that had not been printed before the first change.
    """

    pattern: str
    excess: bool
    first_wrong: int
    unread: tuple[str, ...]
    redundant_reads: float


def diagnose(task: ForgeTask, executions: Sequence[Execution], verdict: Verdict, ended: str) -> Diagnosis:
    """Say what went wrong."""
    first_wrong, first_right, astray = _firsts(task, executions, verdict)
    share = redundant_reads(executions)
    length = task.meta.length
    excess = len(executions) > max(1.75 * length, length + 6) or share > 0.3
    early = astray and (not first_right or first_wrong < first_right)
    pattern = "" if verdict.strict else _pattern(verdict, ended, early)
    return Diagnosis(pattern, excess, first_wrong, _unread(task, executions), share)


def _pattern(verdict: Verdict, ended: str, early: bool) -> str:
    if not verdict.met or early:
        return "early_breakdown"
    replaced = RETIRED in verdict.missing and bool(verdict.met)
    if verdict.violations or verdict.forbidden or replaced:
        return "stale_state_mishandling"
    return "hallucinated_completion" if ended == "stopped" else "incomplete_closure"


def _same_row(left: Change, right: Change) -> bool:
    return (left.table, left.key) == (right.table, right.key)


def _astray(task: ForgeTask, change: Change) -> bool:
    """Whether a change makes something for another place, or of a kind that neither the task nor its world has for this one.

    What was there and is changed or removed, and what is made a second time, is state mishandled instead.
    """
    if change.kind != "created":
        return False
    text = repr(change.after).casefold()
    if task.meta.city.casefold() not in text or (task.meta.decoy and task.meta.decoy.casefold() in text):
        return True
    wanted = {w.table for goal in task.goals for w in goal.wants}
    there = {
        table for table, rows in task.start.tables.items() if any(task.meta.city in repr(r) for r in rows.values())
    }
    return change.table not in wanted | there


def _firsts(task: ForgeTask, executions: Sequence[Execution], verdict: Verdict) -> tuple[int, int, bool]:
    """The first command that did lasting damage, the first that met a want, and whether the damage was something astray."""
    first_wrong = first_right = 0
    astray = False
    state = task.start
    for number, execution in enumerate(executions, start=1):
        if not execution.changes:
            continue
        state = apply_changes(state, execution.changes)
        damage = [c for c in execution.changes if any(_same_row(c, v) for v in verdict.violations)]
        if not first_wrong and damage:
            first_wrong, astray = number, any(_astray(task, c) for c in damage)
        if not first_right and evaluate(task, state).met:
            first_right = number
    return first_wrong, first_right, astray


def _unread(task: ForgeTask, executions: Sequence[Execution]) -> tuple[str, ...]:
    seen = []
    for execution in executions:
        if execution.changes:
            break
        seen.append(execution.text)
    text = "\n".join(seen)
    return tuple(f"{e.surface}: {e.text}" for e in task.meta.evidence if e.text not in text)


def redundant_reads(executions: Sequence[Execution]) -> float:
    """The share of commands that repeat a read with no change on its surface in between."""
    fresh: dict[str, str] = {}
    redundant = 0
    for execution in executions:
        verb = execution.verb
        if verb is None:
            continue
        surface = surface_of(verb.path)
        if verb.mutates:
            fresh = {line: s for line, s in fresh.items() if s != surface}
        elif execution.line in fresh:
            redundant += 1
        else:
            fresh[execution.line] = surface
    return redundant / len(executions) if executions else 0.0
