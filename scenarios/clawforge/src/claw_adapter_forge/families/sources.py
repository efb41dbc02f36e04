"""Multi-source reasoning: J multi-source decision, M branch resolution, Q contradictory sources."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.families.shared import today
from claw_adapter_forge.families.texts_sources import TEXTS
from claw_adapter_forge.policies import experts_choice
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Want
from claw_adapter_forge.tasks.wants import cron_want, event_want, mail_want, task_want

__all__ = ["FAMILIES"]


def _closing(slots: Slots, live: bool) -> Want:
    return event_want(slots, slots.slot) if live else mail_want(slots, {"owner": slots.owner, "mode": "async"})


def _blackouts(scene: Scene, slots: Slots, day: str) -> Evidence:
    """The city's blackout if it is blocked; another city's always, so that a glance is not enough."""
    scene.event("decoy.blackout", f"{slots.decoy} blackout", f"{day}T06:00")
    if slots.blocked:
        scene.event("blackout", f"{slots.city} blackout", f"{day}T07:00")
        return Evidence("calendar", f"{slots.city} blackout")
    return Evidence("calendar", f"{slots.decoy} blackout")


def votes(slots: Slots) -> int:
    """How many of the three conditions of J hold: quorum, dry, no blackout."""
    return slots.flag + (not slots.wet) + (not slots.blocked)


def _decision(slots: Slots) -> Draft:
    scene = Scene(slots)
    body = _plan_mail(
        slots.city, slots, f"quorum: {'yes' if slots.flag else 'no'}", f"votes needed: {slots.threshold} of 3"
    )
    other = replace(
        slots,
        ref=slots.decoy_ref,
        owner=slots.decoy_owner,
        due=slots.decoy_due,
        slot=slots.decoy_slot,
        schedule=slots.decoy_schedule,
    )
    decoy = _plan_mail(
        slots.decoy, other, f"quorum: {'no' if slots.flag else 'yes'}", f"votes needed: {4 - slots.threshold} of 3"
    )
    scene.mail("plan", f"decision plan, {slots.city}", body)
    scene.mail("decoy", f"decision plan, {slots.decoy}", decoy)
    scene.cron("decoy.check", slots.decoy, slots.decoy_schedule, f"Run the {slots.decoy} check {slots.decoy_ref}")
    scene.task("decoy.step", slots.decoy_title("decision next step"), due=slots.decoy_due)
    calendar = _blackouts(scene, slots, slots.now[:10])
    live = votes(slots) >= slots.threshold
    wants = (task_want(slots, slots.due), cron_want(slots, slots.schedule), _closing(slots, live))
    evidence = (Evidence("email", f"ref: {slots.ref}"), today(slots), calendar)
    branch = "live" if live else "async"
    return Draft(scene.freeze(), (Goal(branch, wants),), branch, ("contradictory", "decoy"), evidence)


def _plan_mail(city: str, slots: Slots, *extra: str) -> str:
    lines = (
        f"ref: {slots.ref}",
        *extra,
        f"owner: {slots.owner}",
        f"step due: {slots.due}",
        f"check schedule: {slots.schedule}",
        f"call at: {slots.slot}",
    )
    return "\n".join([f"This is the plan for {city}.", *lines])


def _branch(slots: Slots) -> Draft:
    scene = Scene(slots)
    note = f"review slot: {slots.slot}; owner: {slots.owner}"
    decoy = f"review slot: {slots.decoy_slot}; owner: {slots.decoy_owner}"
    scene.task("step", slots.title("branch review next step"), due=slots.due, note=note)
    scene.task("decoy.step", slots.decoy_title("branch review next step"), due=slots.decoy_due, note=decoy)
    scene.cron("check", slots.city, slots.schedule, f"Run the {slots.city} branch check {slots.ref}")
    scene.cron(
        "decoy.check", slots.decoy, slots.decoy_schedule, f"Run the {slots.decoy} branch check {slots.decoy_ref}"
    )
    calendar = _blackouts(scene, slots, slots.now[:10])
    live = not slots.wet and not slots.blocked
    evidence = (Evidence("tasks", note), today(slots), calendar)
    branch = "live" if live else "async"
    return Draft(scene.freeze(), (Goal(branch, (_closing(slots, live),)),), branch, ("present", "decoy"), evidence)


def _is_live(slots: Slots) -> bool:
    return not slots.blocked and (slots.mode == "live" or (slots.mode == "by forecast" and not slots.wet))


def _contradiction(slots: Slots) -> Draft:
    scene = Scene(slots)
    live = _is_live(slots)
    day = slots.slot[:10]
    body = _plan_mail(slots.city, slots, f"mode: {slots.mode}", f"review day: {day}")
    stale = replace(
        slots,
        due=slots.old_due,
        slot=slots.old_slot,
        schedule=slots.alt_schedule,
        owner=slots.decoy_owner,
    )
    opposite = "async" if live else "live"
    old = _plan_mail(slots.city, stale, f"mode: {opposite}", f"review day: {slots.old_slot[:10]}")
    scene.mail("note", f"review note, {slots.city}", body, days_ago=1)
    scene.mail("old", f"review note, {slots.city}", old, days_ago=4)
    scene.task("decoy.step", slots.decoy_title("review next step"), due=slots.decoy_due)
    calendar = _blackouts(scene, slots, day)
    wants = (task_want(slots, slots.due), cron_want(slots, slots.schedule), _closing(slots, live))
    evidence = [Evidence("email", f"mode: {slots.mode}"), calendar]
    if slots.mode == "by forecast":
        evidence.append(today(slots))
    branch = "live" if live else "async"
    return Draft(scene.freeze(), (Goal(branch, wants),), branch, ("contradictory", "stale", "decoy"), tuple(evidence))


def _flip_vote(slots: Slots) -> Slots:
    live = votes(slots) >= slots.threshold
    for changed in (
        replace(slots, wet=not slots.wet),
        replace(slots, blocked=not slots.blocked),
        replace(slots, flag=not slots.flag),
    ):
        if (votes(changed) >= slots.threshold) != live:
            return changed
    return replace(slots, threshold=4 - slots.threshold)


def _flip_branch(slots: Slots) -> Slots:
    return replace(slots, wet=False) if slots.wet else replace(slots, blocked=not slots.blocked)


def _flip_mode(slots: Slots) -> Slots:
    live = _is_live(slots)
    for changed in (
        replace(slots, blocked=not slots.blocked),
        replace(slots, wet=not slots.wet),
        replace(slots, mode="async" if live else "live"),
    ):
        if _is_live(changed) != live:
            return changed
    return replace(slots, mode="live", blocked=False)


def _table(*rows: tuple[bool, bool, bool, int]) -> dict[str, object]:
    """Slots of J by (quorum, wet, blocked, votes needed), cycled over the tasks of a variant."""
    names = ("flag", "wet", "blocked", "threshold")
    return {name: tuple(row[i] for row in rows) for i, name in enumerate(names)}


_LIVE = _table(
    (True, False, True, 2), (True, True, False, 2), (False, False, False, 2), (True, False, False, 3),
    (False, False, True, 1), (True, True, True, 1), (False, True, False, 1), (True, False, False, 3),
)  # fmt: skip
_ASYNC = _table(
    (False, True, False, 2), (True, True, True, 2), (False, False, True, 2), (True, False, True, 3),
    (False, True, True, 1), (False, False, False, 3), (True, True, False, 3), (False, True, False, 2),
)  # fmt: skip

FAMILIES = (
    Family(
        letter="J",
        slug="multi_source_decision_followthrough",
        asks=r"\bdecision plan\b",
        expert=experts_choice.plan,
        ability="multi_source_reasoning",
        tags=("multi_source_reasoning", "branch_resolution", "workflow_completion"),
        first=133,
        plan=(Plan("live", 12, _LIVE), Plan("async", 8, _ASYNC)),
        texts=TEXTS["multi_source_decision_followthrough"],
        build=_decision,
        flip=_flip_vote,
    ),
    Family(
        letter="M",
        slug="branch_resolution_followthrough",
        asks=r"\bbranch review\b",
        expert=experts_choice.branch,
        ability="multi_source_reasoning",
        tags=("multi_source_reasoning", "branch_resolution", "duplicate_avoidance"),
        first=211,
        plan=(Plan("live", 26, {"wet": False}), Plan("async", 14, {"wet": (True, False), "blocked": (False, True)})),
        texts=TEXTS["branch_resolution_followthrough"],
        build=_branch,
        flip=_flip_branch,
    ),
    Family(
        letter="Q",
        slug="contradictory_source_resolution",
        asks=r"\breview notes?\b",
        expert=experts_choice.notes,
        ability="multi_source_reasoning",
        tags=("multi_source_reasoning", "branch_resolution", "workflow_completion", "state_inspection"),
        first=337,
        plan=(
            Plan(
                "async_blocked", 14, {"blocked": True, "mode": ("live", "by forecast", "async"), "wet": (False, True)}
            ),
            Plan("async_open", 3, {"mode": ("async", "by forecast", "async"), "wet": (False, True, True)}),
            Plan("live", 9, {"mode": ("live", "by forecast"), "wet": (True, False, False, False)}),
        ),
        texts=TEXTS["contradictory_source_resolution"],
        build=_contradiction,
        flip=_flip_mode,
        # two plans of three are async: a second live one, so that no branch is the better guess
        extra=(Plan("live", 0, {"mode": ("by forecast", "live"), "wet": (False, False, False, True)}),),
    ),
)
