"""Keys removed from text, values and bytes, however they are encoded and wherever they are cut.

A key of `LONG` characters or more is removed: as it is, in base64 and hexadecimal spelling, with any of its characters escaped
as in JSON, URLs and HTML, also several times over, and every run of `LONG` of its characters. Shorter ones (dummies such as
``x``, which local servers take) are words of any text and stay.
Only values of strings change, never names of fields nor what a format gives a meaning to.
"""

from __future__ import annotations

import base64
import html
import json
import logging
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from html.entities import html5
from typing import Any, BinaryIO, Final, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, JsonValue

__all__ = ["LONG", "REDACTED", "RedactingFile", "RedactingFormatter", "RedactingPieces", "RedactingStream", "Redactor"]

REDACTED: Final = "[key removed]"
LONG: Final = 12
"""Characters from which on a key is removed wherever it stands, and that a piece of a key must have."""
_BLOCK: Final = LONG // 2
_CODE: Final = (
    r"(?:(?<!\\)\\+(?:u00|x)|%)(?P<hex>[2-7][0-9a-f])"
    r"|&(?P<entity>#0*(?:3[2-9]|[4-9]\d|1[01]\d|12[0-6]);?|#x0*[2-7][0-9a-f];?"
    + "".join(f"|{name}" for name, one in html5.items() if one.isascii() and one.isprintable() and name[-1] == ";")
    + ")"
)
"""A character of ASCII as JSON (also JSON in JSON), URLs and HTML may write it."""
_SIGNS: Final = "\"'/\\"
"""Characters that JSON, and programs, write with one of these before them."""
_ESCAPES: Final = {
    False: re.compile(_CODE, re.IGNORECASE),
    True: re.compile(rf"{_CODE}|(?<!\\)\\+(?P<sign>[{re.escape(_SIGNS)}])", re.IGNORECASE),
}
"""By whether a key has any of `_SIGNS`: texts are full of those."""
ESCAPED: Final = 8
_ONE_CASE: Final = str.maketrans("ABCDEF", "abcdef")
"""Digits beyond 9 may come in either case, and in both."""
_LAYERS: Final = 4
"""So often one escape may stand in another."""
_OPEN: Final = re.compile(r"[\\%&][\w%&#;\\]*$")
_LONGEST: Final = 40
"""Characters that the beginning of an escape may have."""

Span = tuple[int, int]
M = TypeVar("M", bound=BaseModel)


