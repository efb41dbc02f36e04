"""What is drawn for a workshop, and what comes of it by the desk's rules: who is asked what, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from claw_adapter_forge.tasks.slots import OWNERS, Draw, Slots
from claw_adapter_forge.world.times import add_days

__all__ = ["KNOBS", "WORKSHOPS", "Booking", "Item", "Mailing", "Notice", "Story", "draw_story"]

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
    "stock": (1, 2),
    "asides": (1, 3),
    "handover": (0, 1),
    "decoys": (1, 3),
}
"""Setting of difficulty → least and most: items of the sheet, refusals in eight answers, first suppliers who give a part only,
changes of the number of people, codes that become void during the work, the same while the cards are put up, bookings that were
there before, notices on addresses and stock, suppliers who want a word of their own, notices on stock during the work, mails
that only look as if they counted, whether the host has handed over, other workshops."""

WORKSHOPS = (
    "first aid",
    "first aid refresher",
    "first aid for drivers",
    "fire watch",
    "fire watch refresher",
    "safe lifting",
)
ITEMS = ("lunches", "kits", "headsets", "folders", "stools", "vests")
_STEMS = ("Bell", "Hart", "Cole", "Marsh", "Reed", "Lowe")
_FIRMS = ("{} and Son", "{} and Sons", "{} Brothers", "{}s and Son", "{} Bros")
_WORDS = ("Pieces", "Quantity", "How many", "Units")
SUPPLIERS = 5
TRIES = 2000
MOST = 14
"""Mails to suppliers in one story, at the most."""


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


@dataclass(frozen=True, slots=True)
class Mailing:
    """A mail to a supplier, and the answer; `id` is that of the answer."""

    id: str
    supplier: str
    facts: Mapping[str, str]
    answer: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that comes in after an answer (or a card): from whom, what."""

    after: str
    sender: str
    text: str


@dataclass(slots=True)
class _Open:
    """How far an item is: the place in the list up to which suppliers were asked."""

    item: Item
    asked: int = 0
    bookings: list[Booking] = field(default_factory=list)


