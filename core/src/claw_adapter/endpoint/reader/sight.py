"""What of the evidence a turn's requests show, and what one of them does not show any more."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from claw_adapter.endpoint.reader.matching import Matcher
from claw_adapter.endpoint.reader.paging import joined
from claw_adapter.endpoint.reader.policy import QUOTE
from claw_adapter.model import Line

__all__ = ["Sight"]

HEAD: Final = 40
"""Characters by which a view is known again."""
_HEAD: Final = re.compile(r"\d+")
"""What may change in them."""


class Sight:
    """The fragments in the requests of one turn.

    Args:
        texts: of the fragments that count, by id.
        matcher: finds them.
        own: what the reader has said itself in this trial; it is no evidence.
    """

    def __init__(self, texts: Mapping[str, str], matcher: Matcher, own: Collection[str]) -> None:
        self._texts = texts
        self._matcher = matcher
        self._own = own
        self._examined: dict[tuple[bool, str], set[str]] = {}
        self._seen: set[str] = set()
        self._seams: list[tuple[str, str, str]] = []
        """Ids of fragments that two results show together, with these."""
        self._kept: set[str] = set()
        """Ids of those that something else than a view has shown: a result, or what was said."""
        self._views: dict[str, set[str]] = {}
        """How the views begin that have shown a fragment, by its id."""
        self.gone: set[str] = set()
        """Ids of those that a request has shown, and a later one that has the turn's calls does not."""

    @property
    def shown(self) -> set[str]:
        """Ids of those that have been seen and are still there."""
        return self._seen - self.gone

    @property
    def missing(self) -> set[str]:
        """Ids of those that have never been seen."""
        return self._texts.keys() - self._seen

    def look(self, lines: Sequence[Line], calls: Collection[str]) -> None:
        """Look at a request: of the reader's own messages only what it did not say itself counts.

        Args:
            lines: of the request.
            calls: ids of those made in the turn.
        """
        for line in lines:
            own = line.role == "assistant"
            if (own, line.text) not in self._examined:
                text = _without_quotes(line.text) if own else line.text
                found = self._matcher.found(self._texts, text, self._own if own else ())
                self._examined[own, line.text] = found
        views = _views_of(lines, calls)
        here: set[str] = set()
        for number, line in enumerate(lines):
            found = self._examined[line.role == "assistant", line.text]
            here |= found
            if number not in views:
                self._kept |= found
            for name in found if number in views else ():
                self._views.setdefault(name, set()).add(views[number])
        here |= {
            name for name, *parts in self._seams if all(any(part in line.text for line in lines) for part in parts)
        }
        self.gone -= here
        if any(call.id in calls for line in lines for call in line.calls):
            now = {*views.values()}
            rewritten = {name for name, before in self._views.items() if before & now} - self._kept
            self.gone |= self._seen - here - rewritten
        self._seen |= here

    def join(self, ids: Collection[str], before: Sequence[str], after: str) -> None:
        """Take in those of the missing that an earlier result ends within and the next goes on with."""
        for name in self.missing & {*ids}:
            for one in before:
                if name not in self._seen and joined(self._texts[name], one, after):
                    self._seams.append((name, one, after))
                    self._seen.add(name)


def _views_of(lines: Sequence[Line], calls: Collection[str]) -> dict[int, str]:
    """How the messages begin that may be views, by position: behind a call's own results, or instructions.

    A view, as of the files that are open, is written anew for each request. What stood in it, and nowhere else, is no part of
    the conversation, and nothing of that is lost when it shows something else.
    """
    last = max((n for n, line in enumerate(lines) if any(call.id in calls for call in line.calls)), default=-1)
    answered = max((n for n, line in enumerate(lines) if line.role == "tool" and n > last >= 0), default=-1)
    if answered < 0:
        return {}
    return {
        number: _HEAD.sub("", line.text.strip().partition("\n")[0])[:HEAD]
        for number, line in enumerate(lines)
        if line.role == "system" or (line.role == "user" and number > answered)
    }


def _without_quotes(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if QUOTE not in line) if QUOTE in text else text
