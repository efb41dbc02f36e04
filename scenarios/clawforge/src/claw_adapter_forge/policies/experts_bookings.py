"""Expert script: a workshop's bookings, one request after the other, with an eye on the mail."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

from claw_adapter_forge.policies.mind import Mind, Steps, cmd, facts

__all__ = ["book"]

_MAIL = re.compile(r"\[(mail_\d+)\]")
_CARD = re.compile(
    r"^\s*\[(task_\d+)\] ([○✓]) \[(\w+)\] (.+?)(?: \(due (\S+)\))?\n\s*note: ((?:(?!\s*\[task_).*\n?)*)", re.MULTILINE
)
_NEED = re.compile(
    r"^- (\w+): (?:(\d+)|one for (each|every two|every four)[\w ]*?)( \(parts will do\))?$", re.MULTILINE
)
_NOTICE = re.compile(r"As of (\d{4}-\d\d-\d\d): (.+?)\.(?=\s|$)")
_EACH = {"each": 1, "every two": 2, "every four": 4}
_CODE = re.compile(r"Code: (\w+)")

Asking = Generator[str, str, None]


@dataclass(slots=True)
class _Item:
    """An item of the sheet, and how far it is."""

    name: str
    fixed: int
    each: int
    parts: bool
    firms: list[str]
    asked: int = 0
    bookings: list[dict[str, str]] = field(default_factory=list)
    settled: bool = False
    card: str = ""


class _Desk:
    """All that is known, from what was printed."""

    def __init__(self, mind: Mind, topic: str) -> None:
        self.mind, self.topic = mind, topic
        self.city, self.ref, self.day, self.host, self.people = mind.city, "WK-1000", "2026-03-09", "", 10
        self.items: list[_Item] = []
        self.address: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.out: set[tuple[str, str]] = set()
        self.seen: set[str] = set()
        """Mails and files of notices that were read, and notices."""
        self.void: set[str] = set()
        self.asked = 0
        self.cards: list[tuple[str, dict[str, str], str]] = []

    def sheet(self, text: str, lists: str) -> None:
        """Take in the sheet and the lists of suppliers."""
        known = facts(text)
        firms = {m[1]: m[2] for m in re.finditer(r"^(\w+): (.+)$", lists, re.MULTILINE)}
        self.ref, self.day = known.get("ref", self.ref), known.get("day", self.day)
        self.people = int(known.get("people", "10"))
        self.host = (m[1] if (m := re.search(r"Host: \w+ \((\S+)\)", text)) else "") or self.host
        for name, fixed, each, parts in _NEED.findall(text):
            asked = firms.get(name, "").split("; ") if name in firms else []
            self.items.append(_Item(name, int(fixed or 0), _EACH.get(each, 1), bool(parts), asked))

    def notices(self, *texts: str) -> None:
        """Take in the notices of some texts that are new, the oldest first."""
        found = {said for text in texts for said in _NOTICE.findall(text)}
        for day, said in sorted(found):
            if f"{day} {said}" not in self.seen:
                self.seen.add(f"{day} {said}")
                self._notice(said)

    def _notice(self, text: str) -> None:
        if m := re.search(r"(.+?): no (\w+) until further notice", text):
            self.out.add((m[1], m[2]))
        elif m := re.search(r"(.+?) have (\w+) again", text):
            self.out.discard((m[1], m[2]))
        elif m := re.search(r"(.+?) want the word `(.+?)` for our", text):
            self.words[m[1]] = m[2]
        elif m := re.search(r"(.+?) have a new address for all that we write to them: (\S+)", text):
            self.address[m[1]] = m[2]
        elif m := re.search(rf"{self.ref}: \w+ hands over to \w+ \((\S+)\)", text):
            self.host = m[1]

    def needed(self, item: _Item) -> int:
        """How many of an item."""
        return item.fixed or -(-self.people // item.each)

    def missing(self, item: _Item) -> int:
        """How many are not booked."""
        return self.needed(item) - sum(int(b["number"]) for b in item.bookings)

    def wrong(self, said: Mapping[tuple[str, int], str]) -> list[tuple[_Item, int, dict[str, str]]]:
        """The bookings of which the cards do not say what they must: item, place among its bookings, booking."""
        every = ((item, n, b) for item in self.items for n, b in enumerate(item.bookings))
        return [one for one in every if said.get((one[0].name, one[1])) != f"{_note(one[2])} {self.day} medium"]

    def mail(self, firm: str, **told: str) -> str:
        """A mail to a supplier."""
        self.asked += 1
        word = self.words.get(firm, "Number")
        lines = {"City": self.city, "Ref": self.ref} | {
            word if k == "number" else k.capitalize(): v for k, v in told.items()
        }
        body = "\n".join(f"{label}: {value}" for label, value in lines.items())
        return cmd(
            "email",
            "send",
            "--to",
            self.address.get(firm, "desk@example.com"),
            "--subject",
            f"{self.city} {self.ref}",
            "--body",
            body,
        )


def _news(desk: _Desk) -> Generator[str, str, list[tuple[str, str]]]:
    """(sender, body) of the mails that were not read yet."""
    found = []
    for key in _MAIL.findall((yield "email list")):
        if key not in desk.seen:
            desk.seen.add(key)
            text = yield cmd("email", "read", "--id", key)
            sender = m[1] if (m := re.search(r"From: (\S+)", text)) else ""
            found.append((sender, text.partition("Body:\n")[2]))
    return found


def _look(desk: _Desk, *mails: str) -> Asking:
    """Look for notices where there are some besides the mail, and take them in with those of `mails`."""
    texts = [*mails, (yield "calendar list"), (yield "tasks list --status done") + "\n"]
    for path in re.findall(r"/notes/\d{4}-[\w-]+\.txt", (yield "file list --path /notes")):
        if path not in desk.seen:
            desk.seen.add(path)
            texts.append((yield cmd("file", "read", "--path", path)))
    desk.notices(*texts)


def _heed(desk: _Desk, news: list[tuple[str, str]]) -> Asking:
    desk.notices(*(body for _, body in news))
    for sender, body in news:
        more = re.search(rf"{desk.ref}: we will be (\d+)", body)
        if more and sender == desk.host:
            desk.people = int(more[1])
            for item in desk.items:
                if item.settled:
                    yield from _raise(desk, item)
        gone = re.search(r"code (\w+) is void", body)
        for item in desk.items if gone else []:
            kept = [b for b in item.bookings if gone and b["code"] != gone[1]]
            if len(kept) < len(item.bookings):
                item.bookings = kept
                yield from _settle(desk, item)


def _raise(desk: _Desk, item: _Item) -> Asking:
    if (missing := desk.missing(item)) <= 0 or not item.bookings:
        return
    last = item.bookings[-1]
    number = str(int(last["number"]) + missing)
    yield desk.mail(last["supplier"], item=item.name, number=number, code=last["code"])
    news = yield from _news(desk)
    code = _CODE.search(news[0][1]) if news else None
    last.update(number=number, code=code[1] if code else "")
    yield from _heed(desk, news[1:])


def _settle(desk: _Desk, item: _Item) -> Asking:
    later: list[tuple[str, str]] = []
    yield from _raise(desk, item)
    while (missing := desk.missing(item)) > 0 and item.asked < len(item.firms):
        yield from _look(desk)
        firm = item.firms[item.asked]
        item.asked += 1
        if (firm, item.name) in desk.out:
            continue
        yield desk.mail(firm, item=item.name, number=str(missing), day=desk.day)
        news = yield from _news(desk)
        answer = news[0][1] if news else ""
        later += news[1:]
        got = re.search(r"gladly: (\d+) \w+\. Code: (\w+)", answer)
        if got and (int(got[1]) == missing or item.parts):
            item.bookings.append({"item": item.name, "supplier": firm, "number": got[1], "code": got[2]})
    item.settled = True
    yield from _heed(desk, later)


def book(mind: Mind) -> Steps:
    """Read everything, book item by item, put the cards up, report."""
    match = re.search(r".*\b[Tt]he ([\w ]+?) workshop in", mind.request)
    desk = _Desk(mind, match[1] if match else "first aid")
    listing = yield "file list"
    slug = desk.topic.replace(" ", "-")
    others = [c for c in mind.offices if c != mind.city and f"/workshops/{c.lower()}-{slug}.txt" in listing]
    desk.city = others[0] if mind.traits.decoy and others else mind.city
    sheet = yield cmd("file", "read", "--path", f"/workshops/{desk.city.lower()}-{slug}.txt")
    yield "file read --path /desk/how-we-book.txt"
    lists = yield "file read --path /desk/suppliers.txt"
    book_of = yield "file read --path /desk/addresses.txt"
    desk.address = {m[1]: m[2] for m in re.finditer(r"^(.+?): (\S+@\S+)$", book_of, re.MULTILINE)}
    desk.sheet(sheet, lists)
    news = yield from _news(desk)
    board = (yield "tasks list") + "\n"
    yield from _look(desk, *(body for _, body in news))
    desk.void = {m[1] for _, body in news if (m := re.search(r"code (\w+) is void", body))}
    yield from _work(desk, board)


def _work(desk: _Desk, board: str) -> Steps:
    surplus: list[tuple[str, dict[str, str]]] = []
    there: dict[str, dict[str, str]] = {}
    for key, mark, _, title, due, note in _CARD.findall(board) if not desk.mind.traits.recreate else []:
        said = facts(note)
        if mark == "✓" or desk.ref not in title or "code" not in said:
            continue
        item = next((i for i in desk.items if i.name == said["item"]), None)
        if item is None:
            surplus.append((key, said))
            continue
        item.card, item.asked = key, item.firms.index(said["supplier"]) + 1
        there[item.name] = said | {"due": due}
        if said["code"] not in desk.void:
            item.bookings.append(dict(said))
    for item in desk.items:
        if not item.settled:
            yield from _settle(desk, item)
    for key, said in surplus:
        yield desk.mail(said["supplier"], item=said["item"], number="0", code=said["code"])
        yield from _heed(desk, (yield from _news(desk))[1:])
        yield cmd("tasks", "delete", "--id", key)
    yield from _cards(desk, there)
    lines = {
        "City": desk.city, "Ref": desk.ref, "Day": desk.day, "People": str(desk.people),
        "Bookings": str(sum(len(i.bookings) for i in desk.items)), "Asked": str(desk.asked),
    }  # fmt: skip
    yield desk.mind.mail(f"{desk.topic} {desk.ref}", "\n".join(f"{label}: {value}" for label, value in lines.items()))


def _cards(desk: _Desk, there: dict[str, dict[str, str]]) -> Steps:
    """Put the cards up, then put right what others change by mistake, until the board says how things stand."""
    keys = {(item.name, 0): item.card for item in desk.items if item.card}
    said = {(name, 0): f"{_note(old)} {old['due']} medium" for name, old in there.items()}
    while True:
        for item, place, b in desk.wrong(said):
            spot, note, title = (item.name, place), _note(b), f"{desk.city} {desk.topic} {item.name} {desk.ref}"
            said[spot] = f"{note} {desk.day} medium"
            told = ("--due", desk.day, "--note", note)
            if key := keys.get(spot):
                yield cmd("tasks", "update", "--id", key, "--priority", "medium", *told)
            else:
                done = yield cmd("tasks", "add", "--title", title, *told)
                keys[spot] = m[1] if (m := re.search(r"\[(task_\d+)\]", done)) else ""
            yield from _heed(desk, (yield from _news(desk)))
            break
        else:
            board = (yield "tasks list") + "\n"
            rows = {key: f"{_note(facts(note))} {due} {prio}" for key, _, prio, _, due, note in _CARD.findall(board)}
            said = {spot: rows.get(key, "") for spot, key in keys.items()}
            if not desk.wrong(said):
                return


def _note(b: dict[str, str]) -> str:
    return "\n".join(f"{name.capitalize()}: {b.get(name, '')}" for name in ("item", "supplier", "number", "code"))
