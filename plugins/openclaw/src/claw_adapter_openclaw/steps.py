"""What the events of a turn in OpenClaw's transcript say: steps, replies, tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from claw_adapter.harness import EVENT_CHARACTERS, Event, Message, ReportedUsage
from claw_adapter_openclaw.answers import Answer
from claw_adapter_openclaw.native import message_of

__all__ = ["counted", "filled", "fresh", "guessed", "replies", "reply_text", "steps", "stopped"]

COMPACTION: Final = "compaction"
"""OpenClaw put a summary in the place of what was said: an event of its round."""
BEGINNING: Final = 20
"""Characters by which a reply is known."""
DIRECTIVES: Final = ("MEDIA:", "[[")
"""What OpenClaw takes out of a reply before it shows it."""


def replies(events: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The transcript events that are the model's replies, failed ones too."""
    return [event for event in events if (event.get("message") or {}).get("role") == "assistant"]


def fresh(events: Sequence[Mapping[str, Any]], before: Sequence[Message]) -> list[Mapping[str, Any]]:
    """The events of a turn without copies of others.

    Where a request did not fit the window, OpenClaw cuts results, and writes the session anew from the first of them on.

    Args:
        events: what it has added.
        before: the messages of the session as they were then.
    """
    answered, found = {message.tool_call_id for message in before} - {None}, list[Mapping[str, Any]]()
    for at, event in enumerate(events):
        call = (event.get("message") or {}).get("toolCallId")
        if call is not None and call in answered:
            so_far = [*before, *(one for one in map(message_of, found) if one is not None)]
            ids = set[str]().union(*map(_ids, so_far))
            known = (n for n, one in enumerate(events[at:], at) if (said := message_of(one)) and _ids(said) & ids)
            behind = next((n for n, one in enumerate(reversed(so_far)) if _ids(one)), 0)
            return [*found, *fresh(events[max(known, default=at) + 1 + behind :], so_far)]
        answered.add(call)
        found.append(event)
    return found


def _ids(message: Message) -> set[str]:
    """Of the calls in a message, or of that of which it is the result."""
    return {call.id for call in message.tool_calls} | ({message.tool_call_id} if message.tool_call_id else set())


def stopped(events: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the last reply ends its turn: it calls no tools."""
    last = replies(events)[-1:]
    return bool(last) and last[0]["message"].get("stopReason") != "toolUse"


def counted(used: Mapping[str, int], events: Sequence[Mapping[str, Any]]) -> ReportedUsage | None:
    """What the requests of a turn have used, as OpenClaw sums it up; of one that it did not end, as its replies have it.

    None without replies. A reply that calls a tool that is not there is in no session.
    """
    found = [used] if used else [reply["message"].get("usage") or {} for reply in replies(events)]
    if not found:
        return None
    cached = sum(int(usage.get("cacheRead") or 0) for usage in found)
    return ReportedUsage(
        kind="per_turn",
        input=sum(int(usage.get("input") or 0) for usage in found) + cached,
        output=sum(int(usage.get("output") or 0) for usage in found),
        cached=cached,
    )


def filled(events: Sequence[Mapping[str, Any]]) -> int:
    """Tokens of the turn's largest request with its reply, as OpenClaw notes them; 0 without a reply."""
    used = (reply["message"].get("usage") or {} for reply in replies(events))
    return max((sum(int(one.get(name) or 0) for name in ("input", "cacheRead", "output")) for one in used), default=0)


def guessed(text: str) -> int:
    """Tokens that OpenClaw takes a text for, or a few more: a quarter for a letter of ASCII, one for each other."""
    return (3 * len(text.encode("utf-8", "replace")) - len(text)) // 8


def reply_text(answer: Answer, events: Sequence[Mapping[str, Any]]) -> str:
    """The reply; from the session where another may have been shown.

    That is so when it ran into the length limit, for then OpenClaw adds a sentence of its own, and over ACP when it begins
    otherwise: the beginning is missing, or is that of a reply that broke off.
    """
    last = replies(events)[-1:]
    stop = last[0]["message"].get("stopReason") if last else None
    said = message_of(last[0]) if stop in ("length", "stop") else None
    if said is None or not said.text.strip():
        return answer.text
    whole = said.text.strip()
    odd = answer.streamed and bool(answer.text) and not answer.text.startswith(whole[:BEGINNING])
    if odd and not any(mark in whole for mark in DIRECTIVES):
        return whole
    return said.text if stop == "length" else answer.text


def steps(record: Mapping[str, Any], begun: float) -> list[Event]:
    """What a transcript event says of the turn's steps: tool calls, their results, texts that came before them."""
    message = message_of(record)
    if message is None and record.get("type") != COMPACTION:
        return []
    at = max(datetime.fromisoformat(record["timestamp"]).timestamp() - begun, 0.0)
    if message is None:
        return [Event(kind="note", at=at, name=COMPACTION, text=str(record.get("summary") or "")[:EVENT_CHARACTERS])]
    if message.role == "tool":
        native = record["message"]
        name, failed = str(native.get("toolName", "")), bool(native.get("isError"))
        call = str(message.tool_call_id)
        return [
            Event(kind="tool_result", at=at, id=call, name=name, text=message.text[:EVENT_CHARACTERS], is_error=failed)
        ]
    called = [
        Event(kind="tool_call", at=at, id=call.id, name=call.name, arguments=call.arguments)
        for call in message.tool_calls
    ]
    spoken = [Event(kind="text", at=at, text=message.text)] if called and message.text.strip() else []
    return [*spoken, *called]
