"""Rules on questions, options, answers and feedback."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_uppercase

from claw_adapter.finding import Finding, finding
from claw_adapter.protocol import Answer, Round
from claw_adapter.scenario.rules.subject import WITH_OPTIONS, Subject

__all__ = ["answers", "options", "placeholders"]

_PLACEHOLDER = re.compile(r"\$\{[\w.-]+\}")
"""A name in braces; ``f"${total:,.2f}"`` in a piece of code is none."""


def options(subject: Subject) -> Iterator[Finding]:
    """Options are lettered in order, and there are some where they are needed (SCN-010, SCN-011)."""
    for index, item in enumerate(subject.scenario.rounds):
        where = subject.places.round(index, "options")
        if tuple(item.options) != tuple(ascii_uppercase[: len(item.options)]):
            yield finding("SCN-010", f"round {item.id!r}: options {' '.join(item.options)}", where)
        if item.type in WITH_OPTIONS and len(item.options) < 2:
            yield finding("SCN-011", f"round {item.id!r} has {len(item.options)} options", where)


def answers(subject: Subject) -> Iterator[Finding]:
    """Answers and feedback fit the rounds (SCN-012 to SCN-016)."""
    given = subject.gold.answers.rounds
    for index, item in enumerate(subject.scenario.rounds):
        if item.id not in given:
            yield finding(
                "SCN-012", f"round {item.id!r} has no answer in gold/answers.yaml", subject.places.round(index)
            )
        else:
            yield from _answer(subject, item, given[item.id])
    for name in given.keys() - subject.order.keys():
        yield finding("SCN-013", f"there is no round {name!r}", subject.places.answers("rounds", name))


def _answer(subject: Subject, item: Round, answer: Answer) -> Iterator[Finding]:
    places = subject.places
    where = places.answers("rounds", item.id, "answer")
    if unknown := [letter for letter in answer.answer if letter not in item.options]:
        yield finding("SCN-014", f"round {item.id!r} has no option {', '.join(unknown)}", where)
    if len(set(answer.answer)) < len(answer.answer):
        yield finding("SCN-014", f"round {item.id!r}: an option is named twice", where)
    if item.type in WITH_OPTIONS and not answer.answer:
        yield finding("SCN-015", f"round {item.id!r}: no option is right", where)
    said = answer.feedback.options
    where = places.answers("rounds", item.id, "feedback", "options")
    if missing := [letter for letter in item.options if not said.get(letter, "").strip()]:
        yield finding("SCN-016", f"round {item.id!r}: no feedback on option {', '.join(missing)}", where)
    for letter in said.keys() - item.options.keys():
        where = places.answers("rounds", item.id, "feedback", "options", letter)
        yield finding("SCN-016", f"round {item.id!r}: feedback on option {letter}, which is not there", where)


def placeholders(subject: Subject) -> Iterator[Finding]:
    """Nothing that an agent reads has placeholders left in it (SCN-017)."""
    for text, where, allowed in _visible_texts(subject):
        for mark in _PLACEHOLDER.findall(text):
            if mark not in allowed:
                yield finding("SCN-017", f"the placeholder {mark} has no meaning here", where)


def _visible_texts(subject: Subject) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    places = subject.places
    for index, item in enumerate(subject.scenario.rounds):
        yield item.question, places.round(index, "question"), ()
        for letter, text in item.options.items():
            yield text, places.round(index, "options", letter), ()
    for name, answer in subject.gold.answers.rounds.items():
        for key in ("correct", "incorrect"):
            yield getattr(answer.feedback, key), places.answers("rounds", name, "feedback", key), ()
        for letter, text in answer.feedback.options.items():
            yield text, places.answers("rounds", name, "feedback", "options", letter), ()
    for session in subject.scenario.sessions:
        main = session.id == subject.scenario.main.id
        for position, message in enumerate(session.messages):
            allowed = ("${roster}",) if main and position == 0 else ()
            yield message.text, places.message(session.id, message.id), allowed
