"""What others do meanwhile: the replies and notices that a command brings in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from claw_adapter.values import Description
from claw_adapter_forge.world.incoming import TABLES, row_of
from claw_adapter_forge.world.lines import labelled, why_not
from claw_adapter_forge.world.records import Incoming, Record, Sent, Task
from claw_adapter_forge.world.state import World

__all__ = ["answer"]


def answer(world: World, before: Mapping[str, Mapping[str, Record]]) -> None:
    """Let that come in which waits for what was done since the tables `before`."""
    if not world.rows("replies", Incoming):
        return
    if brought := next(_brought(world, before), None):
        text, reply, key = brought
        if reply.place == "slip":
            _slip(world, reply, key)
        else:
            _send(world, reply, text)
    while found := next((r for r in _waiting(world, "follow")), None):
        _send(world, found, "")


def _waiting(world: World, on: str) -> Iterator[Incoming]:
    rows = world.rows("replies", Incoming)
    sent = {r.id for r in rows if r.sent}
    return (r for r in rows if r.on == on and not r.sent and set(r.after) <= sent)


def _brought(world: World, before: Mapping[str, Mapping[str, Record]]) -> Iterator[tuple[str, Incoming, str]]:
    """(text, reply, id): the replies that what is new brings, each with what brought it."""
    for mail in world.rows("outbox", Sent):
        if mail.id not in before["outbox"]:
            text = f"{mail.subject}\n{mail.body}"
            for reply in _waiting(world, "mail"):
                if reply.to in mail.to and all(_says(text, *line) for line in reply.lines):
                    yield text, reply, mail.id
    for card in world.rows("tasks", Task):
        if before["tasks"].get(card.id) != card:
            yield from (("", reply, card.id) for reply in _waiting(world, "card") if reply.to in card.title)


@lru_cache(maxsize=8192)
def _says(text: str, label: str, kind: str, value: str) -> bool:
    readings: dict[str, Description] = {
        "number": {"type": "number"},
        "date": {"type": "date", "year": int(value[:4]) if kind == "date" else 0},
        "choice": {"type": "choice", "of": [value]},
    }
    return not why_not(text, label, readings[kind], value)


def _slip(world: World, reply: Incoming, changed: str) -> None:
    """Change another card than the one that was changed, if there is one; if not, the slip waits."""
    cards = [c for c in world.rows("tasks", Task) if reply.to in c.title and c.status == "pending" and c.id != changed]
    if card := max(cards, key=lambda c: c.id, default=None):
        world.edit("replies", reply, sent=True)
        world.edit("tasks", card, **{reply.subject: reply.body})


def _send(world: World, reply: Incoming, text: str) -> None:
    body = reply.body
    for label, said in labelled(text):
        body = body.replace("{" + label + "}", said)
    table = TABLES[reply.place]
    key = "" if not body else reply.subject if reply.place == "file" else world.new_id(table)
    world.edit("replies", reply, sent=True, made=key)
    if body:
        world.put(table, row_of(reply, key, body, world.now[:10]))
