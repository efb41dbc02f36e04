"""A handover: two to four jobs that depend on each other, with what they need spread over the office. The set ``hard``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from claw_adapter_forge.families.handover_plan import HandoverJob, HandoverPlan
from claw_adapter_forge.families.shared import today
from claw_adapter_forge.families.texts_handover import RULE, TEXTS
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import HOUSE_RULES, Scene
from claw_adapter_forge.tasks.slots import CITIES, Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Want
from claw_adapter_forge.tasks.wants import (
    FINISHED,
    cron_want,
    event_want,
    file_want,
    login_want,
    mail_want,
    message_want,
    renewed_want,
    retire_wants,
    task_want,
)
from claw_adapter_forge.world.records import Room
from claw_adapter_forge.world.times import add_days

__all__ = ["HANDOVER"]

HORIZON = 60
"""Commands that an agent may give."""


def _rooms(plan: HandoverPlan, other: str) -> tuple[tuple[Room, ...], str]:
    ref = plan.jobs[0].slots.ref
    target = f"#ops-{ref[3:]}"
    city = plan.slots.city
    return (
        Room(f"{target}-old", f"{city} ops archive"),
        Room(target, f"{city} ops room"),
        Room("#ops-other", f"{other} ops room"),
        Room("#lobby", "Lobby"),
    ), target


def _handover(slots: Slots) -> Draft:
    scene = Scene(slots)
    scene.rules = HOUSE_RULES + RULE
    plan = HandoverPlan(slots, "own")
    evidence = plan.lay_out(scene)
    others = [c for c in plan.draw.shuffled("others", list(CITIES)) if CITIES[c][0] != slots.zone]
    cities = [slots.decoy, *(c for c in others if c != slots.decoy)][: plan.knob["decoys"]]
    for place, city in enumerate(cities):
        ref = f"{slots.decoy_ref[:3]}{1000 + (int(slots.decoy_ref[3:]) - 1000 + 61 * place) % 9000}"
        HandoverPlan(
            replace(slots, city=city, zone=CITIES[city][0], ref=ref, wet=not slots.wet), f"decoy {place}"
        ).lay_out(scene)
    _near(scene, plan)
    _blackouts(scene, plan)
    rooms, target = _rooms(plan, slots.decoy)
    scene.channel(slots.channel, "expired", rooms)
    pending, ways = _present(scene, plan)
    start = scene.freeze()
    wants = [w for job in plan.jobs if job.kind in pending for w in _wants(plan, job, target)]
    last = plan.jobs[-1].slots
    wants.append(mail_want(last, {"owner": last.owner, "status": FINISHED}, plan.labels))
    goals = tuple(Goal(name, (*wants, *more(scene))) for name, more in ways)
    evidence += [today(slots), Evidence("calendar", f"{slots.city} blackout")]
    stale, done = len(ways) > 1, len(pending) + (len(ways) > 1) < len(plan.jobs)
    conflict = ("missing", "decoy", *(("stale",) if stale else ()), *(("done",) if done else ()))
    return Draft(start, goals, plan.branch, conflict, tuple(evidence), horizon=HORIZON, knobs=slots.knobs)


def _blackouts(scene: Scene, plan: HandoverPlan) -> None:
    """The city's blackout on the call's day if it is blocked, else on another day; another city's on the call's day."""
    city, day = plan.slots.city, plan.slot[:10]
    scene.event("blackout", f"{city} blackout", f"{day if plan.slots.blocked else add_days(day, 21)}T07:00")
    scene.event("decoy.blackout", f"{plan.slots.decoy} blackout", f"{day}T06:00")


def _near(scene: Scene, plan: HandoverPlan) -> None:
    """Cards and corrections of the same city under refs that differ in two digits' order or one digit."""
    slots, ref = plan.slots, plan.jobs[0].slots.ref
    digits = ref[3:]
    last = f"{ref[:3]}{digits[:3]}"
    twins = [f"{last}{(int(digits[3]) + step) % 10}" for step in (1, 3, 7)][: plan.knob["near"]]
    for i, twin in enumerate(twins):
        moment = plan.moment(f"near {i}")
        scene.task(
            f"near {i}", f"{slots.city} {slots.topic} call card {twin}", note=f"call at: {moment}; desk if live: D1"
        )
        later = f"{moment[:11]}18:00"
        scene.mail(f"near fix {i}", f"correction, {slots.city}, {twin}", f"call at: {later}", days_ago=1)


_Ways = list[tuple[str, Callable[[Scene], tuple[Want, ...]]]]


def _present(scene: Scene, plan: HandoverPlan) -> tuple[set[str], _Ways]:
    """What of the jobs is there: the kinds that are still to be done, and the ways to put right what is out of date."""
    kinds = {job.kind for job in plan.jobs}
    by_kind = {job.kind: job for job in plan.jobs}
    ways: _Ways = [("as the jobs say", lambda _: ())]
    if plan.knob["stale"] and "step" in kinds:
        step = by_kind["step"].slots
        old = by_kind["step"].holds[f"due if {'async' if plan.live else 'live'}"]
        scene.task("stale", step.title("next step"), due=old, priority="medium")
        kinds.discard("step")
        new = task_want(step, step.due, step.priority)
        ways = [
            ("update in place", lambda s: (renewed_want(step, s.key("stale")),)),
            ("complete and add", lambda s: (dict(retire_wants("tasks", s.key("stale")))["complete"], new)),
            ("delete and add", lambda s: (dict(retire_wants("tasks", s.key("stale")))["delete"], new)),
        ]
    if plan.knob["done"] and "check" in kinds:
        check = by_kind["check"].slots
        scene.cron("done", check.city, check.schedule, f"Run the {check.city} check {check.ref}")
        kinds.discard("check")
    elif plan.knob["done"] and "step" in kinds:
        there = by_kind["step"].slots
        scene.task("done", there.title("next step"), due=there.due, priority=there.priority)
        kinds.discard("step")
    return kinds, ways


def _wants(plan: HandoverPlan, job: HandoverJob, target: str) -> list[Want]:
    slots = job.slots
    if job.kind == "call":
        notice = mail_want(slots, {"mode": "async", "owner": slots.owner}, plan.labels)
        return [event_want(slots, plan.slot) if plan.live else notice]
    if job.kind == "step":
        return [task_want(slots, slots.due, slots.priority)]
    if job.kind == "check":
        return [cron_want(slots, slots.schedule)]
    if job.kind == "handoff":
        return [file_want(slots, job.holds["file"], {"owner": slots.owner, "model": slots.model}, plan.labels)]
    return [login_want(slots), message_want(slots, target, {"severity": slots.severity}, plan.labels)]


def _other_branch(slots: Slots) -> Slots:
    return replace(slots, wet=False) if slots.wet else replace(slots, blocked=not slots.blocked)


HANDOVER = Family(
    slug="handover",
    ability="multi_source_reasoning",
    tags=("multi_source_reasoning", "workflow_completion", "state_inspection"),
    plan=(Plan("chain", 0, {"wet": (False, True, False, False), "blocked": (False, False, False, True)}),),
    texts=TEXTS,
    build=_handover,
    flip=_other_branch,
)
