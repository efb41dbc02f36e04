"""Task sets: `paper362`, with the published counts; `scale` and `hard`, any number of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from claw_adapter.errors import ScenarioError
from claw_adapter_forge import GENERATOR_VERSION
from claw_adapter_forge.families import families, family
from claw_adapter_forge.generator.compiler import check_task, compile_task
from claw_adapter_forge.tasks.family import Family, Plan
from claw_adapter_forge.tasks.slots import Draw, Slots, draw_slots
from claw_adapter_forge.tasks.spec import STYLES, ForgeTask, Style

__all__ = [
    "PAPER_BRIEF",
    "PAPER_TOTAL",
    "TASK_SETS",
    "Blueprint",
    "Counts",
    "blueprints",
    "compile_blueprint",
    "generate",
    "round_length",
]

TASK_SETS = ("paper362", "scale", "hard")
PAPER_TOTAL = 362
PAPER_BRIEF = 175

Counts = Mapping[str, int]
"""Names with a number each."""

_HARD = ("bookings", "round")
"""The families of `hard`, which take turns."""
_CORE = ("A", "B", "C", "D")
_CORE_EACH = 6
_CORE_EXTRAS = {"A": 25, "B": 31, "C": 35, "D": 39}
"""The first 24 numbers go round the four core families in sixes; their further variants follow from these numbers on."""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """All that is needed to compile one task: cheap to make, to send to another process, and to vary."""

    family: str
    number: int
    seed: int
    task_set: str
    slots: Slots


def blueprints(
    task_set: str, seed: int, count: int = PAPER_TOTAL, asked: Counts | None = None, knobs: Counts | None = None
) -> Iterator[Blueprint]:
    """The tasks of a set, by number.

    Args:
        task_set: one of `TASK_SETS`.
        seed: the same seed gives the same tasks.
        count: how many tasks the set has, if it can have any number.
        asked: families by slug, each with the number of its tasks, in place of all families.
        knobs: settings of difficulty that are not drawn, for `hard`.

    Raises:
        ScenarioError: unknown set, family or knob, or a count that it does not have.
    """
    if task_set not in TASK_SETS:
        raise ScenarioError(f"no task set {task_set!r}", remedy=f"There are {', '.join(TASK_SETS)}.")
    if task_set == "paper362" and asked:
        raise ScenarioError("paper362 has the published counts", remedy="Ask `scale` for counts of families.")
    if task_set != "hard" and knobs:
        raise ScenarioError(f"{task_set} has no knobs", remedy="They are of the set hard.")
    if asked and task_set == "scale":
        yield from _asked(seed, asked)
    elif task_set == "hard":
        yield from _hard(seed, count, asked or {}, knobs or {})
    elif task_set == "paper362":
        yield from sorted(_paper(seed), key=lambda b: b.number)
    else:
        yield from (_scaled(seed, index) for index in range(_some(count)))


def _some(count: int) -> int:
    if count < 1:
        raise ScenarioError(f"{count} tasks cannot be generated", remedy="Give a number from 1 on.")
    return count


def _asked(seed: int, asked: Counts) -> Iterator[Blueprint]:
    number = 0
    for slug, count in asked.items():
        fam = family(slug)
        plans = (*fam.plan, *fam.extra)
        for index in range(_some(count)):
            number += 1
            turn, place = divmod(index, len(plans))
            draw = Draw(GENERATOR_VERSION, "scale", seed, slug, index)
            style: Style = "brief" if (turn + place) % 2 == 0 else "underspecified"
            slots = replace(_ground(plans[place], turn, draw, style), extras=draw.number("extras", 4))
            yield Blueprint(slug, number, seed, "scale", slots)


def _hard(seed: int, count: int, asked: Counts, knobs: Counts) -> Iterator[Blueprint]:
    if asked:
        turns = [slug for slug, number in asked.items() for _ in range(_some(number))]
    else:
        first = Draw(GENERATOR_VERSION, "hard", seed).number("first", len(_HARD))
        turns = [_HARD[(first + index) % len(_HARD)] for index in range(_some(count))]
    ranges = {slug: family(slug).knobs for slug in dict.fromkeys(turns)}
    if without := [slug for slug, has in ranges.items() if not has]:
        raise ScenarioError(f"{', '.join(without)} has no knobs", remedy="Ask `scale` for families without them.")
    for name, setting in knobs.items():
        spans = [has[name] for has in ranges.values() if name in has]
        if not spans:
            known = sorted({name for has in ranges.values() for name in has})
            raise ScenarioError(f"no knob {name}", remedy=f"There are {', '.join(known)}.")
        if not any(least <= setting <= most for least, most in spans):
            raise ScenarioError(f"{name} cannot be {setting}", remedy=f"It is {spans[0][0]} to {spans[0][1]}.")
    for index, slug in enumerate(turns):
        draw = Draw(GENERATOR_VERSION, "hard", seed, index)
        drawn = {name: least + draw.number(name, most - least + 1) for name, (least, most) in ranges[slug].items()}
        # a form has to be found in two tasks of three
        if drawn.get("forms") == 0 or ranges[slug].get("forms") == (0, 1):
            drawn["forms"] = int(draw.number("forms", 3) > 0)
        drawn |= {name: setting for name, setting in knobs.items() if name in drawn}
        style = draw.pick("style", STYLES)
        slots = replace(draw_slots(draw, slug, style), flag=draw.number("flag", 2) == 1, knobs=tuple(drawn.items()))
        yield Blueprint(slug, index + 1, seed, "hard", slots)


def compile_blueprint(blueprint: Blueprint) -> ForgeTask:
    """Compile one task."""
    b = blueprint
    return compile_task(family(b.family), b.slots, number=b.number, seed=b.seed, task_set=b.task_set)


def generate(
    task_set: str, seed: int, count: int = PAPER_TOTAL, asked: Counts | None = None, knobs: Counts | None = None
) -> Iterator[ForgeTask]:
    """All tasks of a set, one after the other, each checked as in `check_task`."""
    return (check_task(compile_blueprint(b)) for b in blueprints(task_set, seed, count, asked, knobs))


def _ground(plan: Plan, index: int, draw: Draw, style: Style) -> Slots:
    """The slots of the `index`-th task of a plan; a tuple in a plan is gone through task by task."""
    slots = draw_slots(draw, plan.variant, style)
    fixed = {k: v[index % len(v)] if isinstance(v, tuple) else v for k, v in plan.slots.items()}
    wet = draw.number("wet", 2) == 1 if "wet" not in fixed else fixed["wet"]
    return replace(slots, **({"wet": wet} | fixed))  # type: ignore[arg-type]  # plans name slots of the right types


def _paper(seed: int) -> Iterator[Blueprint]:
    for fam in families():
        pairs = [(plan, i) for plan in fam.plan for i in range(plan.count)]
        order = Draw(GENERATOR_VERSION, seed, fam.slug).shuffled("order", range(len(pairs)))
        for position, chosen in enumerate(order):
            plan, index = pairs[chosen]
            number = _number(fam, position)
            draw = Draw(GENERATOR_VERSION, "paper362", seed, fam.slug, position)
            slots = _ground(plan, index, draw, _paper_style(number))
            yield Blueprint(fam.slug, number, seed, "paper362", slots)


def _number(fam: Family, position: int) -> int:
    if fam.letter in _CORE and position >= _CORE_EACH:
        return _CORE_EXTRAS[fam.letter] + position - _CORE_EACH
    return fam.first + position


def _paper_style(number: int) -> Style:
    """175 of 362 brief, spread evenly over the numbers."""
    brief = number * PAPER_BRIEF // PAPER_TOTAL > (number - 1) * PAPER_BRIEF // PAPER_TOTAL
    return "brief" if brief else "underspecified"


@cache
def _rounds() -> tuple[tuple[Family, Plan], ...]:
    """One round of `scale`: every variant of every family once."""
    return tuple((fam, plan) for fam in families() for plan in (*fam.plan, *fam.extra))


def round_length() -> int:
    """Tasks in a round of `scale`."""
    return len(_rounds())


def _scaled(seed: int, index: int) -> Blueprint:
    turn, place = divmod(index, len(_rounds()))
    fam, plan = _rounds()[place]
    draw = Draw(GENERATOR_VERSION, "scale", seed, index)
    style: Style = "brief" if (turn + place) % 2 == 0 else "underspecified"
    slots = replace(_ground(plan, turn, draw, style), extras=draw.number("extras", 4))
    return Blueprint(fam.slug, index + 1, seed, "scale", slots)
