r"""Finding evidence fragments in what a harness sends.

A fragment is a single line. It is looked for in every line of a text, in three readings: as it is, and with JSON escapes
undone once and twice (files travel inside JSON tool results, and those inside JSON again). Both sides are brought to NFKC
with runs of blanks collapsed. Line-number prefixes (``12| ``, ``    12\t``, ``L12:``) need no undoing: they stand before a
line and a fragment never goes across lines, so it is still a substring. A line that was wrapped is found, too, if nothing but
line breaks, blanks and a single sign as a mark stands between its parts.
"""

from __future__ import annotations

import html
import json
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

__all__ = ["Matcher", "bare", "find", "normalise", "readings", "shows_part", "unescape", "within"]

HEAD: Final = 40
"""Characters of a line that are enough to know it."""
TELLING: Final = 8
"""Characters of a line from which on it is no chance that a result has it."""
_BLANKS = re.compile(r"[^\S\n]+")
_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_SIMPLE: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|amp|lt|gt|quot|apos);")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_SIGNS = re.compile(r"[\W_]+")
_SURROGATE = re.compile("[\ud800-\udfff]")


def normalise(text: str) -> str:
    """NFKC, every run of blanks within a line as one space, no blanks at the ends; lines stay lines."""
    return _BLANKS.sub(" ", text if text.isascii() else unicodedata.normalize("NFKC", text)).strip()


def unescape(text: str) -> str:
    """`text` with JSON escapes undone once; what is no escape stays."""
    plain = _ESCAPE.sub(_character, text)
    if _SURROGATE.search(plain):
        plain = plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return plain


def _character(match: re.Match[str]) -> str:
    code, simple = match.groups()
    return chr(int(code, 16)) if code else _SIMPLE.get(simple, simple)


def readings(text: str) -> tuple[str, ...]:
    """The normalised readings of a text without its colours: as it is, as XML, unescaped once and twice; equal ones once."""
    plain = [_COLOUR.sub("", text)]
    if _ENTITY.search(plain[0]):
        plain.append(html.unescape(plain[0]))
    for _ in range(2):
        if "\\" not in plain[-1]:
            break
        plain.append(unescape(plain[-1]))
    return tuple(dict.fromkeys(normalise(reading) for reading in plain))


def within(line: str, reading: str) -> bool:
    """Whether a normalised line stands in a reading, as one line or wrapped."""
    if not line or line in reading:
        return bool(line)
    return "\n" in reading and bare(line) in bare(reading) and _wrapped(line).search(reading) is not None


def shows_part(texts: Sequence[str]) -> Callable[[str], bool]:
    """Whether a result shows a line of a file, in any of its versions, or how a long one begins."""
    lines = {normalise(line) for text in texts for line in text.splitlines()}
    heads = {line[:HEAD] for line in lines if len(line) >= TELLING}

    def shows(text: str) -> bool:
        return any(head in reading for reading in readings(text) for head in heads)

    return shows


def bare(text: str) -> str:
    """Letters and digits only."""
    return _SIGNS.sub("", text)


@lru_cache(maxsize=256)
def _wrapped(line: str) -> re.Pattern[str]:
    break_ = r"[^\S\n]*[^\w\s]?[^\S\n]*\n\s*"
    parts = (rf"(?:{break_}|\s+)" if part == " " else rf"{re.escape(part)}(?:{break_})?" for part in line)
    return re.compile("".join(parts))


def find(fragments: Mapping[str, str], texts: Iterable[str]) -> set[str]:
    """Ids of the fragments (text by id) that stand in at least one of the texts."""
    matcher = Matcher()
    return {found for text in texts for found in matcher.found(fragments, text)}


class Matcher:
    """`find` for one trial: each distinct text is normalised once, up to `limit` characters kept in all."""

    def __init__(self, limit: int = 32_000_000) -> None:
        self._limit = limit
        self._size = 0
        self._known: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def found(self, fragments: Mapping[str, str], text: str, besides: Collection[str] = ()) -> set[str]:
        """Ids of the fragments in `text`, not counting what stands there only as part of one of the texts `besides`."""
        known = self.readings(text)
        stripped: list[str] = []
        found = set()
        for name, fragment in fragments.items():
            wanted = _normalised(fragment)
            holding = [reading for reading in known if wanted in reading] if wanted else []
            if wanted and not holding and not besides:  # it may have been wrapped
                stripped = stripped or [bare(reading) if "\n" in reading else "" for reading in known]
                likely = [reading for reading, without in zip(known, stripped, strict=True) if bare(wanted) in without]
                holding = [reading for reading in likely if _wrapped(wanted).search(reading)]
            if holding and besides:
                excluded = [part for own in besides for part in _parts(own) if wanted in part]
                holding = [reading for reading in holding if wanted in _without(reading, excluded)]
            if holding:
                found.add(name)
        return found

    def readings(self, text: str) -> tuple[str, ...]:
        """`readings`, remembered."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = readings(text)
            self._size += len(text)
            while self._size > self._limit and len(self._known) > 1:
                old, _ = self._known.popitem(last=False)
                self._size -= len(old)
        return known


@lru_cache(maxsize=4096)
def _normalised(fragment: str) -> str:
    return normalise(fragment)


@lru_cache(maxsize=4096)
def _parts(text: str) -> tuple[str, ...]:
    return (*readings(text), normalise(json.dumps(text, ensure_ascii=False)[1:-1]))


def _without(text: str, parts: Iterable[str]) -> str:
    for part in parts:
        text = text.replace(part, "\n")
    return text
