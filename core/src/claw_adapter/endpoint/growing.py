"""Bodies that grow: what a request has in common with one before it is not read again, and comes as the same objects."""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.endpoint.parsing import HALVES, parse_json
from claw_adapter.reading import without_halves

__all__ = ["Bodies"]

RECENT: Final = 4
"""Bodies of which one may be continued: a harness asks for titles and summaries in between."""
MOST: Final = 8 * 1024 * 1024
"""Bytes from which on a body is not looked at, whatever it begins with: comparing it would take a moment, too."""
_LISTS: Final = ("messages", "input")
"""Members whose items are told again in every request."""
_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_decode: Final = json.JSONDecoder().raw_decode


class _OtherwiseError(ValueError):
    """Text that is not written as expected; the ordinary parser has the last word."""


@dataclass(slots=True)
class _Body:
    """A body that was read: the members before its list, and where in its text each item of that ends."""

    text: str
    head: dict[str, Any]
    name: str
    items: list[Any]
    ends: list[int]

    def common(self, text: str) -> int:
        """How many items another body begins with, too, after the same head."""
        low, high = 0, len(self.ends)
        while low < high:
            # All of them, as a conversation goes on; else halving.
            middle = high if low == 0 and high == len(self.ends) else (low + high + 1) // 2
            end = self.ends[middle - 1]
            if text.startswith(self.text[:end]) and text[end : end + 1] in (",", "]", " ", "\n", "\r", "\t"):
                low = middle
            else:
                high = middle - 1
        return low


class Bodies:
    """The last bodies of one trial."""

    def __init__(self) -> None:
        self._recent: deque[_Body] = deque(maxlen=RECENT)

    def read(self, body: bytes | bytearray, most: int) -> JsonValue | None:
        """The value of a body; None if that means to read more than `most` bytes.

        Raises:
            BadRequest: it is not JSON.
        """
        if len(body) > max(most, MOST):
            return None
        try:
            text = body.decode()
            before, count = self._nearest(text)
            if len(text) - (before.ends[count - 1] if before else 0) > most:
                return None
            found = _Reading(text, before, count)
            value = found.value()
        except (ValueError, IndexError, RecursionError):
            return parse_json(body) if len(body) <= most else None
        if before is not None:
            self._recent.remove(before)
        if found.body is not None:
            self._recent.append(found.body)
        return value

    def _nearest(self, text: str) -> tuple[_Body | None, int]:
        """The body that this one goes on from, and with how many items."""
        found, most = None, 0
        for body in reversed(self._recent):  # one that has no more items than are known already has nothing to add
            if len(body.ends) > most and (count := body.common(text)) > most:
                found, most = body, count
        return found, most


class _Reading:
    """Reads one text; `body` is what is kept of it, None where it has no list."""

    def __init__(self, text: str, before: _Body | None, count: int) -> None:
        self.body: _Body | None = None
        self._text = text
        self._before, self._count = before, count
        self._at = 0

    def value(self) -> JsonValue:
        """The whole.

        Raises:
            ValueError, IndexError, RecursionError: it is no object, or not written as expected.
        """
        members: dict[str, Any] = {}
        if self._before is not None:
            members = dict(self._before.head)
            self._items(members, self._before.name)
        else:
            self._expect("{")
            self._member(members)
        while self._text[self._at] == ",":
            self._at += 1
            self._member(members)
        self._expect("}")
        if self._at != len(self._text):
            raise _OtherwiseError
        if HALVES.search(self._text, self._before.ends[self._count - 1] if self._before else 0):
            return self._mended(members)
        return members

    def _mended(self, members: dict[str, Any]) -> JsonValue:
        body = self.body
        if body is None:
            whole: JsonValue = without_halves(members)
            return whole
        found = without_halves({**members, body.name: body.items[self._count :]})
        body.items[self._count :] = found[body.name]
        body.head = without_halves(body.head)
        return {**found, body.name: body.items}

    def _blanks(self) -> None:
        found = _BLANKS.match(self._text, self._at)
        self._at = found.end() if found else self._at

    def _expect(self, mark: str) -> None:
        self._blanks()
        if self._text[self._at] != mark:
            raise _OtherwiseError
        self._at += 1
        self._blanks()

    def _member(self, members: dict[str, Any]) -> None:
        self._blanks()
        name, self._at = _decode(self._text, self._at)
        if not isinstance(name, str) or name in members:
            raise _OtherwiseError
        self._expect(":")
        if name in _LISTS and self.body is None and self._text[self._at] == "[":
            self._items(members, name)
        else:
            members[name], self._at = _decode(self._text, self._at)
        self._blanks()

    def _items(self, members: dict[str, Any], name: str) -> None:
        """The list: what is known of it, then what is new."""
        head, items, ends = dict(members), list[Any](), list[int]()
        if self._before is not None:
            items, ends = self._before.items[: self._count], self._before.ends[: self._count]
            self._at = ends[-1]
            self._blanks()
        else:
            self._expect("[")
        while self._text[self._at] != "]":
            if items:
                self._expect(",")
            item, self._at = _decode(self._text, self._at)
            items.append(item)
            ends.append(self._at)
            self._blanks()
        self._at += 1
        self._blanks()
        self.body = _Body(self._text, head, name, items, ends)
        members[name] = items
