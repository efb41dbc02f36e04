"""Composing a round's prompt (protocol.md §2) and filling the roster of a main session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from claw_adapter.protocol import Gold, Round, RoundRecord, Session
from claw_adapter.questions.base import QuestionType

__all__ = ["ROSTER", "compat_feedback", "compose", "fill_roster"]

ROSTER = "${roster}"
"""Placeholder in a main session's messages for the list of the other conversations and where each can be read."""

UPDATE_NOTICE = "Note: since your last turn, files in the workspace or messages in other conversations have changed."
FEEDBACK = "Feedback on your previous answer: "
COMPAT_FEEDBACK = "[Previous Feedback] "


def compose(item: Round, question: QuestionType, feedback: str, *, updated: bool, compat: str | None = None) -> str:
    """Feedback on the previous round, the update notice, the question: what the harness gets to read."""
    if compat:
        text = question.prompt(item, compat=compat)
        return f"{COMPAT_FEEDBACK}{feedback}\n\n{text}" if feedback else text
    parts = [f"{FEEDBACK}{feedback}"] if feedback else []
    if updated:
        parts.append(UPDATE_NOTICE)
    return "\n\n".join([*parts, question.prompt(item)])


def compat_feedback(item: Round, record: RoundRecord, current: Round, gold: Gold) -> str:
    """What the published benchmark says about a round when the next one has another type.

    It asks the *current* round's type about the previous round's record: a failed exec_check before a multi_choice round is
    told its text for success, a failed multi_choice before an exec_check nothing (139 of 325 transitions change type).
    """
    if item.type == current.type or record.score.value is None:
        return record.feedback
    answer = gold.answers.rounds[item.id]
    rules = gold.answers.preferences
    said = [
        rules[name].feedback.correct if ok else rules[name].feedback.incorrect for name, ok in record.taught.items()
    ]
    told = answer.feedback.correct if item.type != "multi_choice" or record.score.value == 1 else ""
    return " ".join(part for part in (told, *said) if part)


def fill_roster(
    main: Session, histories: Sequence[Session], key: Callable[[str], str], files: Mapping[str, str]
) -> Session:
    """The main session with `ROSTER` replaced by one line per history: title, channel, and where *this* harness finds it."""
    if not any(ROSTER in message.text for message in main.messages):
        return main
    lines = []
    for session in histories:
        place = f"file {files[session.id]}" if session.id in files else f"conversation {key(session.id)}"
        lines.append(f"- {session.title or session.id} ({session.channel}): {place}")
    text = "\n".join(lines) or "- (none)"
    messages = [m.model_copy(update={"text": m.text.replace(ROSTER, text)}) for m in main.messages]
    return main.with_messages(messages)
