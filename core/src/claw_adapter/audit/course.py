"""What files are after each call of a turn, if every call does what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.parts import put_by
from claw_adapter.audit.places import place_in
from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.reading import strings_of

__all__ = ["FileCourse", "WriteEffect", "effect_of"]

WRITES: Final = re.compile(r"write|create|save|put", re.IGNORECASE)
EDITS: Final = re.compile(r"edit|replace", re.IGNORECASE)
OTHERS: Final = re.compile(r"append|insert|patch|delete|multi|todo|plan", re.IGNORECASE)
PATH: Final = re.compile(r"path|file", re.IGNORECASE)
CONTENT: Final = re.compile(r"content|text|body|data", re.IGNORECASE)
OLD: Final = re.compile(r"old|search|find|before|original", re.IGNORECASE)
NEW: Final = re.compile(r"new|replace|after", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WriteEffect:
    """What a call does to a file: all of it is `new`, or `new` comes behind it, or in the place of `old`."""

    path: str
    new: str
    old: str | None = None
    behind: bool = False
    known: bool = True
    """Whether that is all it does: not where an edit says how often it replaces."""

    def on(self, text: str | None) -> str | None:
        """The file's text afterwards, from its text before (None: it is not there); None where that cannot be known."""
        if self.behind:
            return f"{text or ''}{self.new}"
        if self.old is None:
            return self.new
        once = self.known and text is not None and self.old and text.count(self.old) == 1
        return text.replace(self.old, self.new) if once and text is not None else None


def effect_of(name: str, arguments: dict[str, JsonValue], workspace: str) -> WriteEffect | None:
    """What a call of tool `name` is to write; None where it writes nothing, or nobody can say what."""
    if put := put_by(arguments):
        return WriteEffect(put.path, put.content, behind=put.behind)
    if OTHERS.search(name) or not (WRITES.search(name) or EDITS.search(name)):
        return None
    path = _path(arguments, workspace)
    content, old, new = (_only(arguments, kind) for kind in (CONTENT, OLD, NEW))
    if path is None:
        return None
    if EDITS.search(name) or (old is not None and new is not None):
        if old is None or new is None:
            return None
        return WriteEffect(path, new, old, known=not any(value is True for value in arguments.values()))
    return None if content is None else WriteEffect(path, content)


@dataclass(slots=True)
class FileCourse:
    """The files of a workspace through the calls of a turn.

    A call that is made again later in the turn, to the letter, has not done what it was to do the first time.
    """

    before: Mapping[str, str]
    effects: list[WriteEffect | None] = field(default_factory=list)
    texts: dict[str, list[str | None]] = field(default_factory=dict)
    """Of each file that was written so far: what it was, and what it became; None from where on that is not known."""
    at: int = 0

    @classmethod
    def of(cls, calls: Sequence[RequestUnit], before: Mapping[str, str], workspace: str) -> FileCourse:
        """Before the first of these calls."""
        found = [effect_of(call.text.partition(" ")[0], arguments_of(call), workspace) for call in calls]
        last = {effect: number for number, effect in enumerate(found) if effect is not None}
        return cls(before, [one if one is not None and last[one] == n else None for n, one in enumerate(found)])

    def untouched(self, path: str) -> bool:
        """Whether a file is written in this turn, and only later."""
        return path not in self.texts and any(one is not None and one.path == path for one in self.effects)

    def go_on(self) -> None:
        """Past the next call."""
        effect = self.effects[self.at]
        self.at += 1
        if effect is not None:
            texts = self.texts.setdefault(effect.path, [self.before.get(effect.path)])
            unknown = len(texts) > 1 and texts[-1] is None
            texts.append(None if unknown and effect.old is not None else effect.on(texts[-1]))


def _path(arguments: dict[str, JsonValue], workspace: str) -> str | None:
    named = [value for key, value in arguments.items() if isinstance(value, str) and PATH.search(key)]
    texts = [value for value in arguments.values() if isinstance(value, str)]
    if len(named) != 1 or len(list(strings_of(arguments))) != len(texts):
        return None
    path = place_in(named[0], workspace)
    return None if path.startswith("/") else path


def _only(arguments: Mapping[str, JsonValue], kind: re.Pattern[str]) -> str | None:
    """The one text among the arguments whose name is of a kind."""
    found = [v for k, v in arguments.items() if isinstance(v, str) and kind.search(k) and not PATH.search(k)]
    return found[0] if len(found) == 1 else None
