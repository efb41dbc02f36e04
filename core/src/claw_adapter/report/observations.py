"""The rounds of a run as observations, each with its tags."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from claw_adapter.protocol import (
    CheckDetail,
    ChoiceDetail,
    PreferenceDetail,
    RevisionDetail,
    RoundRecord,
    RoundTraits,
    StateDetail,
    TrialSpec,
)
from claw_adapter.protocol.detail import ScoreDetail
from claw_adapter.runs.figures import RoundFigures
from claw_adapter.runs.load import RoundName, RunData, TrialData
from claw_adapter.scoring import RoundScore
from claw_adapter.scoring.observed import Observation, RuleVerdict
from claw_adapter.scoring.parts import CONDUCT
from claw_adapter.scoring.updates import update_tags

__all__ = ["TAGS", "config_names", "observations_of"]

TAGS: Final = frozenset(
    (
        *("scenario", "round", "type", "harness", "model", "seed", "repeat"),
        *("phase", "update_age", "update", "nature", "effect", "spread", "stage", "domain", "language"),
        *("category", "dimensions", "skill", "pattern", "fault"),
    )
)
"""Tags with a meaning that is known here; every other one is somebody's own."""

_Tags = Mapping[str, tuple[str, ...]]
_Rounds = Sequence[RoundFigures | RoundRecord]


def config_names(run: RunData) -> dict[str, str]:
    """Trial id → what its configuration is called: harness and overlays, with the model where there are several."""
    several = len({trial.spec.model.name for trial in run.trials}) > 1
    return {t.spec.id: _harness(t.spec) + (f" · {t.spec.model.name}" if several else "") for t in run.trials}


def observations_of(run: RunData, names: Mapping[str, str]) -> list[Observation]:
    """All rounds but those that may still come, in the order of trials and rounds.

    A round that a trial did not reach has the tags that it has in other trials of the scenario, as far as one reached it.

    Args:
        run: the run.
        names: trial id → configuration, as the other tables call it.
    """
    known: dict[tuple[str, int], _Tags] = {}
    for trial in run.trials:
        for place, record in enumerate(trial.figures):
            if (key := (trial.spec.scenario, record.index)) not in known:
                known[key] = _round_tags(trial.figures, place)
    return [
        _observed(trial, name, score, known.get((trial.spec.scenario, name.index), {}), names[trial.spec.id])
        for trial in run.trials
        for name, score in _past(run, trial)
    ]


def _past(run: RunData, trial: TrialData) -> Iterator[tuple[RoundName, RoundScore]]:
    """The rounds of a trial that have happened or will not, with their scores."""
    rounds = run.rounds[trial.spec.scenario][: trial.total]
    past = [name for name in rounds if trial.absence is not None or trial.figure(name.index) is not None]
    yield from zip(past, run.scores(trial), strict=True)


def _harness(spec: TrialSpec) -> str:
    return "+".join((spec.harness.label, *(overlay.label for overlay in spec.overlays)))


def _since(rounds: _Rounds, place: int) -> _Rounds:
    """The rounds whose updates a round answers to: its own, for a revision all since the one that it revises."""
    detail = rounds[place].score.detail
    of = detail.of if isinstance(detail, RevisionDetail) else None
    first = next((number + 1 for number, one in enumerate(rounds[:place]) if one.round == of), place)
    return rounds[first : place + 1]


def _round_tags(rounds: _Rounds, place: int) -> _Tags:
    """What the scenario says about a round, and where that stands among the updates."""
    traits, since = rounds[place].traits or RoundTraits(), _since(rounds, place)
    designs = [design for one in since if one.traits for design in one.traits.updates.values()]
    tags = {
        **update_tags([bool(one.updates) for one in rounds[: place + 1]]),
        **traits.scenario,
        "stage": (traits.stage,) if traits.stage else (),
        "update": tuple(update for one in since for update in one.updates),
        "nature": tuple(design.nature for design in designs if design.nature),
        "effect": tuple(design.effect for design in designs if design.effect),
        "spread": tuple(design.spread for design in designs if design.spread),
    }
    given = {name: tuple(dict.fromkeys(values)) for name, values in tags.items() if values}
    return {**given, **traits.tags.values}


def _observed(trial: TrialData, name: RoundName, score: RoundScore, tags: _Tags, config: str) -> Observation:
    spec, record = trial.spec, trial.figure(name.index)
    updates = tuple(f"{spec.scenario}/{update}" for update in tags.get("update", ()))
    own = {
        "harness": (_harness(spec),),
        "model": (spec.model.name,),
        "seed": (str(spec.seed),),
        "repeat": (str(spec.repeat),),
        "update": updates,
        "pattern": (record.score.pattern,) if record and record.score.pattern else (),
        "fault": tuple(_faults(record.score.detail)) if record else (),
    }
    detail = record.score.detail if record else None
    compound = record.traits.compound if record and record.traits else None
    revision = detail if isinstance(detail, RevisionDetail) else None
    statements = detail.statements if isinstance(detail, ChoiceDetail | RevisionDetail) else None
    state = detail if isinstance(detail, StateDetail) else None
    return Observation(
        config=config,
        trial=spec.id,
        scenario=spec.scenario,
        round=name.id,
        index=name.index,
        type=name.type,
        score=score.score,
        tags={**tags, **own},
        unread=bool(record and record.score.malformed),
        per_option=score.per_option,
        recorded=record is not None,
        chosen=record.score.answer if record else None,
        outcomes=statements.options if statements else {},
        compound=None if compound is None else frozenset(compound),
        was_stale=bool(revision.was_stale) if revision else None,
        revised=revision.revised if revision else None,
        rules=tuple(_rules(detail)) if isinstance(detail, PreferenceDetail) else (),
        cause=score.cause,
        failed_requests=record.usage.metered.failed if record else 0,
        progress=state.progress if state else None,
        partial=state.partial if state else None,
        baseline=state.baseline if state else None,
        commands=state.commands if state else None,
        conduct=tuple(_conduct(state)) if state else None,
    )


def _faults(detail: ScoreDetail) -> Iterator[str]:
    """The sorts of mistakes that a check found, each once."""
    check = detail.check if isinstance(detail, CheckDetail | PreferenceDetail) else None
    yield from dict.fromkeys(fault.kind for fault in (check.faults if check else ()))


def _conduct(state: StateDetail) -> Iterator[str]:
    noted = (state.excess, state.violations, state.forbidden, state.unread, state.bypasses)
    yield from (name for name, what in zip(CONDUCT, noted, strict=True) if what)


def _rules(detail: PreferenceDetail) -> Iterator[RuleVerdict]:
    for name, outcome in detail.rules.items():
        yield RuleVerdict(name, outcome.dimension, passed=outcome.passed)
