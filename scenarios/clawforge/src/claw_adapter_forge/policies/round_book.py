"""What the expert on rounds makes of handbook, register, log and mails."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from claw_adapter_forge.policies.mind import Mind, Steps, cmd

__all__ = ["RoundBook", "read_clock", "read_documents", "read_mails"]

_SITE = re.compile(
    r"^(\S+) \| (.+?) \| grade (\w) \| (let|own use) \| (desk \d) \| last seen (\S+) \| contact (\S+)$", re.MULTILINE
)
_LABEL = re.compile(r"^`(.+)` is (.+)$", re.MULTILINE)
_MEANINGS = {
    "city": "the city",
    "ref": "the ref",
    "owner": "who owns a visit",
    "due": "the day of a visit",
    "cards": "how many open cards the round has",
    "urgent": "how many of these are of high priority",
    "changed": "at how many sites a card was put up",
    "first": "the first day",
    "last": "the last such day",
    "busiest": "who owns most",
}


@dataclass(slots=True)
class RoundSite:
    """A row of the register, as corrected."""

    ref: str
    grade: str
    let: bool
    desk: str
    seen: date
    contact: str
    district: str
    held: bool = False
    moves: tuple[str, date] = ("", date.max)


@dataclass(slots=True)
class RoundBook:
    """What handbook and mails come to."""

    mind: Mind
    city: str
    text: str = ""
    log: str = ""
    sites: dict[str, RoundSite] = field(default_factory=dict)
    desks: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    closed: set[date] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    days: dict[str, int] = field(default_factory=dict)
    slow: tuple[str, int, str] = ("", 0, "")
    since: date = date.min
    let_but: str = ""
    high: int = 3
    room: int = 2
    firm: bool = False
    apart: bool = False
    double: bool = False
    fewer: int = 0
    away: list[tuple[str, str, date, date]] = field(default_factory=list)
    none: set[tuple[str, str]] = field(default_factory=set)
    also: list[tuple[str, date]] = field(default_factory=list)
    today: date = date(2026, 3, 1)
    shift: timedelta = timedelta()

    def free(self, day: date) -> bool:
        """Whether it is a working day."""
        return day.isoweekday() < 6 and day not in self.closed

    def after(self, day: date, count: int) -> date:
        """The working day so many working days on."""
        while count:
            day += timedelta(1)
            count -= self.free(day)
        return day

    def owner(self, site: RoundSite, day: date) -> str:
        """Who has the site's desk."""
        desk, start = site.moves
        person = self.desks.get(desk if day >= start else site.desk, "Amara")
        for gone, there, first, last in self.away:
            if person == gone and first <= day <= last:
                person = there
        return person

    def priority(self, site: RoundSite) -> str:
        """By the faults of the fourteen days before today."""
        found = 0
        for ref, day in self.also:
            if ref == site.ref and 1 <= (self.today - day).days <= 14:
                found += 2 if self.double and not self.free(day) else 1
        for moment, ref, status in re.findall(r"^(\S+ \S+) \| (\S+) \| (\w+)$", self.log, re.MULTILINE):
            local = datetime.fromisoformat(moment) + self.shift
            day, none = local.date(), (ref, f"{local:%Y-%m-%d %H:%M}") in self.none
            if ref == site.ref and status == "confirmed" and not none and 1 <= (self.today - day).days <= 14:
                found += 2 if self.double and not self.free(day) else 1
        return "high" if found >= self.high else "medium" if found else "low"

    def lines(self, **told: str) -> str:
        """Labelled lines."""
        return "\n".join(f"{self.labels.get(fact, fact.capitalize())}: {value}" for fact, value in told.items())


def read_documents(book: RoundBook, topic: str) -> Steps:
    """Read handbook, registers, log, rota and form."""
    book.text = yield cmd("file", "read", "--path", f"/rounds/{book.city.lower()}-{topic}-handbook.txt")
    paths = dict(re.findall(r"^(register \w+|log|rota|form): (/\S+)$", book.text, re.MULTILINE))
    shown = book.text
    for name, path in paths.items():
        found = yield cmd("file", "read", "--path", path)
        if name == "log":
            book.log = found
        elif name == "rota":
            book.desks = dict(re.findall(r"^(desk \d): (\w+)", found, re.MULTILINE))
        elif name == "form":
            shown = found
        for ref, called, grade, let, desk, seen, contact in _SITE.findall(found):
            district = name.partition(" ")[2]
            book.sites[called] = RoundSite(ref, grade, let == "let", desk, date.fromisoformat(seen), contact, district)
    for label, meaning in _LABEL.findall(shown):
        fact = next((f for f, known in _MEANINGS.items() if meaning.startswith(known)), "")
        book.labels[fact] = label
    book.days = {grade: int(n) for grade, n in re.findall(r"grade ([ABC]) (\d+)", book.text)}
    book.room = int(((m := re.search(r"room for (\d+) cards", book.text)) and m[1]) or 2)
    book.high = 1 + int(((m := re.search(r"more than (\d+) faults", book.text)) and m[1]) or 2)


