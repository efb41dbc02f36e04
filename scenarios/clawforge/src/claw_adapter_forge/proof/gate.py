"""All obligations of one task, as a record that can be sent between processes and summed."""

from __future__ import annotations

from dataclasses import dataclass

from claw_adapter_forge.generator.taint import trace
from claw_adapter_forge.generator.task_sets import Blueprint, compile_blueprint
from claw_adapter_forge.proof.alternatives import alternatives
from claw_adapter_forge.proof.baselines import BASELINES
from claw_adapter_forge.proof.guessing import guess_faults, guesses
from claw_adapter_forge.proof.mutants import Tally, try_mutants
from claw_adapter_forge.proof.replay import Replay, drive, fingerprint, replay
from claw_adapter_forge.proof.script import Script, take_apart
from claw_adapter_forge.proof.siblings import SAME_STATE, metamorphic, minimal_pair
from claw_adapter_forge.tasks.manifest import task_hash
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["TaskProof", "prove"]


@dataclass(frozen=True, slots=True)
class TaskProof:
    """What was found for one task. `faults` names every obligation that does not hold; an empty one means proven."""

    task: str
    family: str
    ability: str
    variant: str
    branch: str
    style: str
    length: int
    necessary: int
    knobs: tuple[tuple[str, int], ...]
    digest: str
    arguments: int
    baselines: tuple[tuple[str, bool, float], ...]
    paper_baseline: float
    alternatives: tuple[tuple[str, int, int], ...]
    siblings: tuple[tuple[str, bool], ...]
    pair_flips: bool
    blind_pair: tuple[bool, bool]
    guesses: tuple[bool, bool]
    tally: Tally
    faults: tuple[str, ...]


def _compiled(blueprint: Blueprint) -> ForgeTask:
    return compile_blueprint(blueprint)


def _oracle_faults(task: ForgeTask, run: Replay) -> tuple[int, list[str]]:
    traced = trace(first_observation(task.instruction, task.start), run.executions, task.meta.derived)
    faults = []
    if not run.verdict.strict or run.verdict.progress != 1.0:
        faults.append("oracle does not pass")
    faults += [f"oracle command fails: {line}" for line in run.failing]
    faults += [f"oracle argument without a source: {t.flag} {t.value!r}" for t in traced if t.source < 0]
    faults += [f"evidence not seen: {e.surface} {e.text!r}" for e in task.meta.evidence if not _seen(run, e.text)]
    return len(traced), faults


def _seen(run: Replay, text: str) -> bool:
    """Whether a decisive fact was printed before the first change."""
    for execution in run.executions:
        if text.replace("\n", " ") in execution.text.replace("\n", " "):
            return True
        if execution.changes:
            return False
    return False


def _baselines(script: Script) -> tuple[list[tuple[str, bool, float]], list[str]]:
    rows, faults = [], []
    for name, lines in BASELINES.items():
        verdict = replay(script.task, lines(script)).verdict
        rows.append((name, verdict.strict, verdict.progress))
        if verdict.strict:
            faults.append(f"baseline {name} passes")
        if name == "do-nothing" and verdict.progress:
            faults.append("doing nothing has progress")
    return rows, faults


def _alternatives(script: Script, accepted: set[tuple[str, ...]]) -> tuple[dict[str, list[int]], list[str]]:
    counts: dict[str, list[int]] = {}
    faults = []
    for way in alternatives(script):
        verdict = replay(script.task, way.lines).verdict
        count = counts.setdefault(way.operator, [0, 0])
        count[0] += 1
        count[1] += verdict.strict
        if verdict.strict:
            accepted.add(fingerprint(verdict.changes))
        else:
            faults.append(f"alternative {way.operator} is rejected: {way.note}")
    return counts, faults


def _siblings(blueprint: Blueprint, task: ForgeTask) -> tuple[list[tuple[str, bool]], list[str]]:
    rows, faults = [], []
    answers = bool(
        task.start.tables["replies"]
    )  # what others do meanwhile may hit a card that is still to be put up, or not
    for name, other in metamorphic(blueprint):
        sibling = _compiled(other)
        lines = task.reference if name in SAME_STATE else sibling.reference
        solved = replay(sibling, sibling.reference)
        last = max((i for i, e in enumerate(solved.executions) if e.changes), default=0)
        kept = (
            solved.verdict.strict
            and (lines == sibling.reference or replay(sibling, lines).verdict.strict)
            and (answers or sibling.meta.length == task.meta.length)
            and sibling.meta.branch == task.meta.branch
            and not replay(sibling, sibling.reference[:last]).verdict.strict
        )
        rows.append((name, kept))
        if not kept:
            faults.append(f"sibling {name} changes the verdict")
    return rows, faults


def _pair(task: ForgeTask, other: ForgeTask) -> tuple[bool, tuple[bool, bool], list[str]]:
    flips = (
        replay(other, other.reference).verdict.strict
        and not replay(other, task.reference).verdict.strict
        and not replay(task, other.reference).verdict.strict
    )
    blind = (drive(task, "hasty").verdict.strict, drive(other, "hasty").verdict.strict)
    faults = [] if flips else ["minimal pair does not flip"]
    if all(blind):
        faults.append("blind passes both members of the pair")
    return flips, blind, faults


def _digest(task: ForgeTask, blueprint: Blueprint) -> tuple[str, list[str]]:
    digest = task_hash(task)
    same = digest == task_hash(_compiled(blueprint))
    return digest, [] if same else ["compiling twice gives different bytes"]


def prove(blueprint: Blueprint) -> TaskProof:
    """Check every obligation of one task."""
    from claw_adapter_forge.evaluation.paper import paper_checks, paper_score

    task = _compiled(blueprint)
    other = _compiled(minimal_pair(blueprint))
    run = replay(task, task.reference)
    script = take_apart(task, task.reference, [e.changes for e in run.executions], other.reference)
    arguments, faults = _oracle_faults(task, run)
    baselines, more = _baselines(script)
    accepted = {fingerprint(run.verdict.changes)}
    ways, rejected = _alternatives(script, accepted)
    siblings, changed = _siblings(blueprint, task)
    flips, blind, unflipped = _pair(task, other)
    guessed = guesses(task)
    tally = try_mutants(script, accepted)
    digest, drift = _digest(task, blueprint)
    return TaskProof(
        task=task.id,
        family=task.meta.family,
        ability=task.meta.ability,
        variant=task.meta.variant,
        branch=task.meta.branch,
        style=task.meta.style,
        length=task.meta.length,
        necessary=task.meta.necessary,
        knobs=task.meta.knobs,
        digest=digest,
        arguments=arguments,
        baselines=tuple(baselines),
        paper_baseline=paper_score(paper_checks(task), task, ()),
        alternatives=tuple((name, n, ok) for name, (n, ok) in ways.items()),
        siblings=tuple(siblings),
        pair_flips=flips,
        blind_pair=blind,
        guesses=guessed,
        tally=tally,
        faults=(*faults, *more, *rejected, *changed, *unflipped, *drift, *guess_faults(guessed, guesses(other))),
    )