class Redactor:
    """Removes keys. Those shorter than `LONG` are passed over, so without a long one nothing is looked at.

    Text is looked at in blocks so short that a run long enough to count holds a whole one, so the time does not depend on the
    number of keys; a block that a form has, too, is then extended to both sides as far as text and form agree.
    """

    def __init__(self, keys: Iterable[str] = ()) -> None:
        self.keys: Final = tuple(dict.fromkeys(key for key in keys if len(key) >= LONG))
        self._escape = _ESCAPES[any(sign in key for key in self.keys for sign in _SIGNS)]
        forms = [one for key in self.keys for one in _forms(key)]
        forms += [(undone, least) for form, least in forms for undone in _layers(form, self._escape)]
        self._forms = tuple(dict.fromkeys(forms))
        blocks: defaultdict[str, list[tuple[str, int, int]]] = defaultdict(list)
        for form, least in self._forms:
            for offset in range(len(form) - _BLOCK + 1):
                blocks[form[offset : offset + _BLOCK]].append((form, offset, least))
        self._blocks = dict(blocks)

    def __bool__(self) -> bool:
        return bool(self.keys)

    @property
    def reach(self) -> int:
        """Characters that a key may take, however it is spelt (an escape takes six, or a few more in another)."""
        return max((ESCAPED * len(form) for form, _ in self._forms), default=0)

    def plus(self, key: str) -> Redactor:
        """One that removes a further key, too."""
        return Redactor((*self.keys, key))

    def text(self, text: str) -> str:
        """`text` without keys; the same object where there is none."""
        spans = self.spans(text)
        return _without(text, spans, lambda _: REDACTED) if spans else text

    def data(self, data: bytes) -> bytes:
        """The same for bytes, whose number stays: their format may count on it."""
        if not self.keys:
            return data
        return _RedactingBytes(self).feed(data, last=True)

    def value(self, value: JsonValue) -> JsonValue:
        """A JSON value without keys in its strings; names of fields stay."""
        if not self.keys:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {name: self.value(item) for name, item in value.items()}
        return [self.value(item) for item in value] if isinstance(value, list) else value

    def record(self, record: M) -> M:
        """A record without keys in its free text and bytes; the same object where there is none."""
        changes: dict[str, Any] = {}
        if not self.keys:
            return record
        for name, info in type(record).model_fields.items():
            before = getattr(record, name)
            if info.metadata or "Literal" in repr(info.annotation):  # a word that the format knows, or an identifier
                continue
            if (after := self._field(before)) is not before:
                changes[name] = after
        return record.model_copy(update=changes) if changes else record

    def split(self, text: str) -> tuple[list[Span], int]:
        """Where keys stand, and how many characters from the beginning on nothing that may follow makes part of a key."""
        if not self._blocks:
            return [], len(text)
        layers = self._layered(text)
        spans, cut = self._keys_in(layers), min(place(len(one) - self._open(one)) for one, place in layers.items())
        cut = next((start for start, end in spans if start < cut < end), cut)
        return [span for span in spans if span[1] <= cut], cut

    def _field(self, value: Any) -> Any:
        """The value of a record's field; the same object where it has no key."""
        after = value
        match value:
            case str() if not isinstance(value, Enum):
                after = self.text(value)
            case bytes():
                after = self.data(value)
            case BaseModel():
                after = self.record(value)
            case Mapping():
                mapped = {name: self._field(item) for name, item in value.items()}
                after = mapped if any(mapped[name] is not value[name] for name in mapped) else value
            case tuple() | list():
                items = [self._field(item) for item in value]
                after = type(value)(items) if any(a is not b for a, b in zip(items, value, strict=True)) else value
        return after

    def spans(self, text: str) -> list[Span]:
        """Where keys stand, in order, without overlaps."""
        if not self._blocks or len(text) < LONG:
            return []
        return self._keys_in(self._layered(text))

    def _layered(self, text: str) -> dict[str, Callable[[int], int]]:
        """The text, and what it is without its escapes, each with where a character of it stands in the text."""
        return {text: int, **_layers(text, self._escape)}

    def _keys_in(self, layers: Mapping[str, Callable[[int], int]]) -> list[Span]:
        found = {(place(start), place(end)) for plain, place in layers.items() for start, end in self._found(plain)}
        return list(_merged(sorted(found)))

    def _open(self, text: str) -> int:
        """How many characters at the end may be part of a key that goes on, or of an escape."""
        escape = _unfinished(text)
        whole, length = text[: len(text) - escape], 0
        for one in {whole, whole.translate(_ONE_CASE)}:
            while length < len(one) and any(one[-length - 1 :] in form for form, _ in self._forms):
                length += 1
        return length + escape

    def _found(self, text: str) -> set[Span]:
        known, found = self._blocks, set[Span | None]()
        for one in {text, text.translate(_ONE_CASE)}:
            hits = [at for at in range(0, len(one), _BLOCK) if one[at : at + _BLOCK] in known]
            found |= {_extent(one, at, *place) for at in hits for place in known[one[at : at + _BLOCK]]}
        return {span for span in found if span is not None}


@dataclass(frozen=True, slots=True)
class _Places:
    """Where the characters of a text without escapes stood: each of its parts begins at a place `here`, and `there`."""

    here: Sequence[int]
    there: Sequence[int]
    before: Callable[[int], int]
    """The same for the text in which they stood."""

    def __call__(self, at: int) -> int:
        """Where the character at a place begins in the text that was given."""
        part = bisect_right(self.here, at) - 1
        return self.before(self.there[part] + at - self.here[part])


def _layers(text: str, escape: re.Pattern[str]) -> dict[str, Callable[[int], int]]:
    """The text without escapes, and without those that come to light then: each with the places where its characters stood."""
    found: dict[str, Callable[[int], int]] = {}
    place: Callable[[int], int] = int
    for _ in range(_LAYERS):
        parts, here, there, done, size = list[str](), [0], [0], 0, 0
        for one in escape.finditer(text):
            parts += [text[done : one.start()], _character(one)]
            size += one.start() - done
            here += [size, size + 1]
            there += [one.start(), one.end()]
            done, size = one.end(), size + 1
        if not parts:
            break
        text = "".join([*parts, text[done:]])
        place = found[text] = _Places(here, there, place)
    return found


def _unfinished(text: str) -> int:
    """How many characters at the end may be the beginning of an escape that goes on."""
    found = _OPEN.search(text[-_LONGEST:])
    return 0 if found is None else len(found[0])


def _character(found: re.Match[str]) -> str:
    given = found.groupdict()
    if given["hex"]:
        return chr(int(given["hex"], 16))
    return html.unescape(f"&{given['entity'].rstrip(';')};") if given["entity"] else str(given["sign"])


