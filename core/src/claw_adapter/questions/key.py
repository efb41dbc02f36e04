"""Small things that question types share."""

from __future__ import annotations

from claw_adapter.errors import ClawError, ScenarioError
from claw_adapter.protocol import Answer, Failure, Gold, Round, Score

__all__ = ["key_of", "outcome_feedback", "unscored"]


def key_of(item: Round, gold: Gold) -> Answer:
    """The key of a round.

    Raises:
        ScenarioError: the answers have none.
    """
    key = gold.answers.rounds.get(item.id)
    if key is None:
        where = str(gold.root / "answers.yaml")
        raise ScenarioError(f"no answer for round {item.id!r}", where=where, remedy=f"Add 'rounds: {item.id}'.")
    return key


def outcome_feedback(item: Round, score: Score, gold: Gold) -> str:
    """The feedback by outcome alone: correct for a full score, nothing for an unscored round."""
    feedback = key_of(item, gold).feedback
    if score.value is None:
        return ""
    return feedback.correct if score.value >= 1 else feedback.incorrect


def unscored(error: ClawError) -> Score:
    """A round that could not be scored, with its cause."""
    return Score(cause=Failure.of(error))
