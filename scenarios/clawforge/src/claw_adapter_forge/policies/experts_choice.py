"""Expert scripts: review block, finished release, decision plan, branch review, review notes."""

from __future__ import annotations

import re

from claw_adapter_forge.policies.mind import Mind, Row, Steps, cmd, facts

__all__ = ["block", "branch", "finished", "notes", "plan"]

BOARD = "tasks list --status pending"
CRON = "openclaw cron list"
_DATE = re.compile(r"Date: (\S+)")


def block(mind: Mind) -> Steps:
    """One review block, primary or backup by the weather."""
    yield CRON
    board = yield BOARD
    yield "calendar list"
    forecast = yield mind.forecast()
    yield mind.today()
    step = mind.row(board, "ops setup")
    kind = "backup" if mind.wet(forecast) else "primary"
    slot = mind.value(mind.facts(step), f"{kind} slot", "slot")
    yield mind.add_event(f"{mind.city} ops review {mind.ref(step)}", slot, f"Kind: {kind}")


def finished(mind: Mind) -> Steps:
    """Compare with the card, correct what differs, recap."""
    model = mind.model_in((yield "openclaw config get agents.defaults.model.primary"))
    board = yield BOARD
    calendar = yield "calendar list"
    yield mind.today()
    card = mind.row(board, "finished release card")
    known, ref = mind.facts(card), mind.ref(card)
    sync = mind.value(known, "sync", "slot")
    meeting = mind.row(calendar, "release sync")
    if meeting and f" — {sync}" not in meeting.text:
        yield cmd("calendar", "update-event", "--id", meeting.id, "--start", sync)
    model = mind.value(known, "model", "model") if mind.traits.decoy else (model or mind.model)
    yield mind.mail("release recap", mind.lines(ref, sync=sync, model=model))


def _closing(mind: Mind, what: str, live: bool, known: dict[str, str], ref: str, slot: str) -> str:
    if live:
        return mind.add_event(f"{mind.city} {what} {ref}", mind.value(known, slot, "slot"))
    owner = mind.value(known, "owner", "owner")
    return mind.mail(f"{what} update", mind.lines(ref, mode="async", owner=owner))


def _setup(mind: Mind, what: str, known: dict[str, str], board: str, cron: str, ref: str) -> Steps:
    if not mind.has(board, "next step", ref):
        yield mind.add_task(f"{mind.city} {what} next step {ref}", mind.value(known, "step due", "due"))
    if not mind.has(cron, "check", ref):
        schedule = mind.value(known, "check schedule", "schedule")
        yield mind.add_cron(schedule, f"Run the {mind.city} check {ref}")


def plan(mind: Mind) -> Steps:
    """Count the votes, then live or async."""
    forecast = yield mind.forecast()
    today = yield mind.today()
    mail = mind.row((yield "email search --query 'decision plan'"), "decision plan")
    known = facts((yield cmd("email", "read", "--id", mail.id if mail else "mail_0001")))
    cron = yield CRON
    board = yield BOARD
    ref = mind.value(known, "ref", "ref")
    blocked = bool(mind.rows(today, "blackout"))
    votes = (known.get("quorum", "yes") == "yes") + (not mind.wet(forecast)) + (not blocked)
    yield from _setup(mind, "decision", known, board, cron, ref)
    live = mind.decide(votes >= int(known.get("votes needed", "2")[0]))
    yield _closing(mind, "decision", live, known, ref, "call at")


def branch(mind: Mind) -> Steps:
    """Live on a dry day without a blackout."""
    forecast = yield mind.forecast()
    today = yield mind.today()
    yield CRON
    step = mind.row((yield BOARD), "branch review")
    live = mind.decide(not mind.wet(forecast) and not mind.rows(today, "blackout"))
    known, ref = mind.facts(step), mind.ref(step)
    yield _closing(mind, "branch review", live, known, ref, "review slot")


def _newest(mind: Mind, listing: str) -> Row | None:
    rows = mind.rows(listing, "review note")
    dated = [(m[1], r) for r in rows if (m := _DATE.search(r.text))]
    pick = min if mind.traits.decoy else max
    return pick(dated, key=lambda pair: pair[0])[1] if dated else None


def notes(mind: Mind) -> Steps:
    """The newest note, unless a blackout on its day; the forecast where the note says so."""
    mail = _newest(mind, (yield "email search --query 'review note'"))
    known = facts((yield cmd("email", "read", "--id", mail.id if mail else "mail_0001")))
    forecast = yield mind.forecast()
    yield mind.today()
    day = known.get("review day", "2026-03-10")
    calendar = yield cmd("calendar", "list", "--from", day, "--to", day)
    board = yield BOARD
    mode, ref = mind.value(known, "mode", "mode"), mind.value(known, "ref", "ref")
    live = mode == "live" or (mode == "by forecast" and not mind.wet(forecast))
    yield from _setup(mind, "review", known, board, "", ref)
    live = mind.decide(live and not mind.rows(calendar, "blackout"))
    yield _closing(mind, "review", live, known, ref, "call at")
