"""A plan dealt out to several runs: each of them does its shard, wherever it is, and `claw merge` puts them together."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final

from claw_adapter.errors import ArgumentError
from claw_adapter.protocol import TrialSpec
from claw_adapter.runs.plan import Plan, Shard

__all__ = ["parse_shard", "shard_of", "shard_trials"]

_FORM: Final = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


def parse_shard(text: str) -> tuple[int, int]:
    """``3/16`` as a number and how many there are.

    Raises:
        ArgumentError: it is not written so, or the number is not among them.
    """
    match = _FORM.fullmatch(text.strip())
    number, of = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= of:
        raise ArgumentError(f"{text!r} is not a shard: write 1/16 for the first of 16, and 16/16 for the last")
    return number, of


def shard_trials(trials: Sequence[TrialSpec], number: int, of: int) -> tuple[TrialSpec, ...]:
    """The trials of a shard, in the plan's order.

    All trials, sorted by the digest of their ids, are dealt out in turn: shards are the same wherever they are asked for,
    differ by one trial at most, and each gets some of every scenario and harness.
    """
    dealt = sorted(trials, key=lambda trial: hashlib.sha256(trial.id.encode()).digest())
    own = {trial.id for trial in dealt[number - 1 :: of]}
    return tuple(trial for trial in trials if trial.id in own)


def shard_of(plan: Plan, text: str) -> Plan:
    """The part of a plan that ``3/16`` stands for.

    Raises:
        ArgumentError: it is not a shard, or there are fewer trials than shards.
    """
    number, of = parse_shard(text)
    if of > len(plan.trials):
        raise ArgumentError(f"{text!r}: there are {len(plan.trials)} trials, and a shard needs one at least")
    shard = Shard(number=number, of=of, whole=plan.trials)
    return plan.model_copy(update={"trials": shard_trials(plan.trials, number, of), "shard": shard})
