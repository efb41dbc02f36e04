"""Information transfer: A inbox, C channel incident, F delivery update."""

from __future__ import annotations

from dataclasses import replace

from claw_adapter_forge.families.texts_transfer import TEXTS
from claw_adapter_forge.policies import experts_transfer
from claw_adapter_forge.tasks.family import Draft, Family, Plan
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Evidence, Goal, Want
from claw_adapter_forge.tasks.wants import event_want, file_want, login_want, mail_want, message_want, task_want
from claw_adapter_forge.world.records import Room

__all__ = ["FAMILIES"]


def _thread(city: str, slots: Slots, *, mode: str, decoy: bool) -> str:
    ref, owner = (slots.decoy_ref, slots.decoy_owner) if decoy else (slots.ref, slots.owner)
    due, slot = (slots.decoy_due, slots.decoy_slot) if decoy else (slots.due, slots.slot)
    path = f"/handoff/{city.lower()}-{slots.topic}.txt"
    lines = (f"ref: {ref}", f"owner: {owner}", f"mode: {mode}", f"next step due: {due}", f"call at: {slot}")
    return "\n".join([f"About {slots.topic} in {city}.", *lines, f"handoff file: {path}"])


def _inbox(slots: Slots) -> Draft:
    scene = Scene(slots)
    mode = "live" if slots.flag else "async"
    other = "async" if slots.flag else "live"
    scene.mail("thread", f"{slots.topic} thread, {slots.city}", _thread(slots.city, slots, mode=mode, decoy=False))
    scene.mail("decoy", f"{slots.topic} thread, {slots.decoy}", _thread(slots.decoy, slots, mode=other, decoy=True))
    scene.task("decoy.step", f"{slots.decoy} {slots.topic} next step {slots.decoy_ref}", due=slots.decoy_due)
    has_step = slots.variant.startswith("task_existing")
    if has_step:
        scene.task("step", f"{slots.city} {slots.topic} next step {slots.ref}", due=slots.due)
    path = f"/handoff/{slots.city.lower()}-{slots.topic}.txt"
    wants: list[Want] = [] if has_step else [task_want(slots, slots.due)]
    wants += [event_want(slots, slots.slot)] if slots.flag else []
    wants.append(file_want(slots, path, {"owner": slots.owner, "due": slots.due}))
    wants.append(mail_want(slots, {"owner": slots.owner, "mode": mode}))
    start = scene.freeze()
    evidence = (
        Evidence("email", f"mode: {mode}"),
        Evidence("tasks", f"{slots.decoy} {slots.topic} next step"),
    )
    conflict = ("present" if has_step else "missing", "decoy")
    return Draft(start, (Goal("only what is missing", tuple(wants)),), mode, conflict, evidence)


def _rooms(slots: Slots, what: str, kind: str) -> tuple[tuple[Room, ...], str]:
    stem = what[:3]
    target = f"#{stem}-{slots.ref[-4:]}"
    rooms = (
        Room(f"#{stem}-{slots.decoy_ref[-4:]}", f"{slots.decoy} {what}", kind),
        Room(target, f"{slots.city} {what}", kind),
        Room(f"{target}-old", f"{slots.city} {what} archive", "direct" if kind == "shared" else "shared"),
        Room("#lobby", "Lobby"),
    )
    return rooms, target


def _channel(scene: Scene, slots: Slots, rooms: tuple[Room, ...]) -> tuple[Want, ...]:
    """The rooms' channel, whose session has expired unless the variant says otherwise, and the wants that come of it."""
    connected = slots.variant.endswith("_connected")
    scene.channel(slots.channel, "connected" if connected else "expired", rooms)
    return () if connected else (login_want(slots),)


