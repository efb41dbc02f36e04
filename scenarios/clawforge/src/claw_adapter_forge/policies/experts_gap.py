"""Expert scripts: site kit, release note, interrupted work."""

from __future__ import annotations

from claw_adapter_forge.policies.mind import Mind, Row, Steps, cmd, facts

__all__ = ["kit", "note", "resume"]

BOARD = "tasks list --status pending"
CRON = "openclaw cron list"


def kit(mind: Mind) -> Steps:
    """Add the third piece by the note of the other two, then recap."""
    cron = yield CRON
    board = yield BOARD
    calendar = yield "calendar list"
    yield mind.today()
    noted = mind.row(board, "site kit", "kit owner") or mind.row(calendar, "site kit", "kit owner")
    known, ref = mind.facts(noted), mind.ref(noted)
    paused = mind.row(cron, "site kit", "(paused)")
    if paused and not mind.traits.recreate:
        yield cmd("openclaw", "cron", "enable", paused.id)
    elif not mind.has(cron, "site kit"):
        schedule = mind.value(known, "kit check", "schedule")
        yield mind.add_cron(schedule, f"Run the {mind.city} site kit check {ref}")
    if not mind.has(board, "site kit"):
        due, priority = mind.value(known, "kit step due", "due"), mind.value(known, "kit priority", "priority")
        yield mind.add_task(f"{mind.city} site kit next step {ref}", due, priority)
    if not mind.has(calendar, "site kit"):
        yield mind.add_event(f"{mind.city} site kit review {ref}", mind.value(known, "kit review", "slot"))
    owner = mind.value(known, "kit owner", "owner")
    yield mind.mail("site kit recap", mind.lines(ref, owner=owner))


def note(mind: Mind) -> Steps:
    """Write the handoff and add what is missing of step and sync."""
    model = mind.model_in((yield "openclaw config get agents.defaults.model.primary"))
    board = yield BOARD
    calendar = yield "calendar list"
    yield mind.today()
    known = facts((yield cmd("file", "read", "--path", mind.path_for(board))))
    ref, owner = mind.value(known, "ref", "ref"), mind.value(known, "owner", "owner")
    sync = mind.value(known, "sync at", "slot")
    step, meeting = mind.has(board, "release next step"), mind.has(calendar, "release sync")
    if step:
        yield cmd("tasks", "search", "--query", f"{mind.city} release")
    elif meeting:
        yield cmd("calendar", "list", "--from", sync[:10], "--to", sync[:10])
    path = mind.value(known, "handoff", "path")
    model = model or mind.model
    yield mind.write(path, mind.lines(ref, owner=owner, sync=sync, model=model))
    if not step:
        due, priority = mind.value(known, "step due", "due"), mind.value(known, "priority", "priority")
        yield mind.add_task(f"{mind.city} release next step {ref}", due, priority)
    if not meeting:
        yield mind.add_event(f"{mind.city} release sync {ref}", sync)


def resume(mind: Mind) -> Steps:
    """Do the journal's pending step and recap."""
    files = (yield "file list --path /ops") if mind.traits.decoy else ""
    known = facts((yield cmd("file", "read", "--path", mind.path_for(files.title()))))
    pending = known.get("pending", "add lines")
    ref, owner = mind.value(known, "ref", "ref"), mind.value(known, "owner", "owner")
    if "add lines" in pending or "finish" in pending:
        yield from _handoff(mind, mind.path_in(pending) or mind.path)
    else:
        yield from _ops(mind, known, pending, ref)
    yield mind.mail("work recap", mind.lines(ref, status="finished", owner=owner))


def _handoff(mind: Mind, path: str) -> Steps:
    model = mind.model_in((yield "openclaw config get agents.defaults.model.primary")) or mind.model
    yield BOARD
    yield cmd("tasks", "search", "--query", mind.city)
    sync = mind.row((yield "calendar list"), "work sync")
    yield mind.today()
    at = _start(sync) or mind.value({}, "slot", "slot")
    if path != mind.path:
        yield cmd("file", "read", "--path", path)
    yield cmd("file", "append", "--path", path, "--content", f"Model: {model}\nSync: {at}")


def _start(row: Row | None) -> str:
    return row.text.partition(" — ")[2].split(" ")[0] if row else ""


def _ops(mind: Mind, known: dict[str, str], pending: str, ref: str) -> Steps:
    forecast = yield mind.forecast()
    yield BOARD
    yield CRON
    yield "calendar list"
    yield mind.today()
    when = "wet" if mind.wet(forecast) else "dry"
    if "review" in pending:
        yield mind.add_event(f"{mind.city} work review {ref}", mind.value(known, f"review if {when}", "slot"))
    else:
        yield mind.add_task(f"{mind.city} work next step {ref}", mind.value(known, f"step due if {when}", "due"))
