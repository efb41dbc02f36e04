"""The rows of the world's tables: frozen, slotted, nothing computed.

Dates are ``YYYY-MM-DD``, moments ``YYYY-MM-DDTHH:MM`` (wall time of the place they are about); an empty string is "not set".
"""

from __future__ import annotations

from dataclasses import dataclass, fields

__all__ = [
    "RECORD_TYPES",
    "Agent",
    "Channel",
    "ConfigValue",
    "CronJob",
    "Event",
    "File",
    "Gateway",
    "Incoming",
    "Mail",
    "Message",
    "Place",
    "Plugin",
    "Record",
    "Room",
    "Sent",
    "Task",
    "WeatherDay",
    "field_names",
]


@dataclass(frozen=True, slots=True)
class Task:
    """A card on the board. `status` is ``pending`` or ``done``; `duration` is minutes."""

    id: str
    title: str
    due: str = ""
    status: str = "pending"
    priority: str = "medium"
    duration: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """A calendar entry."""

    id: str
    title: str
    start: str
    end: str = ""
    location: str = ""
    attendees: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """A received mail. `date` is the day it came in, or the moment in wall time."""

    id: str
    sender: str
    to: tuple[str, ...]
    subject: str
    body: str
    date: str
    cc: tuple[str, ...] = ()
    folder: str = "inbox"
    read: bool = False
    starred: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """A mail that left: the outbox is append-only, so a sent mail cannot be taken back."""

    id: str
    to: tuple[str, ...]
    subject: str
    body: str
    cc: tuple[str, ...] = ()
    in_reply_to: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """Something posted on a channel. `kind` is ``send``, ``broadcast``, ``poll`` or ``react``."""

    id: str
    channel: str
    target: str
    text: str
    media: str = ""
    kind: str = "send"


@dataclass(frozen=True, slots=True)
class Room:
    """A target of a channel. `kind` is ``shared`` or ``direct``."""

    target: str
    label: str
    kind: str = "shared"


@dataclass(frozen=True, slots=True)
class Channel:
    """A messaging channel. `status` is ``connected``, ``expired`` or ``logged-out``."""

    id: str
    status: str = "logged-out"
    rooms: tuple[Room, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class File:
    """A text file; its id is its absolute path."""

    id: str
    content: str


@dataclass(frozen=True, slots=True)
class ConfigValue:
    """A leaf of the configuration tree; its id is the dotted path."""

    id: str
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class CronJob:
    """A recurring check. `status` is ``active`` or ``paused``."""

    id: str
    name: str
    schedule: str
    message: str
    status: str = "active"


@dataclass(frozen=True, slots=True)
class Agent:
    """A configured agent."""

    id: str
    identity: str = ""


@dataclass(frozen=True, slots=True)
class Plugin:
    """An installed plugin."""

    id: str
    version: str = "1.0.0"


@dataclass(frozen=True, slots=True)
class Gateway:
    """The one gateway. `status` is ``running`` or ``stopped``."""

    id: str
    status: str = "running"
    port: int = 18789


@dataclass(frozen=True, slots=True)
class WeatherDay:
    """One day of a forecast: °C and relative humidity in per cent."""

    date: str
    condition: str
    temperature: int
    humidity: int


@dataclass(frozen=True, slots=True)
class Place:
    """A city the weather service knows, with its forecast from today on."""

    id: str
    latitude: float
    longitude: float
    days: tuple[WeatherDay, ...] = ()


@dataclass(frozen=True, slots=True)
class Incoming:
    """Something that comes in because of what was done; no command shows it before it has come.

    `on` says what brings it: a ``mail`` to the address `to` that states `lines` (label, type, value), a ``card`` put up or
    changed under the ref `to`, or nothing more than the replies `after` which it waits for anyway (``follow``). One command
    brings one reply at most, and those that follow it. ``{label}`` in the body is what the mail says behind that label. Without
    a body nothing comes in: others may wait for it.

    `place` is where it comes in: a ``mail``, an entry of the calendar (``event``), a ``card`` that is done, or a ``file``, with
    `subject` as title or path. `made` is the id that the row got. A ``slip`` is somebody's mistake: the newest other open card
    under the ref gets the value `body` in its field `subject`.
    """

    id: str
    on: str
    to: str = ""
    lines: tuple[tuple[str, ...], ...] = ()
    after: tuple[str, ...] = ()
    sender: str = ""
    subject: str = ""
    body: str = ""
    sent: bool = False
    place: str = "mail"
    made: str = ""


Record = (
    Task
    | Event
    | Mail
    | Sent
    | Message
    | Channel
    | File
    | ConfigValue
    | CronJob
    | Agent
    | Plugin
    | Gateway
    | Place
    | Incoming
)

RECORD_TYPES: dict[str, type[Record]] = {
    "tasks": Task,
    "events": Event,
    "mails": Mail,
    "outbox": Sent,
    "messages": Message,
    "channels": Channel,
    "files": File,
    "config": ConfigValue,
    "cron": CronJob,
    "agents": Agent,
    "plugins": Plugin,
    "gateway": Gateway,
    "weather": Place,
    "replies": Incoming,
}
"""Every table and the type of its rows, in the order tables are listed and compared."""


_FIELDS: dict[type[Record], tuple[str, ...]] = {
    kind: tuple(f.name for f in fields(kind) if f.name != "id") for kind in RECORD_TYPES.values()
}


def field_names(kind: type[Record]) -> tuple[str, ...]:
    """The fields of a row type but its id."""
    return _FIELDS[kind]
