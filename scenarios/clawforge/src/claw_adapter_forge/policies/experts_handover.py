"""Expert script: a handover, from the mail over its jobs to the last word."""

from __future__ import annotations

import json
import re

from claw_adapter_forge.policies.mind import Mind, Row, Steps, cmd, facts

__all__ = ["handover"]

BOARD = "tasks list --status pending"
_JOB = re.compile(r"^\d\. (\w+), ([A-Z]{2}-\d{4})\.", re.MULTILINE)
_DATE = re.compile(r"Date: (\S+)")
_WRITTEN = re.compile(r"^(\w+) is written (.+)$", re.MULTILINE)


class _Work:
    """What is known of a handover while it is read."""

    def __init__(self, mind: Mind) -> None:
        self.mind = mind
        self.labels: dict[str, str] = {}
        self.people: dict[str, str] = {}
        self.fixed: dict[str, dict[str, str]] = {}
        self.board = ""
        self.branch = "live"
        self.city = mind.city

    def card(self, kind: str, ref: str) -> dict[str, str]:
        """What a job's card notes, as corrected."""
        return self.mind.facts(self.mind.row(self.board, f"{kind} card", ref)) | self.fixed.get(ref, {})

    def owner(self, kind: str, ref: str) -> str:
        """Who sits at the card's desk."""
        return self.people.get(self.card(kind, ref).get(f"desk if {self.branch}", ""), "Amara").title()

    def lines(self, ref: str, **told: str) -> str:
        """The lines of a text, with the labels of the city's form."""
        said = {"City": self.city, "Ref": ref, **{k.capitalize(): v for k, v in told.items()}}
        return "\n".join(f"{self.labels.get(label, label)}: {value}" for label, value in said.items())


def _newest(rows: list[Row]) -> Row | None:
    dated = [(m[1], row) for row in rows if (m := _DATE.search(row.text))]
    return max(dated, key=lambda pair: pair[0])[1] if dated else None


def handover(mind: Mind) -> Steps:
    """Read what was left, do the jobs in order, report."""
    work = _Work(mind)
    mail = mind.row((yield "email search --query handover"), "handover")
    known = facts((yield cmd("email", "read", "--id", mail.id if mail else "mail_0001")))
    listed = yield cmd("file", "read", "--path", mind.value(known, "job list", "path"))
    jobs = _JOB.findall(listed) or [("call", "WK-1000")]
    if form := known.get("form"):
        work.labels = dict(_WRITTEN.findall((yield cmd("file", "read", "--path", form))))
    yield from _seats(work, facts(listed).get("desks", ""))
    work.board = yield BOARD
    cron = yield "openclaw cron list"
    call = jobs[0][1]
    mails = yield cmd("email", "search", "--query", "correction")
    for _, ref in jobs:
        if fix := _newest(mind.rows(mails, ref)):
            work.fixed[ref] = facts((yield cmd("email", "read", "--id", fix.id)))
    known = work.card("call", call)
    slot = mind.value(known, "call at", "slot")
    forecast = yield mind.forecast()
    calendar = yield "calendar list"
    blocked = any(slot[:10] in row.text for row in mind.rows(calendar, "blackout"))
    lines = [line for line in forecast.splitlines() if re.match(r"\s*\d{4}-\d\d-\d\d: ", line)]
    dry = bool(lines) and "rainy" not in lines[0]
    work.branch = "live" if mind.decide(dry and not blocked) else "async"
    if work.branch == "live":
        yield mind.add_event(f"{mind.city} call {call}", slot)
    else:
        yield mind.mail("call", work.lines(call, mode="async", owner=work.owner("call", call)))
    for kind, ref in jobs[1:]:
        yield from _do(work, kind, ref, cron)
    kind, ref = jobs[-1]
    yield mind.mail("handover", work.lines(ref, status="finished", owner=work.owner(kind, ref)))


def _seats(work: _Work, path: str) -> Steps:
    """Follow the desks' list to where people stand."""
    mind = work.mind
    found = yield cmd("file", "read", "--path", path or "/office/desks.txt")
    if rota := facts(found).get("rota"):
        found = yield cmd("file", "read", "--path", rota)
        if "subject: " in found:
            subject = found.partition("subject: ")[2].split("\n")[0]
            mail = mind.row((yield cmd("email", "search", "--query", subject)), "seats")
            found = yield cmd("email", "read", "--id", mail.id if mail else "mail_0001")
    work.people = {k.upper(): v for k, v in facts(found).items()}


def _do(work: _Work, kind: str, ref: str, cron: str) -> Steps:
    mind, card = work.mind, work.card(kind, ref)
    if kind == "step":
        due, priority = mind.value(card, f"due if {work.branch}", "due"), mind.value(card, "priority", "priority")
        there = mind.row(work.board, "next step", ref)
        if there is None or mind.traits.recreate:
            yield mind.add_task(f"{mind.city} next step {ref}", due, priority)
        elif f"(due {due})" not in there.text:
            yield cmd("tasks", "update", "--id", there.id, "--due", due, "--priority", priority)
    elif kind == "check" and not mind.has(cron, "check", ref):
        schedule = mind.value(card, f"check if {work.branch}", "schedule")
        yield mind.add_cron(schedule, f"Run the {mind.city} check {ref}")
    elif kind == "handoff":
        path = mind.value(card, "file", "path")
        yield mind.write(path, work.lines(ref, owner=work.owner(kind, ref), model=_model(mind)))
    elif kind == "post":
        listing = yield "openclaw channels list --json"
        channel, target = _room(mind, listing)
        yield cmd("openclaw", "channels", "login", "--channel", channel)
        severity = mind.value(card, f"severity if {work.branch}", "severity")
        text = work.lines(ref, severity=severity)
        yield cmd("openclaw", "message", "send", "--channel", channel, "--target", target, "--message", text)


def _model(mind: Mind) -> str:
    """The default model, which the configuration at the beginning names."""
    return mind.default_model or mind.model


def _room(mind: Mind, listing: str) -> tuple[str, str]:
    try:
        channels = json.loads(listing[listing.find("[") : listing.rfind("]") + 1])
    except ValueError:
        return "discord", "#lobby"
    rooms = [(c["channel"], t["target"], t["label"]) for c in channels for t in c["targets"]]
    own = [r for r in rooms if r[2] == f"{mind.city} ops room"]
    other = [r for r in rooms if r[2].endswith("ops room") and mind.city not in r[2]]
    channel, target, _ = ((other or own) if mind.traits.decoy else own)[0]
    return channel, target
