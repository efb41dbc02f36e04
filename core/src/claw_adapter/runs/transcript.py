"""The transcript of a trial: every request and reply as JSON lines, without repeating a long history in every request.

Two kinds of line, in order of time::

    {"kind": "part", "sha": SHA256, "value": JSON}       a message, a tool list, parameters, native fields; once per opening
    {"kind": "exchange", "keep": 37, "more": [SHA…], …}  messages = the first 37 of the exchange before it, then these;
                                                         [5, 3] among them: three of that exchange from number 5 on;
                                                         "back": 2: not the exchange before it, but the second before it

A part with ``"text": [SHA, 900, 20]`` has a text that begins with 900 characters of that part's and ends with its last 20.

`SHA256` is that of the value's canonical JSON as it was sent. No header is ever written, and keys are removed from the values
of strings.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any, Final, Literal, Self, cast

from pydantic import Field, JsonValue

from claw_adapter.errors import JournalError
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.turn import Failure
from claw_adapter.reading import each_once, parse_json, why
from claw_adapter.redaction import Redactor
from claw_adapter.shared import shared

__all__ = ["Exchange", "Parts", "Transcript", "TranscriptReader", "by_process", "digest", "is_line", "read_transcript"]

DAMAGED: Final = "Restore the run folder from a copy."

Json = dict[str, JsonValue]

RECENT: Final = 8
"""Exchanges of which one may be continued: a harness asks for titles and summaries in between."""
LONG: Final = 2000
"""Characters from which on a text is told by one before it."""
MOST_BYTES: Final = 128 * 1024 * 1024
"""Of the messages of a request as JSON: twice the largest body that the endpoint takes."""
MOST_MESSAGES: Final = 2 * 1024 * 1024
"""Of a request: as many as such a body has with a word in each."""
MOST_HELD: Final = 1024 * 1024 * 1024
"""Bytes that references make of a transcript, beside what stands in it."""
OF_A_PART: Final = len(json.dumps({"kind": "part", "sha": "0" * 64, "value": ""}))
"""Bytes of a part's line beside the part."""
REFERENCE: Final = 8
"""Bytes that naming a message takes in memory."""
REFERRED: Final = {"messages", "tools", "params", "native"}
"""Fields of an exchange that its line has by reference."""
OF_EXCHANGE: Final = frozenset({"kind", "keep", "more", "back", *REFERRED})
"""What the line of an exchange has beside the fields of one."""
OF_PART: Final = frozenset({"kind", "sha", "value", "text"})
_OURS: Final = frozenset({"kind", "sha", "more", "text", "back", "keep", "origin", "dialect", "round", "at", "fault"})
"""Fields of a line in which only words of ours stand."""


class Exchange(Record):
    """A request with its reply, references resolved.

    `messages`, `tools` and `reply` are in the OpenAI chat form whatever the dialect was; `status` is the HTTP status that
    the harness got (499: it gave up before there was one; an error in the middle of a stream stands with its own status).
    """

    number: int
    round: str = ""
    """Empty for requests outside rounds."""
    attempt: int = 0
    at: str
    """Start, ISO 8601."""
    seconds: float
    dialect: str
    origin: Literal["harness", "overlay", "hop"] = "harness"
    """Who asked: the harness, an overlay for itself; ``hop``: the harness, but an overlay kept it from the model."""
    stream: bool
    asked: str
    """Model id that the harness asked for."""
    messages: tuple[Json, ...] = ()
    tools: tuple[Json, ...] = ()
    params: Json = Field(default_factory=dict)
    native: Json = Field(default_factory=dict)
    """Fields and announcements that only the request's own dialect knows."""
    fault: str = ""
    """The scheduled fault that took the place of a reply."""
    sent: bool = True
    """Whether a model was asked; True in runs of earlier versions."""
    held: float = 0.0
    """Seconds from its start in which the provider was away."""
    given_up: bool = False
    """The harness gave it up while the provider was away, or its reply broke off; a turn that failed of that was begun anew."""
    status: int
    reply: Json | None = None
    finish: str = ""
    usage: Json = Field(default_factory=dict)
    """A `TokenCounts`, without what the upstream did not say."""
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Parts:
    """Digests of a request's messages and tools (empty: it has none), and those themselves unless they are written already."""

    messages: tuple[str, ...]
    tools: str = ""
    values: Sequence[Json] = ()
    tool_values: Sequence[Json] = ()


