"""Expert script: a round, from handbook, register and mails to the board, the calendar and the report."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta

from claw_adapter_forge.policies.mind import Mind, Steps, cmd
from claw_adapter_forge.policies.round_book import RoundBook, read_clock, read_documents, read_mails

__all__ = ["tour"]

_ENTRY = re.compile(
    r"^\s*\[(task_\d+)\] ([○✓]) \[(\w+)\] (.+?)(?: \(due (\S+)\))?\n((?:(?!\s*\[task_).*\n?)*)", re.MULTILINE
)


def tour(mind: Mind) -> Steps:
    """Read, compute every card, mend the board, tell contacts, call the review, report."""
    match = re.search(r"\b(\w+) round\b", mind.request)
    topic = match[1] if match else "lift"
    listing = yield "file list"
    others = [c for c in mind.offices if c != mind.city and f"/{c.lower()}-{topic}-" in listing]
    book = RoundBook(mind, others[0] if mind.traits.decoy and others else mind.city)
    yield from read_documents(book, topic)
    board = (yield "tasks list --status all") + "\n"
    cards = _cards(board, f"{book.city} {topic} visit ")
    over = {name for name, site in book.sites.items() if _over(cards.get(site.ref, []))}
    yield from read_mails(book, topic, over)
    calendar = yield "calendar list"
    stamp = yield mind.today()
    read_clock(book, stamp, calendar)
    planned = _planned(book, cards)
    yield from _mend(book, topic, cards, planned)


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


def _over(cards: list[_Entry]) -> bool:
    """Whether the visit of this round is done."""
    return any(c.done and "round: spring" in c.note for c in cards)


_Planned = dict[str, tuple[str, str, str]]


def _planned(book: RoundBook, cards: dict[str, list[_Entry]]) -> _Planned:
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
        elif here and re.search(r"^\s*day agreed with the tenant$", here[0].note, re.MULTILINE):
            agreed[site.ref] = date.fromisoformat(here[0].due)
            full.setdefault(here[0].due, []).append(site.district)
    floor = book.after(book.today, 3)
    district, more, but = book.slow
    for site in sorted(book.sites.values(), key=lambda s: s.ref):
        spared = site.let and book.let_but not in ("", site.grade)
        if site.ref in out or _over(cards.get(site.ref, [])) or spared:
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


def _mend(book: RoundBook, topic: str, cards: dict[str, list[_Entry]], planned: _Planned) -> Steps:
    mind, told, changed = book.mind, [], 0
    for site in sorted(book.sites.values(), key=lambda s: s.ref):
        here = [] if mind.traits.recreate else [c for c in cards.get(site.ref, []) if not c.done]
        here.sort(key=lambda c: ((m := re.search(r"put up: (\S+)", c.note)) and m[1]) or "")
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


def _report(book: RoundBook, topic: str, planned: _Planned, changed: int) -> Steps:
    ref = ((m := re.search(r"ref of the round itself is ([A-Z]{2}-\d+)", book.text)) and m[1]) or "WK-1000"
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
