"""Expert scripts: release runbook, daily loop, release gate, site review."""

from __future__ import annotations

from claw_adapter_forge.policies.mind import Mind, Steps, cmd

__all__ = ["daily", "gate", "review", "runbook"]

BOARD = "tasks list --status pending"
CRON = "openclaw cron list"
MODEL = "openclaw config get agents.defaults.model.primary"


def runbook(mind: Mind) -> Steps:
    """Set the model, append to the handoff, add the missing half."""
    model = mind.model_in((yield MODEL))
    board = yield BOARD
    calendar = yield "calendar list"
    yield mind.today()
    card = mind.row(board, "release runbook")
    known, ref = mind.facts(card), mind.ref(card)
    if model != mind.model:
        yield cmd("openclaw", "models", "set", mind.model)
    owner = mind.value(known, "owner", "owner")
    yield cmd("file", "append", "--path", mind.path, "--content", mind.lines(ref, owner=owner))
    if mind.traits.recreate or not any("runbook" not in r.text for r in mind.rows(board, "decision log")):
        due, priority = mind.value(known, "decision log due", "due"), mind.value(known, "priority", "priority")
        yield mind.add_task(f"{mind.city} decision log {ref}", due, priority)
    if not mind.has(calendar, "release review"):
        yield mind.add_event(f"{mind.city} release review {ref}", mind.value(known, "review slot", "slot"))


def daily(mind: Mind) -> Steps:
    """Add the missing half with the value for today's weather, or enable the paused check that has it."""
    forecast = yield mind.forecast(3)
    yield mind.today()
    board = yield BOARD
    cron = yield CRON
    when = "wet" if mind.wet(forecast) else "dry"
    step, check = mind.row(board, "daily loop next step"), mind.row(cron, "daily check")
    if not mind.has(cron, "daily check"):
        schedule = mind.value(mind.facts(step), f"check if {when}", "schedule")
        yield mind.add_cron(schedule, f"Run the {mind.city} daily check {mind.ref(step)}")
    for paused in mind.rows(cron, "daily check", f": {mind.facts(step).get(f'check if {when}')} - ", "(paused)"):
        yield cmd("openclaw", "cron", "enable", paused.id)
    if not mind.has(board, "daily loop next step"):
        due = mind.value(mind.facts(check), f"step due if {when}", "due")
        yield mind.add_task(f"{mind.city} daily loop next step {mind.ref(check)}", due)


def gate(mind: Mind) -> Steps:
    """Do all that the gate card says."""
    model = mind.model_in((yield MODEL))
    board = yield BOARD
    yield "calendar list"
    yield mind.today()
    card = mind.row(board, "gate card")
    known, ref = mind.facts(card), mind.ref(card)
    wanted, sync = mind.value(known, "gate model", "model"), mind.value(known, "gate sync", "slot")
    if model != wanted:
        yield cmd("openclaw", "models", "set", wanted)
    owner, path = mind.value(known, "owner", "owner"), mind.value(known, "handoff", "path")
    yield mind.write(path, mind.lines(ref, owner=owner, sync=sync))
    due, priority = mind.value(known, "step due", "due"), mind.value(known, "priority", "priority")
    yield mind.add_task(f"{mind.city} release gate next step {ref}", due, priority)
    yield mind.add_event(f"{mind.city} release gate sync {ref}", sync)
    yield mind.today()


def review(mind: Mind) -> Steps:
    """Add the missing half, then the review in the first free slot, named by the weather."""
    forecast = yield mind.forecast()
    today = yield mind.today()
    cron = yield CRON
    board = yield BOARD
    step, check = mind.row(board, "site review next step"), mind.row(cron, "site check")
    known = mind.facts(step) | mind.facts(check)
    ref = mind.ref(step or check)
    if not mind.has(cron, "site check"):
        schedule = mind.value(known, "check schedule", "schedule")
        yield mind.add_cron(schedule, f"Run the {mind.city} site check {ref}")
    if not mind.has(board, "site review next step"):
        yield mind.add_task(f"{mind.city} site review next step {ref}", mind.value(known, "step due", "due"))
    first, second = mind.value(known, "first slot", "slot"), mind.value(known, "second slot", "slot")
    busy = any(f" — {first}" in row.text for row in mind.rows(today))
    kind = "backup" if mind.wet(forecast) else "primary"
    yield mind.add_event(f"{mind.city} site review {ref}", second if busy else first, f"Kind: {kind}")
