"""What is drawn for a round: sites, rules with their amendments, corrections, and what the board says.

Every value is drawn by its name from the slots, so that siblings of a task keep it. Of several drawings the first is taken
in which the traps bind; `KNOBS` are the settings of difficulty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from claw_adapter_forge.families.round_letters import Corrections, idle_letters
from claw_adapter_forge.families.round_rules import Card, Office, Rules, Site, resolve
from claw_adapter_forge.families.texts_round import FACTS, FILLER
from claw_adapter_forge.tasks.slots import OWNERS, Draw, Slots
from claw_adapter_forge.world.times import add_days

__all__ = ["DISTRICTS", "KNOBS", "ROUNDS", "Amendment", "RoundPlan", "draw_round"]

KNOBS: Mapping[str, tuple[int, int]] = {
    "sites": (12, 20),
    "amendments": (3, 6),
    "corrections": (3, 6),
    "swaps": (0, 1),
    "held": (0, 2),
    "finished": (1, 4),
    "agreed": (0, 2),
    "contacts": (0, 1),
    "closures": (0, 2),
    "alarms": (0, 2),
    "decoys": (1, 3),
    "notices": (0, 1),
    "review": (0, 1),
    "length": (0, 5),
    "forms": (0, 1),
    "idle": (4, 6),
    "spare": (0, 3),
}
"""Setting of difficulty → least and most: sites of the register, amendments of the handbook, corrections of the register (the
first one of a day is taken to another site of nearly the same name by `swaps`), sites that must not be touched, sites
whose visit is done, days that must stay, contacts that have changed, days on which the calendar is wrong, faults that were
none or elsewhere, other rounds of this or another city, mails
to contacts, a review if a count calls for it, sentences of talk in a mail, labels that stand in a form, mails about sites
whose visit is done, commands that are left over besides the script's."""

DISTRICTS = ("North", "East", "South")
_STREETS = ("Mill Lane", "Mill Road", "Miller Lane", "Milner Lane", "Old Mill Lane", "Mill Lane East")
_TIMES = ("00:20", "01:40", "08:45", "14:10", "22:50", "23:30")
ROUNDS = ("lift", "boiler", "alarm", "gutter", "meter", "sprinkler")
_THERE = range(2, 7)
"""Of eight: the card is there once; below it is missing, above it is there twice."""
TRIES = 60


@dataclass(frozen=True, slots=True)
class Amendment:
    """One amendment: its number, what its mail says, the clauses it changes, and the last day that it looks back on."""

    number: int
    text: str
    changes: Mapping[str, object]
    told: str = ""