def _incident(slots: Slots) -> Draft:
    scene = Scene(slots)
    note = f"owner: {slots.owner}; severity: {slots.severity}"
    other = "sev1" if slots.severity != "sev1" else "sev2"
    scene.task("step", f"{slots.city} incident follow-up {slots.ref}", due=slots.due, note=note)
    scene.task(
        "decoy.step",
        f"{slots.decoy} incident follow-up {slots.decoy_ref}",
        due=slots.decoy_due,
        note=f"owner: {slots.decoy_owner}; severity: {other}",
    )
    rooms, target = _rooms(slots, "incident room", "shared")
    login = _channel(scene, slots, rooms)
    owner = {"owner": slots.owner}
    wants = (*login, message_want(slots, target, {"severity": slots.severity}), mail_want(slots, owner))
    evidence = (Evidence("tasks", note), Evidence("openclaw channels", f'"{target}"'))
    goal = Goal("post and recap", wants)
    conflict = ("present", "decoy", *(("interrupted",) if login else ()))
    return Draft(scene.freeze(), (goal,), "post", conflict, evidence)


def _delivery(slots: Slots) -> Draft:
    scene = Scene(slots)
    kind = "shared" if slots.flag else "direct"
    note = f"owner: {slots.owner}; step due: {slots.due}; live block: {slots.slot}"
    decoy_note = f"owner: {slots.decoy_owner}; step due: {slots.decoy_due}; live block: {slots.decoy_slot}"
    scene.task("card", slots.title("delivery card"), note=note)
    scene.task("decoy.card", slots.decoy_title("delivery card"), note=decoy_note)
    scene.task("decoy.step", slots.decoy_title("delivery next step"), due=slots.decoy_due)
    has_step = slots.variant.startswith("task_present")
    if has_step:
        scene.task("step", slots.title("delivery next step"), due=slots.due)
    rooms, target = _rooms(slots, "delivery line", kind)
    login = _channel(scene, slots, rooms)
    wants: list[Want] = [*login]
    wants += [] if has_step else [task_want(slots, slots.due)]
    wants += [event_want(slots, slots.slot)] if slots.flag else []
    owner = {"owner": slots.owner}
    wants += [message_want(slots, target, owner), mail_want(slots, owner)]
    evidence = (Evidence("tasks", note), Evidence("openclaw channels", f'"{slots.city} delivery line"'))
    conflict = ("present" if has_step else "missing", *(("interrupted",) if login else ()), "decoy")
    goal = Goal("deliver and recap", tuple(wants))
    return Draft(scene.freeze(), (goal,), "live" if slots.flag else "async", conflict, evidence)


def _other_severity(slots: Slots) -> Slots:
    return replace(slots, severity="sev1" if slots.severity != "sev1" else "sev3")


_TAGS = ("information_transfer", "workflow_completion")

FAMILIES = (
    Family(
        letter="A",
        slug="inbox_followthrough",
        asks=r"\bthread\b",
        expert=experts_transfer.inbox,
        ability="information_transfer",
        tags=_TAGS,
        first=1,
        plan=(
            Plan("task_existing_async", 5),
            Plan("task_existing_sync", 2, {"flag": True}),
            Plan("task_missing_async", 2),
            Plan("task_missing_sync", 3, {"flag": True}),
        ),
        texts=TEXTS["inbox_followthrough"],
        build=_inbox,
    ),
    Family(
        letter="C",
        slug="channel_incident_recovery",
        asks=r"\bincident\b",
        expert=experts_transfer.incident,
        ability="information_transfer",
        tags=_TAGS,
        first=13,
        plan=(Plan("task_present", 10),),
        texts=TEXTS["channel_incident_recovery"],
        build=_incident,
        flip=_other_severity,
        extra=(Plan("task_present_connected", 0),),
    ),
    Family(
        letter="F",
        slug="delivery_update_followthrough",
        asks=r"\bdelivery\b",
        expert=experts_transfer.delivery,
        ability="information_transfer",
        tags=_TAGS,
        first=73,
        plan=(
            Plan("task_present_async", 4),
            Plan("task_present_live", 2, {"flag": True}),
            Plan("task_missing_async", 4),
        ),
        texts=TEXTS["delivery_update_followthrough"],
        build=_delivery,
        extra=(
            Plan("task_missing_live", 0, {"flag": True}),
            Plan("task_missing_live_connected", 0, {"flag": True}),
            Plan("task_present_async_connected", 0),
        ),
    ),
)
