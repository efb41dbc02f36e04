"""Tool calls and results of one turn, as they pass the endpoint: each once, although every request repeats history."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from claw_adapter.model import Call, Line
from claw_adapter.protocol.turn import Event

__all__ = ["EventLog", "results"]


def results(lines: Sequence[Line], issued: Sequence[Call], earlier: Collection[str] = ()) -> dict[str, str]:
    """Results, by call id, that a request brings for calls made in this turn.

    They are found by id; the last one counts, since upstreams may use an id again. Where the harness has renamed the ids,
    results behind its last message with calls are taken by position, if that message has the names of the last calls. Calls
    with ids of an `earlier` turn are those: the request has not got that far, as a request of the harness for itself.
    """
    known = {call.id for call in issued}
    found = {line.call_id: line.text for line in lines if line.role == "tool" and line.call_id in known}
    return found or _by_position(lines, issued, earlier)


def _by_position(lines: Sequence[Line], issued: Sequence[Call], earlier: Collection[str]) -> dict[str, str]:
    last = max((i for i, line in enumerate(lines) if line.calls), default=-1)
    theirs = lines[last].calls if last >= 0 else ()
    ours = issued[-len(theirs) :] if theirs else ()
    if any(call.id in earlier for call in theirs):
        return {}
    if not ours or [call.name for call in ours] != [call.name for call in theirs]:
        return {}
    texts = {line.call_id: line.text for line in lines[last + 1 :] if line.role == "tool"}
    return {own.id: texts[renamed.id] for renamed, own in zip(theirs, ours, strict=True) if renamed.id in texts}


class EventLog:
    """Collects the events of one turn."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._pending: dict[str, Call] = {}

    def request(self, lines: Sequence[Line], at: float) -> None:
        """Note the results that a request brings."""
        if not self._pending:
            return
        for call_id, text in results(lines, list(self._pending.values())).items():
            call = self._pending.pop(call_id)
            self._events.append(Event(kind="tool_result", at=at, id=call_id, name=call.name, text=text))

    def reply(self, calls: Sequence[Call], at: float) -> None:
        """Note the calls that a reply makes."""
        for call in calls:
            self._pending[call.id] = call
            self._events.append(Event(kind="tool_call", at=at, id=call.id, name=call.name, arguments=call.parsed()))

    @property
    def events(self) -> tuple[Event, ...]:
        """What has been seen so far."""
        return tuple(self._events)
