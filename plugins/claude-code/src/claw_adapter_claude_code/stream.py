"""What Claude Code writes while it works: one JSON record a line, put together into the events and the result of a turn."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from claw_adapter.errors import ClawError, HarnessProtocolError
from claw_adapter.harness import Event, ReportedUsage

__all__ = ["Outcome", "Turn"]

NOTED: Final = ("compact_boundary", "api_retry", "informational")
"""What the program says about itself in the middle of a turn, and we pass on."""
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn ended, in whatever mode; with an `error` the text is no answer."""

    text: str = ""
    error: ClawError | None = None
    events: tuple[Event, ...] = ()
    usage: ReportedUsage | None = None
    own: float = 0.0
    """Seconds of the turn in which we read what Claude Code had said."""


class Turn:
    """One turn as it comes in; `result` is the record that ends it, empty until then; `own` the seconds spent reading."""

    def __init__(self) -> None:
        self.result: Record = {}
        self.own = 0.0
        self.started = time.monotonic()
        self._events: list[Event] = []
        self._names: dict[str, str] = {}
        self._text = ""

    @property
    def events(self) -> tuple[Event, ...]:
        """Tool calls, results, texts before the last one, notes, and at the end what was denied."""
        return (*self._events, *self._denials())

    def hear(self, line: bytes) -> bool:
        """Read the next line and take its record; True if it ends the turn.

        Raises:
            HarnessProtocolError: it is no record.
        """
        began = time.monotonic()
        over = self.take(_record(line))
        self.own += time.monotonic() - began
        return over

    def take(self, record: Record) -> bool:
        """Take the next record; True if it ends the turn."""
        kind = record.get("type")
        if kind == "result":
            self.result = record
        elif kind == "assistant":
            self._reply(record)
        elif kind == "user":
            self._results(record)
        elif kind == "system" and record.get("subtype") in NOTED:
            self._note(record)
        return kind == "result"

    def usage(self) -> ReportedUsage | None:
        """Tokens of all model requests of the turn, what was read from a cache included."""
        used = self.result.get("usage")
        if not isinstance(used, Mapping) or not (used.get("input_tokens") or used.get("output_tokens")):
            return None
        cached = used.get("cache_read_input_tokens") or 0
        fresh = (used.get("input_tokens") or 0) + (used.get("cache_creation_input_tokens") or 0)
        return ReportedUsage(
            kind="per_turn", input=fresh + cached, output=used.get("output_tokens") or 0, cached=cached
        )

    def _reply(self, record: Record) -> None:
        for block in _blocks(record):
            if block.get("type") == "text":
                self._flush()
                self._text = str(block["text"])
            elif block.get("type") == "tool_use":
                self._flush()
                self._names[block["id"]] = block["name"]
                arguments = block["input"] if isinstance(block["input"], dict) else {"raw": block["input"]}
                self._add("tool_call", id=block["id"], name=block["name"], arguments=arguments)

    def _results(self, record: Record) -> None:
        for block in _blocks(record):
            if block.get("type") == "tool_result":
                number = str(block["tool_use_id"])
                failed = bool(block.get("is_error"))
                text = _plain(block.get("content"))
                self._add("tool_result", id=number, name=self._names.get(number, ""), text=text, is_error=failed)

    def _flush(self) -> None:
        """A text that something follows was not the answer."""
        if self._text:
            self._add("text", text=self._text)
            self._text = ""

    def _note(self, record: Record) -> None:
        told = {key: value for key, value in record.items() if key not in ("type", "subtype", "uuid", "session_id")}
        self._add("note", name=record["subtype"], arguments=told)

    def _add(self, kind: str, **fields: Any) -> None:
        at = time.monotonic() - self.started
        self._events.append(Event.model_validate({"kind": kind, "at": at, **fields}))

    def _denials(self) -> Iterator[Event]:
        at = time.monotonic() - self.started
        for denied in self.result.get("permission_denials") or ():
            tool, given = str(denied.get("tool_name", "")), denied.get("tool_input")
            arguments = given if isinstance(given, dict) else {}
            number = str(denied.get("tool_use_id", ""))
            yield Event(
                kind="note", at=at, id=number, name="permission-denied", text=tool, arguments=arguments, is_error=True
            )


def _record(line: bytes) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise HarnessProtocolError(f"wrote something that is no record: {line[:200]!r}", where="claude -p")
    return record


def _blocks(record: Record) -> list[dict[str, Any]]:
    content = (record.get("message") or {}).get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _plain(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(b.get("text") or f"[{b.get('type')}]") for b in content or () if isinstance(b, dict))
