"""Teaching checks: rules evaluated after scoring that change the next feedback and never a score."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from claw_adapter.protocol import Answer, Gold, TurnResult

__all__ = ["teach", "teaching_needs_workspace"]


def teaching_needs_workspace(gold: Gold, answer: Answer) -> bool:
    """Whether a taught rule looks at files, so that a copy of the workspace has to be made."""
    known = gold.answers.preferences
    return any(name in known and not known[name].answer for name in answer.teach)


async def teach(
    gold: Gold,
    answer: Answer,
    turn: TurnResult,
    workspace: Path | None,
    *,
    isolation: int,
    changed: Collection[str] | None = None,
) -> tuple[dict[str, bool], str]:
    """Evaluate the rules that a round teaches; return the outcome by preference id and what the feedback says of them.

    Args:
        gold: the hidden part with the preferences.
        answer: the key of the round.
        turn: the finished turn.
        workspace: a throw-away copy of the round's snapshot; None if no rule needs one.
        isolation: level at which the rules are decided.
        changed: paths of the files that were created or changed in the round, which alone count; None for all files.

    Raises:
        ScenarioError: an unknown preference is taught.
        SandboxError: the rules could not be decided.
    """
    if not answer.teach:
        return {}, ""
    from claw_adapter.questions.rules import decide_rules, preferences

    rules = preferences(gold, answer.teach, "a round's 'teach'")
    verdicts = await decide_rules(rules, answer=turn.text, workspace=workspace, isolation=isolation, changed=changed)
    taught = {name: verdict.passed for name, verdict in verdicts.items()}
    said = [rule.feedback.correct if taught[name] else rule.feedback.incorrect for name, rule in rules.items()]
    return taught, "\n".join(text for text in said if text)
