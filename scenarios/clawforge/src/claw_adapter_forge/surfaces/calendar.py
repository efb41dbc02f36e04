"""``calendar``, and ``gcalcli``, which speaks to the same calendar in another tool's words."""

from __future__ import annotations

from collections.abc import Mapping

from claw_adapter_forge.surfaces.grammar import Args, Flag, Refused, UsageError, Verb
from claw_adapter_forge.world.records import ConfigValue, Event
from claw_adapter_forge.world.state import World
from claw_adapter_forge.world.times import local_now, parse_date, parse_moment

__all__ = ["VERBS"]


def _row(event: Event) -> str:
    place = f" @ {event.location}" if event.location else ""
    people = f" | Attendees: {', '.join(event.attendees)}" if event.attendees else ""
    note = f" | Note: {event.note}" if event.note else ""
    return f"  [{event.id}] {event.title} — {event.start}{place}{people}{note}"


def _listed(head: str, rows: list[Event]) -> str:
    rows.sort(key=lambda e: e.start)
    return "\n".join([head, *map(_row, rows)]) if rows else "No events found."


def _bound(text: str, flag: str) -> str:
    if not text:
        return ""
    found = parse_date(text) or parse_moment(text)
    if found is None:
        raise UsageError(f"--{flag} must be a date or a moment, not {text!r}")
    return found


def _list(world: World, args: Args) -> str:
    first, last = _bound(args.text("from"), "from"), _bound(args.text("to"), "to")
    # a bound without a time takes in its whole day: --to 2026-03-01 has the event at 09:30 of that day
    rows = [
        e
        for e in world.rows("events", Event)
        if (not first or e.start[: len(first)] >= first) and (not last or e.start[: len(last)] <= last)
    ]
    return _listed("Upcoming events:", rows)


def _end(start: str, end: str) -> str:
    if end and end < start:
        raise UsageError("--end must not be before the start")
    return end or start


def _add(world: World, args: Args) -> str:
    title, start = args.text("title").strip(), args.text("start")
    if not title:
        raise UsageError("--title must not be empty")
    end = _end(start, args.text("end"))
    key = world.new_id("events")
    event = Event(key, title, start, end, args.text("location"), args.listed("attendees"), args.text("note"))
    world.put("events", event)
    return f"Event created: [{key}] {title} at {start}"


def _find(world: World, args: Args) -> Event:
    event = world.get("events", args.text("id"), Event)
    if event is None:
        raise Refused(f"Event not found: {args.text('id')}")
    return event


def _update(world: World, args: Args) -> str:
    event = _find(world, args)
    changes = {n: args.text(n) for n in ("title", "start", "end", "location", "note") if args.given(n)}
    if not changes:
        raise UsageError("nothing to update: give --title, --start, --end, --location or --note")
    if "title" in changes and not changes["title"].strip():
        raise UsageError("--title must not be empty")
    if "start" in changes and "end" not in changes:
        changes["end"] = changes["start"]
    _end(changes.get("start", event.start), changes.get("end", ""))
    world.edit("events", event, **changes)
    return f"Event {event.id} updated."


def _delete(world: World, args: Args) -> str:
    event = _find(world, args)
    world.remove("events", event.id)
    return f"Event {event.id} deleted."


def _search(world: World, args: Args) -> str:
    query = args.text("query").lower()
    rows = [e for e in world.rows("events", Event) if query in e.title.lower()]
    return _listed(f"Events matching '{args.text('query')}':", rows)


def _today(world: World, args: Args) -> str:
    home = world.get("config", "user.timezone", ConfigValue)
    zone = args.text("timezone") or (str(home.value) if home else "UTC")
    moment = local_now(world.now, zone)
    rows = [e for e in world.rows("events", Event) if e.start[:10] == moment[:10]]
    head = f"Current date-time for {zone}: {moment}\nSource: {'offline' if args.given('online') else 'local'}\n"
    return head + _listed("Events today:", rows)


def _fields(required: bool, **names: tuple[str, ...]) -> tuple[Flag, ...]:
    return (
        Flag("title", "what it is", required=required),
        Flag("start", "when it begins", "moment", required=required, aliases=names.get("start", ())),
        Flag("end", "when it ends", "moment"),
        Flag("location", "where", aliases=names.get("location", ())),
        Flag("note", "free text kept with the event"),
    )


_ID = Flag("id", "the event's id", required=True)
_RANGE = (Flag("from", "first day or moment"), Flag("to", "last day or moment, the whole day included"))
_QUERY = (Flag("query", "part of the title", required=True),)
_DAY = (Flag("timezone", "whose clock", "zone"), Flag("online", "ask the time service first", "switch"))


def _verbs(root: str, words: Mapping[str, tuple[str, ...]], **names: tuple[str, ...]) -> tuple[Verb, ...]:
    people = Flag("attendees", "addresses, separated by commas", "addresses", aliases=names.get("attendees", ()))
    made = [
        ("list", "List events, optionally in a range of days (both ends included).", _list, _RANGE, False),
        ("add", "Put an event on the calendar.", _add, (*_fields(True, **names), people), True),
        ("update", "Change fields of an event.", _update, (_ID, *_fields(False, **names)), True),
        ("delete", "Remove an event.", _delete, (_ID,), True),
        ("search", "Find events by their title.", _search, _QUERY, False),
        ("today", "The present date-time and the events of the day.", _today, _DAY, False),
    ]
    return tuple(
        Verb((root, word), text, run, flags, mutates=mutates)
        for key, text, run, flags, mutates in made
        for word in words[key]
    )


_GCAL_WORDS = {
    "list": ("agenda", "list"),
    "add": ("add", "quick"),
    "update": ("edit", "update"),
    "delete": ("delete", "remove"),
    "search": ("search",),
    "today": ("today", "now"),
}
_OWN_WORDS = {
    "list": ("list",),
    "add": ("add-event",),
    "update": ("update-event",),
    "delete": ("delete-event",),
    "search": ("search",),
    "today": ("today",),
}

VERBS = (
    *_verbs("calendar", _OWN_WORDS),
    *_verbs("gcalcli", _GCAL_WORDS, start=("when",), location=("where",), attendees=("who",)),
)
