"""Expert scripts: state repair and wrong-state replacement."""

from __future__ import annotations

from claw_adapter_forge.policies.mind import Mind, Steps, cmd

__all__ = ["repair", "replacement"]

BOARD = "tasks list --status pending"


def repair(mind: Mind) -> Steps:
    """Find what no longer fits the card, put it right, write the handoff."""
    yield from _mend(mind, "repair card", handoff=True)


def replacement(mind: Mind) -> Steps:
    """Find what stands under the void ref (or a wrong model) and replace it."""
    yield from _mend(mind, "replacement card", handoff=False)


def _mend(mind: Mind, what: str, *, handoff: bool) -> Steps:
    board = yield BOARD
    calendar = yield "calendar list"
    card = mind.row(board, what)
    known = mind.facts(card)
    ref = known.get("valid ref") or mind.ref(card)
    due, sync = mind.value(known, "step due", "due"), mind.value(known, "sync", "slot")
    step, meetings = mind.row(board, "release next step"), mind.rows(calendar, "release sync")
    wrong_step = step if step and f"(due {due})" not in step.text else None
    wrong = [m for m in meetings if f" — {sync}" not in m.text]
    model = ""
    if wrong_step or wrong:
        yield mind.today()
    else:
        model = mind.model_in((yield "openclaw config get agents.defaults.model.primary"))
    wanted = mind.value(known, "model", "model")
    if handoff:
        owner, path = mind.value(known, "owner", "owner"), mind.value(known, "handoff", "path")
        yield mind.write(path, mind.lines(ref, owner=owner, sync=sync))
    if not wrong_step and not wrong and model != wanted:
        yield cmd("openclaw", "models", "set", wanted)
    if not mind.traits.recreate:
        if wrong_step:
            yield cmd("tasks", "complete", "--id", wrong_step.id)
        for meeting in wrong:
            if len(meetings) > len(wrong):  # the right one is there too
                yield cmd("calendar", "delete-event", "--id", meeting.id)
            else:
                title = f"{mind.city} release sync {ref}"
                yield cmd("calendar", "update-event", "--id", meeting.id, "--title", title, "--start", sync)
        for waiting in mind.rows(board, f"waits for: {known.get('void ref')}"):
            yield cmd("tasks", "update", "--id", waiting.id, "--note", f"Waits for: {ref}")
    yield from _additions(mind, known, ref, step=not step or bool(wrong_step), meeting=not meetings)


def _additions(mind: Mind, known: dict[str, str], ref: str, *, step: bool, meeting: bool) -> Steps:
    if step or mind.traits.recreate:
        due, priority = mind.value(known, "step due", "due"), mind.value(known, "priority", "priority")
        yield mind.add_task(f"{mind.city} release next step {ref}", due, priority)
    if meeting or mind.traits.recreate:
        yield mind.add_event(f"{mind.city} release sync {ref}", mind.value(known, "sync", "slot"))
