"""Expert scripts: inbox thread, channel incident, delivery update."""

from __future__ import annotations

import json
import re
from typing import Any

from claw_adapter_forge.policies.mind import Mind, Steps, cmd, facts

__all__ = ["delivery", "inbox", "incident"]

BOARD = "tasks list --status pending"


def inbox(mind: Mind) -> Steps:
    """Read the thread, fill what is missing, write the handoff, mail the update."""
    match = re.search(r"thread on (\w+)", mind.request) or re.search(r"(\w+) thread", mind.request)
    topic = match[1] if match else "thread"
    mail = mind.row((yield cmd("email", "search", "--query", topic)), "thread")
    known = facts((yield cmd("email", "read", "--id", mail.id if mail else "mail_0001")))
    board = yield BOARD
    yield "calendar list"
    yield mind.today()
    ref, owner = mind.value(known, "ref", "ref"), mind.value(known, "owner", "owner")
    due = mind.value(known, "next step due", "due")
    mode = "live" if mind.decide(mind.value(known, "mode", "mode") == "live") else "async"
    if not mind.has(board, topic, "next step"):
        yield mind.add_task(f"{mind.city} {topic} next step {ref}", due)
    if mode == "live":
        yield mind.add_event(f"{mind.city} {topic} call {ref}", mind.value(known, "call at", "slot"))
    path = mind.value(known, "handoff file", "path")
    yield mind.write(path, mind.lines(ref, owner=owner, due=due))
    yield mind.mail(f"{topic} thread", mind.lines(ref, mode=mode, owner=owner))


def _target(mind: Mind, listing: str, label: str) -> dict[str, str]:
    try:
        channels: list[dict[str, Any]] = json.loads(listing[listing.find("[") : listing.rfind("]") + 1])
    except ValueError:
        return {"channel": "discord", "target": "#lobby", "kind": "shared", "status": "expired"}
    rooms = [(c, t) for c in channels for t in c["targets"]]
    own = [(c, t) for c, t in rooms if t["label"] == f"{mind.city} {label}"]
    other = [(c, t) for c, t in rooms if t["label"].endswith(label) and mind.city not in t["label"]]
    found = (other or own) if mind.traits.decoy else own
    channel, room = found[0]
    return {"channel": channel["channel"], "status": channel["status"], "target": room["target"], "kind": room["kind"]}


def _login(to: dict[str, str]) -> Steps:
    if to["status"] != "connected":
        yield cmd("openclaw", "channels", "login", "--channel", to["channel"])


def _post(to: dict[str, str], text: str) -> str:
    words = ("--channel", to["channel"], "--target", to["target"], "--message", text)
    return cmd("openclaw", "message", "send", *words)


def incident(mind: Mind) -> Steps:
    """Find follow-up and room, repair the login, post, recap."""
    yield "openclaw security audit"
    row = mind.row((yield BOARD), "incident")
    known, ref = mind.facts(row), mind.ref(row)
    to = _target(mind, (yield "openclaw channels list --json"), "incident room")
    yield from _login(to)
    severity, owner = mind.value(known, "severity", "severity"), mind.value(known, "owner", "owner")
    yield _post(to, mind.lines(ref, severity=severity))
    yield mind.mail("incident recap", mind.lines(ref, owner=owner))


def delivery(mind: Mind) -> Steps:
    """Read the card and the line's kind, fill what is missing, post, recap."""
    board = yield BOARD
    card = mind.row(board, "delivery card")
    known, ref = mind.facts(card), mind.ref(card)
    to = _target(mind, (yield "openclaw channels list --json"), "delivery line")
    yield from _login(to)
    owner = mind.value(known, "owner", "owner")
    if not mind.has(board, "delivery next step"):
        yield mind.add_task(f"{mind.city} delivery next step {ref}", mind.value(known, "step due", "due"))
    if mind.decide(to["kind"] == "shared"):
        yield mind.add_event(f"{mind.city} delivery live block {ref}", mind.value(known, "live block", "slot"))
    yield _post(to, mind.lines(ref, owner=owner))
    yield mind.mail("delivery recap", mind.lines(ref, owner=owner))
