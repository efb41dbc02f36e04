"""Expert script: a round, from handbook, register and mails to the board, the calendar and the report."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from claw_adapter_forge.policies.mind import Mind, Steps, cmd

__all__ = ["tour"]

_SITE = re.compile(r"^(\S+) \| (.+?) \| grade (\w) \| (let|own use) \| (desk \d) \| last seen (\S+) \| contact (\S+)$", re.M)
_ENTRY = re.compile(r"^\s*\[(task_\d+)\] ([○✓]) \[(\w+)\] (.+?)(?: \(due (\S+)\))?\n((?:(?!\s*\[task_).*\n?)*)", re.M)
_LABEL = re.compile(r"^`(.+)` is (.+)$", re.M)
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
class _Site:
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
class _Book:
    """What handbook and mails come to."""

    mind: Mind
    city: str
    text: str = ""
    log: str = ""
    sites: dict[str, _Site] = field(default_factory=dict)
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

    def owner(self, site: _Site, day: date) -> str:
        """Who has the site's desk."""
        desk, start = site.moves
        person = self.desks.get(desk if day >= start else site.desk, "Amara")
        for gone, there, first, last in self.away:
            if person == gone and first <= day <= last:
                person = there
        return person

    def priority(self, site: _Site) -> str:
        """By the faults of the fourteen days before today."""
        found = 0
        for ref, day in self.also:
            if ref == site.ref and 1 <= (self.today - day).days <= 14:
                found += 2 if self.double and not self.free(day) else 1
        for moment, ref, status in re.findall(r"^(\S+ \S+) \| (\S+) \| (\w+)$", self.log, re.M):
            local = datetime.fromisoformat(moment) + self.shift
            day, none = local.date(), (ref, f"{local:%Y-%m-%d %H:%M}") in self.none
            if ref == site.ref and status == "confirmed" and not none and 1 <= (self.today - day).days <= 14:
                found += 2 if self.double and not self.free(day) else 1
        return "high" if found >= self.high else "medium" if found else "low"

    def lines(self, **told: str) -> str:
        """Labelled lines."""
        return "\n".join(f"{self.labels.get(fact, fact.capitalize())}: {value}" for fact, value in told.items())


def tour(mind: Mind) -> Steps:
    """Read, compute every card, mend the board, tell contacts, call the review, report."""
    match = re.search(r"\b(\w+) round\b", mind.request)
    topic = match[1] if match else "lift"
    listing = yield "file list"
    others = [c for c in mind.offices if c != mind.city and f"/{c.lower()}-{topic}-" in listing]
    book = _Book(mind, others[0] if mind.traits.decoy and others else mind.city)
    yield from _documents(book, topic)
    yield from _mails(book, topic)
    board = (yield "tasks list --status all") + "\n"
    calendar = yield "calendar list"
    stamp = yield mind.today()
    _clock(book, stamp, calendar)
    cards = _cards(board, f"{book.city} {topic} visit ")
    planned = _planned(book, cards)
    yield from _mend(book, topic, cards, planned)


def _documents(book: _Book, topic: str) -> Steps:
    book.text = yield cmd("file", "read", "--path", f"/rounds/{book.city.lower()}-{topic}-handbook.txt")
    paths = dict(re.findall(r"^(register \w+|log|rota|form): (/\S+)$", book.text, re.M))
    shown = book.text
    for name, path in paths.items():
        found = yield cmd("file", "read", "--path", path)
        if name == "log":
            book.log = found
        elif name == "rota":
            book.desks = dict(re.findall(r"^(desk \d): (\w+)", found, re.M))
        elif name == "form":
            shown = found
        for ref, called, grade, let, desk, seen, contact in _SITE.findall(found):
            district = name.partition(" ")[2]
            book.sites[called] = _Site(ref, grade, let == "let", desk, date.fromisoformat(seen), contact, district)
    for label, meaning in _LABEL.findall(shown):
        fact = next((f for f, known in _MEANINGS.items() if meaning.startswith(known)), "")
        book.labels[fact] = label
    book.days = {grade: int(n) for grade, n in re.findall(r"grade ([ABC]) (\d+)", book.text)}
    book.room = int((m := re.search(r"room for (\d+) cards", book.text)) and m[1] or 2)
    book.high = 1 + int((m := re.search(r"more than (\d+) faults", book.text)) and m[1] or 2)


