"""Tokens, times and evidence of one row, summed over its trials; each kind of token count by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import reduce
from statistics import median
from typing import Literal, cast

from claw_adapter.protocol import FirstRequest, Metered, ModelSpec, ReportedUsage, ServerRecord
from claw_adapter.protocol.tokens import TokenUse
from claw_adapter.report.records import (
    Cost,
    EvidenceSum,
    MeteredSum,
    RenderedSum,
    ReportedSum,
    Times,
    Tokens,
    UpstreamSum,
)
from claw_adapter.runs.load import TrialData
from claw_adapter.runs.prices import Price, cost
from claw_adapter.tokens.readings import Readings, Semantics, per_turn

__all__ = ["cost_of", "evidence_of", "first_requests_of", "times_of", "tokens_of"]


def tokens_of(trials: Sequence[TrialData]) -> Tokens:
    """The three kinds of count over all finished rounds."""
    records = [record for trial in trials for record in trial.figures]
    rendered = [r.usage.rendered for r in records if r.usage.rendered is not None]
    return Tokens(
        turns=len(records),
        rendered=RenderedSum(tokens=sum(rendered) if rendered else None, turns=len(rendered)),
        reported=_reported(trials),
        metered=_metered([record.usage.metered for record in records]),
        overlay=_overlay(trials),
    )


def _overlay(trials: Sequence[TrialData]) -> MeteredSum | None:
    found = [record.usage.overlay for trial in trials for record in trial.figures]
    found += [trial.end.overlay for trial in trials if trial.end is not None]
    known = [metered for metered in found if metered is not None]
    return _metered([metered for metered in known if metered.requests]) if known else None


def cost_of(model: ModelSpec, tokens: Tokens, day: date | None, servers: Sequence[ServerRecord] = ()) -> Cost | None:
    """What the requests of these turns cost at the list prices of `day` (today if None).

    Nothing if servers that the run itself had started answered. Else the upstream's own counts are priced if it gave them for
    every turn, and ours if not. What overlays asked for is paid too.
    """
    if servers and all(server.own for server in servers):
        free = Price(amount=Decimal(0), prices="", day=day or datetime.now(UTC).date(), entry=model.name)
        return Cost(money=free, counted="upstream", local=True)
    own = tokens.overlay or MeteredSum()
    theirs, more = tokens.metered.upstream, own.upstream or UpstreamSum()
    known = own.upstream is not None or not own.requests
    if known and theirs and theirs.turns == tokens.turns and theirs.input is not None and theirs.output is not None:
        use = _use(theirs) + _use(more)
        return _cost(model, use, "upstream", theirs.cached is not None, day)
    use = _use(tokens.metered) + _use(own)
    return _cost(model, use, "metered", tokens.metered.cached is not None, day)


def _cost(
    model: ModelSpec, use: TokenUse, counted: Literal["upstream", "metered"], known: bool, day: date | None
) -> Cost | None:
    """The price of tokens, and that with a cache where it is known what that has."""
    if (money := cost(model, use, day)) is None:
        return None
    return Cost(money=money, cached=cost(model, use, day, cached=True) if known else None, counted=counted)


def _use(sums: MeteredSum | UpstreamSum) -> TokenUse:
    return TokenUse(sums.input or 0, sums.output or 0, sums.cached)


def _metered(metered: Sequence[Metered]) -> MeteredSum:
    total = reduce(Metered.plus, metered, Metered())
    turns = sum(m.upstream_input is not None or m.upstream_output is not None for m in metered)
    told = all(m.upstream_cached is not None for m in metered if m.upstream_input is not None)
    upstream = UpstreamSum(
        input=total.upstream_input,
        output=total.upstream_output,
        cached=total.upstream_cached if told else None,
        turns=turns,
    )
    known = all(m.cached is not None for m in metered if m.requests)
    return MeteredSum(
        input=total.input,
        output=total.output,
        requests=total.requests,
        cached=total.cached if known else None,
        upstream=upstream if turns else None,
    )


def _total(values: Iterable[int | None]) -> int | None:
    """The sum of the known values; None where there is none."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _reported(trials: Sequence[TrialData]) -> ReportedSum:
    usages = [_usages(trial) for trial in trials]
    kinds = {usage.kind for trial in usages for usage in trial if usage is not None}
    if not kinds:
        return ReportedSum()
    if len(kinds) > 1:
        return ReportedSum(semantics="mixed", flags=(f"readings of several kinds: {', '.join(sorted(kinds))}",))
    kind = cast("Semantics", kinds.pop())
    sent = [per_turn([u.input if u else None for u in trial], kind) for trial in usages]
    received = [per_turn([u.output if u else None for u in trial], kind) for trial in usages]
    cached = [per_turn([u.cached if u else None for u in trial], kind) for trial in usages]
    sizes = [u.input for trial in usages for u in trial if u is not None]
    return ReportedSum(
        semantics=kind,
        input=_known(sent),
        output=_known(received),
        cached=_known(cached),
        turns=sum(value is not None for readings in sent for value in readings.values),
        occupancy_median=median(sizes) if kind == "last_request" else None,
        flags=_flags(trials, sent, received),
    )


def _usages(trial: TrialData) -> list[ReportedUsage | None]:
    usages = (record.usage.reported for record in trial.figures)
    return [usage if usage is not None and usage.kind != "none" else None for usage in usages]


def _known(trials: Sequence[Readings]) -> int | None:
    return _total(value for readings in trials for value in readings.values)


def _flags(trials: Sequence[TrialData], sent: Sequence[Readings], received: Sequence[Readings]) -> tuple[str, ...]:
    """What was wrong with the readings: what every trial says once, what one says with its id."""
    said: dict[str, list[str]] = {}
    for trial, one, other in zip(trials, sent, received, strict=True):
        for flag in dict.fromkeys((*one.flags, *other.flags)):
            said.setdefault(flag, []).append(trial.spec.id)
    found: list[str] = []
    for flag, ids in said.items():
        found += [flag] if len(ids) == len(trials) else [f"{trial}: {flag}" for trial in ids]
    return tuple(found)


def times_of(trials: Sequence[TrialData]) -> Times:
    """Seconds per turn and round."""
    records = [record for trial in trials for record in trial.figures]
    answered = [record.timing for record in records if record.error is None]
    return Times(
        turn_median=_median([timing.total for timing in answered]),
        turn_total=sum(record.timing.total for record in records),
        own_median=_median([timing.own for timing in answered]),
        overhead_median=_median([record.overhead for record in records]),
    )


def _median(values: Sequence[float]) -> float | None:
    return median(values) if values else None


def first_requests_of(trials: Sequence[TrialData]) -> tuple[FirstRequest, ...]:
    """What each trial's first measured turn began with, equal ones once, the smallest first."""
    measured = [[record.first for record in trial.figures if record.first is not None] for trial in trials]
    return tuple(sorted({first[0] for first in measured if first}, key=lambda first: (first.system, first.tools)))


def evidence_of(trials: Sequence[TrialData]) -> EvidenceSum | None:
    """Fragments needed and seen; None where no reader watched for any."""
    watched = [r.evidence for trial in trials for r in trial.figures if r.evidence is not None]
    if not any(seen.needed for seen in watched):
        return None
    return EvidenceSum(
        rounds=len(watched),
        needed=sum(len(seen.needed) for seen in watched),
        seen=sum(len(set(seen.needed).intersection(seen.seen)) for seen in watched),
    )
