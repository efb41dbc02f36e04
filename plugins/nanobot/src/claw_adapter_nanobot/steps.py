"""The steps of the last turn, read from NanoBot's session file after it: for modes that show the answer only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from claw_adapter.command.messages import arguments_of, text_of
from claw_adapter.harness import EVENT_CHARACTERS, Event
from claw_adapter_nanobot.native import hidden
from claw_adapter_nanobot.store import read_lines

__all__ = ["steps"]

SUMMARISED: Final = "Continue the active task from the working-memory checkpoint above."
"""What NanoBot puts, hidden, where a summary takes the place of what was said before."""


def steps(file: Path, began: float) -> tuple[Event, ...]:
    """Tool calls, results and texts after the last message of the user; `began` is the turn's begin (Unix time).

    Where NanoBot has summarised the session, which may be before that message, there is a note.
    """
    _, *records = read_lines(file)
    asked = [number for number, record in enumerate(records) if record.get("role") == "user" and not hidden(record)]
    last = asked[-1] if asked else -1
    names = {call["id"]: call["function"]["name"] for record in records for call in record.get("tool_calls") or ()}
    turn = (r for number, r in enumerate(records) if number > last or (hidden(r) and _at(r, began) > 0))
    return tuple(event for record in turn for event in _events(record, names, began))


def _events(record: Mapping[str, Any], names: Mapping[str, str], began: float) -> Iterator[Event]:
    at, text = _at(record, began), text_of(record.get("content"))
    if hidden(record):
        if text.strip() == SUMMARISED:
            yield Event(kind="note", at=at, name="compaction", text="NanoBot has summarised the session")
        return
    if record.get("role") == "tool":
        call = str(record.get("tool_call_id", ""))
        failed = text.startswith("Error")
        yield Event(
            kind="tool_result", at=at, id=call, name=names.get(call, ""), text=text[:EVENT_CHARACTERS], is_error=failed
        )
    for call in record.get("tool_calls") or ():
        if text.strip():
            yield Event(kind="text", at=at, text=text)
            text = ""
        given = arguments_of(call["function"].get("arguments") or "{}")
        yield Event(kind="tool_call", at=at, id=call["id"], name=call["function"]["name"], arguments=given)


def _at(record: Mapping[str, Any], began: float) -> float:
    """Seconds since the turn began; NanoBot's times have no zone and are UTC."""
    try:
        time = datetime.fromisoformat(str(record.get("timestamp")))
    except ValueError:
        return 0.0
    return max((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() - began, 0.0)
