"""What the handbook of a round comes to: for each site no card, or one with its day, priority and owner."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from claw_adapter_forge.world.times import add_days

__all__ = ["Card", "Office", "Rules", "Site", "resolve"]


@dataclass(frozen=True, slots=True)
class Site:
    """One site of the register.

    `moves` is another desk and the first day that is due there; `faults` are the moments of its confirmed faults, in wall
    time; `there` is what a held site's card says, `agreed` a day that a card must keep.
    """

    ref: str
    name: str
    grade: str
    district: str
    desk: str
    seen: str
    let: bool
    contact: str
    moves: tuple[str, str] = ("", "")
    faults: tuple[str, ...] = ()
    finished: bool = False
    there: Card | None = None
    agreed: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """What a site's open card must say."""

    due: str
    priority: str
    owner: str


@dataclass(frozen=True, slots=True)
class Rules:
    """The clauses that can be amended.

    `days` are working days by grade; sites of the district `slow` have `more` days, but for one grade, and only those last
    seen from `since` on; let sites need no card unless of the grade `let_but` (empty: they need one like all others);
    `high` faults or more make a card urgent, `double` ones of days off counted twice, and urgent ones have `fewer` days;
    `room` cards have room on a day, if they are `apart` of one district only one, but cards of the grade `firm` never move.
    """

    days: Mapping[str, int]
    slow: str = ""
    more: int = 0
    slow_but: str = ""
    since: str = ""
    let_but: str = ""
    high: int = 3
    double: bool = False
    fewer: int = 0
    room: int = 2
    apart: bool = False
    firm: str = ""


@dataclass(frozen=True, slots=True)
class Office:
    """Today, the days on which the office is closed, who has a desk, and who sits in for whom from when to when.

    Of several who sit in, a later one has also what comes to the person away by an earlier one.
    """

    today: str
    closed: Collection[str]
    desks: Mapping[str, str]
    sits_in: tuple[tuple[str, str, str, str], ...] = ()

    def works(self, day: str) -> bool:
        """Whether it is a working day."""
        return date.fromisoformat(day).weekday() < 5 and day not in self.closed

    def working_day(self, day: str, number: int) -> str:
        """The working day that comes `number` working days after a day (before it, if the number is negative)."""
        step = 1 if number > 0 else -1
        for _ in range(abs(number)):
            day = add_days(day, step)
            while not self.works(day):
                day = add_days(day, step)
        return day

    def owner(self, site: Site, day: str) -> str:
        """Who has a site's desk on a day."""
        other, first = site.moves
        person = self.desks[other if other and day >= first else site.desk]
        for away, instead, start, end in self.sits_in:
            person = instead if person == away and start <= day <= end else person
        return person


def _needs_card(site: Site, rules: Rules) -> bool:
    exempt = site.let and bool(rules.let_but) and site.grade != rules.let_but
    return not site.finished and not exempt


def _allowance(site: Site, rules: Rules, priority: str) -> int:
    slow = site.district == rules.slow and site.grade != rules.slow_but and site.seen >= rules.since
    return rules.days[site.grade] + (rules.more if slow else 0) - (rules.fewer if priority == "high" else 0)


def _priority(site: Site, rules: Rules, office: Office) -> str:
    first = add_days(office.today, -14)
    days = [moment[:10] for moment in site.faults if first <= moment[:10] < office.today]
    count = len(days) + sum(rules.double and not office.works(day) for day in days)
    return "high" if count >= rules.high else "medium" if count else "low"


def resolve(sites: Sequence[Site], rules: Rules, office: Office) -> dict[str, Card]:
    """Ref → the card of each site that needs one; held sites keep theirs, whatever the rules say."""
    cards = {site.ref: site.there for site in sites if site.there}
    taken: dict[str, list[str]] = {}
    for site in sites:
        if kept := site.there.due if site.there else site.agreed:
            taken.setdefault(kept, []).append(site.district)
    floor = office.working_day(office.today, 3)
    for site in sorted(sites, key=lambda s: s.ref):
        if site.there or not _needs_card(site, rules):
            continue
        priority = _priority(site, rules, office)
        if site.agreed:
            cards[site.ref] = Card(site.agreed, priority, office.owner(site, site.agreed))
            continue
        due = max(floor, office.working_day(site.seen, _allowance(site, rules, priority)))
        while site.grade != rules.firm:
            there = taken.get(due, [])
            if len(there) < rules.room and not (rules.apart and site.district in there):
                break
            due = office.working_day(due, 1)
        taken.setdefault(due, []).append(site.district)
        cards[site.ref] = Card(due, priority, office.owner(site, due))
    return cards
