"""One workshop as it lies in the office, the answers that wait, and what must be there at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from claw_adapter_forge.families.bookings_plan import Booking, BookingPlan
from claw_adapter_forge.families.bookings_story import Story
from claw_adapter_forge.families.texts_bookings import AGAIN, BOOKING_RULES, HANDED, LABELS, MOVED, OUT, WRITES
from claw_adapter_forge.tasks.labels import KINDS
from claw_adapter_forge.tasks.scene import TOKEN, Scene
from claw_adapter_forge.tasks.slots import Draw
from claw_adapter_forge.tasks.spec import Cond, Derived, Evidence, Want
from claw_adapter_forge.world.difference import Kind
from claw_adapter_forge.world.records import Incoming
from claw_adapter_forge.world.times import add_days

__all__ = ["BookingScene", "sheet"]

_HIDDEN = Cond("row", "hides", (TOKEN,))
_PLACES = ("mail", "event", "card", "file")
_TITLES = {"mail": "To all at the desk", "event": "Desk meeting", "card": "Tell the others", "file": ""}
_AFTER_ALL = 2
"""How often a supplier says yes to what they were not meant to be asked."""


def sheet(plan: BookingPlan, scene: Scene) -> None:
    """The workshop's own file."""
    city = plan.slots.city
    lines = [
        f"Sheet of the {plan.topic} workshop, {city}",
        f"Ref: {plan.ref}",
        f"Day: {plan.day}",
        f"Host: {plan.hosts[0]} ({plan.host(now=False)})",
        f"People: {plan.start_people}",
        "Needed:",
        *(item.line for item in plan.items),
    ]
    scene.file(f"/workshops/{city.lower()}-{plan.topic.replace(' ', '-')}.txt", "\n".join(lines))


