"""A run broken down: by update phase, category, revision, preference, statement, and the two formats against each other.

`facets_of` makes the record that terminal, page and JSON show; each part is there only when the run has data for it.
Formulas and their sources: `claw_adapter.scoring.facets` and `claw_adapter.scoring.options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from claw_adapter.protocol import ChoiceDetail, PreferenceDetail, RevisionDetail, RoundRecord, RoundTraits
from claw_adapter.report.facet_records import Facets, FormatLink, Identical
from claw_adapter.runs.load import RunData, TrialData
from claw_adapter.scoring.agreement import Correlation
from claw_adapter.scoring.facets import (
    FormatPair,
    by_category,
    by_phase,
    compliance,
    format_correlation,
    revision_rates,
)
from claw_adapter.scoring.observed import Observation, RuleVerdict
from claw_adapter.scoring.options import compound_options, identical_wrong, option_grid, passes

__all__ = ["facets_of", "make_facets", "observations"]


def facets_of(run: RunData, names: Mapping[str, str]) -> Facets | None:
    """The breakdowns of a run; None where no round has been recorded.

    Args:
        run: the run.
        names: trial id → configuration, as the other tables call it.
    """
    found = [one for trial in run.trials for one in observations(trial, names[trial.spec.id])]
    return make_facets(found) if found else None


def make_facets(found: Sequence[Observation]) -> Facets:
    """The breakdowns of observations from anywhere, e.g. of published results."""
    rows = option_grid(found)
    links = [FormatLink(over=over, pairs=p, correlation=c) for over, (p, c) in _links(found) if len(p) > 1]
    return Facets(
        configs=tuple(dict.fromkeys(one.config for one in found)),
        phases=by_phase(found),
        categories=by_category(found),
        revision=revision_rates(found),
        compliance=compliance(found),
        options=tuple(row for row in rows if any(row.wrong.values()) or len(row.exact) < len(row.chosen)),
        identical=tuple(
            Identical(scenario=row.scenario, round=row.round, wrong=row.wrong[configs[0]], configs=configs)
            for row in rows
            for configs in identical_wrong(row)
        ),
        compound=compound_options(found),
        never_passed=tuple(one for one in passes(found) if one.of > 1 and not one.passed),
        formats=tuple(links),
    )


def _links(found: Sequence[Observation]) -> Iterator[tuple[str, tuple[tuple[FormatPair, ...], Correlation | None]]]:
    for over in ("config", "scenario"):
        yield over, format_correlation(found, over=over)


def observations(trial: TrialData, config: str) -> Iterator[Observation]:
    """The recorded rounds of one trial; the phase counts rounds with updates up to and with the present one."""
    phase = 0
    for place, record in enumerate(trial.rounds):
        phase += bool(record.updates)
        yield _observed(trial, config, place, phase)


def _since(rounds: Sequence[RoundRecord], place: int) -> Sequence[RoundRecord]:
    """The rounds whose updates a round answers to: its own, for a revision all since the one that it revises."""
    detail = rounds[place].score.detail
    of = detail.of if isinstance(detail, RevisionDetail) else None
    first = next((number + 1 for number, one in enumerate(rounds[:place]) if one.round == of), place)
    return rounds[first : place + 1]


def _observed(trial: TrialData, config: str, place: int, phase: int) -> Observation:
    record = trial.rounds[place]
    traits, detail, since = record.traits or RoundTraits(), record.score.detail, _since(trial.rounds, place)
    designs = [design for one in since if one.traits for design in one.traits.updates.values()]
    tags = [tag for design in designs for tag in (design.nature, design.effect, design.spread) if tag]
    revision = detail if isinstance(detail, RevisionDetail) else None
    statements = detail.statements if isinstance(detail, ChoiceDetail | RevisionDetail) else None
    return Observation(
        config=config,
        trial=trial.spec.id,
        scenario=trial.spec.scenario,
        round=record.round,
        index=record.index,
        type=record.type,
        score=record.score.value,
        phase=phase,
        category=traits.tags.category,
        updates=tuple(update for one in since for update in one.updates),
        update_tags=tuple(dict.fromkeys(tags)),
        chosen=record.score.answer,
        outcomes=statements.options if statements else {},
        compound=None if traits.compound is None else frozenset(traits.compound),
        was_stale=bool(revision.was_stale) if revision else None,
        revised=revision.revised if revision else None,
        rules=tuple(_rules(detail)) if isinstance(detail, PreferenceDetail) else (),
    )


def _rules(detail: PreferenceDetail) -> Iterator[RuleVerdict]:
    for name, outcome in detail.rules.items():
        yield RuleVerdict(name, outcome.dimension, passed=outcome.passed)
