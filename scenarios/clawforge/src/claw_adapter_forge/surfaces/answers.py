"""What others answer: the replies that a command brings in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from claw_adapter.values import Description
from claw_adapter_forge.world.lines import labelled, why_not
from claw_adapter_forge.world.records import Incoming, Mail, Record, Sent, Task
from claw_adapter_forge.world.state import World

__all__ = ["answer"]


def answer(world: World, before: Mapping[str, Mapping[str, Record]]) -> None:
    """Let those mails come in that wait for what was done since the tables `before`."""
    if not world.rows("replies", Incoming):
        return
    if brought := next(_brought(world, before), None):
        _send(world, brought[1], brought[0])
    while found := next((r for r in _waiting(world, "follow")), None):
        _send(world, found, "")


def _waiting(world: World, on: str) -> Iterator[Incoming]:
    rows = world.rows("replies", Incoming)
    sent = {r.id for r in rows if r.sent}
    return (r for r in rows if r.on == on and not r.sent and set(r.after) <= sent)


def _brought(world: World, before: Mapping[str, Mapping[str, Record]]) -> Iterator[tuple[str, Incoming]]:
    """The replies that what is new brings, each with the text that brought it."""
    for mail in world.rows("outbox", Sent):
        if mail.id not in before["outbox"]:
            text = f"{mail.subject}\n{mail.body}"
            for reply in _waiting(world, "mail"):
                if reply.to in mail.to and all(_says(text, *line) for line in reply.lines):
                    yield text, reply
    for card in world.rows("tasks", Task):
        if before["tasks"].get(card.id) != card:
            yield from (("", reply) for reply in _waiting(world, "card") if reply.to in card.title)


@lru_cache(maxsize=8192)
def _says(text: str, label: str, kind: str, value: str) -> bool:
    readings: dict[str, Description] = {
        "number": {"type": "number"},
        "date": {"type": "date", "year": int(value[:4]) if kind == "date" else 0},
        "choice": {"type": "choice", "of": [value]},
    }
    return not why_not(text, label, readings[kind], value)


def _send(world: World, reply: Incoming, text: str) -> None:
    world.edit("replies", reply, sent=True)
    body = reply.body
    for label, said in labelled(text):
        body = body.replace("{" + label + "}", said)
    if body:
        key = world.new_id("mails")
        world.put("mails", Mail(key, reply.sender, ("me@example.com",), reply.subject, body, world.now[:10]))
