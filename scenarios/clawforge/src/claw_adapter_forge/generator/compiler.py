"""Compiling tasks: family + slots → scene, goal, instruction; then the reference, found by the expert that sees only text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from claw_adapter.errors import InternalError
from claw_adapter_forge.evaluation.verdict import evaluate
from claw_adapter_forge.generator.necessary import necessary_length
from claw_adapter_forge.policies.mind import Traits
from claw_adapter_forge.policies.router import script
from claw_adapter_forge.surfaces.shell import Execution, execute
from claw_adapter_forge.tasks.family import Draft, Family
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import STYLES, ForgeTask, Meta, Style
from claw_adapter_forge.tasks.wants import ANSWERS_ALLOWED, COMMON_ALLOWED
from claw_adapter_forge.world.records import Record
from claw_adapter_forge.world.state import State, World

__all__ = ["MAX_SCRIPT", "check_task", "compile_task", "instruction_of", "reference_of", "run_script"]

MAX_SCRIPT = 150
"""Commands after which a script counts as running away."""


def compile_task(family: Family, slots: Slots, *, number: int, seed: int, task_set: str) -> ForgeTask:
    """One task, with its reference trajectory."""
    draft = family.build(slots)
    phrased = _phrased(family, slots, draft)
    instruction = _chosen(slots, phrased)
    request = first_observation(instruction, draft.start)
    done = run_script(request, draft.start)
    reference = tuple(e.line for e in done)
    retired = {(w.table, w.key) for g in draft.goals for w in g.wants}
    meta = Meta(
        family=family.slug,
        ability=family.ability,
        tags=family.tags,
        variant=slots.variant,
        branch=draft.branch,
        conflict=draft.conflict,
        style=slots.style,
        seed=seed,
        profile=task_set,
        city=slots.city,
        decoy=slots.decoy,
        length=len(reference),
        necessary=necessary_length(request, done, draft),
        horizon=draft.horizon if draft.spare is None else len(reference) + draft.spare,
        knobs=draft.knobs,
        evidence=draft.evidence,
        derived=draft.derived,
        preserved=_preserved(draft.start, retired, slots.city),
        alternatives=draft.alternatives,
    )
    phrasings = tuple(t for style in STYLES for t in phrased[style] if t != instruction)
    name = (
        f"forge-{number:05d}"
        if task_set == "scale"
        else f"forge-{number:03d}"
        if task_set == "paper362"
        else f"{task_set}-{number:03d}"
    )
    allowed = (*COMMON_ALLOWED, *(ANSWERS_ALLOWED if draft.start.tables["replies"] else ()))
    return ForgeTask(name, number, instruction, phrasings, draft.start, reference, draft.goals, allowed, meta)


def instruction_of(family: Family, slots: Slots) -> str:
    """A task's instruction, without its reference: a third of the work."""
    return _chosen(slots, _phrased(family, slots, family.build(slots)))


def _phrased(family: Family, slots: Slots, draft: Draft) -> dict[Style, list[str]]:
    words = _words(slots, draft)
    return {style: [t.format(**words) for t in of] for style, of in family.texts_of(slots.variant).items()}


def _chosen(slots: Slots, phrased: Mapping[Style, Sequence[str]]) -> str:
    texts = phrased[slots.style]
    return texts[slots.phrase % len(texts)]


def check_task(task: ForgeTask) -> ForgeTask:
    """The task, if its reference passes strictly and doing nothing does not: no other task is ever handed out.

    Raises:
        InternalError: the generator made a task that is not solvable as intended.
    """
    world = World(task.start)
    done = [execute(world, line) for line in task.reference]
    verdict = evaluate(task, world.state, [e.changes for e in done])
    if not verdict.strict or any(e.output.code for e in done) or evaluate(task, task.start).progress:
        raise InternalError(
            f"the reference does not solve the task: missing {verdict.missing}, not called for {verdict.violations}",
            where=f"{task.id} ({task.meta.family}, seed {task.meta.seed})",
            remedy="Report the task set and the seed.",
        )
    return task


def _words(slots: Slots, draft: Draft) -> dict[str, str]:
    own = {name: str(getattr(slots, name)) for name in ("city", "zone", "to", "topic", "model")}
    return own | dict(draft.words)


def _preserved(start: State, retired: set[tuple[str, str]], city: str) -> tuple[tuple[str, str], ...]:
    def label(row: Record) -> str:
        return f"{getattr(row, 'title', '')}{getattr(row, 'message', '')}"

    return tuple(
        (table, key)
        for table in ("tasks", "events", "cron")
        for key, row in start.tables[table].items()
        if city in label(row) and (table, key) not in retired
    )


def reference_of(request: str, start: State, traits: Traits | None = None) -> tuple[str, ...]:
    """C*: the commands the expert (one with `traits`) gives when they are executed and it reads what they print."""
    return tuple(e.line for e in run_script(request, start, traits))


def run_script(request: str, start: State, traits: Traits | None = None) -> tuple[Execution, ...]:
    """The expert's commands, executed."""
    world = World(start)
    steps = script(request, traits)
    done: list[Execution] = []
    try:
        line = next(steps)
        while len(done) < MAX_SCRIPT:
            done.append(execute(world, line))
            line = steps.send(done[-1].text)
    except StopIteration:
        pass
    return tuple(done)
