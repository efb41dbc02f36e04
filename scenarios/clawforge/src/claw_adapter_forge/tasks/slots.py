"""Grounded slots. Each is drawn by its name, so a new slot never changes the others and no order of calls matters."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from claw_adapter_forge.surfaces.oc_config import KNOWN_MODELS
from claw_adapter_forge.tasks.spec import Style
from claw_adapter_forge.world.times import add_days

__all__ = ["CITIES", "CLOCK", "OWNERS", "SCHEDULES", "SEVERITIES", "Draw", "Slots", "draw_slots"]

CLOCK = "2026-03-01T09:00"

CITIES = {
    "Oslo": ("Europe/Oslo", 59.9, 10.8),
    "Lisbon": ("Europe/Lisbon", 38.7, -9.1),
    "Dublin": ("Europe/Dublin", 53.3, -6.3),
    "Madrid": ("Europe/Madrid", 40.4, -3.7),
    "Warsaw": ("Europe/Warsaw", 52.2, 21.0),
    "Athens": ("Europe/Athens", 38.0, 23.7),
    "Nairobi": ("Africa/Nairobi", -1.3, 36.8),
    "Accra": ("Africa/Accra", 5.6, -0.2),
    "Reykjavik": ("Atlantic/Reykjavik", 64.1, -21.9),
    "Toronto": ("America/Toronto", 43.7, -79.4),
    "Chicago": ("America/Chicago", 41.9, -87.6),
    "Denver": ("America/Denver", 39.7, -105.0),
    "Bergen": ("Europe/Oslo", 60.4, 5.3),
    "Porto": ("Europe/Lisbon", 41.1, -8.6),
    "Galway": ("Europe/Dublin", 53.3, -9.1),
    "Seville": ("Europe/Madrid", 37.4, -6.0),
    "Krakow": ("Europe/Warsaw", 50.1, 19.9),
    "Patras": ("Europe/Athens", 38.2, 21.7),
    "Mombasa": ("Africa/Nairobi", -4.0, 39.7),
    "Kumasi": ("Africa/Accra", 6.7, -1.6),
    "Ottawa": ("America/Toronto", 45.4, -75.7),
    "Boulder": ("America/Denver", 40.0, -105.3),
}
"""City: time zone, latitude, longitude."""

_PEOPLE = (
    "noor",
    "tomasz",
    "ines",
    "kofi",
    "solveig",
    "marta",
    "declan",
    "wanjiru",
    "petros",
    "yuki",
    "hana",
    "oskar",
    "leila",
    "bruno",
)
OWNERS = (
    "Amara",
    "Bastian",
    "Chiara",
    "Dmitri",
    "Elodie",
    "Farid",
    "Greta",
    "Hamish",
    "Ilse",
    "Jorge",
    "Keiko",
    "Luca",
)
SEVERITIES = ("sev1", "sev2", "sev3")
_TOPICS = ("catering", "lease", "badge", "freight", "heating", "payroll", "parking", "signage")
_CHANNELS = ("discord", "slack", "telegram")
SCHEDULES = (
    "30 7 * * 1-5", "15 8 * * *", "0 6 * * 1,3,5", "45 9 * * 1-5", "20 5 * * *",
    "10 11 * * 2,4", "50 16 * * 1-5", "5 18 * * *", "35 12 * * 1-5", "25 14 * * 6",
)  # fmt: skip
_CLOCKS = tuple(f"{h:02d}:{m}" for h in range(8, 18) for m in ("00", "30"))

T = TypeVar("T")


class Draw:
    """Values chosen by hashing (seed, name): the same on every machine and Python version."""

    __slots__ = ("_seed",)

    def __init__(self, *seed: object) -> None:
        self._seed = "|".join(map(str, seed))

    def number(self, name: str, below: int) -> int:
        """A number from 0 to `below` - 1."""
        digest = hashlib.sha256(f"{self._seed}|{name}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % below

    def pick(self, name: str, pool: Sequence[T]) -> T:
        """One member of `pool`."""
        return pool[self.number(name, len(pool))]

    def shuffled(self, name: str, pool: Sequence[T]) -> list[T]:
        """All members of `pool` in an order of its own."""
        return sorted(pool, key=lambda item: hashlib.sha256(f"{self._seed}|{name}|{item!r}".encode()).digest())


@dataclass(frozen=True, slots=True)
class Slots:
    """Every value a family may use; `decoy_*` belong to another city, `old_*` and `void_ref` to what is out of date."""

    city: str
    decoy: str
    zone: str
    to: str
    owner: str
    decoy_owner: str
    topic: str
    ref: str
    void_ref: str
    decoy_ref: str
    model: str
    old_model: str
    decoy_model: str
    channel: str
    severity: str
    priority: str
    due: str
    old_due: str
    decoy_due: str
    alt_due: str
    slot: str
    old_slot: str
    decoy_slot: str
    alt_slot: str
    schedule: str
    alt_schedule: str
    decoy_schedule: str
    first_today: str
    second_today: str
    wet: bool
    blocked: bool
    flag: bool
    threshold: int
    mode: str
    variant: str
    style: Style
    phrase: int
    order: int
    extras: int
    now: str
    knobs: tuple[tuple[str, int], ...] = ()

    def title(self, what: str) -> str:
        """What an item of the task's work is called: its city, what it is, its ref."""
        return f"{self.city} {what} {self.ref}"

    def decoy_title(self, what: str) -> str:
        """The same for the work of the other city."""
        return f"{self.decoy} {what} {self.decoy_ref}"


