"""Whose a failed turn is, and whose its time was, as far as the endpoint knows better than the harness."""

from __future__ import annotations

from collections.abc import Sequence

from claw_adapter.endpoint import RoundMeter
from claw_adapter.errors import DeadlineExceeded, EndpointTransientError, Owner
from claw_adapter.protocol import Failure, Timing, TurnResult
from claw_adapter.protocol.answer_key import NO_WAY
from claw_adapter.protocol.stopping import describe_seconds

__all__ = ["alike", "attributed", "no_way", "without_outages"]


def without_outages(timing: Timing, held: float) -> Timing:
    """A turn's time without that in which the provider was away."""
    return timing.model_copy(update={"total": max(timing.total - held, timing.own)}) if held else timing


def attributed(turn: TurnResult, meter: RoundMeter) -> TurnResult:
    """A harness that failed because its model did is not at fault: the endpoint's own finding has precedence.

    That holds, too, where the harness reports success although its last request failed: what it says then is not an answer.
    And no deadline runs while the provider is away.
    """
    endpoint, held = meter.failure, meter.metered.held
    if turn.error is not None and turn.error.owner not in (Owner.HARNESS, Owner.ENDPOINT):
        return turn
    if endpoint is None and held and turn.error is not None and turn.error.kind == DeadlineExceeded.__name__:
        what = f"the model's provider was away for {describe_seconds(held)} of the turn"
        endpoint = Failure.of(EndpointTransientError(f"{what}: {turn.error.what}", where=turn.error.where))
    if endpoint is None:
        return turn
    if turn.error is None:
        return turn.model_copy(update={"text": "", "error": endpoint})
    return turn.model_copy(update={"error": endpoint})


def no_way(what: Sequence[str]) -> Failure:
    """The cause of a round that is not the harness's fault: the reader does not know how to use its tools."""
    return Failure(
        owner=Owner.ENDPOINT,
        kind=NO_WAY,
        what=f"the reader found no way with the tools on offer: {', '.join(what)}",
        remedy="The round says nothing about the harness. Its tools and what they said are in the transcript.",
    )


def alike(text: str, there: str | None) -> bool:
    """Whether a file has the lines of a text, blanks and empty ones aside; None is no file."""
    return there is not None and _lines(text) == _lines(there)


def _lines(text: str) -> list[str]:
    return [" ".join(words) for line in text.splitlines() if (words := line.split())]
