"""Drawing a plan from a nonce: the grammar. What a level asks for is in every plan of it; all the rest differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Final

from claw_adapter.certify.demand import Level
from claw_adapter.certify.plans.chains import commands, delegated, files, incidents, mixed, said, sessions, writing
from claw_adapter.certify.plans.drawing import LONG, PLANS, Drawing, Unit
from claw_adapter.certify.plans.plan import PlanFile, PlanStep, SessionPlan

__all__ = ["PLANS", "draw", "kept"]

Chain = Callable[[Drawing], list[Unit]]
ASKED: Final = (4_000, 7_000)
"""Characters of a long prompt, but for Bronze, which has one that is longer."""
APART: Final = 0.7
"""How often something else may come between two units of a chain."""
EVERYWHERE: Final[tuple[Chain, ...]] = (
    files.replaced,
    files.deleted,
    commands.batch,
    writing.written,
    said.to_do,
    said.short_answers,
    mixed.anything,
    mixed.lives_of_files,
    mixed.files_alike,
    files.usual_files,
    said.said_again,
    files.brought,
    files.folders_listed,
    files.sought,
    commands.left,
    writing.by_whole_paths,
    said.repeated,
    files.common,
    files.framed_names,
    files.named_in_prompts,
    writing.odd,
    writing.edited,
    writing.edited_at_once,
    writing.edited_by_lists,
    writing.patched,
    writing.edited_plainly,
    writing.cut_out,
    files.paged,
    files.missing,
    files.binaries,
    commands.added,
    commands.failures,
    commands.dropped,
    commands.inside,
    commands.programs,
    commands.folders,
    commands.background,
    said.scripts,
)
"""What every plan has, but for what it leaves out."""
ALWAYS: Final = frozenset({files.missing, files.paged, files.sought, writing.odd, writing.written, said.scripts})
"""Those of them that every plan has for certain: the signs, the places and the mistakes in them are in no other."""
LEFT_OUT: Final[Mapping[tuple[Level, int], int]] = {("silver", 0): 8, ("gold", 0): 12, ("gold", 1): 12}
"""How many of the others a plan leaves out, to stay within windows of 200,000 tokens; what one leaves out, the others have."""
BRONZE: Final[tuple[Chain, ...]] = (
    said.many_steps,
    writing.edited_large,
    writing.edited_in_doubt,
    files.kinds,
    commands.failing_steps,
)
"""What Bronze has besides."""
LATER: Final[tuple[Chain, ...]] = (
    partial(said.asked, characters=ASKED),
    files.brought,
    files.instructed,
    files.linked,
    said.plain,
    sessions.inserted,
    sessions.history_read,
    sessions.history_begun,
    sessions.history_deleted,
    sessions.history_back,
    sessions.restarted,
    sessions.histories_at_once,
)
"""What the other levels have besides."""
GOLD: Final[tuple[Chain, ...]] = (
    incidents.failing,
    incidents.unreadable,
    incidents.done_once,
    incidents.broken,
    incidents.killed,
    incidents.cancelled,
    incidents.paused,
    incidents.failed,
    sessions.restarted,
    said.halting,
    said.wordless,
    sessions.long_history,
)
"""What Gold has besides."""


def draw(nonce: str, number: int, level: Level) -> SessionPlan:
    """The plan `number` of a nonce: always the same for the same three."""
    drawing = Drawing(nonce, number, level)
    name, model = drawing.texts.scenario(), drawing.texts.model(of_a_shop=drawing.height == 0)
    if drawing.height > 0:
        sessions.seeded(drawing, number if drawing.height > 1 else None)
    drawing.steps.append(PlanFile(path=files.INSTRUCTIONS, text=drawing.texts.lines(3)))  # two at once have other ones
    begin = drawing.texts.now
    chains = [chain for make in _chains(drawing) for chain in [make(drawing)] if chain]
    last = [
        files.wide(drawing),
        [[*said.asked(drawing, LONG), *writing.written_large(drawing)], said.long_answer(drawing), []][drawing.height],
    ]  # what fills the window comes when little else will
    return SessionPlan(
        nonce=nonce, number=number, level=level, name=name, model=model, clock=begin,
        steps=(
            *drawing.steps, *_merged(drawing, chains), *(step for chain in last for unit in chain for step in unit),
            *delegated.delegated(drawing),
        ),
    )  # fmt: skip


def _chains(drawing: Drawing) -> Sequence[Chain]:
    """What the level asks for, and more turns."""
    every = kept(drawing)
    if drawing.height == 0:
        return (*every, *BRONZE)
    if drawing.height == 1:
        return (*every, *LATER, *(said.plain,) * drawing.rng.randrange(2, 5))
    return (*every, *LATER, *GOLD)


def kept(drawing: Drawing) -> list[Chain]:
    """Of the chains of every plan, those that this one does not leave out."""
    others = [chain for chain in EVERYWHERE if chain not in ALWAYS]
    dealt = iter(Random(f"{drawing.nonce}/left out").sample(others, len(others)))
    left = {level: list(islice(dealt, count)) for level, count in LEFT_OUT.items()}
    mine = left.get((drawing.level, drawing.number % PLANS[drawing.level]), [])
    return [chain for chain in EVERYWHERE if chain not in mine]


def _merged(drawing: Drawing, chains: Sequence[list[Unit]]) -> list[PlanStep]:
    """The chains, each in its order, dealt into each other; before the first prompt already an update brings a file."""
    first, *later = files.brought(drawing)
    chains = [*chains, later]
    tickets = [number for number, chain in enumerate(chains) for _ in chain]
    drawing.rng.shuffle(tickets)
    waiting = [list(chain) for chain in chains]
    steps: list[PlanStep] = list(first)
    for number in tickets:
        while waiting[number]:
            steps += waiting[number].pop(0)
            if drawing.rng.random() < APART:  # else what comes next of it follows at once
                break
    return steps
