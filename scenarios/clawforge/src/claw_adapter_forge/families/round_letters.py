"""The mails that correct a round's register, calendar and log, and what the register comes to by them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from claw_adapter_forge.families.round_rules import Card, Office, Site
from claw_adapter_forge.tasks.slots import OWNERS, Draw
from claw_adapter_forge.world.times import add_days

__all__ = ["PUT_UP", "Corrections", "Letter", "idle_letters", "written"]

PUT_UP = 9
"""Every site's first open card was put up so many days ago, or earlier."""
_OPENS, _HOURS = 8 * 60, 9 * 60
"""When the office opens and how long it is open, in minutes."""

_HELD = (
    "Leave the card of {name} exactly as it is until the audit is over, whatever handbook and mails say, also if by them the "
    "site needs none. It counts as it stands, as an open card and for room, and its place is taken before all others."
)


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail: what its subject ends with, what it says, and the last day that it looks back on (empty: on none)."""

    subject: str
    text: str
    told: str = ""


def written(letters: Sequence[Letter], today: str) -> tuple[str, ...]:
    """When each letter was written, in wall time: one after the other, all before today, none before what it tells.

    Working hours of the days before today are shared out; a letter waits for the morning after the last day that it tells of.
    """
    at, end = 0, len(letters) * _HOURS
    stamps = []
    for left, letter in zip(range(len(letters), 0, -1), letters, strict=True):
        at += (end - at) // (left + 1)
        if letter.told:
            ago = (date.fromisoformat(today) - date.fromisoformat(letter.told)).days
            at = max(at, (len(letters) - ago + 1) * _HOURS)
        days, minutes = divmod(at, _HOURS)
        hour, minute = divmod(_OPENS + minutes, 60)
        stamps.append(f"{add_days(today, days - len(letters))}T{hour:02}:{minute:02}")
    return tuple(stamps)


def _moved(seen: str, days: int, today: str) -> tuple[str, str]:
    """A day of a visit so many days later, or earlier where it was of late; and the words for it."""
    days = -days if seen > add_days(today, -12) else days
    return add_days(seen, days), f"{abs(days)} days {'later' if days > 0 else 'earlier'} than the register has it"


def idle_letters(draw: Draw, count: int, sites: Sequence[Site], newcomer: str, today: str) -> tuple[Letter, ...]:
    """Mails about sites whose visit is done: they look like those that count, and are for the next round."""
    done = [site for site in sites if site.finished]
    found = []
    for place in range(count):
        site = done[place % len(done)]
        desk, grade = 1 + (int(site.desk[-1]) + place % 3) % 4, "ABC".replace(site.grade, "")[place % 2]
        taken, words = _moved(site.seen, 2 + place, today)
        texts = (
            f"{site.name} was last seen {words}.",
            f"{site.name} is of grade {grade}, no longer of grade {site.grade}.",
            f"{site.name} has gone from {site.desk} to desk {desk}.",
            f"At {site.name} {site.contact} has left. Write to {newcomer} from now on.",
        )
        turn = draw.number("idle", 3) + place // len(done)
        turn %= len(texts)
        found.append(Letter(site.name, texts[turn], "" if turn else max(taken, site.seen)))
    return tuple(found)


class Corrections:
    """Draws the mails, in order; `letters` and `sites` are what there is afterwards."""

    def __init__(self, draw: Draw, knob: Mapping[str, int], office: Office, registered: Sequence[Site]) -> None:
        self._draw, self._knob, self._office, self._today = draw, knob, office, office.today
        self._sites = {site.name: site for site in registered}
        self._order = draw.shuffled("corrected", [site.name for site in registered if not site.finished])
        self.letters: list[Letter] = []
        self._register()
        self._hold()

    @property
    def sites(self) -> tuple[Site, ...]:
        """The register as it is."""
        return tuple(self._sites.values())

    def _say(self, name: str, text: str, told: str = "", **changes: object) -> None:
        """Write a mail about a site, and do to the site what it says."""
        self.letters.append(Letter(name, text, told))
        self._sites[name] = replace(self._sites[name], **changes)  # type: ignore[arg-type]  # fields of a site

    def _register(self) -> None:
        first = self._draw.number("kind", 3)
        for place, name in enumerate(self._order[: self._knob["corrections"]]):
            site = self._sites[name]
            kind = (first + place) % 3
            if kind == 0:
                other = self._order[-1 - place // 3]
                self._other_day(site, other if self._knob["swaps"] and place < 3 else "")
            elif kind == 1:
                grade = {"A": "B", "B": "A", "C": "A"}[site.grade]
                self._say(name, f"{name} is of grade {grade}, no longer of grade {site.grade}.", grade=grade)
            else:
                self._other_desk(site, at_once=place % 2 == 1)

    def _other_day(self, site: Site, other: str) -> None:
        """A site was seen on another day, then on yet another, or the `other` site was."""
        name = site.name
        taken, words = _moved(site.seen, 2 + self._draw.number(f"later {name}", 4), self._today)
        self._say(name, f"{name} was last seen {words}.", max(taken, site.seen), seen=taken)
        if other:
            said = f"About {name} I mixed up two: it was {other} that was last seen on {taken}."
            last = max(taken, self._sites[other].seen)
            self._say(name, f"{said} For {name} the register is right.", last, seen=site.seen)
            self._sites[other] = replace(self._sites[other], seen=taken)
            return
        more = 1 + self._draw.number(f"still {name}", 3)
        said = f"{more} {'day' if more == 1 else 'days'} before what I wrote"
        self._say(name, f"{name} again: it was not then, but {said}.", seen=add_days(taken, -more))

    def _other_desk(self, site: Site, *, at_once: bool) -> None:
        """A site goes to another desk, at once or from a day on."""
        name, desk = site.name, f"desk {int(site.desk[-1]) % 4 + 1}"
        if at_once:
            self._say(name, f"{name} has gone from {site.desk} to {desk}.", desk=desk)
            return
        day = self._office.working_day(self._today, 5 + self._draw.number(f"goes {name}", 5))
        said = f"{name} goes from {site.desk} to {desk}: what is due on {day} or later is theirs."
        self._say(name, said, moves=(desk, day))

    def _hold(self) -> None:
        for name in self._order[self._knob["corrections"] :][: self._knob["held"]]:
            d = self._draw
            day = self._office.working_day(self._today, 2 + d.number(f"held {name}", 8))
            card = Card(day, d.pick(f"held {name}", ("high", "low")), d.pick(f"held o {name}", OWNERS[:8]))
            self._say(name, _HELD.format(name=name), add_days(self._today, -PUT_UP), there=card)

    def calendar(self, city: str, opened: Sequence[str], shut: Sequence[str]) -> None:
        """The calendar is wrong on these days."""
        lines = [f"The office in {city} is open on {day}, the calendar is wrong." for day in opened]
        lines += [f"The office in {city} is closed on {day} for the whole day; the calendar lacks it." for day in shut]
        self.letters += [Letter("calendar", line) for line in lines]

    def agree(self, days: Mapping[str, str], there: Collection[str]) -> None:
        """Some cards keep their day, which is that of `days` by their ref; `there` are the refs with one card on the board."""
        first = self._knob["corrections"] + self._knob["held"]
        known = (self._sites[name] for name in self._order[first:])
        for site in [s for s in known if s.ref in there and not s.let][: self._knob["agreed"]]:
            self._sites[site.name] = replace(site, agreed=days[site.ref])

    def contacts(self, newcomer: str) -> None:
        """A contact has left."""
        known = [self._sites[name] for name in self._order]
        for site in [s for s in known if s.grade == "A" and not s.there][: self._knob["contacts"]]:
            text = f"At {site.name} {site.contact} has left. Write to {newcomer} from now on."
            self._say(site.name, text, contact=newcomer)

    def alarms(self) -> None:
        """Faults that were none, or at another site."""
        last = add_days(self._today, -1)
        known = [self._sites[name] for name in self._order]
        faulty = [site.name for site in known if len(site.faults) > 1 and min(site.faults) < last]
        for place, name in enumerate(faulty[: self._knob["alarms"]]):
            faults = self._sites[name].faults
            moment = max(m for m in faults if m < last)
            at, rest = f"{moment[:10]} at {moment[11:]} our time", tuple(m for m in faults if m != moment)
            if not place:
                self._say(
                    name, f"At {name} there was no fault on {at}: somebody tried the button.", at[:10], faults=rest
                )
                continue
            other = next(self._others(name, moment))
            self._say(name, f"The fault of {at} was not at {name}, it was at {other.name}.", at[:10], faults=rest)
            self._sites[other.name] = replace(other, faults=(*other.faults, moment))

    def _others(self, name: str, moment: str) -> Iterator[Site]:
        """Other sites without a fault at that moment."""
        known = (self._sites[other] for other in reversed(self._order) if other != name)
        return (site for site in known if moment not in site.faults)
