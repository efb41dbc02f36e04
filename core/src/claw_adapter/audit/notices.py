"""What a harness tells by itself of files that others have changed since its last turn: all of them, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.places import hidden
from claw_adapter.audit.standing import beside
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import arguments_of
from claw_adapter.reading import strings_of

__all__ = ["ChangeNotices"]

OFTEN: Final = 3
"""Files of a kind that were told from which on that is a habit."""
MOST: Final = 5
"""Changes before a turn, at most: of more, some may be left out."""


@dataclass(slots=True)
class ChangeNotices:
    """Follows what stands beside prompts of files that updates have brought, changed or taken away.

    Some harnesses tell of such files only as they have read before, or only of changes: each is held against its own kind.
    """

    book: Book
    _left: Mapping[str, str] | None = None
    """The files behind the last turn, None where that is not known."""
    _named: set[str] = field(default_factory=set)
    """What calls so far have named."""
    _told: Counter[tuple[str, bool, str]] = field(default_factory=Counter)
    """How often files were named that had changed: how, whether they had been named before, and their paths."""
    _standing: set[str] = field(default_factory=set)
    """Those of them that are named as well where they have not changed, such as the instructions for agents."""
    _untold: list[tuple[tuple[str, bool], str, int]] = field(default_factory=list)

    def judge(self, turn: RequestTurn, prompt: str, files: Mapping[str, str], *, restarted: bool) -> None:
        """One turn, before which files were so; behind a restart it may not be known what was before."""
        before, self._left = self._left, None
        if before is not None and turn.chain and turn.attempt == 1 and not restarted:
            changes = dict(_changes(before, files))
            text = beside(turn.units[turn.chain[0].number], prompt)
            self._standing |= {path for _, _, path in self._told if path not in changes and _names(path, text)}
            others = (path for path in files if path not in changes)
            if 0 < len(changes) <= MOST and not any(_names(path, text) for path in others):
                for path, how in changes.items():
                    kind, told = (how, path in self._named), _names(path, text)
                    self._told[*kind, path] += told
                    if not told and path not in prompt:
                        self._untold.append((kind, path, turn.chain[0].number))
        for reply in turn.replies:
            self._named.update(text for call in reply.calls for text in strings_of(arguments_of(call)))

    def leave(self, files: Mapping[str, str]) -> None:
        """The turn has come to an end, and left these files."""
        self._left = files

    def finish(self) -> None:
        """At the end of the trial it is known of what it tells."""
        often = Counter[tuple[str, bool]]()
        for (how, known, path), times in self._told.items():
            often[how, known] += times if path not in self._standing else 0
        for (how, known), path, request in self._untold:
            if often[how, known] >= OFTEN:
                what = f"the request tells of files that are {how} since the turn before, and not of {path}"
                self.book.find("M20", "changes-untold", what, request=request)


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The files that differ, with how."""
    for path in sorted({*before, *now}):
        if before.get(path) != now.get(path) and not hidden(PurePosixPath(path)):
            yield path, "new" if path not in before else "gone" if path not in now else "changed"


def _names(path: str, text: str) -> bool:
    return path in text or f"/{PurePosixPath(path).name}" in text
