"""Why a want is not met: the change that came nearest to it, and the conditions it fails."""

from __future__ import annotations

from dataclasses import dataclass

from claw_adapter_forge.evaluation.conditions import failing, same_place, surplus_fields, text_of
from claw_adapter_forge.evaluation.lines import why_not
from claw_adapter_forge.evaluation.verdict import Verdict
from claw_adapter_forge.tasks.spec import Cond, ForgeTask, Want
from claw_adapter_forge.world.difference import Change
from claw_adapter_forge.world.records import Record

__all__ = ["NearMiss", "near_misses"]

_WORDS = {
    "equals": "must be {0}",
    "one_of": "must be one of {all}",
    "same_day": "must be on the day of {0}",
    "same_set": "must be exactly {all}",
    "empty": "must be empty",
    "titled": "must carry {0} and {1}, and no other city or ref",
    "no_lines": "must have no line {all}",
    "hides": "must not name a secret",
    "fires_like": "must fire like {0}",
    "keeps": "must keep its old lines in order",
}


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A want that is not met. `change` is what came nearest, if anything of its kind was done; `reasons` are for people."""

    want: str
    change: Change | None
    reasons: tuple[str, ...]

    def lines(self) -> tuple[str, ...]:
        """The want, what came nearest to it, and why that is not it."""
        nearest = (f"  nearest: {self.change.line()}",) if self.change is not None else ()
        return (f"missing: {self.want}", *nearest, *(f"  {reason}" for reason in self.reasons))


def _describe_condition(cond: Cond, row: Record | None) -> str:
    if cond.op == "line":
        said = text_of(row) if row is not None and cond.field == "text" else str(getattr(row, cond.field, ""))
        return f"{cond.field}: {why_not(said, *cond.values)}"
    return f"{cond.field} " + _WORDS[cond.op].format(*cond.values, all=", ".join(cond.values))


def _reasons(change: Change, want: Want) -> tuple[str, ...]:
    more = tuple(f"{name} must stay as it was" for name in surplus_fields(change, want))
    return (*(_describe_condition(c, change.after) for c in failing(change, want)), *more)


def near_misses(task: ForgeTask, verdict: Verdict) -> tuple[NearMiss, ...]:
    """One entry per missing want of the goal that came nearest.

    A change that meets another want is near to none, and one that is not called for is near to one want at most, the one of
    which it fails the fewest conditions.
    """
    goal = next(g for g in task.goals if g.name == verdict.goal)
    missing = [want for want in goal.wants if want.name in verdict.missing]
    tried = [
        (len(reasons), place, change, reasons)
        for place, want in enumerate(missing)
        for change in verdict.violations
        if same_place(change, want) and (reasons := _reasons(change, want))
    ]
    nearest: dict[int, NearMiss] = {}
    given: set[tuple[str, str]] = set()
    for _, place, change, reasons in sorted(tried, key=lambda row: row[:2]):
        if place not in nearest and (change.table, change.key) not in given:
            given.add((change.table, change.key))
            nearest[place] = NearMiss(missing[place].name, change, reasons)
    return tuple(nearest.get(place, NearMiss(want.name, None, ())) for place, want in enumerate(missing))
