"""What comes in, as the row that it becomes."""

from __future__ import annotations

from collections.abc import Iterator

from claw_adapter_forge.world.records import Event, File, Incoming, Mail, Record, Task
from claw_adapter_forge.world.state import State

__all__ = ["TABLES", "came_in", "row_of"]

TABLES = {"mail": "mails", "event": "events", "card": "tasks", "file": "files"}
"""Place → table."""


def row_of(reply: Incoming, key: str, body: str, today: str) -> Record:
    """The row that a reply becomes."""
    match reply.place:
        case "event":
            moment = f"{today}T09:15"
            return Event(key, reply.subject, moment, moment, "", (), body)
        case "card":
            return Task(key, reply.subject, today, "done", "medium", 0, body)
        case "file":
            return File(key, body)
    return Mail(key, reply.sender, ("me@example.com",), reply.subject, body, today)


def came_in(state: State) -> Iterator[tuple[str, Record]]:
    """(table, row) of what has come in elsewhere than by mail, as it was when it came."""
    for reply in state.tables["replies"].values():
        if isinstance(reply, Incoming) and reply.made and reply.place in ("event", "card", "file"):
            yield TABLES[reply.place], row_of(reply, reply.made, reply.body, state.now[:10])
