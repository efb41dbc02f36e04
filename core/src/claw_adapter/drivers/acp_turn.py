"""One ACP turn, put together from its updates: the final reply, what came before it in order, and what was counted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from pydantic import JsonValue

from claw_adapter.errors import ClawError, HarnessProtocolError
from claw_adapter.protocol import EVENT_CHARACTERS, Event, ReportedUsage

if TYPE_CHECKING:
    from acp.schema import AgentMessageChunk, ToolCallProgress, ToolCallStart

__all__ = ["AcpTurn", "TurnRecord"]

TURN_CHARACTERS: Final = 64 * 1024 * 1024
EVENTS: Final = 10_000
ENDED: Final = ("completed", "failed")
_NAME: Final = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class AcpTurn:
    """How a turn ended. `text` is the final reply only; with an `error` it is no answer.

    Attributes:
        stop: the agent's stop reason; empty when there was none.
        usage: as the agent reports it, with what it means; None if it says nothing.
        meta: the ``_meta`` of the agent's answer.
    """

    text: str = ""
    error: ClawError | None = None
    stop: str = ""
    events: tuple[Event, ...] = ()
    usage: ReportedUsage | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Spoken:
    at: float
    message: str | None
    parts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Call:
    at: float
    id: str
    name: str
    arguments: dict[str, JsonValue] = field(default_factory=dict)
    text: str = ""
    failed: bool = False
    ended: bool = False
    overtaken: bool = False
    """Whether the agent said something between its beginning and its end, as if it were not there."""
    size: int = 0
    """Characters of it that are kept."""

    @property
    def given_up(self) -> bool:
        """Whether nothing came of it but its beginning, as when the reply broke off that it stands in.

        At the end of the turn an agent may tell of its failure, in words of its own.
        """
        if self.arguments:
            return False
        return (self.failed and self.overtaken) or (not self.text and (self.failed or not self.ended))


@dataclass(slots=True)
class _Result:
    at: float
    call: _Call


class TurnRecord:
    """Takes the updates of a turn in the order in which they come.

    A call of which neither arguments nor a result of a tool came is none: a reply broke off in it, and was asked for again.

    Raises:
        HarnessProtocolError: by `note`, `say` and `call`: the turn says more than 64 Mi characters.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._steps: list[_Spoken | _Call | _Result | Event] = []
        self._calls: dict[str, _Call] = {}
        self._size = 0
        self._dropped = 0
        self.occupancy: ReportedUsage | None = None
        """What the agent last said is in its context."""

    @property
    def reply(self) -> str:
        """The text behind everything else but notes, and ends of calls that were given up."""
        last = self._steps[-1] if self._steps else None
        return "".join(last.parts) if isinstance(last, _Spoken) else ""

    def events(self) -> tuple[Event, ...]:
        """Everything before the final reply."""
        steps = self._steps[:-1] if self._steps and isinstance(self._steps[-1], _Spoken) else self._steps
        found = [event for step in steps if (event := _event(step)) is not None]
        if self._dropped:
            found.append(Event(kind="note", at=self._now(), name="acp", text=f"{self._dropped} more steps not kept"))
        return tuple(found)

    def note(self, name: str, text: str) -> None:
        """Something that is neither text nor a tool call."""
        if self._add(note := Event(kind="note", at=self._now(), name=name, text=text[:EVENT_CHARACTERS])):
            self._count(len(note.text))

    def say(self, chunk: AgentMessageChunk) -> None:
        """A piece of a reply; another message begins when the agent names it otherwise."""
        text = str(getattr(chunk.content, "text", ""))
        self._count(len(text))
        last = self._steps[-1] if self._steps else None
        if not isinstance(last, _Spoken) or last.message != chunk.message_id:
            last = _Spoken(self._now(), chunk.message_id)
            self._steps.append(last)
        last.parts.append(text)

    def call(self, update: ToolCallStart | ToolCallProgress) -> None:
        """A tool call begins, is told in more detail, or ends."""
        call = self._calls.get(update.tool_call_id)
        if call is None:
            call = _Call(self._now(), update.tool_call_id, _name(update))
            if not self._add(call):
                return
            self._calls[call.id] = call
        if update.raw_input is not None:
            call.arguments = update.raw_input if isinstance(update.raw_input, dict) else {"raw": update.raw_input}
        if (text := _output(update)) is not None:
            call.text = text[:EVENT_CHARACTERS]
        size = len(call.text) + (len(json.dumps(call.arguments)) if call.arguments else 0)
        self._count(size - call.size)
        call.size = size
        if update.status in ENDED:
            call.failed = update.status == "failed"
            if not call.ended:
                call.ended, call.overtaken = True, self._spoken_since(call)
                self._add(_Result(self._now(), call))

    def _spoken_since(self, call: _Call) -> bool:
        return any(isinstance(step, _Spoken) for step in self._steps[self._steps.index(call) :])

    def _count(self, characters: int) -> None:
        self._size += characters
        if self._size > TURN_CHARACTERS:
            raise HarnessProtocolError(f"a turn of more than {TURN_CHARACTERS} characters", where="session/update")

    def _add(self, step: _Call | _Result | Event) -> bool:
        if len(self._steps) >= EVENTS:
            self._dropped += 1
            return False
        self._steps.insert(len(self._steps) - self._beside_text(step), step)
        return True

    def _beside_text(self, step: _Call | _Result | Event) -> bool:
        """Whether what is being said goes on behind it: a note, or the end of a call that is none, or that others ended behind.

        A call of a reply that broke off is given up, and may be told to have failed when the answer is under way.
        """
        if not self._steps or not isinstance(self._steps[-1], _Spoken) or isinstance(step, _Call):
            return False
        begun = list(self._calls.values())
        if isinstance(step, Event) or step.call.given_up:
            return True
        return any(call.ended for call in begun[begun.index(step.call) + 1 :])

    def _now(self) -> float:
        return time.monotonic() - self._began


