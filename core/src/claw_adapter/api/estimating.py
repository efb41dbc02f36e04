"""What a run will take, harness by harness, before anything is spent."""

from __future__ import annotations

from claw_adapter.errors import ClawError
from claw_adapter.frameworks.sources import describe
from claw_adapter.runs.estimate import Assumptions, Estimate, measured, together
from claw_adapter.runs.estimate import estimate as estimate_one
from claw_adapter.runs.plan import Experiment
from claw_adapter.scenario.named import find_scenarios

__all__ = ["estimate_experiment"]


def estimate_experiment(experiment: Experiment) -> dict[str, Estimate]:
    """Expected rounds, requests, tokens and money of every model, by its name."""
    scenarios = list(find_scenarios(experiment.scenarios).values())
    found = {}
    for model in experiment.models:
        parts = {}
        for one in experiment.harnesses:
            stacks = 1 if one.overlays is not None else len(experiment.overlays)
            trials = stacks * len(experiment.seeds) * experiment.repeats
            parts[one.label] = estimate_one(scenarios, model, trials=trials, assumptions=_measured(one.name))
        found[model.name] = together(parts, model)
    return found


def _measured(harness: str) -> Assumptions | None:
    """What the profile that is kept beside a harness's description says; None where there is none."""
    try:
        described = describe(harness)
        return measured(described.folder / "profiles" / f"{described.version}.json")
    except (ClawError, ValueError):
        return None
