"""Which rounds the same command tries again: those that are unscored through no fault of the harness, at the end of a trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from claw_adapter.protocol import Failure, RoundRecord, Voided
from claw_adapter.protocol.answer_key import NO_WAY
from claw_adapter.runs.journal import Journal

__all__ = ["FOR_GOOD", "find_retry", "void_for_retry"]

_OWNERS: Final = frozenset({"endpoint", "sandbox", "machine"})
"""Whose failures say nothing about the harness, and may be over."""
FOR_GOOD: Final = frozenset({NO_WAY})
"""Causes that would come again: the reader found no way to do the round with the tools that it was offered."""


def find_retry(rounds: Sequence[RoundRecord], *, rewind: bool = False) -> int | None:
    """The index of the first round that is to be tried again, with all after it; None if there is none.

    Args:
        rounds: the rounds that count, in order.
        rewind: also where scored rounds come after it. Else only rounds after the last scored one are looked at.
    """
    scored = [number for number, record in enumerate(rounds) if record.score.value is not None]
    begin = 0 if rewind or not scored else scored[-1] + 1
    return next((record.index for record in rounds[begin:] if _may_be_over(_cause(record))), None)


def void_for_retry(journal: Journal, *, rewind: bool = False) -> Voided | None:
    """Void what is to be tried again, if anything, by a record in the journal, which is returned."""
    index = find_retry(journal.rounds, rewind=rewind)
    if index is None:
        return None
    left = [record for record in journal.rounds if record.index >= index]
    scored = sum(record.score.value is not None for record in left)
    record = Voided(index=index, rounds=len(left), scored=scored, cause=_cause(left[0]))
    journal.append(record)
    return record


def _cause(record: RoundRecord) -> Failure | None:
    return (record.score.cause or record.error) if record.score.value is None else None


def _may_be_over(cause: Failure | None) -> bool:
    return cause is not None and cause.owner.value in _OWNERS and cause.kind not in FOR_GOOD
