"""Workflow completion: B release runbook, D daily loop, E release gate, G site review."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.families.shared import other_slot, other_weather, today
from claw_adapter_forge.families.texts_completion import TEXTS
from claw_adapter_forge.policies import experts_completion
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Want
from claw_adapter_forge.tasks.wants import (
    append_want,
    cron_want,
    enabled_want,
    event_want,
    file_want,
    model_want,
    task_want,
)

__all__ = ["FAMILIES"]

_RIGHT = "_model_right"
"""Ends the variants in which the model is as it should be."""


def _runbook(slots: Slots) -> Draft:
    scene = Scene(slots)
    right = slots.variant.endswith(_RIGHT)
    scene.model(slots.model if right else slots.old_model)
    city = slots.city
    note = f"owner: {slots.owner}; review slot: {slots.slot}; decision log due: {slots.due}; priority: {slots.priority}"
    decoy = (
        f"owner: {slots.decoy_owner}; review slot: {slots.decoy_slot}; "
        f"decision log due: {slots.decoy_due}; priority: medium"
    )
    scene.task("card", slots.title("release runbook"), note=note)
    scene.task("decoy.card", slots.decoy_title("release runbook"), note=decoy)
    path, old = f"/ops/{city.lower()}-runbook.txt", f"{city} runbook handoff\nbuild frozen, waiting for the review\n"
    scene.file(path, old)
    wants: list[Want] = [] if right else [model_want(slots)]
    wants.append(append_want(slots, path, old, {"owner": slots.owner}))
    if slots.variant.startswith("decision_log"):
        scene.task("log", slots.title("decision log"), due=slots.due, priority=slots.priority)
        scene.event("decoy.review", slots.decoy_title("release review"), slots.decoy_slot)
        wants.append(event_want(slots, slots.slot))
    else:
        scene.event("review", slots.title("release review"), slots.slot)
        scene.task("decoy.log", slots.decoy_title("decision log"), due=slots.decoy_due)
        wants.append(task_want(slots, slots.due, slots.priority))
    evidence = (Evidence("tasks", note),)
    goal = Goal("the missing half", tuple(wants))
    conflict = ("present", "missing", "decoy", *(("clean",) if right else ()))
    return Draft(scene.freeze(), (goal,), slots.variant, conflict, evidence, {"file": path})


def _daily(slots: Slots) -> Draft:
    scene = Scene(slots)
    city, ref = slots.city, slots.ref
    paused = slots.variant == "checks_paused"
    if paused or slots.variant == "task_present":
        note = f"check if dry: {slots.schedule}; check if wet: {slots.alt_schedule}"
        scene.task("step", slots.title("daily loop next step"), due=slots.old_due, note=note)
        want = cron_want(slots, slots.alt_schedule if slots.wet else slots.schedule)
        evidence = (Evidence("tasks", note), today(slots))
    else:
        note = f"Run the {city} daily check {ref}; step due if dry: {slots.due}; step due if wet: {slots.alt_due}"
        scene.cron("check", city, slots.schedule, note)
        want = task_want(slots, slots.alt_due if slots.wet else slots.due)
        evidence = (Evidence("openclaw cron", note), today(slots))
    if paused:
        for role, schedule in (("dry", slots.schedule), ("wet", slots.alt_schedule)):
            scene.cron(role, city, schedule, f"Run the {city} daily check {ref}", paused=True)
    scene.cron("decoy.check", slots.decoy, slots.decoy_schedule, f"Run the {slots.decoy} daily check {slots.decoy_ref}")
    scene.task("decoy.step", slots.decoy_title("daily loop next step"), due=slots.decoy_due)
    start, weather = scene.freeze(), "wet" if slots.wet else "dry"
    goal = Goal("the missing piece", (enabled_want(scene.key(weather)) if paused else want,))
    return Draft(start, (goal,), weather, ("interrupted" if paused else "missing", "present", "decoy"), evidence)


def _gate(slots: Slots) -> Draft:
    scene = Scene(slots)
    path = f"/ops/{slots.city.lower()}-gate.txt"
    right = slots.variant == "model_right"
    scene.model(slots.model if right else slots.old_model)
    note = (
        f"gate model: {slots.model}; gate sync: {slots.slot}; step due: {slots.due}; "
        f"priority: {slots.priority}; owner: {slots.owner}; handoff: {path}"
    )
    decoy = (
        f"gate model: {slots.decoy_model}; gate sync: {slots.decoy_slot}; step due: {slots.decoy_due}; "
        f"priority: medium; owner: {slots.decoy_owner}; handoff: /ops/{slots.decoy.lower()}-gate.txt"
    )
    scene.task("card", slots.title("release gate card"), note=note)
    scene.task("decoy.card", slots.decoy_title("release gate card"), note=decoy)
    wants = (
        *(() if right else (model_want(slots),)),
        file_want(slots, path, {"owner": slots.owner, "sync": slots.slot}),
        task_want(slots, slots.due, slots.priority),
        event_want(slots, slots.slot),
    )
    conflict = ("clean" if right else "wrong", "missing", "decoy")
    goal = Goal("gate closed", wants)
    return Draft(scene.freeze(), (goal,), slots.variant, conflict, (Evidence("tasks", note),))


def _review(slots: Slots) -> Draft:
    scene = Scene(slots)
    city, ref = slots.city, slots.ref
    places = f"first slot: {slots.first_today}; second slot: {slots.second_today}"
    if slots.variant.startswith("task_present"):
        note = f"check schedule: {slots.schedule}; {places}"
        scene.task("step", slots.title("site review next step"), due=slots.due, note=note)
        missing = cron_want(slots, slots.schedule)
        source = Evidence("tasks", note)
    else:
        note = f"Run the {city} site check {ref}; step due: {slots.due}; {places}"
        scene.cron("check", city, slots.schedule, note)
        missing = task_want(slots, slots.due)
        source = Evidence("openclaw cron", note)
    scene.cron("decoy.check", slots.decoy, slots.decoy_schedule, f"Run the {slots.decoy} site check {slots.decoy_ref}")
    scene.task("decoy.step", slots.decoy_title("site review next step"), due=slots.decoy_due)
    busy, quiet = (slots.first_today, slots.second_today) if slots.blocked else (slots.second_today, slots.first_today)
    scene.event("busy", f"{city} fire drill", busy)
    scene.event("decoy.busy", f"{slots.decoy} fire drill", quiet)
    kind = "backup" if slots.wet else "primary"
    wants = (missing, event_want(slots, quiet, kind))
    evidence = (source, today(slots), Evidence("calendar", f"{city} fire drill"))
    goal = Goal("missing piece and review", wants)
    return Draft(scene.freeze(), (goal,), kind, ("missing", "present", "decoy"), evidence)


def _other_half(slots: Slots) -> Slots:
    half = "review_slot" if slots.variant.startswith("decision_log") else "decision_log"
    return replace(slots, variant=half + (_RIGHT if slots.variant.endswith(_RIGHT) else ""))


_SCHEDULED = ("workflow_completion", "schedule_inference")

FAMILIES = (
    Family(
        letter="B",
        slug="release_recovery_runbook",
        asks=r"\brunbook\b",
        expert=experts_completion.runbook,
        ability="workflow_completion",
        tags=_SCHEDULED,
        first=7,
        plan=(Plan("decision_log", 4), Plan("review_slot", 6)),
        texts=TEXTS["release_recovery_runbook"],
        build=_runbook,
        flip=_other_half,
        extra=(Plan(f"decision_log{_RIGHT}", 0), Plan(f"review_slot{_RIGHT}", 0)),
    ),
    Family(
        letter="D",
        slug="daily_ops_commitment_loop",
        asks=r"\bdaily loop\b",
        expert=experts_completion.daily,
        ability="workflow_completion",
        tags=_SCHEDULED,
        first=19,
        plan=(
            Plan("task_present", 4, {"wet": (True, False)}),
            Plan("cron_present", 6, {"wet": (False, True)}),
        ),
        texts=TEXTS["daily_ops_commitment_loop"],
        build=_daily,
        flip=other_weather,
        extra=(Plan("checks_paused", 0, {"wet": (False, True)}, TEXTS["daily_ops_commitment_loop/checks_paused"]),),
    ),
    Family(
        letter="E",
        slug="release_gate_followthrough",
        asks=r"\brelease gate\b",
        expert=experts_completion.gate,
        ability="workflow_completion",
        tags=("workflow_completion", "state_inspection"),
        first=43,
        plan=(Plan("model_wrong", 23), Plan("model_right", 7)),
        texts=TEXTS["release_gate_followthrough"],
        build=_gate,
        flip=other_slot,
    ),
    Family(
        letter="G",
        slug="ops_review_followthrough",
        asks=r"\bsite review\b",
        expert=experts_completion.review,
        ability="workflow_completion",
        tags=_SCHEDULED,
        first=83,
        plan=(
            Plan("task_present", 12, {"wet": (True, True, False, False), "blocked": (True, False)}),
            Plan("cron_present", 18, {"wet": (False, False, True, True), "blocked": (False, True)}),
        ),
        texts=TEXTS["ops_review_followthrough"],
        build=_review,
        flip=other_weather,
    ),
)
