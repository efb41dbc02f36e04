"""The wants that families share, so that the same change is judged the same way everywhere."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.surfaces.oc_config import MODEL_KEY
from claw_adapter_forge.tasks.labels import KINDS, LABELS
from claw_adapter_forge.tasks.scene import TOKEN
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.tasks.spec import Allowed, Cond, Want

__all__ = [
    "ANSWERS_ALLOWED",
    "COMMON_ALLOWED",
    "FINISHED",
    "append_want",
    "cron_want",
    "enabled_want",
    "event_want",
    "file_want",
    "kept_want",
    "line_cond",
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
ANSWERS_ALLOWED = (Allowed("mails", "created"), Allowed("replies", "updated"))
"""What others answer: no command makes these changes."""
FINISHED = "finished"
"""The status of work that is finished."""
_HIDDEN = Cond("row", "hides", (TOKEN,))
Facts = Mapping[str, str]
"""Facts by their names in `claw_adapter_forge.tasks.labels`, each with its value."""


def _titled(slots: Slots) -> tuple[Cond, ...]:
    return (Cond("text", "titled", (slots.city, slots.ref)), _HIDDEN)


def line_cond(slots: Slots, field: str, fact: str, value: str, labels: Facts = LABELS) -> Cond:
    """One line of a field states a fact."""
    zone = (slots.zone,) if KINDS.get(fact, {}).get("type") == "moment" else ()
    return Cond(field, "line", (labels[fact], fact, value, *zone))


def _stated(slots: Slots, facts: Facts, labels: Facts) -> tuple[Cond, ...]:
    """City, ref and the facts, each in one line, and no line with another of the labels."""
    told = {"city": slots.city, "ref": slots.ref, **facts}
    others = tuple(name for fact, name in labels.items() if fact not in told)
    lines = (line_cond(slots, "text", fact, value, labels) for fact, value in told.items())
    return (*lines, Cond("text", "no_lines", others), _HIDDEN)


def task_want(slots: Slots, due: str, priority: str = "medium") -> Want:
    """A new open card with this due day and priority."""
    conds = (
        *_titled(slots),
        Cond("due", "equals", (due,)),
        Cond("priority", "equals", (priority,)),
        Cond("status", "equals", ("pending",)),
    )
    return Want("next step on the board", "tasks", "created", conds)


def event_want(slots: Slots, start: str, kind: str = "") -> Want:
    """A new event with this start that ends the same day, nobody invited, its note saying its kind where there are two."""
    conds = (
        *_titled(slots),
        *((line_cond(slots, "note", "kind", kind),) if kind else ()),
        Cond("start", "equals", (start,)),
        Cond("end", "same_day", (start,)),
        Cond("attendees", "empty"),
    )
    return Want("entry on the calendar", "events", "created", conds)


def moved_want(slots: Slots, key: str) -> Want:
    """The event `key` at its right start, under the right ref."""
    conds = (
        *_titled(slots),
        Cond("start", "equals", (slots.slot,)),
        Cond("end", "same_day", (slots.slot,)),
        Cond("attendees", "empty"),
    )
    return Want("sync put right", "events", "updated", conds, key, ("title", "note", "location"))


def renewed_want(slots: Slots, key: str) -> Want:
    """The open card `key` with the right due day and priority."""
    conds = (
        *_titled(slots),
        Cond("due", "equals", (slots.due,)),
        Cond("priority", "equals", (slots.priority,)),
        Cond("status", "equals", ("pending",)),
    )
    return Want("next step put right", "tasks", "updated", conds, key, ("title", "note"))


def repointed_want(slots: Slots, key: str) -> Want:
    """The card `key` waits for the right ref."""
    conds = (line_cond(slots, "note", "waits", slots.ref), _HIDDEN)
    return Want("waiting card re-pointed", "tasks", "updated", conds, key)


def cron_want(slots: Slots, schedule: str) -> Want:
    """A new active check that fires like `schedule`."""
    conds = (*_titled(slots), Cond("schedule", "fires_like", (schedule,)), Cond("status", "equals", ("active",)))
    return Want("recurring check", "cron", "created", conds)


def enabled_want(key: str) -> Want:
    """The paused check `key` is active again."""
    return Want("recurring check", "cron", "updated", (Cond("status", "equals", ("active",)),), key)


def mail_want(slots: Slots, facts: Facts, labels: Facts = LABELS) -> Want:
    """A mail to the recipient and nobody else that states the facts."""
    conds = (Cond("to", "same_set", (slots.to,)), Cond("cc", "empty"), *_stated(slots, facts, labels))
    return Want("mail to the recipient", "outbox", "created", conds)


def message_want(slots: Slots, target: str, facts: Facts, labels: Facts = LABELS) -> Want:
    """One post on the channel's target that states the facts."""
    conds = (
        Cond("channel", "equals", (slots.channel,)),
        Cond("target", "equals", (target,)),
        Cond("kind", "one_of", ("send", "broadcast")),
        Cond("media", "empty"),
        *_stated(slots, facts, labels),
    )
    return Want("channel message", "messages", "created", conds)


def login_want(slots: Slots) -> Want:
    """The channel is logged in."""
    return Want("channel login", "channels", "updated", (Cond("status", "equals", ("connected",)),), slots.channel)


def file_want(slots: Slots, path: str, facts: Facts, labels: Facts = LABELS) -> Want:
    """A new file at `path` that states the facts."""
    return Want("handoff file", "files", "created", _stated(slots, facts, labels), path)


def append_want(slots: Slots, path: str, old: str, facts: Facts) -> Want:
    """The file at `path` keeps its lines, and states the facts of those and of new lines, each once."""
    conds = (Cond("text", "keeps", (old,)), *_stated(slots, facts, LABELS))
    return Want("handoff line", "files", "updated", conds, path)


def kept_want(slots: Slots, path: str, old: str, facts: Facts) -> Want:
    """The file at `path` keeps its lines and has others below; what it states stays stated once."""
    lines = (line_cond(slots, "text", fact, value) for fact, value in facts.items())
    return Want("journal kept up", "files", "updated", (Cond("text", "keeps", (old,)), *lines, _HIDDEN), path)


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
