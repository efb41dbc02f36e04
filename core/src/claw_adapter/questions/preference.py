"""Silent exam: whether work products follow the preferences that earlier rounds established. Nothing reminds of them."""

from __future__ import annotations

from typing import ClassVar

from claw_adapter.errors import ClawError
from claw_adapter.protocol import Gold, PreferenceDetail, Round, RuleOutcome, Score, TurnResult
from claw_adapter.question import QuestionType, ScoringContext
from claw_adapter.questions.key import key_of, outcome_feedback, unscored

__all__ = ["PreferenceExam"]


class PreferenceExam(QuestionType):
    """Scores 1 if every examined rule is kept and the check, where there is one, passes; else 0."""

    name: ClassVar[str] = "preference"
    needs_workspace: ClassVar[bool] = True

    async def score(self, item: Round, turn: TurnResult, context: ScoringContext) -> Score:
        """Decide the rules, then run the check (which may write into the copy)."""
        from claw_adapter.questions.exec_check import decide_check
        from claw_adapter.questions.rules import decide_rules, preferences

        key = key_of(item, context.gold)
        try:
            rules = preferences(context.gold, key.exam, f"round {item.id}")
            verdicts = await decide_rules(
                rules,
                answer=turn.text,
                workspace=context.workspace,
                isolation=context.isolation,
                changed=context.changed,
            )
            check = None if key.check is None else await decide_check(key.check, context)
        except ClawError as error:
            return unscored(error)
        passed = all(verdict.passed for verdict in verdicts.values()) and (check is None or check.passed)
        outcomes = {
            name: RuleOutcome(dimension=rules[name].dimension, passed=verdict.passed, why=verdict.why)
            for name, verdict in verdicts.items()
        }
        return Score(value=float(passed), detail=PreferenceDetail(rules=outcomes, check=check))

    def feedback(self, item: Round, score: Score, gold: Gold) -> str:
        """The text of the outcome."""
        return outcome_feedback(item, score, gold)
