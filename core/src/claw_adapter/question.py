"""The extension point for question types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from claw_adapter.protocol import Gold, Round, Score, TurnResult

__all__ = ["EnvironmentStates", "QuestionType", "ScoringContext"]


@dataclass(frozen=True, slots=True)
class EnvironmentStates:
    """Snapshots of the environment before a turn and after it."""

    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """What a question type may look at when it scores: never the live workspace, only a throw-away copy of the snapshot."""

    gold: Gold
    workspace: Path
    """A copy made for this call; checks may write into it."""
    isolation: int
    answers: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    """Letters given in earlier rounds, by round id."""
    compat: str | None = None
    changed: frozenset[str] | None = None
    """Paths of the workspace entries that were created or changed in the round; None where that is not known."""
    environment: EnvironmentStates | None = None
    """None where the scenario names no environment."""


class QuestionType(ABC):
    """One way of asking. Instances are stateless and shared between trials."""

    name: ClassVar[str]
    needs_workspace: ClassVar[bool] = False
    """Whether `score` looks at the workspace copy; making one is skipped otherwise."""
    patterns: ClassVar[Mapping[str, str]] = {}
    """What the patterns mean that `score` gives, each in a few words: reports explain them where the type is installed."""

    def prompt(self, item: Round, *, compat: str | None = None) -> str:
        """The question as the harness gets it, without feedback and update notice. The default is the bare question."""
        del compat
        return item.question

    @abstractmethod
    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        """Score a finished turn (`turn.error` is None). A check that cannot be run yields an unscored round with its cause."""

    @abstractmethod
    def feedback(self, item: Round, score: Score, gold: Gold) -> str:
        """What the next prompt says about this round; empty for nothing."""