class Transcript:
    """Appends to one file; `redactor` removes keys from what is written.

    A torn last line, left by a process that was killed, is cut off.
    """

    def __init__(self, path: Path, redactor: Redactor | None = None) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path: Final = path
        _cut_torn_line(path)
        self._file = path.open("ab", buffering=0)
        self.redactor = redactor or Redactor()
        self._known: set[str] = set()
        self._texts: deque[tuple[str, str]] = deque(maxlen=RECENT)
        """Long texts with the digests of their parts, the newest first."""
        self._recent: deque[list[str]] = deque(maxlen=RECENT)

    def unknown(self, parts: Parts) -> set[str]:
        """Those that are not written yet."""
        return {*parts.messages, *filter(None, [parts.tools])} - self._known

    def learn(self, written: Iterable[str]) -> None:
        """Somebody else has written these parts into the file."""
        self._known.update(written)

    def append(self, exchange: Exchange, parts: Parts | None = None) -> None:
        """Write one exchange, and whatever parts of it are new, in a single write.

        With `parts` it has no messages and tools of its own.
        """
        lines: list[Json] = []
        shas, tools = self._parts_of(exchange, lines) if parts is None else self._written(parts, lines)
        back, before = self._nearest(shas)
        keep = _common(before, shas)
        line = exchange.model_dump(mode="json", exclude=REFERRED)
        line |= {"kind": "exchange", "keep": keep, "more": _told(shas[keep:], before)}
        if back > 1:
            line["back"] = back
        line["tools"] = tools or None
        line["params"] = self._part(exchange.params, lines)
        line["native"] = self._part(exchange.native, lines) if exchange.native else None
        self._recent.appendleft(shas)
        self._file.write(b"".join(_written(self._clean(item)) + b"\n" for item in [*lines, line]))

    def _parts_of(self, exchange: Exchange, lines: list[Json]) -> tuple[list[str], str]:
        """Digests of an exchange's messages and tools, whose lines are added where they are new."""
        shas = [self._message(message, lines) for message in exchange.messages]
        return shas, self._part(list(exchange.tools), lines) if exchange.tools else ""

    def _written(self, parts: Parts, lines: list[Json]) -> tuple[list[str], str]:
        """The same where the digests are known: only what is new is looked at."""
        new = set(parts.messages) - self._known
        for sha, message in compress(
            zip(parts.messages, parts.values, strict=False), map(new.__contains__, parts.messages)
        ):
            if sha not in self._known:  # nor twice in this one
                self._message(message, lines)
        if parts.tool_values and parts.tools not in self._known:
            self._part(list(parts.tool_values), lines)
        return list(parts.messages), parts.tools

    def _nearest(self, shas: list[str]) -> tuple[int, list[str]]:
        """Which of the last exchanges has most of these messages: how many back it is, and its messages."""
        for back, one in enumerate(self._recent, 1):
            if one and one == shas[: len(one)]:  # it goes on
                return back, one
        wanted = set(shas)
        found = max(self._recent, key=lambda one: len(wanted.intersection(one)), default=[])
        return (self._recent.index(found) + 1 if self._recent else 1), found

    def hide(self, redactor: Redactor) -> None:
        """Remove what this one removes from now on."""
        self.redactor = redactor

    def _clean(self, line: Json) -> Json:
        """A line without keys; digests and what this format itself says are none."""
        return {name: item if name in _OURS else self.redactor.value(item) for name, item in line.items()}

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _message(self, message: Json, lines: list[Json]) -> str:
        """A part; of a long text, only what a text before it has not: some harnesses put a whole conversation into one."""
        written, sha, text = len(lines), self._part(message, lines), message.get("content")
        if len(lines) == written or not isinstance(text, str) or len(text) < LONG:
            return sha
        clean = self.redactor.text(text)
        told = ((base, *shared(old, clean)) for base, old in self._texts)
        base, first, last = max(told, key=lambda one: one[1] + one[2], default=("", 0, 0))
        if first + last > len(clean) // 2:
            lines[-1]["value"] = {**message, "content": clean[first : len(clean) - last]}
            lines[-1]["text"] = [base, first, last]
        self._texts.appendleft((sha, clean))
        return sha

    def _part(self, value: JsonValue | list[Json] | Json, lines: list[Json]) -> str:
        sha = digest(value)
        if sha not in self._known:
            self._known.add(sha)
            lines.append({"kind": "part", "sha": sha, "value": value})  # type: ignore[dict-item]  # a list of JSON is JSON
        return sha


