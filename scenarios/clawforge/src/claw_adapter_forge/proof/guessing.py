"""A baseline that reads everything and guesses the branch: what a decision is worth to one who does not make it."""

from __future__ import annotations

from claw_adapter_forge.generator.compiler import reference_of
from claw_adapter_forge.policies.mind import Traits
from claw_adapter_forge.proof.replay import replay
from claw_adapter_forge.tasks.observation import first_observation
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["MOST", "guess_faults", "guesses"]

MOST = 0.55
"""The share of a family's decisions that a constant guess may get right in a set that is to be balanced."""


def guesses(task: ForgeTask) -> tuple[bool, bool]:
    """Whether one passes who always decides for wet or live, and one who always decides for dry or async.

    Both pass a task without such a decision.
    """
    request = first_observation(task.instruction, task.start)
    passed = [
        replay(task, reference_of(request, task.start, Traits(guess=guess))).verdict.strict for guess in (True, False)
    ]
    return passed[0], passed[1]


def guess_faults(own: tuple[bool, bool], pair: tuple[bool, bool]) -> list[str]:
    """What must not be: that neither guess passes, or that one of them passes both members of a pair that turns on it."""
    faults = [] if any(own) else ["the reference's decision is none of the two guesses"]
    if all(own) or all(pair):
        return faults
    if any(mine and other for mine, other in zip(own, pair, strict=True)):
        faults.append("a constant guess passes both members of the pair")
    return faults