def _mails(book: _Book, topic: str) -> Steps:
    found = yield cmd("email", "search", "--query", f"{topic} round, {book.city}")
    rows = sorted(re.findall(r"\[(mail_\d+)\].*Date: (\S+)", found), key=lambda row: row[1])
    amended: dict[int, str] = {}
    for key, _ in rows:
        text = yield cmd("email", "read", "--id", key)
        number = re.search(r": amendment (\d+)$", text, re.M)
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


def _amend(book: _Book, body: str) -> None:
    if m := re.search(r"grade (\w) is (\d+) working days", body):
        book.days[m[1]] = int(m[2])
    if m := re.search(r"sites in the (\w+) district have (\d+) working days more .*\n?.*Those of grade (\w) do not", body):
        book.slow = (m[1], int(m[2]), m[3])
    if m := re.search(r"counts for sites last seen on (\S+) or later", body):
        book.since = date.fromisoformat(m[1])
    if m := re.search(r"let needs no card. If it is of grade (\w), it does", body):
        book.let_but = m[1]
    if "high takes two confirmed faults" in body:
        book.high = 2
    if "cards of grade A stay on their day" in body:
        book.firm = True
    if m := re.search(r"of high priority has (\d) working days less", body):
        book.fewer = int(m[1])
    book.apart |= "no room for a second card of the same district" in body
    book.double |= "no working day counts twice" in body


def _correct(book: _Book, body: str, before: dict[str, date]) -> None:
    sites = book.sites
    if m := re.search(r"^(.+) was last seen (\d) days (later|earlier) than", body, re.M):
        sites[m[1]].seen += timedelta(int(m[2]) * (1 if m[3] == "later" else -1))
    if m := re.search(r"^(.+) again: it was not then, but (\d) days? before what", body, re.M):
        sites[m[1]].seen -= timedelta(int(m[2]))
    if m := re.search(r"^About (.+) I mixed up two: it was (.+) that was last seen on (\S+)\. For", body, re.M):
        sites[m[2]].seen, sites[m[1]].seen = date.fromisoformat(m[3]), before[m[1]]
    if m := re.search(r"^(.+) is of grade (\w), no longer", body, re.M):
        sites[m[1]].grade = m[2]
    if m := re.search(r"^(.+) has gone from desk \d to (desk \d)", body, re.M):
        sites[m[1]].desk = m[2]
    if m := re.search(r"^(.+) goes from desk \d to (desk \d): what is due on (\S+) or", body, re.M):
        sites[m[1]].moves = (m[2], date.fromisoformat(m[3]))
    if m := re.search(r"^Leave the card of (.+) exactly as it is", body, re.M):
        sites[m[1]].held = True
    if m := re.search(r"^At (.+) there was no fault on (\S+) at (\S+) our", body, re.M):
        book.none.add((sites[m[1]].ref, f"{m[2]} {m[3]}"))
    if m := re.search(r"^The fault of (\S+) at (\S+) our time was not at (.+), it was at (.+)\.$", body, re.M):
        book.none.add((sites[m[3]].ref, f"{m[1]} {m[2]}"))
        book.also.append((sites[m[4]].ref, date.fromisoformat(m[1])))
    if m := re.search(r"^At (.+) \S+@\S+ has left\. Write to (\S+) from", body, re.M):
        sites[m[1]].contact = m[2]
    if m := re.search(r"From (\S+) to (\S+), both days included, (\w+) sits in for (\w+)", body):
        book.away.append((m[4], m[3], date.fromisoformat(m[1]), date.fromisoformat(m[2])))


def _clock(book: _Book, stamp: str, calendar: str) -> None:
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


@dataclass(frozen=True, slots=True)
class _Entry:
    """A card of the board."""

    id: str
    done: bool
    priority: str
    due: str
    note: str


def _cards(board: str, head: str) -> dict[str, list[_Entry]]:
    found: dict[str, list[_Entry]] = {}
    for key, mark, priority, title, due, note in _ENTRY.findall(board):
        if title.startswith(head):
            found.setdefault(title.removeprefix(head), []).append(_Entry(key, mark == "✓", priority, due, note))
    return found


_Planned = dict[str, tuple[str, str, str]]