class TranscriptReader:
    """Takes the lines of a transcript, in order; each exchange is whole when its line comes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = 0
        self._parts: dict[str, JsonValue] = {}
        self._sizes: dict[str, int] = {}
        self._held = 0
        self._recent: deque[list[str]] = deque(maxlen=RECENT)

    def take(self, raw: bytes) -> Exchange | None:
        """The exchange of a line; None where the line holds a part of later ones.

        Raises:
            JournalError: the line is not JSON, no line of a transcript, or refers to a part that is not there.
        """
        self._number += 1
        try:
            line = parse_json(raw)
            if line["kind"] == "part":
                self._parts[line["sha"]], told = _whole(line["value"], line.get("text"), self._parts)
                self._sizes[line["sha"]] = len(raw) + told
                self._hold(told)
                return None
            back = line.pop("back", 1)
            shas = _resolved(line.pop("keep"), line.pop("more"), self._recent[back - 1] if self._recent else [])
            self._weigh(shas)
            self._recent.appendleft(shas)
            return _resolve(line, shas, self._parts)
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise JournalError(
                f"damaged transcript: {why(error)}", where=f"{self._path}:{self._number}", remedy=DAMAGED
            ) from None

    def _weigh(self, shas: Sequence[str]) -> None:
        if sum(map(self._sizes.__getitem__, shas)) > MOST_BYTES + len(shas) * OF_A_PART:
            raise ValueError(f"a request of more than {MOST_BYTES} bytes")
        self._hold(REFERENCE * len(shas))

    def _hold(self, size: int) -> None:
        self._held += size
        if self._held > MOST_HELD:
            raise ValueError(f"what it refers to has more than {MOST_HELD} bytes")


def by_process(exchanges: Iterable[Exchange]) -> Iterator[tuple[int, Exchange]]:
    """Every exchange with the number, from 0, of the process that made it: one that resumed a trial counts from 1 again.

    Within one process every number occurs once, though not always in order: requests may overlap.
    """
    numbers: set[int] = set()
    process = 0
    for exchange in exchanges:
        if exchange.number in numbers:
            process, numbers = process + 1, set()
        numbers.add(exchange.number)
        yield process, exchange


def read_transcript(path: Path) -> Iterator[Exchange]:
    """Yield the exchanges of a transcript in order; a torn last line is left out.

    Raises:
        JournalError: a line other than the last is not JSON, or refers to a part that is not there.
    """
    reader = TranscriptReader(path)
    with path.open("rb") as file:
        for raw in file:
            if not raw.endswith(b"\n"):
                return
            if (exchange := reader.take(raw)) is not None:
                yield exchange


def is_line(raw: bytes) -> bool:
    """Whether a line of a transcript is to the letter as this version writes it: each value once, and of its own type.

    Raises:
        ValueError: it is not JSON.
    """
    line = parse_json(raw, each_once)
    with suppress(AttributeError, KeyError, TypeError):  # what is no line of any kind
        return _is_written_so(line, raw)
    return False


def _is_written_so(line: Any, raw: bytes) -> bool:
    if line.get("kind") == "part":
        same = raw in (_written(line), _written_large(line)) and line.keys() <= OF_PART
        return same and all(type(place) is int for place in line.get("text", [])[1:])
    own = {name: item for name, item in line.items() if name not in OF_EXCHANGE}
    ranges = [at for one in line["more"] if isinstance(one, list) for at in one]
    places = [line["keep"], line.get("back", 2), *ranges]
    same = json.dumps(own) == json.dumps(Exchange.model_validate(own).model_dump(mode="json", exclude=REFERRED))
    return same and raw == _written(line) and all(type(place) is int for place in places)


def _written(line: Json) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _written_large(part: Json) -> bytes:
    """How the endpoint's helper for large requests writes one."""
    return f'{{"kind":"part","sha":"{part["sha"]}","value":{_canonical(part["value"])}}}'.encode()