class RoundPlan:
    """All that is drawn for one round; `own` is the round that the task is about."""

    def __init__(self, slots: Slots, name: str, salt: int = 0, topic: str = "") -> None:
        self.slots, self.name = slots, name
        self.knob = dict(slots.knobs)
        self.draw = Draw("round", slots.ref, slots.owner, slots.topic, name, salt)
        self.topic = topic or Draw("round", slots.ref, slots.topic).pick("topic", ROUNDS)
        self.today = slots.now[:10]
        self.gone = slots.flag
        """Whether the amendment in doubt is withdrawn."""
        self.registered = self._register()
        self.shown, self.office = self._offices()
        self.base = self._base()
        self.amendments = self._amendments()
        corrected = self._corrected()
        self.letters, self.sites = tuple(corrected.letters), corrected.sites
        self.idle = idle_letters(self.draw, self.knob["idle"], self.registered, self.newcomer, self.today)

    def _register(self) -> tuple[Site, ...]:
        d, count = self.draw, self.knob["sites"]
        refs = sorted(d.shuffled("refs", range(10, 99))[:count])
        names = d.shuffled("names", [f"{street} {n}" for street in _STREETS for n in (2, 4, 12, 14)])
        people = d.shuffled(
            "contacts",
            [f"{a}.{b}" for a in ("kim", "lee", "sam", "max") for b in ("roy", "ray", "rey", "ross", "rose", "rowe")],
        )
        hundred = int(self.slots.ref[3:]) // 100 * 100
        self.newcomer = f"{people[count]}@tenants.example"
        sites = []
        for i, number in enumerate(refs):
            seen = add_days(self.today, -(4 + d.number(f"seen {i}", 30)))
            sites.append(
                Site(
                    f"{self.slots.ref[:3]}{self._other_hundred(hundred) + number}",
                    names[i],
                    "ABCABCB"[d.number(f"grade {i}", 7)],
                    DISTRICTS[d.number(f"district {i}", 3)],
                    f"desk {1 + d.number(f'desk {i}', 4)}",
                    seen,
                    d.number(f"let {i}", 3) == 0,
                    f"{people[i]}@tenants.example",
                )
            )
        done = set(d.shuffled("finished", range(count))[: self.knob["finished"]])
        return tuple(replace(s, finished=i in done, faults=self._faults(i)) for i, s in enumerate(sites))

    def _other_hundred(self, hundred: int) -> int:
        return 1000 + (hundred - 1000 + 100 * (1 + self.draw.number("hundred", 40))) % 8900

    def _faults(self, place: int) -> tuple[str, ...]:
        """Moments of confirmed faults, some of them just outside of the fourteen days."""
        d, count = self.draw, (0, 1, 2, 2, 3, 3, 4)[self.draw.number(f"faults {place}", 7)]
        far = (15, 14, 1, 0)
        days = [far[d.number(f"edge {place}", 4)], *(1 + d.number(f"fault {place} {i}", 14) for i in range(1, count))]
        clock = [_TIMES[d.number(f"time {place} {i}", len(_TIMES)) if day else 0] for i, day in enumerate(days)]
        moments = (f"{add_days(self.today, -day)}T{at}" for day, at in zip(days[:count], clock, strict=False))
        return tuple(dict.fromkeys(moments))

    def _offices(self) -> tuple[Office, Office]:
        """The office as rota and calendar have it, and as it is after the mails."""
        d = self.draw
        people = d.shuffled("owners", OWNERS)[:6]
        plain = Office(self.today, (), {f"desk {i + 1}": people[i] for i in range(4)})
        days = [plain.working_day(self.today, n) for n in d.shuffled("closed", range(1, 15))]
        shown = frozenset([*days[:3], plain.working_day(self.today, -4), plain.working_day(self.today, -9)])
        first, second = add_days(self.today, 3 + d.number("away", 4)), add_days(self.today, 8 + d.number("again", 4))
        sits = (
            (people[0], people[4], first, add_days(first, 8 + d.number("back", 5))),
            (people[4], people[5], second, add_days(second, 2 + d.number("back again", 4))),
        )
        wrong = self.knob["closures"]
        closed = (shown - set(days[:1])) if wrong else shown
        closed |= set(days[3:4]) if wrong > 1 else set()
        self.open, self.shut = days[:1] if wrong else [], days[3:4] if wrong > 1 else []
        return replace(plain, closed=shown), replace(plain, closed=closed, sits_in=sits)

    def _base(self) -> Rules:
        d = self.draw
        days = {"A": 9 + d.number("A", 3), "B": 13 + d.number("B", 4), "C": 18 + d.number("C", 4)}
        return Rules(days, room=2, high=3)

    def _amendments(self) -> tuple[Amendment, ...]:
        d, base = self.draw, self.base
        slow = d.pick("slow", DISTRICTS)
        grade, but, let_but = d.pick("grade", "AB"), d.pick("slow but", "ABC"), d.pick("let but", "AB")
        days = base.days[grade] + (2 + d.number("days", 3)) * (-1 if d.number("less", 2) else 1)
        more, fewer = 2 + d.number("more", 3), 2 + d.number("fewer", 3)
        since = add_days(self.today, -(10 + d.number("since", 14)))
        pool: list[tuple[str, dict[str, object]]] = [
            (f"In clause 2, grade {grade} is {days} working days.", {"days": {**base.days, grade: days}}),
            (
                (
                    f"Clause 2: sites in the {slow} district have {more} working days more than their grade gives them. "
                    f"Those of grade {but} do not."
                ),
                {"slow": slow, "more": more, "slow_but": but},
            ),
            (
                f"Clause 1: a site that is let needs no card. If it is of grade {let_but}, it does.",
                {"let_but": let_but},
            ),
            (
                "In clause 5, a count of two is enough for high; all else in it stays.",
                {"high": 2},
            ),
            (
                "Clause 6: cards of grade A stay on their day, whatever else is on it. They take up room like others.",
                {"firm": "A"},
            ),
            (
                (
                    "Clause 6: a day has no room for a second card of the same district either, whatever the grade of the "
                    "first one is."
                ),
                {"apart": True},
            ),
            ("Clause 5: a fault on a day that is no working day counts as two faults.", {"double": True}),
            (f"Clause 2: a site whose card is of high priority has {fewer} working days less.", {"fewer": fewer}),
        ]
        first = 3 + d.number("first number", 5)
        order = d.shuffled("amendments", range(len(pool)))[: self.knob["amendments"]]
        made = [Amendment(first + i, *pool[which]) for i, which in enumerate(order)]
        at = next((a for a in made if "slow" in a.changes), None)
        if at is not None:
            text = f"What amendment {at.number} says of the {slow} district counts for sites last seen on {since} or later."
            made.append(Amendment(first + len(made), text, {"since": since}, since))
        return tuple(made)

    @property
    def doubtful(self) -> Amendment:
        """The amendment that was talked about afterwards, and is withdrawn or stands."""
        return self.amendments[self.draw.number("doubtful", self.knob["amendments"])]

    def rules(self, gone: bool) -> Rules:
        """The clauses in force, if the doubtful amendment is withdrawn or if it stands."""
        rules = self.base
        for one in self.amendments:
            if not (gone and one is self.doubtful):
                rules = replace(rules, **one.changes)  # type: ignore[arg-type]  # amendments name clauses of the right types
        return rules

    def _corrected(self) -> Corrections:
        found = Corrections(self.draw, self.knob, self.office, self.registered)
        found.calendar(self.slots.city, self.open, self.shut)
        found.agree({ref: card.due for ref, card in self.naive.items()}, self.there)
        found.contacts(self.newcomer)
        found.alarms()
        return found

    def luck(self, site: Site) -> int:
        """What became of a site's card on the board: see `_THERE`."""
        return self.draw.number(f"board {site.ref[-2:]}", 8)

    @property
    def there(self) -> frozenset[str]:
        """Refs of the sites with one card on the board."""
        return frozenset(site.ref for site in self.registered if self.luck(site) in _THERE)

    @property
    def cards(self) -> dict[str, Card]:
        """Ref → the open card of each site that has one when all is right."""
        return resolve(self.sites, self.rules(self.gone), self.office)

    @property
    def naive(self) -> dict[str, Card]:
        """The cards of one who has read register, handbook, log and calendar, and no mail."""
        return resolve([replace(s, let=False) for s in self.registered], self.base, self.shown)

    def urgent(self, gone: bool) -> int:
        """Open cards of high priority."""
        return sum(c.priority == "high" for c in resolve(self.sites, self.rules(gone), self.office).values())

    @property
    def needed(self) -> int:
        """Cards of high priority from which on there is a review."""
        return self.urgent(True) + self.draw.number("review", 2)

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the office's texts."""
        if not self.knob["forms"]:
            return {fact: words[0] for fact, words in FACTS.items()}
        return {fact: words[1 + self.draw.number(f"label {fact}", len(words) - 1)] for fact, words in FACTS.items()}

    @property
    def talk(self) -> Sequence[str]:
        """Sentences that say nothing."""
        return self.draw.shuffled("talk", FILLER)[: self.knob["length"]]

    def binds(self) -> bool:
        """Whether the traps make a difference: the amendment in doubt, the mails, the corrections, room, who sits in."""
        both = [resolve(self.sites, self.rules(gone), self.office) for gone in (True, False)]
        if both[0] == both[1] or both[0] == self.naive:
            return False
        days = [Counter(c.due for c in cards.values()) for cards in both]
        alone = replace(self.office, sits_in=())
        for gone, cards in zip((True, False), both, strict=True):
            rules = self.rules(gone)
            wide = resolve(self.sites, replace(rules, room=99), self.office)
            same = resolve(self.sites, rules, alone) == cards or wide == cards
            if same or resolve(self.registered, rules, self.office) == cards:
                return False
        return all(len(of) > 2 for of in days)


def draw_round(slots: Slots, name: str) -> RoundPlan:
    """The first drawing in which the traps bind."""
    for salt in range(TRIES):
        plan = RoundPlan(slots, name, salt)
        if plan.binds():
            return plan
    return RoundPlan(slots, name)