def _planned(book: _Book, cards: dict[str, list[_Entry]]) -> _Planned:
    """Ref → due, priority, owner."""
    label = book.labels.get("owner", "Owner")
    out: _Planned = {}
    full: dict[str, list[str]] = {}
    agreed: dict[str, date] = {}
    for site in book.sites.values():
        here = [c for c in cards.get(site.ref, []) if not c.done]
        if site.held and here:
            owner = re.search(rf"{label}: (\w+)", here[0].note)
            out[site.ref] = (here[0].due, here[0].priority, owner[1] if owner else "")
            full.setdefault(here[0].due, []).append(site.district)
        elif here and re.search(r"^\s*day agreed with the tenant$", here[0].note, re.M):
            agreed[site.ref] = date.fromisoformat(here[0].due)
            full.setdefault(here[0].due, []).append(site.district)
    floor = book.after(book.today, 3)
    district, more, but = book.slow
    for site in sorted(book.sites.values(), key=lambda s: s.ref):
        over = any(c.done and "round: spring" in c.note for c in cards.get(site.ref, []))
        spared = site.let and book.let_but not in ("", site.grade)
        if site.ref in out or over or spared:
            continue
        priority = book.priority(site)
        extra = more if site.district == district and site.grade != but and site.seen >= book.since else 0
        extra -= book.fewer if priority == "high" else 0
        day = max(floor, book.after(site.seen, book.days[site.grade] + extra))
        if fixed := agreed.get(site.ref):
            out[site.ref] = (fixed.isoformat(), priority, book.owner(site, fixed))
            continue
        while not (book.firm and site.grade == "A"):
            there = full.get(day.isoformat(), [])
            if len(there) < book.room and not (book.apart and site.district in there):
                break
            day = book.after(day, 1)
        full.setdefault(day.isoformat(), []).append(site.district)
        out[site.ref] = (day.isoformat(), priority, book.owner(site, day))
    return out


def _mend(book: _Book, topic: str, cards: dict[str, list[_Entry]], planned: _Planned) -> Steps:
    mind, told, changed = book.mind, [], 0
    for site in sorted(book.sites.values(), key=lambda s: s.ref):
        here = [] if mind.traits.recreate else [c for c in cards.get(site.ref, []) if not c.done]
        here.sort(key=lambda c: (m := re.search(r"put up: (\S+)", c.note)) and m[1] or "")
        if site.held:
            continue
        want = planned.get(site.ref)
        surplus = here[1:] if want else here
        for card in surplus:
            yield cmd("tasks", "delete", "--id", card.id)
        wrong = False
        if want:
            due, priority, owner = want
            note = book.lines(owner=owner)
            title = f"{book.city} {topic} visit {site.ref}"
            if not here:
                yield cmd("tasks", "add", "--title", title, "--due", due, "--priority", priority, "--note", note)
                wrong = True
            elif (here[0].due, here[0].priority) != (due, priority) or f"{note}\n" not in f"{here[0].note}\n":
                card = here[0]
                yield cmd("tasks", "update", "--id", card.id, "--due", due, "--priority", priority, "--note", note)
                wrong = True
            if site.grade == "A" and (not here or here[0].due != due):
                told.append((site, due))
        changed += wrong or bool(surplus)
    for site, due in told if "is mailed the day of the visit" in book.text else []:
        body = book.lines(city=book.city, ref=site.ref, due=due)
        yield cmd("email", "send", "--to", site.contact, "--subject", f"{book.city} visit", "--body", body)
    yield from _report(book, topic, planned, changed)


def _report(book: _Book, topic: str, planned: _Planned, changed: int) -> Steps:
    ref = (m := re.search(r"ref of the round itself is ([A-Z]{2}-\d+)", book.text)) and m[1] or "WK-1000"
    days = sorted(due for due, _, _ in planned.values()) or ["2026-03-09"]
    urgent = sum(priority == "high" for _, priority, _ in planned.values())
    asked = re.search(r"If at least (\d+) of the open cards are of high", book.text)
    if asked and urgent >= int(asked[1]):
        day = date.fromisoformat(days[0]) - timedelta(1)
        while not book.free(day):
            day -= timedelta(1)
        title = f"{book.city} {topic} review {ref}"
        yield cmd("calendar", "add-event", "--title", title, "--start", f"{day.isoformat()}T10:00")
    most = Counter(owner for _, _, owner in planned.values())
    busiest = min(most, key=lambda name: (-most[name], name)) if most else "Amara"
    body = book.lines(
        city=book.city, ref=ref, cards=str(len(planned)), urgent=str(urgent), changed=str(changed),
        first=days[0], last=days[-1], busiest=busiest,
    )  # fmt: skip
    yield book.mind.mail("report", body)