def digest(value: Any) -> str:
    """By which a part is known: the sha256 of its canonical JSON."""
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _resolve(line: Json, shas: Sequence[str], parts: dict[str, JsonValue]) -> Exchange:
    """An exchange; parts are shared by all that name them, and are JSON already."""
    del line["kind"]
    tools, params, native = line.pop("tools"), line.pop("params"), line.pop("native", None)
    told: dict[str, Any] = {
        "messages": tuple(parts[sha] for sha in shas),
        "tools": tuple(cast("list[Json]", parts[str(tools)])) if tools else (),
        "params": parts[str(params)],
        "native": parts[str(native)] if native else {},
    }
    if not all(isinstance(one, dict) for one in (*told["messages"], *told["tools"], told["params"], told["native"])):
        raise ValueError("a part is no object")
    return Exchange.model_validate(line).model_copy(update=told)


def _whole(value: JsonValue, text: Sequence[Any] | None, parts: Mapping[str, JsonValue]) -> tuple[JsonValue, int]:
    """The value of a part, with what its text has of another one's, and how many bytes that takes."""
    if text is None or not isinstance(value, dict):
        return value, 0
    base, first, last = text
    old = cast("dict[str, str]", parts[base])["content"]
    whole = f"{old[:first]}{value['content']}{old[len(old) - last :]}"
    return {**value, "content": whole}, sys.getsizeof(whole)


def _told(shas: Sequence[str], before: Sequence[str]) -> list[JsonValue]:
    """Messages by their digests, or where several in a row stand in an exchange before."""
    if set(shas).isdisjoint(before):
        return list(shas)
    at = {sha: number for number, sha in reversed(list(enumerate(before)))}
    told: list[JsonValue] = []
    done = 0
    while done < len(shas):
        start, size = at.get(shas[done], len(before)), 0
        while start + size < len(before) and done + size < len(shas) and before[start + size] == shas[done + size]:
            size += 1
        told.append([start, size] if size > 1 else shas[done])
        done += max(size, 1)
    return told


def _resolved(keep: int, more: Sequence[str | list[int]], before: Sequence[str]) -> list[str]:
    """The digests that `_told` has told."""
    shas = list(before[:keep])
    for item in more:
        shas += [item] if isinstance(item, str) else before[item[0] : item[0] + item[1]]
        if len(shas) > MOST_MESSAGES:
            raise ValueError(f"a request of more than {MOST_MESSAGES} messages")
    return shas


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    return next(count for count in range(most) if one[count] != other[count])


def _cut_torn_line(path: Path) -> None:
    if not path.exists():
        return
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        position = end
        while position > 0:
            start = max(0, position - 65536)
            file.seek(start)
            at = file.read(position - start).rfind(b"\n")
            if at >= 0:
                position = start + at + 1
                break
            position = start
        if position < end:
            file.truncate(position)
