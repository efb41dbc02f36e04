"""Published result folders as observations, so that they are broken down like a run. Their rounds carry no tags.

What they carry: letters and verdicts, hence phases, statements and the two formats; no evidence layer, no revision rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from claw_adapter.errors import ScenarioError
from claw_adapter.questions.multi_choice import agreement
from claw_adapter.scoring.observed import Observation
from claw_adapter.scoring.updates import update_tags
from claw_adapter_clawarena.examine import examine
from claw_adapter_clawarena.records import PublishedRound, PublishedScenario
from claw_adapter_clawarena.results import RecordedRound, read_results
from claw_adapter_clawarena.suite import open_suite

__all__ = ["published_observations"]


def published_observations(results: Path, data: Path, config: str = "") -> list[Observation]:
    """One observation per round of a published result folder, with the verdicts that were recorded.

    Args:
        results: ``DIR/<scenario>/<round>/infer_result.json``.
        data: the data set it ran on (its ``tests.json``).
        config: what to call it; default: the folder's name.

    Raises:
        ScenarioError: results or data cannot be read, or do not belong together.
    """
    recorded = read_results(results)
    layout = next(iter(next(iter(recorded.values())).values())).layout
    suite = open_suite(data)
    scenarios = {one.id: one for one in examine(suite, suite.layouts(layout)[0]).scenarios}
    if strange := set(recorded) - set(scenarios):
        raise ScenarioError(f"the data set has no scenario {min(strange)!r}", where=str(suite.source.path))
    name = config or results.name
    return [one for key, rounds in recorded.items() for one in _scenario(scenarios[key], rounds, name)]


def _scenario(scenario: PublishedScenario, rounds: Mapping[str, RecordedRound], config: str) -> Iterator[Observation]:
    updated = [bool(one.item.updates) for one in scenario.rounds]
    for index, one in enumerate(scenario.rounds):
        found = rounds.get(one.item.id)
        if found is not None:
            yield _observed(scenario.id, index, update_tags(updated[: index + 1]), one, found, config)


def _observed(
    scenario: str,
    index: int,
    place: Mapping[str, tuple[str, ...]],
    one: PublishedRound,
    found: RecordedRound,
    config: str,
) -> Observation:
    options = one.item.options
    measured = agreement(found.selected, one.answer.answer, options) if found.selected and options else None
    updates = tuple(f"{scenario}/{update}" for update in one.item.updates)
    return Observation(
        config=config,
        trial=config,
        scenario=scenario,
        round=one.item.id,
        index=index,
        type=one.item.type,
        score=None if found.passed is None else float(found.passed),
        tags={**place, "update": updates, **one.item.tags.values},
        unread=bool(options) and found.passed is not None and found.selected is None,
        per_option=measured.v1 if measured else 0.0,
        chosen=found.selected,
        outcomes=measured.options if measured else {},
    )
