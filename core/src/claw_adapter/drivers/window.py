"""The part of a terminal's output that nobody has asked for yet, in bounded memory."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

__all__ = ["SEARCH_BYTES", "Heard", "Window"]

SEARCH_BYTES: Final = 16 * 1024
"""How far back a pattern is looked for in bytes that were searched before: the longest match across two reads."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Output up to and including what was waited for.

    Attributes:
        before: bytes before the match; everything where there was no pattern.
        match: the bytes that matched.
        groups: the groups of the match.
        index: which of the patterns it was.
        dropped: bytes before `before` that came and were not kept, because nobody read them in time.
        ended: the terminal is closed, nothing more will come.
    """

    before: bytes
    match: bytes = b""
    groups: tuple[bytes | None, ...] = ()
    index: int = 0
    dropped: int = 0
    ended: bool = False

    @property
    def text(self) -> str:
        """All of it as text, bad UTF-8 replaced; terminal sequences are left in."""
        return (self.before + self.match).decode("utf-8", "replace")


class Window:
    """Unread output: takes any amount, keeps the last `limit` bytes at least and twice that at most."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._data = bytearray()
        self._searched = 0
        self._dropped = 0
        self._changed = asyncio.Event()
        self.ended = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._data += data
        if len(self._data) > 2 * self._limit:
            self._forget(len(self._data) - self._limit)
        self._changed.set()

    def end(self) -> None:
        """No more bytes will come."""
        self.ended = True
        self._changed.set()

    async def changed(self) -> None:
        """Wait until bytes have come since the last call, or the end."""
        if not self.ended:
            await self._changed.wait()
            self._changed.clear()

    def take(self) -> Heard:
        """Everything that is there."""
        return self._cut(len(self._data), len(self._data))

    def find(self, patterns: Sequence[re.Pattern[bytes]], *, anew: bool = False) -> Heard | None:
        """Cut off everything up to the earliest match of any pattern; None leaves all as it is.

        Args:
            patterns: of matches that begin at the same place the first pattern's wins.
            anew: search all of it, because these patterns were not looked for before.
        """
        fresh = len(self._data) if anew else len(self._data) - self._searched + SEARCH_BYTES
        found = _earliest(patterns, self._data, fresh)
        self._searched = len(self._data)
        return None if found is None else self._cut(*found)

    def _cut(self, start: int, end: int, groups: tuple[bytes | None, ...] = (), index: int = 0) -> Heard:
        before, match = bytes(self._data[:start]), bytes(self._data[start:end])
        heard = Heard(before, match, groups, index, self._dropped, self.ended)
        del self._data[:end]
        self._searched = self._dropped = 0
        return heard

    def _forget(self, number: int) -> None:
        del self._data[:number]
        self._dropped += number
        self._searched = max(0, self._searched - number)


def _earliest(
    patterns: Sequence[re.Pattern[bytes]], data: bytearray, last: int
) -> tuple[int, int, tuple[bytes | None, ...], int] | None:
    """Start, end, groups and pattern of the earliest match that begins within the last bytes.

    Only plain values leave this function: a match object that lives on would forbid `data` to shrink.
    """
    from pexpect.expect import searcher_re

    searcher = searcher_re(patterns)
    index = searcher.search(cast("bytes", data), last, last)
    if index < 0:
        return None
    match: re.Match[bytes] = searcher.match
    return match.start(), match.end(), match.groups(), index
