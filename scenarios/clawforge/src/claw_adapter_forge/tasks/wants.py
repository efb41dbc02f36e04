"""The wants that families share, so that the same change is judged the same way everywhere."""

from __future__ import annotations

from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Allowed, Cond, Want

__all__ = [
    "COMMON_ALLOWED",
    "append_want",
    "cron_want",
    "event_want",
    "file_want",
    "foreign",
    "login_want",
    "mail_want",
    "message_want",
    "model_want",
    "retire_wants",
    "task_want",
]

COMMON_ALLOWED = (Allowed("mails", "updated", ("read", "starred")),)


def foreign(slots: Slots) -> tuple[str, ...]:
    """What a text about the task's city must not mention."""
    return (slots.decoy, slots.decoy_ref, slots.void_ref)


def _about(slots: Slots, *words: str) -> tuple[Cond, ...]:
    return (
        Cond("text", "names", (slots.city, slots.ref, *words)),
        Cond("text", "avoids", foreign(slots)),
        Cond("text", "refs_only", (slots.ref,)),
    )


def task_want(slots: Slots, due: str, priority: str = "medium") -> Want:
    """A new open card with this due day and priority."""
    conds = (
        *_about(slots),
        Cond("due", "equals", (due,)),
        Cond("priority", "equals", (priority,)),
        Cond("status", "equals", ("pending",)),
    )
    return Want("next step on the board", "tasks", "created", conds)


def event_want(slots: Slots, start: str, kind: str = "", other_kind: str = "") -> Want:
    """A new event with this start, nobody invited, its title naming its kind where there are two."""
    conds = (
        *_about(slots, *((kind,) if kind else ())),
        *((Cond("text", "avoids", (other_kind,)),) if other_kind else ()),
        Cond("start", "equals", (start,)),
        Cond("attendees", "empty"),
    )
    return Want("entry on the calendar", "events", "created", conds)


def cron_want(slots: Slots, schedule: str) -> Want:
    """A new active check that fires like `schedule`."""
    conds = (*_about(slots), Cond("schedule", "fires_like", (schedule,)), Cond("status", "equals", ("active",)))
    return Want("recurring check", "cron", "created", conds)


def mail_want(slots: Slots, facts: tuple[str, ...]) -> Want:
    """A mail to the recipient and nobody else that states the facts."""
    conds = (
        *_about(slots),
        Cond("to", "same_set", (slots.to,)),
        Cond("cc", "empty"),
        *((Cond("text", "states", facts),) if facts else ()),
    )
    return Want("mail to the recipient", "outbox", "created", conds)


def message_want(slots: Slots, target: str, facts: tuple[str, ...]) -> Want:
    """One post on the channel's target that states the facts."""
    conds = (
        *_about(slots),
        Cond("channel", "equals", (slots.channel,)),
        Cond("target", "equals", (target,)),
        Cond("media", "empty"),
        Cond("text", "states", facts),
    )
    return Want("channel message", "messages", "created", conds)


def login_want(slots: Slots) -> Want:
    """The channel is logged in."""
    return Want("channel login", "channels", "updated", (Cond("status", "equals", ("connected",)),), slots.channel)


def file_want(slots: Slots, path: str, facts: tuple[str, ...]) -> Want:
    """A new file at `path` that states the facts."""
    return Want("handoff file", "files", "created", (*_about(slots), Cond("text", "states", facts)), path)


def append_want(slots: Slots, path: str, old: str, facts: tuple[str, ...]) -> Want:
    """The file at `path` keeps its lines and states the facts as well."""
    conds = (
        Cond("text", "keeps", (old,)),
        Cond("text", "unrepeated"),
        Cond("text", "refs_only", (slots.ref,)),
        Cond("text", "dates_only", (slots.now, *(f for f in facts if f[:2] == "20"))),
        Cond("text", "states", facts),
        Cond("text", "avoids", foreign(slots)),
    )
    return Want("handoff line", "files", "updated", conds, path)


def model_want(slots: Slots) -> Want:
    """The default model is the required one."""
    return Want("default model", "config", "updated", (Cond("value", "equals", (slots.model,)),), MODEL_KEY)


def retire_wants(table: str, key: str) -> tuple[tuple[str, Want], ...]:
    """The ways a stale row stops being active, by name."""
    gone = ("delete", Want("stale item retired", table, "deleted", (), key))
    if table != "tasks":
        return (gone,)
    done = Want("stale item retired", table, "updated", (Cond("status", "equals", ("done",)),), key, ("note",))
    return (("complete", done), gone)