def read_mails(book: RoundBook, topic: str, over: Collection[str]) -> Steps:
    """Read the round's mails, oldest first, but those under the name of a site that is done, and do what they say."""
    found = yield cmd("email", "search", "--query", f"{topic} round, {book.city}")
    rows = re.findall(r"\[(mail_\d+)\].*Date: (\S+) \| Subject: .+?: (.+)$", found, re.MULTILINE)
    rows = sorted((row for row in rows if row[2] not in over), key=lambda row: row[1])
    amended: dict[int, str] = {}
    for key, _, _ in rows:
        text = yield cmd("email", "read", "--id", key)
        number = re.search(r": amendment (\d+)$", text, re.MULTILINE)
        body = text.partition("Body:\n")[2]
        if number:
            amended[int(number[1])] = body
        doubt = re.search(r"Amendment (\d+) (is withdrawn|stands)", body)
        if doubt and book.mind.decide(doubt[2] != "stands"):
            amended.pop(int(doubt[1]), None)
        book.notes.append(body)
    for body in amended.values():
        _amend(book, body)
    before = {name: s.seen for name, s in book.sites.items()}
    for body in book.notes:
        _correct(book, body, before)


def _amend(book: RoundBook, body: str) -> None:
    if m := re.search(r"grade (\w) is (\d+) working days", body):
        book.days[m[1]] = int(m[2])
    if m := re.search(
        r"sites in the (\w+) district have (\d+) working days more .*\n?.*Those of grade (\w) do not", body
    ):
        book.slow = (m[1], int(m[2]), m[3])
    if m := re.search(r"counts for sites last seen on (\S+) or later", body):
        book.since = date.fromisoformat(m[1])
    if m := re.search(r"let needs no card. If it is of grade (\w), it does", body):
        book.let_but = m[1]
    if "a count of two is enough for high" in body:
        book.high = 2
    if "cards of grade A stay on their day" in body:
        book.firm = True
    if m := re.search(r"of high priority has (\d) working days less", body):
        book.fewer = int(m[1])
    book.apart |= "no room for a second card of the same district" in body
    book.double |= "no working day counts as two faults" in body


def _correct(book: RoundBook, body: str, before: dict[str, date]) -> None:
    sites = book.sites
    if m := re.search(r"^(.+) was last seen (\d) days (later|earlier) than", body, re.MULTILINE):
        sites[m[1]].seen += timedelta(int(m[2]) * (1 if m[3] == "later" else -1))
    if m := re.search(r"^(.+) again: it was not then, but (\d) days? before what", body, re.MULTILINE):
        sites[m[1]].seen -= timedelta(int(m[2]))
    if m := re.search(r"^About (.+) I mixed up two: it was (.+) that was last seen on (\S+)\. For", body, re.MULTILINE):
        sites[m[2]].seen, sites[m[1]].seen = date.fromisoformat(m[3]), before[m[1]]
    if m := re.search(r"^(.+) is of grade (\w), no longer", body, re.MULTILINE):
        sites[m[1]].grade = m[2]
    if m := re.search(r"^(.+) has gone from desk \d to (desk \d)", body, re.MULTILINE):
        sites[m[1]].desk = m[2]
    if m := re.search(r"^(.+) goes from desk \d to (desk \d): what is due on (\S+) or", body, re.MULTILINE):
        sites[m[1]].moves = (m[2], date.fromisoformat(m[3]))
    if m := re.search(r"^Leave the card of (.+) exactly as it is", body, re.MULTILINE):
        sites[m[1]].held = True
    if m := re.search(r"^At (.+) there was no fault on (\S+) at (\S+) our", body, re.MULTILINE):
        book.none.add((sites[m[1]].ref, f"{m[2]} {m[3]}"))
    if m := re.search(r"^The fault of (\S+) at (\S+) our time was not at (.+), it was at (.+)\.$", body, re.MULTILINE):
        book.none.add((sites[m[3]].ref, f"{m[1]} {m[2]}"))
        book.also.append((sites[m[4]].ref, date.fromisoformat(m[1])))
    if m := re.search(r"^At (.+) \S+@\S+ has left\. Write to (\S+) from", body, re.MULTILINE):
        sites[m[1]].contact = m[2]
    if m := re.search(r"From (\S+) to (\S+), both days included, (\w+) sits in for (\w+)", body):
        book.away.append((m[4], m[3], date.fromisoformat(m[1]), date.fromisoformat(m[2])))


def read_clock(book: RoundBook, stamp: str, calendar: str) -> None:
    """Today, the city's time, and the days on which the office is closed."""
    if m := re.search(r"Current date-time for \S+: (\S+)", stamp):
        now = datetime.fromisoformat(m[1])
        book.today = now.date()
        # the world's clock is at nine in UTC
        book.shift = now - now.replace(hour=9, minute=0, second=0)
    days = re.findall(rf"\] {book.city} office closed — (\S+?)T", calendar)
    book.closed = {date.fromisoformat(day) for day in days}
    written = "\n".join(book.notes)
    book.closed -= set(map(date.fromisoformat, re.findall(r"is open on (\S+), the calendar", written)))
    book.closed |= set(map(date.fromisoformat, re.findall(r"is closed on (\S+) for the whole", written)))
