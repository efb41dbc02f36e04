"""Question types: how a round is asked, read, scored and talked about."""

from __future__ import annotations

from claw_adapter.question import QuestionType
from claw_adapter.questions.exec_check import ExecCheck
from claw_adapter.questions.extract import Extraction, extract, extract_compat
from claw_adapter.questions.multi_choice import MultiChoice
from claw_adapter.questions.preference import PreferenceExam
from claw_adapter.questions.revision import RevisionQuestion
from claw_adapter.questions.teaching import teach, teaching_needs_workspace

__all__ = [
    "Extraction",
    "builtin",
    "extract",
    "extract_compat",
    "teach",
    "teaching_needs_workspace",
]


def builtin() -> dict[str, QuestionType]:
    """The question types that core brings, by name."""
    types: tuple[QuestionType, ...] = (MultiChoice(), ExecCheck(), PreferenceExam(), RevisionQuestion())
    return {kind.name: kind for kind in types}