class RedactingStream:
    """Redacts text that comes in pieces: what may be the beginning of a key is kept back until more has come."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._kept = ""

    def feed(self, piece: str) -> str:
        """What can be passed on."""
        text = self._kept + piece
        spans, cut = self._redactor.split(text)
        self._kept = text[cut:]
        return _without(text[:cut], spans, lambda _: REDACTED)

    def end(self) -> str:
        """What was kept back."""
        kept, self._kept = self._kept, ""
        return self._redactor.text(kept)


class RedactingPieces:
    """Redacts text that comes in pieces which are not kept back: of a key across them fewer than `LONG` characters pass."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._before = ""

    def feed(self, piece: str) -> str:
        """The piece without what makes part of a key, with what came before."""
        text, known = self._before + piece, len(self._before)
        spans = [(max(start, known) - known, end - known) for start, end in self._redactor.spans(text) if end > known]
        self._before = text[-self._redactor.reach :] if self._redactor else ""
        return _without(piece, spans, lambda _: REDACTED)


class _RedactingBytes:
    """The same for bytes, as many as there were."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._kept = ""

    def feed(self, data: bytes, *, last: bool = False) -> bytes:
        text = self._kept + data.decode("latin-1")
        spans, cut = (self._redactor.spans(text), len(text)) if last else self._redactor.split(text)
        self._kept = text[cut:]
        if not spans and cut == len(data):
            return data
        return _without(text[:cut], spans, lambda size: REDACTED[:size].ljust(size, "*")).encode("latin-1")


class RedactingFile:
    """Reads an open file without keys; what comes has as many bytes as the file."""

    def __init__(self, source: BinaryIO, redactor: Redactor) -> None:
        self._source = source
        self._bytes = _RedactingBytes(redactor)
        self._ahead = b""
        self._ended = False

    def read(self, size: int) -> bytes:
        """At most `size` bytes; none at the end."""
        while len(self._ahead) < size and not self._ended:
            block = self._source.read(size)
            self._ended = not block
            self._ahead += self._bytes.feed(block, last=self._ended)
        found, self._ahead = self._ahead[:size], self._ahead[size:]
        return found


class RedactingFormatter(logging.Formatter):
    """Formats log records, tracebacks included, without keys."""

    def __init__(self, form: str, redactor: Redactor) -> None:
        super().__init__(form)
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        """The line or lines of a record."""
        return self._redactor.text(super().format(record))


def _forms(key: str) -> Iterator[tuple[str, int]]:
    """Spellings of a key without escapes, each with the length of the shortest run of it that counts."""
    data = key.encode("utf-8", "surrogatepass")
    yield key, LONG
    yield data.decode("latin-1"), LONG  # as bytes are looked at
    for form in _beyond_ascii(key) if not key.isascii() else ():
        yield form, LONG
    for spell in (base64.b64encode, base64.urlsafe_b64encode):
        for before in range(3):  # a key may stand anywhere in what was encoded
            whole = spell(b"\0" * before + data + b"\0\0\0").decode()
            form = whole[(8 * before + 5) // 6 : 8 * (before + len(data)) // 6]
            yield form, min(LONG * 8 // 6 - 1, len(form))
    yield data.hex(), 2 * LONG


def _beyond_ascii(key: str) -> Iterator[str]:
    """A key with characters that have no escape of their own alone, in JSON, twice so, and in URLs."""
    in_json = json.dumps(key)[1:-1]
    yield from (in_json, json.dumps(in_json)[1:-1])
    for safe in ("", "/"):
        first, *rest = quote(key, safe=safe, errors="surrogatepass").split("%")
        for form in ("%".join([first, *rest]), "%".join([first, *(part[:2].lower() + part[2:] for part in rest)])):
            yield from (form, form.replace("%", "%25"))


def _extent(text: str, at: int, form: str, offset: int, least: int) -> Span | None:
    """How far text and form agree around a block of the form that was found at `at`; None if that is too short to count."""
    start, end, shift = at, at + _BLOCK, offset - at
    while start > 0 and start + shift > 0 and text[start - 1] == form[start + shift - 1]:
        start -= 1
    while end < len(text) and end + shift < len(form) and text[end] == form[end + shift]:
        end += 1
    return (start, end) if end - start >= least else None


def _without(text: str, spans: Iterable[Span], in_place: Callable[[int], str]) -> str:
    """`text` with something in place of the spans, made from the length of each."""
    parts, done = [], 0
    for start, end in spans:
        parts += [text[done:start], in_place(end - start)]
        done = end
    return "".join([*parts, text[done:]])


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    last: Span | None = None
    for start, end in spans:
        if last is not None and start < last[1]:
            last = last[0], max(last[1], end)
            continue
        if last is not None:
            yield last
        last = start, end
    if last is not None:
        yield last
