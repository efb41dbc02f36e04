"""Duplicate avoidance: I duplicate avoidance, N already done."""

from __future__ import annotations

from claw_adapter_forge.families.shared import other_slot, other_weather, today
from claw_adapter_forge.families.texts_duplicates import TEXTS
from claw_adapter_forge.policies import experts_choice
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal
from claw_adapter_forge.tasks.wants import event_want, mail_want, moved_want, retire_wants

__all__ = ["FAMILIES"]


def _choose(slots: Slots) -> Draft:
    scene = Scene(slots)
    city, ref = slots.city, slots.ref
    note = f"primary slot: {slots.slot}; backup slot: {slots.alt_slot}"
    scene.task("step", slots.title("ops setup next step"), due=slots.due, note=note)
    scene.cron("check", city, slots.schedule, f"Run the {city} ops setup check {ref}")
    decoy = f"primary slot: {slots.decoy_slot}; backup slot: {slots.old_slot}"
    scene.task("decoy.step", slots.decoy_title("ops setup next step"), due=slots.decoy_due, note=decoy)
    scene.cron(
        "decoy.check", slots.decoy, slots.decoy_schedule, f"Run the {slots.decoy} ops setup check {slots.decoy_ref}"
    )
    scene.event("decoy.block", slots.decoy_title("primary ops review"), slots.decoy_slot)
    kind = "backup" if slots.wet else "primary"
    goal = Goal("one review block", (event_want(slots, slots.alt_slot if slots.wet else slots.slot, kind),))
    wet = today(slots)
    return Draft(scene.freeze(), (goal,), kind, ("present", "missing", "decoy"), (Evidence("tasks", note), wet))


def _recap(slots: Slots) -> Draft:
    scene = Scene(slots)
    city = slots.city
    note = f"model: {slots.model}; step due: {slots.due}; sync: {slots.slot}; owner: {slots.owner}"
    decoy = (
        f"model: {slots.decoy_model}; step due: {slots.decoy_due}; sync: {slots.decoy_slot}; owner: {slots.decoy_owner}"
    )
    scene.task("card", slots.title("finished release card"), note=note)
    scene.task("decoy.card", slots.decoy_title("finished release card"), note=decoy)
    scene.task("step", slots.title("release next step"), due=slots.due)
    scene.task("decoy.step", slots.decoy_title("release next step"), due=slots.decoy_due)
    almost = slots.variant == "almost_done"
    scene.event("sync", slots.title("release sync"), slots.old_slot if almost else slots.slot)
    scene.event("decoy.sync", slots.decoy_title("release sync"), slots.decoy_slot)
    start = scene.freeze()
    mail = mail_want(slots, {"sync": slots.slot, "model": slots.model})
    evidence = (Evidence("tasks", note), Evidence("calendar", f"{city} release sync"))
    if not almost:
        return Draft(start, (Goal("recap only", (mail,)),), "done", ("done", "decoy"), evidence)
    key = scene.key("sync")
    gone = retire_wants("events", key)[0][1]
    goals = (
        Goal("update in place", (moved_want(slots, key), mail)),
        Goal("delete and add", (gone, event_want(slots, slots.slot), mail)),
    )
    return Draft(start, goals, "almost", ("wrong", "decoy"), evidence)


FAMILIES = (
    Family(
        letter="I",
        slug="duplicate_avoidance_followthrough",
        asks=r"\bops setup\b",
        expert=experts_choice.block,
        ability="duplicate_avoidance",
        tags=("duplicate_avoidance", "completion_recognition"),
        first=123,
        plan=(Plan("task_and_cron", 10, {"wet": (True, False)}),),
        texts=TEXTS["duplicate_avoidance_followthrough"],
        build=_choose,
        flip=other_weather,
    ),
    Family(
        letter="N",
        slug="already_done_skip_followthrough",
        asks=r"(?s)^(?!.*\b(?:release note|journal)\b).*\bfinished\b",
        expert=experts_choice.finished,
        ability="duplicate_avoidance",
        tags=("duplicate_avoidance", "completion_recognition", "information_transfer"),
        first=251,
        plan=(Plan("done", 10),),
        texts=TEXTS["already_done_skip_followthrough"],
        build=_recap,
        flip=other_slot,
        extra=(Plan("almost_done", 0),),
    ),
)