class Story:
    """One workshop: what lies in the office, and all that happens when the rules are followed."""

    def __init__(
        self, slots: Slots, name: str = "own", salt: int = 0, topic: str = "", flag: bool | None = None
    ) -> None:
        self.slots, self.name = slots, name
        self.knob = dict(slots.knobs)
        self.flag = slots.flag if flag is None else flag
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
        self.notices: list[str] = []
        self.before: list[str] = []
        """Texts of notices before the work begins, oldest first."""
        self._said_before()
        self.mailings: list[Mailing] = []
        self.events: list[Notice] = []
        self.open = {item.name: _Open(item) for item in self.items}
        self.old: list[tuple[str, Booking]] = []
        """The bookings that cards stand for at first: small, void or right."""
        self.surplus: Booking | None = None
        self._old()
        self._settled: list[str] = []
        self._count = 0
        self._fired: set[str] = set()
        self._plan = self._planned()
        self._late_items: set[str] = set()

    def near_ref(self, place: int) -> str:
        """A ref that looks like the workshop's own."""
        digits = self.ref[3:]
        kinds = (
            digits[0] + digits[2] + digits[1] + digits[3],
            digits[:2] + digits[3] + digits[2],
            digits[:3] + str((int(digits[3]) + 5) % 10),
        )
        made = f"{self.ref[:3]}{kinds[place % 3]}"
        return made if made != self.ref else f"{self.ref[:3]}{digits[:2]}{(int(digits[2:]) + 37) % 100:02d}"

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
        names, stems = d.shuffled("items", ITEMS)[: self.knob["items"]], d.shuffled("stems", _STEMS)
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

    def _code(self, name: str) -> str:
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
            booking = Booking(item.name, firm, number, self._code(f"old {item.name}"), f"old.{item.name}")
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
                self._code("surplus"),
                "old.surplus",
            )

    def _planned(self) -> dict[int, list[str]]:
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
                    plan.setdefault(1 + d.number(f"{kind} at {turn}", 3), []).append(f"{kind} {turn}")
        for turn, kind in enumerate(weighty, 1):
            plan.setdefault(turn, []).append(kind)
        return plan

    # what happens

    def work(self) -> None:
        """Follow the rules to the end.

        Raises:
            LookupError: there is nobody left to ask.
        """
        for item in self.items:
            if item.name not in self._settled:
                self._settle(item.name)
        if self.surplus:
            b = self.surplus
            self._send(
                b.supplier, {"item": b.item, "number": "0", "code": b.code}, "Yes, gladly: that is off our list."
            )
        self._late()

    @property
    def bookings(self) -> list[Booking]:
        """Those that stand, in the order of the sheet."""
        return [b for item in self.items for b in self.open[item.name].bookings]

    def _send(self, supplier: str, facts: Mapping[str, str], answer: str) -> str:
        key = f"reply_{len(self.mailings) + 1:02d}"
        self.mailings.append(Mailing(key, supplier, facts, answer))
        return key

    def _raise(self, state: _Open) -> None:
        missing = state.item.needed(self.people) - sum(b.number for b in state.bookings)
        if missing <= 0:
            return
        last = state.bookings[-1]
        code = self._code(f"raise {len(self.mailings)}")
        facts = {"item": last.item, "number": str(last.number + missing), "code": last.code}
        self._send(last.supplier, facts, "Yes, gladly: {number} {item} from now on. Code: " + code)
        last.number, last.code = last.number + missing, code

    def _settle(self, name: str) -> None:
        state, asked = self.open[name], ""
        item = state.item
        if state.bookings:
            self._raise(state)
        while (missing := item.needed(self.people) - sum(b.number for b in state.bookings)) > 0:
            if state.asked >= len(item.suppliers):
                raise LookupError(name)
            firm = item.suppliers[state.asked]
            state.asked += 1
            if (firm, name) in self.out:
                continue
            asked = self._request(state, firm, missing)
        if name not in self._settled:
            self._settled.append(name)
        if asked:
            self._count += 1
            self._come_in(asked, self._plan.get(self._count, []))

    def _request(self, state: _Open, firm: str, missing: int) -> str:
        d, item = self.draw, state.item
        code = self._code(f"code {firm}")
        facts = {"item": item.name, "number": str(missing), "day": self.day}
        luck, last = d.number(f"answer {firm}", 8), state.asked == len(item.suppliers)
        given, answer = missing, "Yes, gladly: {number} {item}. Code: " + code
        if not last and luck < self.knob["refusals"]:
            given = 0
            later = add_days(self.day, 1)
            answer = (
                f"Sorry, we cannot give you any {item.name} on that day."
                if luck % 2
                else "Yes, gladly: {number} {item} on " + later + ". Code: " + code
            )
        elif not last and missing > 2 and (luck == 7 or (item.parts and luck > 5)):
            part = missing - 1 - d.number(f"part {firm}", 2)
            answer = f"Yes, gladly: {part} {item.name}. Code: {code}"
            given = part if item.parts else 0
        key = self._send(firm, facts, answer)
        if given:
            state.bookings.append(Booking(item.name, firm, given, code))
        return key

    def _come_in(self, after: str, kinds: list[str]) -> None:
        for kind in kinds:
            if kind in ("flag", "raise"):
                self._people(after, kind)
            elif kind.startswith("void"):
                self._void(after, kind)
            elif kind.startswith("stock"):
                self._stock(after, kind)
            else:
                self._aside(after, kind)

    def _people(self, after: str, kind: str) -> None:
        more = self.people + 3 + self.draw.number(f"{kind} more", 3)
        counts = kind != "flag" or self.flag
        other = (
            self.host(now=False)
            if self.knob["handover"]
            else f"{self.hosts[0].lower()}.{self.hosts[0][0].lower()}@example.com"
        )
        sender = self.host() if counts else other
        self._fired.add(kind)
        self.events.append(Notice(after, sender, f"{self.ref}: we will be {more}, not as in the sheet."))
        if counts:
            self.people = more
            for item in self.items:
                if item.name in self._settled:
                    self._raise(self.open[item.name])

    def _void(self, after: str, kind: str) -> None:
        able = [
            s
            for s in self.open.values()
            if s.item.name in self._settled
            and s.item.name not in self._late_items
            and len(s.bookings) == 1
            and s.asked + 1 < len(s.item.suppliers)
        ]
        if not able:
            return
        state = self.draw.pick(kind, able)
        gone = state.bookings.pop()
        self._fired.add("void")
        self.events.append(
            Notice(
                after, self.address(gone.supplier), f"I am sorry: code {gone.code} is void, our van has broken down."
            )
        )
        if after.startswith("card"):
            self._late_items.add(gone.item)
        self._settle(state.item.name)

    def _stock(self, after: str, kind: str) -> None:
        ahead = [
            s for s in self.open.values() if s.item.name not in self._settled and s.asked + 2 < len(s.item.suppliers)
        ]
        if not ahead:
            return
        state = self.draw.pick(kind, ahead)
        firm = state.item.suppliers[state.asked]
        self._fired.add("stock")
        gone = (firm, state.item.name) in self.out
        text = f"{firm} have {state.item.name} again" if gone else f"{firm}: no {state.item.name} until further notice"
        (self.out.discard if gone else self.out.add)((firm, state.item.name))
        self.events.append(Notice(after, self.address(firm), text + "."))

    def _aside(self, after: str, kind: str) -> None:
        place = int(kind.split()[1])
        more = self.start_people + 6 + self.draw.number(kind, 4)
        texts = (
            (self.host(), f"{self.near_ref(0)}: we will be {more}, not as in the sheet."),
            ("reception@example.com", f"I hear that for {self.ref} there will be {more}, is that so?"),
            (
                f"desk@{_STEMS[0].lower()}-and-daughter.example",
                f"I am sorry: code {self._code('nobody')} is void, our van has broken down.",
            ),
        )
        self.events.append(Notice(after, *texts[place % 3]))

    def _late(self) -> None:
        """While the cards are put up or changed: what the first of them brings in, and perhaps the second."""
        for turn in range(self.knob["late"]):
            self._come_in(f"card_{turn + 1}", [f"void late {turn}"])

    def card(self, booking: Booking) -> str:
        """The role of the card that is there for a booking, if it is the first of its item."""
        known = {b.item: b.card for _, b in self.old}
        return known.get(booking.item, "") if self.open[booking.item].bookings[0] is booking else ""

    def stays(self, booking: Booking) -> bool:
        """Whether the card that is there says already what it must say."""
        return any(
            kind != "void" and (b.supplier, b.number, b.code) == (booking.supplier, booking.number, booking.code)
            for kind, b in self.old
        )

    def binds(self) -> bool:
        """Whether all traps make a difference, within the mails that a story may have."""
        late = sum(e.after.startswith("card") for e in self.events)
        return {"flag", "void"} <= self._fired and late == self.knob["late"] and 6 <= len(self.mailings) <= MOST


def _made(slots: Slots, salt: int, flag: bool) -> Story | None:
    try:
        story = Story(slots, "own", salt, flag=flag)
        story.work()
    except LookupError:
        return None
    return story if story.binds() else None


def draw_story(slots: Slots) -> Story:
    """The first drawing in which the traps bind, whoever sends the mail in doubt.

    Raises:
        LookupError: there is none among `TRIES`.
    """
    for salt in range(TRIES):
        both = [_made(slots, salt, flag) for flag in (slots.flag, not slots.flag)]
        if both[0] and both[1]:
            return both[0]
    raise LookupError(slots.ref)