class BookingScene:
    """One workshop in the office."""

    def __init__(self, story: Story, scene: Scene) -> None:
        self.story, self.scene = story, scene
        self.city = story.slots.city

    def lay_out(self) -> None:
        """All of it."""
        story = self.story
        sheet(story, self.scene)
        self.scene.file("/desk/how-we-book.txt", BOOKING_RULES.format(labels=", ".join(LABELS.values())))
        lists = [f"{item.name}: {'; '.join(item.suppliers)}" for item in story.items]
        if story.surplus:
            lists.append(f"{story.surplus.item}: {story.surplus.supplier}")
        self.scene.file("/desk/suppliers.txt", "\n".join(story.draw.shuffled("lists", lists)))
        book = [f"{firm}: {story.address(firm, stale=True)}" for firm in self._firms()]
        self.scene.file("/desk/addresses.txt", "\n".join(sorted(book)))
        self._notices()
        self._cards()
        for reply in self._replies():
            self.scene.reply(reply)

    def _firms(self) -> list[str]:
        firms = [firm for item in self.story.items for firm in item.suppliers]
        return [*firms, self.story.surplus.supplier] if self.story.surplus else firms

    def _notices(self) -> None:
        story, texts = self.story, []
        for said in story.before:
            kind, firm, item = said.split("|")
            texts.append((OUT if kind == "out" else AGAIN).format(supplier=firm, item=item))
        texts += [WRITES.format(supplier=firm, word=word) for firm, word in story.words.items()]
        if story.stale_address:
            texts.append(MOVED.format(supplier=story.stale_address, address=story.address(story.stale_address)))
        if story.knob["handover"]:
            texts.append(HANDED.format(ref=story.ref, host=story.hosts[0], new=story.hosts[1], address=story.host()))
        places = [*_PLACES, *_PLACES, *_PLACES]
        for turn, text in enumerate(texts):
            ago = len(texts) + 3 - turn
            day = add_days(story.today, -ago)
            self._post(places[(turn + story.draw.number("places", 4)) % 4], turn, day, f"As of {day}: {text}.", ago)

    def _post(self, place: str, turn: int, day: str, text: str, ago: int) -> None:
        scene = self.scene
        if place == "mail":
            scene.mail(f"notice.{turn}", _TITLES[place], text, days_ago=ago, sender="office@example.com")
        elif place == "event":
            scene.event(f"notice.{turn}", _TITLES[place], f"{day}T09:15", note=text)
        elif place == "card":
            scene.task(f"notice.{turn}", _TITLES[place], due=day, note=text, done=True)
        else:
            scene.file(f"/notes/{day}.txt", text)

    def title(self, item: str) -> str:
        """What a card is called."""
        return f"{self.city} {self.story.topic} {item} {self.story.ref}"

    def _note(self, b: Booking) -> str:
        return f"Item: {b.item}\nSupplier: {b.supplier}\nNumber: {b.number}\nCode: {b.code}"

    def _cards(self) -> None:
        story = self.story
        for kind, b in story.old:
            due = add_days(story.day, -7) if kind == "void" else story.day
            self.scene.task(b.card, self.title(b.item), due=due, note=self._note(b))
            if kind == "void":
                text = f"I am sorry: code {b.code} is void, we had counted wrongly."
                self.scene.mail("void", "Your booking", text, days_ago=2, sender=story.address(b.supplier, stale=True))
        if story.surplus:
            self.scene.task(
                story.surplus.card, self.title(story.surplus.item), due=story.day, note=self._note(story.surplus)
            )

    # what comes in

    def _label(self, fact: str, supplier: str = "") -> str:
        return self.story.words.get(supplier, LABELS[fact]) if fact == "number" else LABELS[fact]

    def _replies(self) -> Iterator[Incoming]:
        story = self.story
        for turn, answer in enumerate(story.cards_after, 1):
            earlier = (f"card_{turn - 1}",) if turn > 1 else ()
            yield Incoming(f"card_{turn}", "card", story.ref, (), (answer, *earlier))
        yield from self._slips()
        for mailing in story.mailings:
            told = {"ref": story.ref, **mailing.facts}
            lines = tuple((self._label(f, mailing.supplier), str(KINDS[f]["type"]), v) for f, v in told.items())
            to = story.address(mailing.supplier)
            body = mailing.answer.replace("{number}", "{" + self._label("number", mailing.supplier).lower() + "}")
            yield Incoming(mailing.id, "mail", to, lines, (), to, f"Re: {story.ref}", body)
        for number, event in enumerate(story.events):
            subject = {"mail": "A word", "file": f"/notes/{story.today}-{number}.txt"}.get(
                event.place, _TITLES[event.place]
            )
            yield Incoming(
                f"event_{number}",
                "follow",
                after=(event.after,),
                sender=event.sender,
                subject=subject,
                body=event.text,
                place=event.place,
            )
        draw = Draw("after all", story.ref)
        for firm in self._firms():
            for to in dict.fromkeys((story.address(firm), story.address(firm, stale=True))):
                for turn in range(_AFTER_ALL):
                    code = "".join(
                        draw.pick(f"{to} {turn} {i}", "bcdfghjk" if i % 2 == 0 else "23456789") for i in range(6)
                    )
                    word = "{" + self._label("number", firm).lower() + "}"
                    body = f"Yes, gladly: {word} {{item}}. Code: {code}"
                    yield Incoming(f"after_{to}_{turn}", "mail", to, (), (), to, f"Re: {story.ref}", body)

    def _slips(self) -> Iterator[Incoming]:
        """Once all is settled for good, others change cards by mistake while one puts them up, or puts them right."""
        story = self.story
        earlier: tuple[str, ...] = (f"card_{len(story.cards_after)}", story.mailings[-1].id)
        for turn in range(story.knob["slips"]):
            field = story.draw.pick(f"slip {turn}", ("due", "priority"))
            value = add_days(story.day, 7) if field == "due" else story.draw.pick(f"slip to {turn}", ("high", "low"))
            yield Incoming(f"slip_{turn}", "card", story.ref, after=earlier, subject=field, body=value, place="slip")
            earlier = (f"slip_{turn}",)

    # what must be there in the end

    def _stated(self, facts: Mapping[str, str], supplier: str = "") -> tuple[Cond, ...]:
        told = {"city": self.city, "ref": self.story.ref, **facts}
        lines = tuple(Cond("text", "line", (self._label(f, supplier), f, v)) for f, v in told.items())
        used = {self._label(f, supplier) for f in told}
        others = tuple(label for label in LABELS.values() if label not in used)
        return (*lines, Cond("text", "no_lines", others), _HIDDEN)

    def _mail(self, name: str, to: str, facts: Mapping[str, str], supplier: str = "") -> Want:
        conds = (Cond("to", "same_set", (to,)), Cond("cc", "empty"), *self._stated(facts, supplier))
        return Want(name, "outbox", "created", conds)

    def _card(self, b: Booking, kind: Kind, key: str = "") -> Want:
        facts = {"item": b.item, "supplier": b.supplier, "number": str(b.number), "code": b.code}
        conds = (
            Cond("text", "titled", (self.city, self.story.ref)),
            _HIDDEN,
            Cond("due", "equals", (self.story.day,)),
            Cond("priority", "equals", ("medium",)),
            Cond("status", "equals", ("pending",)),
            *(Cond("note", "line", (LABELS[f], f, v)) for f, v in facts.items()),
        )
        return Want(f"card of {b.item} from {b.supplier}", "tasks", kind, conds, key)

    def wants(self) -> Iterator[Want]:
        """The changes that must be there; ids are known once the scene is frozen."""
        story = self.story
        for mailing in story.mailings:
            name = f"{mailing.facts['item']}: mail to {mailing.supplier}"
            yield self._mail(name, story.address(mailing.supplier), mailing.facts, mailing.supplier)
        for b in story.bookings:
            if role := story.card(b):
                if not story.stays(b):
                    yield self._card(b, "updated", self.scene.key(role))
            else:
                yield self._card(b, "created")
        if story.surplus:
            yield Want("card of what was let go", "tasks", "deleted", (), self.scene.key(story.surplus.card))
        yield self._mail("report", story.slots.to, self._report())

    def _report(self) -> dict[str, str]:
        story = self.story
        counts = {"bookings": len(story.bookings), "asked": len(story.mailings)}
        return {"day": story.day, "people": str(story.people), **{name: str(n) for name, n in counts.items()}}

    def evidence(self) -> Iterator[Evidence]:
        """What one must have seen before one begins."""
        yield Evidence("file", f"People: {self.story.start_people}")
        for item in self.story.items:
            yield Evidence("file", item.line)

    def derived(self) -> Iterator[Derived]:
        """The numbers that are computed."""
        story = self.story
        lines = {item.name: (item.line,) for item in story.items}
        for mailing in story.mailings:
            texts = lines.get(mailing.facts["item"], ("with the number 0",))
            yield Derived(story.ref, mailing.facts["number"], texts)
        every = tuple(item.line for item in story.items)
        for value in (len(story.bookings), len(story.mailings)):
            yield Derived(story.slots.to, str(value), every)
