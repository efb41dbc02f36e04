"""The transcript of a trial: every request and reply as JSON lines, without repeating a long history in every request.

Two kinds of line, in order of time::

    {"kind": "part", "sha": SHA256, "value": JSON}       a message, a tool list, parameters, native fields; once per opening
    {"kind": "exchange", "keep": 37, "more": [SHA…], …}  messages = the first 37 of the exchange before it, then these

`SHA256` is that of the value's canonical JSON. No header is ever written, and known secrets are redacted.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, Self

from pydantic import Field, JsonValue

from claw_adapter.errors import JournalError
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.turn import Failure
from claw_adapter.reading import parse_json, why

__all__ = ["REDACTED", "Exchange", "Transcript", "TranscriptReader", "read_transcript", "redact"]

REDACTED: Final = "[key removed]"
DAMAGED: Final = "Restore the run folder from a copy."

Json = dict[str, JsonValue]


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
    """The harness gave it up while the provider was away; its turn was begun anew."""
    status: int
    reply: Json | None = None
    finish: str = ""
    usage: Json = Field(default_factory=dict)
    """A `TokenCounts`, without what the upstream did not say."""
    failure: Failure | None = None


def redact(text: str, secrets: Iterable[str]) -> str:
    """`text` without the secrets, neither as they are nor as they look inside JSON."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, REDACTED).replace(json.dumps(secret)[1:-1], REDACTED)
    return text


class Transcript:
    """Appends to one file; `secrets` are redacted in what is written.

    A torn last line, left by a process that was killed, is cut off.
    """

    def __init__(self, path: Path, secrets: Iterable[str] = ()) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _cut_torn_line(path)
        self._file = path.open("ab", buffering=0)
        self._secrets = tuple(secrets)
        self._known: set[str] = set()
        self._before: Sequence[str] = ()

    def append(self, exchange: Exchange) -> None:
        """Write one exchange, and whatever parts of it are new, in a single write."""
        lines: list[Json] = []
        shas = [self._part(message, lines) for message in exchange.messages]
        keep = _common(self._before, shas)
        line = exchange.model_dump(mode="json", exclude={"messages", "tools", "params", "native"})
        more: list[JsonValue] = list(shas[keep:])
        line |= {"kind": "exchange", "keep": keep, "more": more}
        line["tools"] = self._part(list(exchange.tools), lines) if exchange.tools else None
        line["params"] = self._part(exchange.params, lines)
        line["native"] = self._part(exchange.native, lines) if exchange.native else None
        self._before = shas
        text = "".join(f"{json.dumps(item, ensure_ascii=False)}\n" for item in [*lines, line])
        self._file.write(redact(text, self._secrets).encode("utf-8", "backslashreplace"))

    def hide(self, secret: str) -> None:
        """Blank out one more secret from now on."""
        self._secrets = (*self._secrets, secret)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _part(self, value: JsonValue | list[Json] | Json, lines: list[Json]) -> str:
        text = json.dumps(value, sort_keys=True, separators=(",", ":"))
        sha = hashlib.sha256(text.encode()).hexdigest()
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
        self._before: list[str] = []

    def take(self, raw: bytes) -> Exchange | None:
        """The exchange of a line; None where the line holds a part of later ones.

        Raises:
            JournalError: the line is not JSON, no line of a transcript, or refers to a part that is not there.
        """
        self._number += 1
        try:
            line = parse_json(raw)
            if line["kind"] == "part":
                self._parts[line["sha"]] = line["value"]
                return None
            self._before = self._before[: line.pop("keep")] + line.pop("more")
            return _resolve(line, self._before, self._parts)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise JournalError(
                f"damaged transcript: {why(error)}", where=f"{self._path}:{self._number}", remedy=DAMAGED
            ) from None


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


def _resolve(line: Json, shas: Sequence[str], parts: dict[str, JsonValue]) -> Exchange:
    del line["kind"]
    tools = line["tools"]
    return Exchange.model_validate(
        {
            **line,
            "messages": [parts[sha] for sha in shas],
            "tools": parts[str(tools)] if tools else [],
            "params": parts[str(line["params"])],
            "native": parts[str(native)] if (native := line.get("native")) else {},
        }
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


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
