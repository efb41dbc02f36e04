"""Gap completion: H existing state, L completion gap, P interrupted resume."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.families.shared import other_slot, other_weather, today
from claw_adapter_forge.families.texts_gap import TEXTS
from claw_adapter_forge.policies import experts_gap
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Want
from claw_adapter_forge.tasks.wants import (
    FINISHED,
    append_want,
    cron_want,
    enabled_want,
    event_want,
    file_want,
    kept_want,
    mail_want,
    task_want,
)

__all__ = ["FAMILIES"]


def _kit(slots: Slots) -> Draft:
    scene = Scene(slots)
    city, ref, missing = slots.city, slots.ref, slots.variant.removeprefix("missing_")
    paused = missing == "paused_cron"
    note = (
        f"kit check: {slots.schedule}; kit review: {slots.slot}; kit step due: {slots.due}; "
        f"kit priority: {slots.priority}; kit owner: {slots.owner}"
    )
    if missing != "task":
        scene.task("step", slots.title("site kit next step"), due=slots.due, note=note, priority=slots.priority)
    if missing != "event":
        event_note = note if missing == "task" else ""
        scene.event("review", slots.title("site kit review"), slots.slot, note=event_note)
    if missing != "cron":
        scene.cron("check", city, slots.schedule, f"Run the {city} site kit check {ref}", paused=paused)
    decoy_note = (
        f"kit check: {slots.decoy_schedule}; kit review: {slots.decoy_slot}; kit step due: {slots.decoy_due}; "
        f"kit priority: medium; kit owner: {slots.decoy_owner}"
    )
    scene.task("decoy.step", slots.decoy_title("site kit next step"), due=slots.decoy_due, note=decoy_note)
    scene.event("decoy.review", slots.decoy_title("site kit review"), slots.decoy_slot, note=decoy_note)
    scene.cron(
        "decoy.check", slots.decoy, slots.decoy_schedule, f"Run the {slots.decoy} site kit check {slots.decoy_ref}"
    )
    start = scene.freeze()
    piece = {
        "cron": lambda: cron_want(slots, slots.schedule),
        "task": lambda: task_want(slots, slots.due, slots.priority),
        "event": lambda: event_want(slots, slots.slot),
        "paused_cron": lambda: enabled_want(scene.key("check")),
    }[missing]()
    evidence = [Evidence("calendar" if missing == "task" else "tasks", note)]
    if paused:
        evidence.append(Evidence("openclaw cron", f"site kit check {ref} (paused)"))
    goal = Goal("the third piece and a recap", (piece, mail_want(slots, {"owner": slots.owner})))
    conflict = ("present", "interrupted" if paused else "missing", "decoy")
    return Draft(start, (goal,), missing, conflict, tuple(evidence))


def _gap(slots: Slots) -> Draft:
    scene = Scene(slots)
    city, low = slots.city, slots.city.lower()
    note_path, path = f"/ops/{low}-release-note.txt", f"/handoff/{low}-release.txt"
    lines = (
        f"Release note for {city}",
        f"ref: {slots.ref}",
        f"owner: {slots.owner}",
        f"step due: {slots.due}",
        f"priority: {slots.priority}",
        f"sync at: {slots.slot}",
        f"handoff: {path}",
    )
    scene.file(note_path, "\n".join(lines))
    decoy = ("Release note for " + slots.decoy, f"ref: {slots.decoy_ref}", f"step due: {slots.decoy_due}")
    scene.file(f"/ops/{slots.decoy.lower()}-release-note.txt", "\n".join(decoy))
    wants: list[Want] = [file_want(slots, path, {"owner": slots.owner, "sync": slots.slot, "model": slots.model})]
    if slots.variant == "calendar_only":
        scene.task("step", slots.title("release next step"), due=slots.due, priority=slots.priority)
    else:
        wants.append(task_want(slots, slots.due, slots.priority))
    if slots.variant == "task_only":
        scene.event("sync", slots.title("release sync"), slots.slot)
    else:
        wants.append(event_want(slots, slots.slot))
    scene.task("decoy.step", slots.decoy_title("release next step"), due=slots.decoy_due)
    scene.event("decoy.sync", slots.decoy_title("release sync"), slots.decoy_slot)
    evidence = (Evidence("file", f"ref: {slots.ref}"), Evidence("tasks", f"{slots.decoy} release next step"))
    conflict = ("missing", *(() if slots.variant == "both" else ("present",)), "decoy")
    goal = Goal("only what is missing", tuple(wants))
    return Draft(scene.freeze(), (goal,), slots.variant, conflict, evidence, {"file": note_path})


_PENDING = {
    "handoff_begun": "finish {handoff}, which lacks Model, the default model in use, and Sync, the day and time of the sync",
    "handoff_missing": "add lines to this file with Model, the default model in use, and Sync, the day and time of the sync",
    "ops_review_missing": "put the review on the calendar",
    "ops_task_missing": "put the next step on the board",
}


_DONE = {
    "handoff_begun": ("next step on the board", "sync on the calendar"),
    "handoff_missing": ("next step on the board", "sync on the calendar"),
    "ops_review_missing": ("next step on the board", "daily check scheduled"),
    "ops_task_missing": ("daily check scheduled", "review on the calendar"),
}


def _journal(slots: Slots) -> str:
    lines = [
        f"Journal of the {slots.city} work",
        f"city: {slots.city}",
        f"ref: {slots.ref}",
        f"owner: {slots.owner}",
        *_weather_lines(slots),
        *(f"done: {what}" for what in _DONE[slots.variant]),
        f"pending: {_pending(slots)}",
    ]
    return "\n".join(lines) + "\n"


def _handoff_of(city: str) -> str:
    return f"/handoff/{city.lower()}-work.txt"


def _begun(city: str, ref: str, owner: str) -> str:
    """A handoff file that somebody has not finished."""
    return f"Handoff of the {city} work\ncity: {city}\nref: {ref}\nowner: {owner}\n"


def _pending(slots: Slots) -> str:
    return _PENDING[slots.variant].format(handoff=_handoff_of(slots.city))


def _resume(slots: Slots) -> Draft:
    scene = Scene(slots)
    city, ref, variant = slots.city, slots.ref, slots.variant
    path = f"/ops/{city.lower()}-journal.txt"
    done, journal = _DONE[variant], _journal(slots)
    scene.file(path, journal)
    other = (f"Journal of the {slots.decoy} work", f"ref: {slots.decoy_ref}", f"owner: {slots.decoy_owner}")
    scene.file(f"/ops/{slots.decoy.lower()}-journal.txt", "\n".join([*other, "done: next step on the board"]) + "\n")
    if "next step on the board" in done:
        scene.task("step", slots.title("work next step"), due=slots.old_due)
    if "daily check scheduled" in done:
        scene.cron("check", city, slots.schedule, f"Run the {city} work check {ref}")
    if "sync on the calendar" in done:
        scene.event("sync", slots.title("work sync"), slots.slot)
    if "review on the calendar" in done:
        scene.event("review", slots.title("work review"), slots.old_slot)
    scene.task("decoy.step", slots.decoy_title("work next step"), due=slots.decoy_due)
    scene.event("decoy.sync", slots.decoy_title("work sync"), slots.decoy_slot)
    scene.event("decoy.review", slots.decoy_title("work review"), slots.alt_slot)
    handoff, begun = _handoff_of(city), _begun(city, ref, slots.owner)
    if variant == "handoff_begun":
        scene.file(handoff, begun)
        scene.file(_handoff_of(slots.decoy), _begun(slots.decoy, slots.decoy_ref, slots.decoy_owner))
    known = {"owner": slots.owner}
    facts = {**known, "model": slots.model, "sync": slots.slot}
    piece = {
        "handoff_missing": lambda: append_want(slots, path, journal, facts),
        "handoff_begun": lambda: append_want(slots, handoff, begun, facts),
        "ops_review_missing": lambda: event_want(slots, slots.alt_slot if slots.wet else slots.slot),
        "ops_task_missing": lambda: task_want(slots, slots.alt_due if slots.wet else slots.due),
    }[variant]()
    wants = (piece, mail_want(slots, {**known, "status": FINISHED}))
    evidence = [Evidence("file", f"pending: {_pending(slots)}")]
    if variant.startswith("handoff"):
        evidence.append(Evidence("calendar", slots.slot))
    else:
        evidence.append(today(slots))
    goals = [Goal("the pending step and a recap", wants)]
    if variant != "handoff_missing":
        kept = kept_want(slots, path, journal, known)
        goals.append(Goal("the same, and the journal kept up", (*wants, kept)))
    conflict = ("interrupted", "present", "missing", "decoy")
    ways = () if variant == "handoff_missing" else ("journal_kept",)
    return Draft(scene.freeze(), tuple(goals), variant, conflict, tuple(evidence), {"file": path}, ways)


def _weather_lines(slots: Slots) -> tuple[str, ...]:
    if slots.variant == "ops_review_missing":
        return (f"review if dry: {slots.slot}", f"review if wet: {slots.alt_slot}")
    if slots.variant == "ops_task_missing":
        return (f"step due if dry: {slots.due}", f"step due if wet: {slots.alt_due}")
    return ()


def _rotate(*names: str) -> dict[str, str]:
    return dict(zip(names, (*names[1:], names[0]), strict=True))


_KIT_NEXT = _rotate("missing_cron", "missing_task", "missing_event") | {"paused_cron": "missing_task"}
_GAP_OTHER = {"calendar_only": "task_only", "task_only": "calendar_only"}


def _other_piece(slots: Slots) -> Slots:
    return replace(slots, variant=_KIT_NEXT[slots.variant])


def _other_gap(slots: Slots) -> Slots:
    if slots.variant == "both":
        return other_slot(slots)
    return replace(slots, variant=_GAP_OTHER[slots.variant])


def _other_fact(slots: Slots) -> Slots:
    return other_slot(slots) if slots.variant.startswith("handoff") else other_weather(slots)


FAMILIES = (
    Family(
        letter="H",
        slug="existing_state_followthrough",
        asks=r"\bsite kit\b",
        expert=experts_gap.kit,
        ability="gap_completion",
        tags=("gap_completion", "state_inspection", "duplicate_avoidance", "workflow_completion"),
        first=113,
        plan=(Plan("missing_cron", 4), Plan("missing_task", 3), Plan("missing_event", 3)),
        texts=TEXTS["existing_state_followthrough"],
        build=_kit,
        flip=_other_piece,
        extra=(Plan("paused_cron", 0),),
    ),
    Family(
        letter="L",
        slug="completion_gap_followthrough",
        asks=r"\brelease note\b",
        expert=experts_gap.note,
        ability="gap_completion",
        tags=("gap_completion", "state_inspection", "workflow_completion"),
        first=199,
        plan=(Plan("both", 4), Plan("calendar_only", 5), Plan("task_only", 3)),
        texts=TEXTS["completion_gap_followthrough"],
        build=_gap,
        flip=_other_gap,
    ),
    Family(
        letter="P",
        slug="interrupted_workflow_resume",
        asks=r"\bjournal\b",
        expert=experts_gap.resume,
        ability="gap_completion",
        tags=("gap_completion", "state_inspection", "duplicate_avoidance", "workflow_completion"),
        first=307,
        plan=(
            Plan("ops_task_missing", 16, {"wet": (False, True)}),
            Plan("ops_review_missing", 9, {"wet": (True, False)}),
            Plan("handoff_missing", 5),
        ),
        texts=TEXTS["interrupted_workflow_resume"],
        build=_resume,
        flip=_other_fact,
        extra=(Plan("handoff_begun", 0),),
    ),
)
