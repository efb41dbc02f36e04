"""Composing a round's prompt, and filling the roster of a main session (docs/spec/scenario-1.md)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from claw_adapter.protocol import Gold, Round, RoundRecord, Session
from claw_adapter.question import QuestionType
from claw_adapter.questions.words import words

__all__ = ["ROSTER", "compat_feedback", "compose", "fill_roster", "with_feedback"]

ROSTER = "${roster}"
"""Placeholder in a main session's messages for the list of the other conversations and where each can be read."""

COMPAT_FEEDBACK = "[Previous Feedback] "


def compose(item: Round, question: QuestionType, feedback: str, *, updated: bool, compat: str | None = None) -> str:
    """Feedback on the previous round, the update notice, the question: what the harness gets to read."""
    if compat:
        text = question.prompt(item, compat=compat)
        return f"{COMPAT_FEEDBACK}{feedback}\n\n{text}" if feedback else text
    parts = [with_feedback(feedback, item.language)] if feedback else []
    if updated:
        parts.append(words(item.language).news)
    return "\n\n".join([*parts, question.prompt(item)])


def with_feedback(text: str, language: str) -> str:
    """What is said of the previous answer, as it is told."""
    return words(language).feedback.format(text=text)


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
    main: Session,
    histories: Sequence[Session],
    key: Callable[[str], str],
    files: Mapping[str, str],
    language: str = "en",
) -> Session:
    """The main session with `ROSTER` replaced by one line per history: title, channel, and where *this* harness finds it."""
    if not any(ROSTER in message.text for message in main.messages):
        return main
    said, lines = words(language), []
    for session in histories:
        file = files.get(session.id)
        place = said.file.format(name=file) if file else said.conversation.format(name=key(session.id))
        lines.append(said.history.format(title=session.title or session.id, channel=session.channel, place=place))
    text = "\n".join(lines) or said.nothing
    messages = [m.model_copy(update={"text": m.text.replace(ROSTER, text)}) for m in main.messages]
    return main.with_messages(messages)
