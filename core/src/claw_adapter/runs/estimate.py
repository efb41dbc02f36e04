"""What a run will take, before anything is spent: rounds, requests, tokens, money."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.scenario import Scenario
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.runs.prices import Price, cost

__all__ = ["Assumptions", "Estimate", "estimate", "measured", "together"]


class Assumptions(Record):
    """How a conversation grows.

    The defaults are the means of 60 published rounds (ClawArena's GPT-5.5 run with OpenClaw, scenarios hil_d3 and hil_g1,
    tokens as the provider counted them): 254 requests, the first of 12.0 thousand tokens and the last of 89 thousand.
    Other harnesses and models take fewer or more.
    """

    calls_per_round: float = Field(default=4.23, gt=0)
    overhead: int = Field(default=12_000, ge=0)
    """Input tokens of the first request beside the main session: the harness's system text and tools."""
    growth_per_call: float = Field(default=620.0, ge=0)
    """Input tokens that one request adds to the next: reply, results of tools, and its share of a prompt."""
    output_per_call: float = Field(default=226.0, ge=0)
    window: int = Field(default=200_000, gt=0)
    """Longest conversation, in tokens; a harness compacts what would be longer."""


class Estimate(Record):
    """Expected values, not bounds; retries are not in them."""

    scenarios: int
    trials: int
    """Per scenario: harnesses × seeds × repeats × overlays."""
    rounds: int
    calls: int
    input: int
    output: int
    money: Price | None = None
    """None when the price is not known, or there is none."""
    assumptions: Assumptions
    harnesses: dict[str, Estimate] = Field(default_factory=dict)
    """By label, where it is the sum over several."""


def measured(profile: Path) -> Assumptions:
    """What is assumed of a harness with this profile, as `claw profile` writes it: its entry price is the overhead.

    A turn of a profile's talk takes two requests with a sound harness; one that makes more makes more here, too.

    Raises:
        ValueError: it is no profile.
    """
    try:
        figures = {one["name"]: one["value"] for one in json.loads(profile.read_text("utf-8"))["figures"]}
        overhead, per_turn = round(figures["entry price"]), float(figures["requests per turn"])
    except (OSError, KeyError, TypeError) as error:
        raise ValueError(f"{profile}: not a profile: {error}") from error
    default = Assumptions()
    return Assumptions(overhead=overhead, calls_per_round=default.calls_per_round * per_turn / 2)


def together(parts: Mapping[str, Estimate], model: ModelSpec, day: date | None = None) -> Estimate:
    """The sum over harnesses."""
    first = next(iter(parts.values()))
    read, written = sum(one.input for one in parts.values()), sum(one.output for one in parts.values())
    return Estimate(
        scenarios=first.scenarios,
        trials=sum(one.trials for one in parts.values()),
        rounds=sum(one.rounds for one in parts.values()),
        calls=sum(one.calls for one in parts.values()),
        input=read,
        output=written,
        money=cost(model, TokenUse(read, written), day),
        assumptions=first.assumptions,
        harnesses=dict(parts),
    )


def estimate(
    scenarios: Iterable[Scenario],
    model: ModelSpec,
    *,
    trials: int = 1,
    assumptions: Assumptions | None = None,
    day: date | None = None,
) -> Estimate:
    """What it takes to run each of `scenarios` `trials` times with `model`.

    A request repeats the whole conversation, so that input grows with the square of the rounds, up to the window.
    """
    known = assumptions or Assumptions()
    listed = list(scenarios)
    rounds = calls = read = written = 0
    for scenario in listed:
        made = round(len(scenario.rounds) * known.calls_per_round) + 1  # the last feedback is delivered too
        first = known.overhead + _main_tokens(scenario)
        read += round(sum(min(first + number * known.growth_per_call, known.window) for number in range(made)))
        written += round(made * known.output_per_call)
        calls += made
        rounds += len(scenario.rounds)
    use = TokenUse(read * trials, written * trials)
    return Estimate(
        scenarios=len(listed),
        trials=trials,
        rounds=rounds * trials,
        calls=calls * trials,
        input=use.input,
        output=use.output,
        money=cost(model, use, day),
        assumptions=known,
    )


def _main_tokens(scenario: Scenario) -> int:
    from claw_adapter.tokens.chatml import count_messages

    return count_messages((message.role, message.text) for message in scenario.main.messages)
