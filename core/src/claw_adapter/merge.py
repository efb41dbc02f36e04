"""Bring a change of a scenario's session into a session that has meanwhile gone on by itself; for adapters' `sync`."""

from __future__ import annotations

from claw_adapter.protocol import Message, Session

__all__ = ["merged"]


def merged(before: Session | None, after: Session, there: Session | None) -> Session:
    """`there` (the harness's own session) after the change from `before` to `after`.

    Messages that the change leaves alone stay as they are in `there`, so turns that the conversation has added since, and
    texts that were filled in when it was opened, survive. A new message goes behind the one it follows in `after`; what is
    new at the end of `after` goes to the very end, because it arrives now.
    """
    if there is None:
        return after
    old = {message.id: message for message in before.messages} if before else {}
    new = {message.id: message for message in after.messages}
    kept = [
        new[m.id] if m.id in new and new[m.id] != old.get(m.id) else m
        for m in there.messages
        if m.id in new or m.id not in old
    ]
    return after.with_messages(_inserted(kept, after.messages))


def _inserted(kept: list[Message], wanted: tuple[Message, ...]) -> list[Message]:
    """`kept` with the missing ones of `wanted`, each behind its neighbour; a missing tail comes last."""
    result = list(kept)
    present = {message.id for message in kept}
    last = max((index for index, message in enumerate(wanted) if message.id in present), default=-1)
    place = 0
    for index, message in enumerate(wanted):
        if message.id in present:
            place = next(i for i, m in enumerate(result) if m.id == message.id) + 1
        elif index > last:
            result.append(message)
        else:
            result.insert(place, message)
            place += 1
    return result
