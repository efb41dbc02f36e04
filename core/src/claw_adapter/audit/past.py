"""What the main conversation must hold at each round: seeded messages, updates, and the turns that were made."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import CALL, Entry, RequestUnit, Said, said_of
from claw_adapter.protocol import Message, Scenario, Update, UpdateAction
from claw_adapter.scenario.apply import effective_action, source_messages, source_path

__all__ = ["ROSTER", "Past"]

ROSTER: Final = "${roster}"
"""What the runner fills in for each harness; which text that is, the first request says."""


@dataclass(slots=True)
class Past:
    """The messages of the main conversation, in order."""

    scenario: Scenario
    entries: list[Entry] = field(default_factory=list)
    gone: dict[str, int] = field(default_factory=dict)
    """Texts that updates took away, with the round that did."""
    _ids: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.entries = [said_of(message, "seeded") for message in self.scenario.main.messages]
        self._ids = {message.id for message in self.scenario.main.messages}

    def said(self) -> list[Said]:
        """All of it."""
        found: list[Said] = []
        calls = False  # whether calls stand behind, or a text that itself stands before some
        for entry in filter(None, reversed(self.entries)):
            text = entry[-1].kind == "assistant"
            last = replace(entry[-1], before_calls=True) if text and calls else entry[-1]
            calls = (text and calls) or any(said.kind == CALL for said in entry)
            found[:0] = [*entry[:-1], last]
        for at, (one, following) in enumerate(pairwise(found)):
            if one.kind == following.kind == "assistant" and one.text == following.text:
                found[at : at + 2] = [replace(said, repeated=True) for said in found[at : at + 2]]
        return found

    def apply(self, update_ids: Sequence[str], number: int) -> bool:
        """Bring the updates of round `number` in; returns whether the main session changed."""
        changed = False
        for update in self.scenario.expand(tuple(update_ids)):
            for action in update.actions:
                if action.session == self.scenario.main.id:
                    self._act(update, action, number)
                    changed = True
        return changed

    def _act(self, update: Update, action: UpdateAction, number: int) -> None:
        kind = effective_action(action, exists=True)
        if kind == "delete":
            away = {at - 1 for first, last in action.ranges for at in range(first, last + 1)}
            self.gone |= {
                said.text: number for at in away if at < len(self.entries) for said in self.entries[at] if said.text
            }
            self.entries = [entry for at, entry in enumerate(self.entries) if at not in away]
            return
        messages = source_messages(source_path(self.scenario, update, action), update.id)
        new = [said_of(message, "update", number) for message in self._fresh(messages)]
        place = min(action.after or 0, len(self.entries)) if kind == "insert" else len(self.entries)
        self.entries[place:place] = new

    def _fresh(self, messages: Sequence[Message]) -> list[Message]:
        fresh = [message for message in messages if message.id not in self._ids]
        self._ids |= {message.id for message in fresh}
        return fresh

    def add(self, prompt: str, turn: RequestTurn | None, answer: str, number: int) -> None:
        """A turn was made and is kept."""
        self.entries.append((Said("user", prompt, "prompt", number),))
        if turn is not None:
            for step in turn.steps:
                self.entries += step.entries(number)
        if answer:
            self.entries.append((Said("assistant", answer, "answer", number),))

    def fill_roster(self, units: Sequence[RequestUnit]) -> None:
        """Learn from a request what stands in the place of the roster."""
        for at, entry in enumerate(self.entries):
            if not any(ROSTER in said.text for said in entry):
                continue
            self.entries[at] = tuple(_filled(said, units) if ROSTER in said.text else said for said in entry)


def _filled(said: Said, units: Sequence[RequestUnit]) -> Said:
    parts = [re.escape(part) for part in said.text.replace("\r\n", "\n").split(ROSTER)]
    pattern = re.compile("(.*?)".join(parts) + ("" if parts[-1] else r"\Z"), re.DOTALL)
    for unit in units:
        if found := pattern.search(unit.text.replace("\r\n", "\n")):
            return Said(said.kind, found.group(), said.origin, said.round, said.call, said.speaker, said.time)
    return said