def draw_slots(draw: Draw, variant: str, style: Style) -> Slots:
    """Ground all slots; the branch conditions are set by the family."""
    city, *others = draw.shuffled("city", list(CITIES))
    # a city whose name stands in the other's time zone would be named without being meant
    decoy = next(c for c in others if CITIES[c][0] != CITIES[city][0])
    owner, decoy_owner = draw.shuffled("owner", OWNERS)[:2]
    refs = _refs(draw)
    models = draw.shuffled("model", KNOWN_MODELS)
    dues = [add_days(CLOCK[:10], 3 + d) for d in draw.shuffled("due", range(14))]
    days = [add_days(CLOCK[:10], 4 + d) for d in draw.shuffled("slot", range(16))]
    clocks = draw.shuffled("clock", _CLOCKS)
    slots = [f"{day}T{clock}" for day, clock in zip(days, clocks, strict=False)]
    schedules = draw.shuffled("schedule", SCHEDULES)
    first, second = sorted(draw.shuffled("today", [c for c in _CLOCKS if c >= "14:00"])[:2])
    return Slots(
        city=city,
        decoy=decoy,
        zone=CITIES[city][0],
        to=f"{draw.pick('to', _PEOPLE)}@example.com",
        owner=owner,
        decoy_owner=decoy_owner,
        topic=draw.pick("topic", _TOPICS),
        ref=refs[0],
        void_ref=refs[1],
        decoy_ref=refs[2],
        model=models[0],
        old_model=models[1],
        decoy_model=models[2],
        channel=draw.pick("channel", _CHANNELS),
        severity=draw.pick("severity", SEVERITIES),
        priority=draw.pick("priority", ("high", "low")),
        due=dues[0],
        old_due=min(dues[1], dues[3]),
        decoy_due=dues[2],
        alt_due=max(dues[1], dues[3]),
        slot=slots[0],
        old_slot=slots[1],
        decoy_slot=slots[2],
        alt_slot=slots[3],
        schedule=schedules[0],
        alt_schedule=schedules[1],
        decoy_schedule=schedules[2],
        first_today=f"{CLOCK[:10]}T{first}",
        second_today=f"{CLOCK[:10]}T{second}",
        wet=False,
        blocked=False,
        flag=False,
        threshold=2,
        mode="",
        variant=variant,
        style=style,
        phrase=draw.number("phrase", 2),
        order=draw.number("order", 1 << 30),
        extras=0,
        now=CLOCK,
    )


def _refs(draw: Draw) -> list[str]:
    prefix = draw.pick("prefix", ("WK", "QN", "VB", "TZ"))
    first = 1000 + draw.number("ref", 8000)
    return [f"{prefix}-{1000 + (first - 1000 + step) % 9000}" for step in _steps(draw)]


def _steps(draw: Draw) -> tuple[int, int, int]:
    """How far the refs of a task are apart: never the same distance, so that none can be told from another."""
    void, decoy = 131 + draw.number("gap", 4000), 131 + draw.number("decoy gap", 4000)
    return (0, void, -decoy if draw.number("decoy side", 2) else void + decoy)
