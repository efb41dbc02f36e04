"""What comes of a workshop by the desk's rules: who is asked what, what they say, and what comes in meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from claw_adapter_forge.families.bookings_plan import STEMS, Booking, BookingPlan, Open
from claw_adapter_forge.families.texts_bookings import AGAIN, OUT
from claw_adapter_forge.tasks.slots import Slots
from claw_adapter_forge.world.times import add_days

__all__ = ["Mailing", "Notice", "Story", "draw_story"]

TRIES = 10_000
MOST = 14
"""Mails to suppliers in one story, at the most."""


@dataclass(frozen=True, slots=True)
class Mailing:
    """A mail to a supplier, and the answer; `id` is that of the answer."""

    id: str
    supplier: str
    facts: Mapping[str, str]
    answer: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that comes in after an answer (or a card): from whom, what, and in which place."""

    after: str
    sender: str
    text: str
    place: str = "mail"


class Story(BookingPlan):
    """One workshop, and all that happens when the rules are followed; `flag` is whether the mail in doubt is the host's."""

    def __init__(self, slots: Slots, salt: int, *, flag: bool) -> None:
        super().__init__(slots, "own", salt)
        self.flag = flag
        self.mailings: list[Mailing] = []
        self.events: list[Notice] = []
        self._plan = self.planned()
        self._settled: list[str] = []
        self._count = 0
        self._fired: set[str] = set()
        self._late_items: set[str] = set()
        self._noticed: set[tuple[str, str]] = set()
        self._posted: set[tuple[str, str]] = set()
        """Of these, the notices that came in elsewhere than by mail."""
        self.cards_after: list[str] = []
        """Per late turn: the answer that must have come before a card brings something in."""

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

    def _raise(self, state: Open) -> None:
        missing = state.item.needed(self.people) - sum(b.number for b in state.bookings)
        if missing <= 0:
            return
        last = state.bookings[-1]
        code = self.code(f"raise {len(self.mailings)}")
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
            self._fired |= {"elsewhere"} if (firm, name) in self._posted else set()
            if (firm, name) in self.out:
                continue
            asked = self._request(state, firm, missing)
        if name not in self._settled:
            self._settled.append(name)
        if asked:
            self._count += 1
            self._come_in(asked, self._plan.get(self._count, []))

    def _request(self, state: Open, firm: str, missing: int) -> str:
        d, item = self.draw, state.item
        code = self.code(f"code {firm}")
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
        """Who would be asked next of an item that is not settled runs out, or has something again: each once a day."""
        ahead = [
            (s.item.suppliers[s.asked], s.item.name)
            for s in self.open.values()
            if s.item.name not in self._settled and s.asked + 2 < len(s.item.suppliers)
        ]
        if not (ahead := [one for one in ahead if one not in self._noticed]):
            return
        firm, name = self.draw.pick(kind, ahead)
        self._noticed.add((firm, name))
        gone = (firm, name) in self.out
        text = (AGAIN if gone else OUT).format(supplier=firm, item=name)
        (self.out.discard if gone else self.out.add)((firm, name))
        places = ("event", "card", "file", "mail")
        place = self.draw.pick(f"{kind} place", places if self._posted else places[:3])
        if place != "mail":
            self._posted.add((firm, name))
        self.events.append(Notice(after, self.address(firm), f"As of {self.today}: {text}.", place))

    def _aside(self, after: str, kind: str) -> None:
        place = int(kind.split()[1])
        more = self.start_people + 6 + self.draw.number(kind, 4)
        texts = (
            (self.host(), f"{self.near_ref(0)}: we will be {more}, not as in the sheet."),
            ("reception@example.com", f"I hear that for {self.ref} there will be {more}, is that so?"),
            (
                f"desk@{STEMS[0].lower()}-and-daughter.example",
                f"I am sorry: code {self.code('nobody')} is void, our van has broken down.",
            ),
        )
        self.events.append(Notice(after, *texts[place % 3]))

    def _late(self) -> None:
        """While the cards are put up or changed: what the first of them brings in, and perhaps the second."""
        for turn in range(self.knob["late"]):
            self.cards_after.append(self.mailings[-1].id)
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
        return (
            {"flag", "void", "elsewhere"} <= self._fired
            and late == self.knob["late"]
            and 6 <= len(self.mailings) <= MOST
        )


def _made(slots: Slots, salt: int, flag: bool) -> Story | None:
    try:
        story = Story(slots, salt, flag=flag)
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
