"""All proof runs of one spec and seed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from claw_adapter.scenario import decide, visible_at, worlds
from claw_adapter_scenarios.compiler.compile import compile_spec
from claw_adapter_scenarios.compiler.questions import CompiledRound
from claw_adapter_scenarios.proof.alternatives import alternatives
from claw_adapter_scenarios.proof.baselines import baselines, questions
from claw_adapter_scenarios.proof.mutants import mutants
from claw_adapter_scenarios.proof.stage import Stage, staged
from claw_adapter_scenarios.spec.load import load_spec

__all__ = ["PROOFS", "Part", "prove"]

PROOFS = ("bytes", "oracle", "null", "hasty", "stale", "checks", "baselines")
"""Names of the proofs, in order."""


@dataclass(frozen=True, slots=True)
class Part:
    """One thing proved, or not."""

    name: str
    holds: bool
    figure: str
    detail: tuple[str, ...] = ()


def prove(root: Path, seed: int = 0, *, only: Collection[str] = PROOFS) -> Iterator[Part]:
    """Run the proofs of a spec, one after the other.

    Args:
        root: the spec's folder.
        seed: the variant.
        only: which of `PROOFS`.

    Raises:
        ScenarioError: the spec cannot be compiled.
    """
    spec = load_spec(root)
    made = compile_spec(spec, seed)
    if "bytes" in only:
        same = made.files == compile_spec(spec, seed).files
        yield Part("compiled twice, the same bytes", same, f"{len(made.files)} files")
    with staged(made) as stage:
        for name, part in (("oracle", _oracle), ("null", _null), ("hasty", _hasty), ("stale", _stale)):
            if name in only:
                yield part(stage)
        if "checks" in only:
            yield from _mutants(stage)
    if "baselines" in only:
        for one in baselines(questions(made)):
            figure = f"{one.hits:g} of {one.rounds} (p = {one.probability:.2f})"
            yield Part(f"without reading: {one.name}", one.holds, figure)


def _with_files(stage: Stage) -> list[CompiledRound]:
    return [one for one in stage.made.rounds if one.work is not None]


def _oracle(stage: Stage) -> Part:
    """A reader that sees everything visible answers every round right."""
    wrong = []
    for one in stage.made.rounds:
        visible = visible_at(stage.scenario, stage.gold, one.index, states=stage.worlds)
        if not _right(stage, one, visible):
            wrong.append(one.spec.id)
    return _all_of("oracle: every round right", stage, wrong)


def _right(stage: Stage, one: CompiledRound, visible: set[str]) -> bool:
    if one.work is not None:
        sees = visible.issuperset(one.evidence.needs)
        made = one.work.oracle if sees else one.work.hasty
        # a habit is looked for in what the round wrote, not in older files
        exam = not one.spec.exam or stage.passes(one, made)
        return stage.commanded(one, {**stage.earlier(one), **made}) and exam
    letters = {letter for letter, holds in decide(one.evidence, visible).items() if holds}
    return letters == set(one.answer.answer)


def _all_of(name: str, stage: Stage, wrong: list[str]) -> Part:
    total = len(stage.made.rounds)
    return Part(name, not wrong, f"{total - len(wrong)} of {total}", tuple(wrong))


def _null(stage: Stage) -> Part:
    """Doing nothing passes no check; an empty answer is never the key."""
    passed = [one.spec.id for one in _with_files(stage) if stage.commanded(one, {})]
    passed += [one.spec.id for one in stage.made.rounds if one.options and not one.answer.answer]
    return Part("null: nothing right", not passed, f"{len(passed)} of {len(stage.made.rounds)}", tuple(passed))


def _hasty(stage: Stage) -> Part:
    """The files of a hasty reader fail."""
    passed = [one.spec.id for one in _with_files(stage) if one.work and stage.passes(one, one.work.hasty, hasty=True)]
    return Part("hasty: no artefact accepted", not passed, f"{len(passed)} of {len(_with_files(stage))}", tuple(passed))


def _stale(stage: Stage) -> Part:
    """A reader that never sees an update fails exactly the rounds that depend on one."""
    withheld = frozenset(stage.scenario.updates)
    states = worlds(stage.scenario, without=withheld)
    detail = []
    for one in stage.made.rounds:
        visible = visible_at(stage.scenario, stage.gold, one.index, without=withheld, states=states)
        fails = not _right(stage, one, visible)
        if fails != one.dependent:
            detail.append(f"{one.spec.id} {'fails' if fails else 'is right'} without updates")
    dependent = sum(one.dependent for one in stage.made.rounds)
    return Part("stale: fails the update rounds and no other", not detail, f"{dependent} rounds depend", tuple(detail))


def _mutants(stage: Stage) -> Iterator[Part]:
    """Checks refuse what is wrong, whatever the mistake, and accept what says the same."""
    survivors, refused = list[str](), list[str]()
    tried, offered = Counter[str](), 0
    language = "zh" if stage.made.canon.language.startswith("zh") else "en"
    for one in _with_files(stage):
        assert one.work is not None  # noqa: S101 - as selected
        with stage.bench(one) as passes:
            world = stage.text(one)
            for kind, name, files in mutants(one.work.expected, one.work.oracle, language, world):
                tried[kind] += 1
                if passes(files):
                    survivors.append(f"{one.spec.id} {kind}: {name}")
            for name, files in alternatives(one.work.expected, one.work.oracle, language):
                offered += 1
                if not passes(files):
                    refused.append(f"{one.spec.id} {name}")
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(tried.items()))
    total = sum(tried.values())
    yield Part("mutants refused", not survivors, f"{total - len(survivors)} of {total} ({kinds})", tuple(survivors))
    yield Part("alternatives accepted", not refused, f"{offered - len(refused)} of {offered}", tuple(refused))