def _event(step: _Spoken | _Call | _Result | Event) -> Event | None:
    if isinstance(step, Event):
        return step
    if isinstance(step, _Spoken):
        text = "".join(step.parts)[:EVENT_CHARACTERS]
        return Event(kind="text", at=step.at, text=text) if text.strip() else None
    call = step.call if isinstance(step, _Result) else step
    if call.given_up:
        return None
    if isinstance(step, _Call):
        return Event(kind="tool_call", at=step.at, id=step.id, name=step.name, arguments=step.arguments)
    return Event(kind="tool_result", at=step.at, id=call.id, name=call.name, text=call.text, is_error=call.failed)


def _name(update: ToolCallStart | ToolCallProgress) -> str:
    """The tool's own name where an agent tells it (``_meta``), else the first word of its title, else its kind."""
    meta = update.field_meta or {}
    for place in (meta, *(value for value in meta.values() if isinstance(value, dict))):
        if isinstance(place.get("toolName"), str):
            return cast("str", place["toolName"])
    word = _NAME.match(update.title or "")
    return word.group() if word else str(update.kind or "tool")


def _output(update: ToolCallStart | ToolCallProgress) -> str | None:
    """What the tool gave back: its raw output as text, else what is shown of it."""
    raw = update.raw_output
    if isinstance(raw, str):
        return raw
    parts = raw.get("content") if isinstance(raw, dict) else raw
    if isinstance(parts, str):
        return parts
    if isinstance(parts, list) and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts):
        return "\n".join(part["text"] for part in parts) if parts else ""
    if raw is not None:
        return json.dumps(raw, ensure_ascii=False)
    return "\n".join(_find_texts(update.content)) if update.content else None


def _find_texts(content: Iterable[Any]) -> Iterable[str]:
    for item in content:
        text = getattr(getattr(item, "content", None), "text", None)
        if isinstance(text, str):
            yield text
