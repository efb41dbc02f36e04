"""State repair: K state repair, O wrong-state replacement."""

from __future__ import annotations

from claw_adapter_forge.families.shared import other_slot
from claw_adapter_forge.families.texts_repair import TEXTS
from claw_adapter_forge.policies import experts_repair
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Want
from claw_adapter_forge.tasks.wants import (
    event_want,
    file_want,
    model_want,
    moved_want,
    renewed_want,
    repointed_want,
    retire_wants,
    task_want,
)

__all__ = ["FAMILIES"]

_WAITED_FOR = "_waited_for"
"""Ends the variants in which another card depends on what was staged wrong."""


def _repairs(slots: Slots, scene: Scene, rest: tuple[Want, ...], *, in_place: bool) -> tuple[Goal, ...]:
    """All acceptable ways to put the wrong item right, each with the rest of the goal."""
    step, sync = task_want(slots, slots.due, slots.priority), event_want(slots, slots.slot)
    what = slots.variant.removesuffix(_WAITED_FOR)
    if what == "model":
        return (Goal("set model", (model_want(slots), step, sync, *rest)),)
    if what == "task":
        stale = scene.key("stale")
        goals = [Goal(f"{how} and add", (gone, step, sync, *rest)) for how, gone in retire_wants("tasks", stale)]
        if in_place:
            goals.append(Goal("update in place", (renewed_want(slots, stale), sync, *rest)))
        return tuple(goals)
    stale = scene.key("stale")
    gone = retire_wants("events", stale)[0][1]
    if what == "twice":
        return (Goal("delete the stale copy", (gone, step, *rest)),)
    moved = Goal("update in place", (moved_want(slots, stale), step, *rest))
    return (moved, Goal("delete and add", (gone, sync, step, *rest)))


def _decoys(scene: Scene, slots: Slots, what: str) -> None:
    note = (
        f"sync: {slots.decoy_slot}; step due: {slots.decoy_due}; priority: medium; "
        f"model: {slots.decoy_model}; owner: {slots.decoy_owner}"
    )
    scene.task("decoy.card", slots.decoy_title(f"{what} card"), note=note)
    scene.task("decoy.step", slots.decoy_title("release next step"), due=slots.decoy_due, priority="low")
    scene.event("decoy.sync", slots.decoy_title("release sync"), slots.decoy_slot)


def _repair(slots: Slots) -> Draft:
    scene = Scene(slots)
    path = f"/handoff/{slots.city.lower()}-repair.txt"
    note = (
        f"sync: {slots.slot}; moved from: {slots.old_slot}; step due: {slots.due}; priority: {slots.priority}; "
        f"model: {slots.model}; owner: {slots.owner}; handoff: {path}"
    )
    scene.task("card", slots.title("repair card"), note=note)
    _decoys(scene, slots, "repair")
    stale_priority = "medium"
    if slots.variant == "task":
        title = slots.title("release next step")
        plan = f"planned for the sync of {slots.old_slot}"
        scene.task("stale", title, due=slots.old_due, note=plan, priority=stale_priority)
    elif slots.variant == "calendar":
        scene.event("stale", slots.title("release sync"), slots.old_slot)
    elif slots.variant == "twice":
        scene.event("stale", slots.title("release sync"), slots.old_slot)
        scene.event("sync", slots.title("release sync"), slots.slot)
    else:
        scene.model(slots.old_model)
    rest = (file_want(slots, path, {"owner": slots.owner, "sync": slots.slot}),)
    start = scene.freeze()
    goals = _repairs(slots, scene, rest, in_place=True)
    alternatives = {
        "task": ("delete_instead", "update_in_place"),
        "calendar": ("delete_and_add",),
    }.get(slots.variant, ())
    wrong = {"model": ("wrong",), "twice": ("stale", "duplicate")}.get(slots.variant, ("stale",))
    conflict = (*wrong, "missing", "decoy")
    evidence = (Evidence("tasks", note),)
    return Draft(start, goals, slots.variant, conflict, evidence, alternatives=alternatives)


def _replacement(slots: Slots) -> Draft:
    scene = Scene(slots)
    city = slots.city
    what, waited_for = slots.variant.removesuffix(_WAITED_FOR), slots.variant.endswith(_WAITED_FOR)
    note = (
        f"valid ref: {slots.ref}; void ref: {slots.void_ref}; sync: {slots.slot}; step due: {slots.due}; "
        f"priority: {slots.priority}; model: {slots.model}; owner: {slots.owner}"
    )
    if waited_for:
        note += "; cards that wait for the void ref are to wait for the valid ref"
        scene.task("waiting", slots.title("loading slot"), due=slots.slot[:10], note=f"Waits for: {slots.void_ref}")
        decoy_note = f"Waits for: {slots.decoy_ref}"
        scene.task("decoy.waiting", slots.decoy_title("loading slot"), due=slots.decoy_due, note=decoy_note)
    scene.task("card", slots.title("replacement card"), note=note)
    _decoys(scene, slots, "replacement")
    scene.task("sibling", slots.title("vendor visit"), due=slots.alt_due)
    if what == "task":
        scene.task("stale", f"{city} release next step {slots.void_ref}", due=slots.old_due)
    elif what == "calendar":
        scene.event("stale", f"{city} release sync {slots.void_ref}", slots.old_slot)
    else:
        scene.model(slots.old_model)
    start = scene.freeze()
    rest = (repointed_want(slots, scene.key("waiting")),) if waited_for else ()
    goals = _repairs(slots, scene, rest, in_place=False)
    alternatives = {"task": ("delete_instead",), "calendar": ("delete_and_add",)}.get(what, ())
    evidence = (Evidence("tasks", note),)
    return Draft(start, goals, slots.variant, ("wrong", "missing", "decoy"), evidence, alternatives=alternatives)


FAMILIES = (
    Family(
        letter="K",
        slug="state_repair_followthrough",
        asks=r"\brepair card\b",
        expert=experts_repair.repair,
        ability="state_repair",
        tags=("state_repair", "state_inspection", "workflow_completion"),
        first=153,
        plan=(Plan("task", 17), Plan("calendar", 16), Plan("model", 13)),
        texts=TEXTS["state_repair_followthrough"],
        build=_repair,
        flip=other_slot,
        extra=(Plan("twice", 0),),
    ),
    Family(
        letter="O",
        slug="wrong_state_replacement_followthrough",
        asks=r"\breplacement card\b",
        expert=experts_repair.replacement,
        ability="state_repair",
        tags=("state_repair", "replacement_planning", "workflow_completion"),
        first=261,
        plan=(Plan("task", 25), Plan("calendar", 13), Plan("model", 8)),
        texts=TEXTS["wrong_state_replacement_followthrough"],
        build=_replacement,
        flip=other_slot,
        extra=(Plan(f"task{_WAITED_FOR}", 0), Plan(f"calendar{_WAITED_FOR}", 0)),
    ),
)
