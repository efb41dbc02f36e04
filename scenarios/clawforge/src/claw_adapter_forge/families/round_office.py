"""One round as it lies in the office: its files, mails and cards, what has to be changed, and where each value comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from claw_adapter_forge.families.round_letters import PUT_UP, Letter, written
from claw_adapter_forge.families.round_plan import DISTRICTS, RoundPlan
from claw_adapter_forge.families.round_rules import Card, Site
from claw_adapter_forge.families.texts_round import form_lines, handbook
from claw_adapter_forge.tasks.scene import Scene
from claw_adapter_forge.tasks.spec import Derived, Evidence, Want
from claw_adapter_forge.tasks.wants import event_want, line_cond, mail_want, retire_wants, task_want
from claw_adapter_forge.world.difference import Kind
from claw_adapter_forge.world.times import ZONES, add_days

__all__ = ["RoundOffice"]

_AGREED, _NOT_YET = "\nday agreed with the tenant", "\nday not agreed with the tenant yet"


@dataclass(frozen=True, slots=True)
class Visit:
    """A site with what the board says of it: its open card, whether there is a second one, and what it must come to."""

    site: Site
    now: Card | None
    twice: bool
    right: Card | None

    @property
    def touched(self) -> bool:
        """Whether something has to be changed."""
        return self.twice or self.now != self.right

    @property
    def moved(self) -> bool:
        """Whether a card has to be put up, or put on another day."""
        return self.right is not None and (self.now is None or self.now.due != self.right.due)


class RoundOffice:
    """One round in the office."""

    def __init__(self, plan: RoundPlan, scene: Scene) -> None:
        self.plan, self.scene = plan, scene
        self.city, self.topic = plan.slots.city, plan.topic
        self.places = [self._place(site) for site in plan.sites]
        self.head = f"{self.topic} round, {self.city}"

    def _place(self, site: Site) -> Visit:
        plan = self.plan
        right = plan.cards.get(site.ref)
        if site.there:
            return Visit(site, right, False, right)
        luck = plan.luck(site)
        if site.finished:
            return Visit(
                site, Card(plan.office.working_day(plan.today, 4), "medium", "Greta") if luck < 3 else None, False, None
            )
        now = plan.naive[site.ref] if luck > 1 else None
        return Visit(site, now, luck == 7, right)

    def path(self, what: str) -> str:
        """A file of the round."""
        return f"/rounds/{self.city.lower()}-{self.topic}-{what.lower()}.txt"

    def title(self, site: Site) -> str:
        """What a card is called."""
        return f"{self.city} {self.topic} visit {site.ref}"

    def lay_out(self, own: bool) -> None:
        """Files, mails and cards; the calendar is laid out once a city."""
        self._files()
        self._mails()
        self._board()
        if own:
            for i, day in enumerate(sorted(self.plan.shown.closed)):
                self.scene.event(f"{self.head} closed {i}", f"{self.city} office closed", f"{day}T00:00")
            half = self.plan.office.working_day(self.plan.today, 3)
            self.scene.event(f"{self.head} half", f"{self.city} office closed from 13:00", f"{half}T13:00")

    def _files(self) -> None:
        plan, scene = self.plan, self.scene
        paths = {f"register {d}": self.path(d) for d in DISTRICTS}
        paths |= {"log": self.path("log"), "rota": self.path("rota")}
        labels = form_lines(plan.labels)
        if plan.knob["forms"]:
            paths["form"] = self.path("form")
            scene.file(paths["form"], "\n".join([f"Labels of the {self.head}", *labels]))
        words = {**plan.base.days, "city": self.city, "topic": self.topic, "ref": plan.slots.ref}
        words |= {"usual": plan.base.high - 1, "room": plan.base.room, "review": plan.needed}
        words["amended"] = plan.amendments[0].number - 1
        last = [f"{name}: {path}" for name, path in paths.items()]
        last += [] if plan.knob["forms"] else ["Labels:", *labels]
        notices, review = bool(plan.knob["notices"]), bool(plan.knob["review"])
        scene.file(self.path("handbook"), handbook(words, last, notices=notices, review=review))
        for district in DISTRICTS:
            rows = [_register_line(s) for s in plan.registered if s.district == district]
            scene.file(paths[f"register {district}"], "\n".join([f"Register of the {self.head}: {district}", *rows]))
        scene.file(paths["log"], "\n".join([f"Log of the {self.head}, times in UTC", *self._log()]))
        desks = [f"{desk}: {person}" for desk, person in plan.office.desks.items()]
        scene.file(paths["rota"], "\n".join([f"Rota of the {self.head}", *desks]))

    def _log(self) -> Iterator[str]:
        d = self.plan.draw
        east = timedelta(minutes=ZONES[self.plan.slots.zone])
        lines = []
        for s in self.plan.registered:
            some = [(moment, "confirmed") for moment in s.faults]
            days = [add_days(self.plan.today, -3 - i) for i in range(d.number(f"reported {s.ref[-2:]}", 3))]
            some += [(f"{day}T10:05", "reported") for day in days]
            for moment, status in some:
                local = datetime.fromisoformat(moment)
                lines.append(f"{(local - east).isoformat(sep=' ', timespec='minutes')} | {s.ref} | {status}")
        yield from sorted(lines)

    def _mails(self) -> None:
        plan = self.plan
        doubt = f"Amendment {plan.doubtful.number}"
        verb = f"{doubt} is withdrawn." if plan.gone else f"{doubt} stands, nothing about it changes."
        one, two = plan.office.sits_in
        letters = [Letter(f"amendment {a.number}", a.text, a.told) for a in plan.amendments]
        letters += [Letter("what we talked about", verb)]
        letters += [Letter("away", f"From {one[2]} to {one[3]}, both days included, {one[1]} sits in for {one[0]}.")]
        letters += plan.letters
        for turn, letter in enumerate(plan.idle):
            letters.insert(plan.draw.number(f"idle at {turn}", len(letters)), letter)
        also = f"{two[1]} sits in for {two[0]}, also at the desks where {two[0]} only sits in."
        letters += [Letter("away again", f"From {two[2]} to {two[3]}, both days included, {also}")]
        half = len(plan.talk) // 2
        for place, (letter, at) in enumerate(zip(letters, written(letters, plan.today), strict=True)):
            body = "\n".join([*plan.talk[:half], letter.text, *plan.talk[half:]])
            self.scene.mail(f"{self.head} {place}", f"{self.head}: {letter.subject}", body, at=at)

    def _board(self) -> None:
        plan, scene, d = self.plan, self.scene, self.plan.draw
        label = plan.labels["owner"]
        for place in self.places:
            site, title = place.site, self.title(place.site)
            put_up = add_days(plan.today, -PUT_UP - d.number(f"put up {site.ref[-2:]}", 6))
            if place.now:
                loose = d.number(f"loose {site.ref[-2:]}", 4) == 0
                more = _AGREED if site.agreed else _NOT_YET if loose and not site.there else ""
                self._card(site.ref, title, place.now, put_up, label, more)
            if place.twice and place.now:
                later = replace(place.now, due=add_days(place.now.due, 1), priority="medium")
                self._card(f"{site.ref} twice", title, later, add_days(put_up, 3), label)
            if site.finished or d.number(f"autumn {site.ref[-2:]}", 3) == 0:
                season, day = (
                    ("spring", add_days(site.seen, 0)) if site.finished else ("autumn", add_days(site.seen, -90))
                )
                note = f"round: {season}\n{label}: {plan.office.desks[site.desk]}"
                scene.task(f"{self.head} done {site.ref}", title, due=day, note=note, done=True)

    def _card(self, role: str, title: str, card: Card, put_up: str, label: str, more: str = "") -> None:
        note = f"put up: {put_up}\n{label}: {card.owner}{more}"
        self.scene.task(role, title, due=card.due, priority=card.priority, note=note)

    def wants(self) -> Iterator[Want]:
        """Every change that must be there."""
        plan, key = self.plan, self.scene.key
        for place in self.places:
            site = place.site
            slots = replace(plan.slots, ref=site.ref)
            if place.now and not place.right:
                yield _named(dict(retire_wants("tasks", key(site.ref)))["delete"], f"card of {site.ref} deleted")
            if place.twice and place.now:
                yield _named(
                    dict(retire_wants("tasks", key(f"{site.ref} twice")))["delete"],
                    f"second card of {site.ref} deleted",
                )
            if place.right and place.now != place.right:
                want = task_want(slots, place.right.due, place.right.priority)
                owner = line_cond(slots, "note", "owner", place.right.owner, plan.labels)
                old = key(site.ref) if place.now else ""
                kind: Kind = "updated" if place.now else "created"
                yield replace(want, name=f"card of {site.ref}", kind=kind, key=old, conds=(*want.conds, owner))
            if plan.knob["notices"] and site.grade == "A" and not site.there and place.moved and place.right:
                told = mail_want(replace(slots, to=site.contact), {"due": place.right.due}, plan.labels)
                yield _named(told, f"mail to the contact of {site.ref}")
        if self.reviewed:
            yield _named(event_want(plan.slots, self.review), "review on the calendar")
        yield _named(mail_want(plan.slots, self.report, plan.labels), "report")

    @property
    def reviewed(self) -> bool:
        """Whether there is a review."""
        return bool(self.plan.knob["review"]) and self.plan.urgent(self.plan.gone) >= self.plan.needed

    @property
    def review(self) -> str:
        """When it is."""
        first = min(card.due for card in self.plan.cards.values())
        return f"{self.plan.office.working_day(first, -1)}T10:00"

    @property
    def report(self) -> dict[str, str]:
        """What the report says."""
        cards = self.plan.cards.values()
        days = sorted(card.due for card in cards)
        owners = Counter(card.owner for card in cards)
        return {
            "cards": str(len(cards)),
            "urgent": str(sum(card.priority == "high" for card in cards)),
            "changed": str(sum(place.touched for place in self.places)),
            "first": days[0],
            "last": days[-1],
            "busiest": min(owners, key=lambda name: (-owners[name], name)),
        }

    def evidence(self) -> Iterator[Evidence]:
        """What has to be seen before the first change."""
        plan = self.plan
        yield Evidence("file", f"The ref of the round itself is {plan.slots.ref}.")
        yield from (Evidence("email", amendment.text) for amendment in plan.amendments)
        yield Evidence("email", f"Amendment {plan.doubtful.number} {'is' if plan.gone else 'stands'}")
        yield from (Evidence("email", letter.text) for letter in plan.letters)
        yield from (Evidence("email", f"{other} sits in for {away}") for away, other, _, _ in plan.office.sits_in)
        yield from (Evidence("file", f"{what} of the {self.head}") for what in ("Log", "Rota"))
        yield from (Evidence("file", f"Register of the {self.head}: {district}") for district in DISTRICTS)
        yield from (Evidence("calendar", f"{self.city} office closed — {day}") for day in sorted(plan.shown.closed))
        yield from (Evidence("tasks", self.title(s)) for s in plan.sites if s.finished)
        if plan.knob["forms"]:
            yield Evidence("file", f"Labels of the {self.head}")

    def derived(self) -> Iterator[Derived]:
        """What is computed, and from which texts."""
        rules = f"The ref of the round itself is {self.plan.slots.ref}."
        lines = {s.ref: _register_line(s) for s in self.plan.registered}
        for place in self.places:
            keys = (place.site.ref, *((self.scene.key(place.site.ref),) if place.now else ()))
            if place.right:
                yield from (Derived(key, place.right.due, (lines[place.site.ref], rules)) for key in keys)
        texts = (rules, *lines.values())
        yield Derived(self.plan.slots.ref, self.review, texts)
        yield from (Derived(self.plan.slots.ref, value, texts) for value in self.report.values())


def _named(want: Want, name: str) -> Want:
    """The want under another name."""
    return replace(want, name=name)


def _register_line(site: Site) -> str:
    """A site as its register has it."""
    let = "let" if site.let else "own use"
    what = f"{site.ref} | {site.name} | grade {site.grade} | {let} | {site.desk}"
    return f"{what} | last seen {site.seen} | contact {site.contact}"
