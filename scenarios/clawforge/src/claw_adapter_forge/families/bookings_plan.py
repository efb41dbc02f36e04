"""What is drawn for a workshop: its sheet, suppliers, notices, the bookings that are there, and when something comes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from claw_adapter_forge.tasks.slots import OWNERS, Draw, Slots
from claw_adapter_forge.world.times import add_days

__all__ = ["KNOBS", "STEMS", "WORKSHOPS", "Booking", "BookingPlan", "Item", "Open"]

KNOBS: Mapping[str, tuple[int, int]] = {
    "items": (3, 5),
    "refusals": (2, 4),
    "parts": (0, 2),
    "raises": (1, 2),
    "withdrawn": (1, 2),
    "late": (1, 2),
    "old": (1, 3),
    "notices": (2, 5),
    "forms": (0, 2),
    "stock": (2, 3),
    "asides": (1, 3),
    "handover": (0, 1),
    "slips": (1, 2),
    "decoys": (1, 3),
    "spare": (0, 4),
}
"""Setting of difficulty → least and most: items of the sheet, refusals in eight answers, first suppliers who give a part
only, changes of the number of people, codes that become void during the work, the same while the cards are put up, bookings
that were there before, notices on addresses and stock, suppliers who want a word of their own, notices on stock during the
work, mails that only look as if they counted, whether the host has handed over, cards that somebody changes by mistake,
other workshops, commands that are left over besides the script's."""

WORKSHOPS = (
    "first aid",
    "first aid refresher",
    "first aid for drivers",
    "fire watch",
    "fire watch refresher",
    "safe lifting",
)
ITEMS = ("lunches", "kits", "headsets", "folders", "stools", "vests")
STEMS = ("Bell", "Hart", "Cole", "Marsh", "Reed", "Lowe")
_FIRMS = ("{} and Son", "{} and Sons", "{} Brothers", "{}s and Son", "{} Bros")
_WORDS = ("Pieces", "Quantity", "How many", "Units")
SUPPLIERS = 5


