"""Lists of what is to do, as tools keep them: what is shown of one is the last that was given, all of it and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import LEAST, flat_of
from claw_adapter.audit.standing import beside
from claw_adapter.audit.turns import ChainStep, RequestTurn
from claw_adapter.audit.units import RequestUnit, arguments_of, tool_named

__all__ = ["TodoLists"]

BOX: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[ \]\s+(.*\S)\s*$", re.MULTILINE)
"""An entry of a list that is one text."""
STATES: Final = frozenset({"status", "state", "done", "completed"})
"""What the state of an entry is called where no choices are named."""
FEWEST: Final = 2
"""Entries from which on a list is known to be shown: one alone may be what is done now."""
DIGITS: Final = re.compile(r"\d+")


@dataclass(slots=True)
class TodoLists:
    """Follows the lists of what is to do that calls of a trial have given to a tool, with every entry open."""

    book: Book
    entries: tuple[str, ...] = ()
    """The last one of a turn that counts."""
    _former: set[str] = field(default_factory=set)
    """Entries that it has no longer."""
    _answers: dict[str, str] = field(default_factory=dict)
    """By tool, what it has said of the first, but for entries and numbers."""

    def judge(self, turn: RequestTurn, prompt: str, *, counts: bool) -> None:
        """One turn.

        Args:
            turn: the turn.
            prompt: what was asked.
            counts: whether it is not made again, so that what it leaves stays.
        """
        entries, former, done = self.entries, {*self._former}, 0
        for exchange, due in zip(turn.chain, turn.before, strict=True):
            for step in turn.steps[done:due]:
                entries, former = self._stepped(step, entries, former)
            done = max(done, due)
            shown = beside(turn.units[exchange.number], prompt)
            self._shown(shown, entries, former, "beside the prompt the request", "M20", exchange.number)
        if counts:
            for step in turn.steps[done:]:
                entries, former = self._stepped(step, entries, former)
            self.entries, self._former = entries, former

    def _stepped(self, step: ChainStep, entries: tuple[str, ...], former: set[str]) -> tuple[tuple[str, ...], set[str]]:
        """The list, and what it has no longer, behind the calls of a reply; of one that may be refused, nothing is known."""
        for call, result in step.offered:
            tool = call.tool
            given = _entries(call, tool_named(step.reply.exchange.tools, tool))
            if not given or result is None:
                continue
            said = flat_of(result.text)
            for entry in (*given, *former, *entries):
                said = said.replace(entry, "")
            if self._answers.setdefault(tool, DIGITS.sub("", said)) != DIGITS.sub("", said):
                return (), set()
            self._shown(flat_of(result.text), given, set(), "the result of the call", "M17", step.reply.exchange.number)
            entries, former = given, (former | {*entries}) - {*given}
        return entries, former

    def _shown(self, text: str, entries: Sequence[str], former: set[str], where: str, must: str, request: int) -> None:
        places = [text.find(entry) for entry in entries]
        there = [place for place in places if place >= 0]
        old = sorted(entry for entry in former if entry in text)
        if len(there) + len(old) < FEWEST:
            return
        first = entries[places.index(min(there))] if there != sorted(there) else ""
        wrong = {
            "lacks {!r}": [entry for entry in entries if entry[: len(entry) // 2] not in text],  # some shorten it
            "has {!r}, which a later call has left out": old,
            "has another order than the call: first {!r}": [first] if first else [],
        }
        what = next((words.format(found[0][:60]) for words, found in wrong.items() if found), "")
        if what:
            what = f"the list of what is to do that {where} shows {what}"
            self.book.find(must, "todos-otherwise", what, request=request)


def _entries(call: RequestUnit, tool: Mapping[str, Any]) -> tuple[str, ...]:
    """The entries of a list that a call gives: objects with a state out of those that the tool names, or lines with a box."""
    states = [choices for choices in _choices(dict(tool)) if len(choices) > 1]
    for value in arguments_of(call).values():
        match value:
            case list() if len(value) >= FEWEST and all(isinstance(item, dict) for item in value):
                texts = [_text(item, states) for item in value if isinstance(item, dict)]
                if all(texts) and len({*texts}) == len(texts):
                    return tuple(texts)
            case str() if len(found := BOX.findall(value)) >= FEWEST and len(found) == len(value.split("\n")):
                return tuple(found)
    return ()


def _text(item: Mapping[str, JsonValue], states: Sequence[Sequence[JsonValue]]) -> str:
    """The longest text of an object that has a state as well; empty where it has none."""
    named = any(value in choices for value in item.values() for choices in states if isinstance(value, str))
    if not named and not STATES & item.keys():
        return ""
    texts = [value for value in item.values() if isinstance(value, str) and len(value) >= LEAST]
    return max(texts, key=len, default="")


def _choices(schema: JsonValue) -> Iterator[list[JsonValue]]:
    """Every list of choices in a schema."""
    match schema:
        case dict():
            for key, value in schema.items():
                if key == "enum" and isinstance(value, list):
                    yield value
                else:
                    yield from _choices(value)
        case list():
            for value in schema:
                yield from _choices(value)
        case _:
            pass
