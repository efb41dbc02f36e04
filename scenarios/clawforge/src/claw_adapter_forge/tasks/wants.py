"""The wants that families share, so that the same change is judged the same way everywhere."""

from __future__ import annotations

from claw_adapter_forge.surfaces.oc_config import KNOWN_MODELS, MODEL_KEY
from claw_adapter_forge.tasks.slots import OWNERS, SEVERITIES, Slots
from claw_adapter_forge.tasks.spec import Allowed, Cond, Want

__all__ = [
    "COMMON_ALLOWED",
    "FINISHED",
    "append_want",
    "cron_want",
    "enabled_want",
    "event_want",
    "file_want",
    "foreign",
    "login_want",
    "mail_want",
    "message_want",
    "model_want",
    "moved_want",
    "renewed_want",
    "repointed_want",
    "retire_wants",
    "task_want",
]

COMMON_ALLOWED = (Allowed("mails", "updated", ("read", "starred")),)
FINISHED = "finished"
"""The fact that work is finished, in this or a like word."""
_KINDS = (
    OWNERS,
    SEVERITIES,
    ("live", "async"),
    KNOWN_MODELS,
    ("primary", "backup"),
    (FINISHED, "unfinished", "incomplete"),
)
"""The closed sets: a text that states one value of a set must not state another."""


def foreign(slots: Slots) -> tuple[str, ...]:
    """What a text about the task's city must not mention."""
    return (slots.decoy, slots.decoy_ref, slots.void_ref)


def _only(slots: Slots, field: str) -> tuple[Cond, ...]:
    return (Cond(field, "avoids", foreign(slots)), Cond(field, "refs_only", (slots.ref,)))


def _about(slots: Slots) -> tuple[Cond, ...]:
    return (Cond("text", "names", (slots.city, slots.ref)), *_only(slots, "text"))


def _noted(slots: Slots) -> tuple[Cond, ...]:
    return (*_only(slots, "note"), Cond("note", "avoids", (slots.decoy_owner,)))


def _chosen(value: str) -> Cond:
    others = next((v for kind in _KINDS if value in kind for v in [kind]), ())
    return Cond("text", "chooses", (value, *(v for v in others if v != value)))


def _days(slots: Slots) -> tuple[str, ...]:
    return (slots.due, slots.slot[:10])


def _facts(slots: Slots, facts: tuple[str, ...], moments: tuple[str, ...] = ()) -> tuple[Cond, ...]:
    """The conditions of a text that states `facts`; `moments` is what else it may name (by default the task's days)."""
    dated = tuple(f for f in facts if f[:2] == "20")
    times = tuple(f for f in dated if "T" in f)
    return (
        *(_chosen(f) for f in facts if f not in dated),
        *((Cond("text", "states", dated),) if dated else ()),
        *((Cond("text", "times_only", times),) if times else ()),
        Cond("text", "days_only", (slots.now[:10], *(f[:10] for f in dated), *(moments or _days(slots)))),
    )


def task_want(slots: Slots, due: str, priority: str = "medium") -> Want:
    """A new open card with this due day and priority."""
    conds = (
        *_about(slots),
        *_noted(slots),
        Cond("due", "equals", (due,)),
        Cond("priority", "equals", (priority,)),
        Cond("status", "equals", ("pending",)),
    )
    return Want("next step on the board", "tasks", "created", conds)


def event_want(slots: Slots, start: str, kind: str = "") -> Want:
    """A new event with this start that ends the same day, nobody invited, its title naming its kind where there are two."""
    conds = (
        *_about(slots),
        *_noted(slots),
        *_only(slots, "location"),
        *((_chosen(kind),) if kind else ()),
        Cond("start", "equals", (start,)),
        Cond("end", "same_day", (start,)),
        Cond("attendees", "empty"),
    )
    return Want("entry on the calendar", "events", "created", conds)


def moved_want(slots: Slots, key: str) -> Want:
    """The event `key` at its right start, under the right ref."""
    conds = (
        *_about(slots),
        *_noted(slots),
        *_only(slots, "location"),
        Cond("start", "equals", (slots.slot,)),
        Cond("end", "same_day", (slots.slot,)),
        Cond("attendees", "empty"),
    )
    return Want("sync put right", "events", "updated", conds, key, ("title",))


def renewed_want(slots: Slots, key: str) -> Want:
    """The open card `key` with the right due day and priority."""
    conds = (
        *_about(slots),
        *_noted(slots),
        Cond("due", "equals", (slots.due,)),
        Cond("priority", "equals", (slots.priority,)),
        Cond("status", "equals", ("pending",)),
    )
    return Want("next step put right", "tasks", "updated", conds, key, ("title",))


def repointed_want(slots: Slots, key: str) -> Want:
    """The card `key` waits for the right ref."""
    return Want(
        "waiting card re-pointed", "tasks", "updated", (Cond("note", "names", (slots.ref,)), *_noted(slots)), key
    )


def cron_want(slots: Slots, schedule: str) -> Want:
    """A new active check that fires like `schedule`."""
    conds = (*_about(slots), Cond("schedule", "fires_like", (schedule,)), Cond("status", "equals", ("active",)))
    return Want("recurring check", "cron", "created", conds)


def enabled_want(key: str) -> Want:
    """The paused check `key` is active again."""
    return Want("recurring check", "cron", "updated", (Cond("status", "equals", ("active",)),), key)


def mail_want(slots: Slots, facts: tuple[str, ...], moments: tuple[str, ...] = ()) -> Want:
    """A mail to the recipient and nobody else that states the facts."""
    conds = (
        *_about(slots),
        Cond("to", "same_set", (slots.to,)),
        Cond("cc", "empty"),
        *_facts(slots, facts, moments),
    )
    return Want("mail to the recipient", "outbox", "created", conds)


def message_want(slots: Slots, target: str, facts: tuple[str, ...]) -> Want:
    """One post on the channel's target that states the facts."""
    conds = (
        *_about(slots),
        Cond("channel", "equals", (slots.channel,)),
        Cond("target", "equals", (target,)),
        Cond("kind", "one_of", ("send", "broadcast")),
        Cond("media", "empty"),
        *_facts(slots, facts),
    )
    return Want("channel message", "messages", "created", conds)


def login_want(slots: Slots) -> Want:
    """The channel is logged in."""
    return Want("channel login", "channels", "updated", (Cond("status", "equals", ("connected",)),), slots.channel)


def file_want(slots: Slots, path: str, facts: tuple[str, ...], moments: tuple[str, ...] = ()) -> Want:
    """A new file at `path` that states the facts."""
    return Want("handoff file", "files", "created", (*_about(slots), *_facts(slots, facts, moments)), path)


def append_want(slots: Slots, path: str, old: str, facts: tuple[str, ...], moments: tuple[str, ...] = ()) -> Want:
    """The file at `path` keeps its lines and states the facts as well."""
    conds = (
        *_about(slots),
        Cond("text", "keeps", (old,)),
        Cond("text", "unrepeated"),
        *_facts(slots, facts, moments),
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