@dataclass(frozen=True, slots=True)
class Item:
    """What the sheet asks for: one for so many people, or a fixed number; whether parts will do; who may be asked."""

    name: str
    each: int
    fixed: int
    parts: bool
    suppliers: tuple[str, ...]

    def needed(self, people: int) -> int:
        """How many, for so many people."""
        return self.fixed or -(-people // self.each)

    @property
    def line(self) -> str:
        """Its line in the sheet."""
        words = {1: "one for each of the people", 2: "one for every two people", 4: "one for every four people"}
        return f"- {self.name}: {self.fixed or words[self.each]}{' (parts will do)' if self.parts else ''}"


@dataclass(slots=True)
class Booking:
    """A booking that stands; `card` is the role of a card that is there for it."""

    item: str
    supplier: str
    number: int
    code: str
    card: str = ""


@dataclass(slots=True)
class Open:
    """How far an item is: the place in the list up to which suppliers were asked."""

    item: Item
    asked: int = 0
    bookings: list[Booking] = field(default_factory=list)


class BookingPlan:
    """One workshop as it lies in the office."""

    def __init__(self, slots: Slots, name: str, salt: int = 0, topic: str = "") -> None:
        self.slots, self.name = slots, name
        self.knob = dict(slots.knobs)
        self.draw = d = Draw("bookings", slots.ref, slots.owner, slots.topic, name, salt)
        self.topic = topic or Draw("bookings", slots.ref, slots.topic).pick("topic", WORKSHOPS)
        self.ref, self.today = slots.ref, slots.now[:10]
        self.day = add_days(self.today, 12 + d.number("day", 8))
        self.start_people = self.people = 13 + d.number("people", 8)
        hosts = d.shuffled("hosts", OWNERS)
        self.hosts = (hosts[0], hosts[1])
        self.items = self._items()
        self.words = self._words()
        self.stale_address = d.pick("moved", [i.suppliers[0] for i in self.items]) if self.knob["notices"] > 2 else ""
        self.out: set[tuple[str, str]] = set()
        self.before: list[str] = []
        """Texts of notices before the work begins, oldest first."""
        self._said_before()
        self.open = {item.name: Open(item) for item in self.items}
        self.old: list[tuple[str, Booking]] = []
        """The bookings that cards stand for at first: small, void or right."""
        self.surplus: Booking | None = None
        self._old()

    def near_ref(self, place: int) -> str:
        """A ref that looks like the workshop's own."""
        digits = self.ref[3:]
        kinds = (
            digits[0] + digits[2] + digits[1] + digits[3],
            digits[:2] + digits[3] + digits[2],
            digits[:3] + str((int(digits[3]) + 5) % 10),
        )
        made = f"{self.ref[:3]}{kinds[place % 3]}"
        return made if made != self.ref else f"{self.ref[:3]}{digits[:2]}{(int(digits[2:]) + 37 + place) % 100:02d}"

    def address(self, supplier: str, *, stale: bool = False) -> str:
        """Where a supplier is asked; `stale`: where they were before they moved."""
        slug = supplier.lower().replace(" ", "-")
        moved = supplier == self.stale_address and not stale
        return f"{'orders' if moved else 'desk'}@{slug}.example"

    def host(self, *, now: bool = True) -> str:
        """The address of the host; of the one in the sheet if not `now`."""
        who = self.hosts[1] if now and self.knob["handover"] else self.hosts[0]
        return f"{who.lower()}@example.com"

    def _items(self) -> tuple[Item, ...]:
        d = self.draw
        names, stems = d.shuffled("items", ITEMS)[: self.knob["items"]], d.shuffled("stems", STEMS)
        parts = set(d.shuffled("parts", names)[: self.knob["parts"] + 1])
        found = []
        for place, (name, stem) in enumerate(zip(names, stems, strict=False)):
            firms = tuple(f.format(stem) for f in d.shuffled(f"firms {name}", _FIRMS)[:SUPPLIERS])
            each = (1, 2, 4)[d.number(f"each {name}", 3)] if place else 1
            fixed = 3 + d.number(f"fixed {name}", 5) if place > 1 and d.number(f"is fixed {name}", 3) == 0 else 0
            found.append(Item(name, each, fixed, name in parts, firms))
        return tuple(found)

    def _words(self) -> dict[str, str]:
        firms = [firm for item in self.items for firm in item.suppliers[:3]]
        return dict(
            zip(
                self.draw.shuffled("worded", firms)[: self.knob["forms"] * 2],
                self.draw.shuffled("words", _WORDS),
                strict=False,
            )
        )

    def _said_before(self) -> None:
        d = self.draw
        order = d.shuffled("out", self.items)
        for turn, item in enumerate(order[: max(1, self.knob["notices"] - 1)]):
            firm = item.suppliers[d.number(f"who is out {item.name}", 2)]
            self.before.append(f"out|{firm}|{item.name}")
            if turn % 2:
                self.before.append(f"again|{firm}|{item.name}")
            else:
                self.out.add((firm, item.name))

    def code(self, name: str) -> str:
        """A supplier's code, drawn by a name."""
        letters = "bcdfghjkmnpqrstvwxz"
        return "".join(self.draw.pick(f"{name} {i}", letters if i % 2 == 0 else "23456789") for i in range(6))

    def _old(self) -> None:
        d = self.draw
        order = d.shuffled("old", self.items)
        kinds = d.shuffled("old kinds", ("small", "void", "right"))
        for item, kind in list(zip(order, kinds, strict=False))[: self.knob["old"]]:
            firm, need = item.suppliers[0], item.needed(self.start_people)
            self.out.discard((firm, item.name))
            self.before = [b for b in self.before if b.partition("|")[2] != f"{firm}|{item.name}"]
            number = max(1, need - 1 - d.number(f"short {item.name}", 2)) if kind == "small" else need
            booking = Booking(item.name, firm, number, self.code(f"old {item.name}"), f"old.{item.name}")
            self.old.append((kind, replace(booking)))
            self.open[item.name].asked = 1
            if kind != "void":
                self.open[item.name].bookings.append(booking)
        if self.knob["old"] > 1:
            name = next(n for n in ITEMS if n not in self.open)
            self.surplus = Booking(
                name,
                f"Vale {d.pick('vale', ('and Son', 'and Sons', 'Brothers'))}",
                4 + d.number("vale n", 6),
                self.code("surplus"),
                "old.surplus",
            )

    def planned(self) -> dict[int, list[str]]:
        """What comes in after how many settled items; of what changes the work one at a time."""
        d = self.draw
        weighty = d.shuffled(
            "weighty",
            ["flag", *["raise"] * (self.knob["raises"] - 1), *[f"void {i}" for i in range(self.knob["withdrawn"])]],
        )
        weighty.sort(key=lambda w: w != "flag")
        plan: dict[int, list[str]] = {}
        for turn in range(max(self.knob["stock"], self.knob["asides"])):
            for kind, most in (("stock", self.knob["stock"]), ("aside", self.knob["asides"])):
                if turn < most:
                    last = 2 if kind == "stock" else 3
                    plan.setdefault(1 + d.number(f"{kind} at {turn}", last), []).append(f"{kind} {turn}")
        for turn, kind in enumerate(weighty, 1):
            plan.setdefault(turn, []).append(kind)
        return plan
