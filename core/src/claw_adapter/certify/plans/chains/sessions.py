"""The past, the histories, and what updates make of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from claw_adapter.certify.plans.drawing import Drawing, Unit
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanIncident, PlanSeed, PlanStep
from claw_adapter.protocol import Message

__all__ = [
    "histories_at_once",
    "history_back",
    "history_begun",
    "history_deleted",
    "history_read",
    "inserted",
    "long_history",
    "restarted",
    "seeded",
]

BROUGHT: Final = (6_000, 9_000)
"""Characters of a long message that an update brings."""
PAST: Final = (16, 24, 60, 110, 160)
LONG_PAST: Final = (180, 240)
"""Messages of the past; of that in the first plan of Gold, and of a history that each of them has."""
TALK: Final = (56, 80)
LONG_TALK: Final = (210, 300)
CALLS: Final = 0.3
"""How often in a talk that comes by an update somebody calls a tool."""
WISHES: Final = (
    "From now on, remember that", "Please note that", "Always keep in mind:", "Remember:", "For all future answers:",
    "IMPORTANT: never forget that",
)  # fmt: skip
"""How messages begin that some programs keep aside."""


def seeded(drawing: Drawing, number: int | None) -> None:
    """The past and the histories, of which one has a name that another begins with.

    Of the plans of Gold the first (`number` 0) has a long past.
    """
    rng = drawing.rng
    result = drawing.texts.prose(rng.randrange(9_000, 14_000))
    first = rng.choice(("user", "assistant")) if number else "assistant" if number is None else "user"
    size = rng.randrange(*LONG_PAST) if number == 0 else rng.choice(PAST[:3] if number else PAST)
    odd, short = drawing.texts.odd(), number == 0
    main = drawing.talks.seeded(size, tools=0.12, result=result, first=first, main=True, odd=odd, short=short)
    drawing.steps.append(PlanSeed(session=MAIN, messages=main))
    for at in range(rng.choice((2, 2, 3))):
        size = rng.randrange(*TALK if at == 0 else (4, 30))
        talk = drawing.talks.seeded(size, tools=0.08, result=drawing.texts.sentence(), odd="" if at else odd)
        drawing.history(talk, f"{drawing.histories[0]}-2" if at == 1 else "")


def long_history(drawing: Drawing) -> list[Unit]:
    """A history that is longer than others is read."""
    name = drawing.history(drawing.talks.talk(drawing.rng.randrange(*LONG_TALK), short=True))
    drawing.histories.remove(name)
    return [[drawing.turn(drawing.does(drawing.reads(name)), drawing.says())]]


def inserted(drawing: Drawing) -> list[Unit]:
    """The main session gets messages at its beginning, in the middle, at the end, and loses some."""
    units: list[Unit] = []
    for action, at in (
        ("insert", drawing.rng.uniform(0.1, 0.7)),
        ("append", 1.0),
        ("delete", drawing.rng.uniform(0.2, 0.8)),
    ):
        new = (
            ()
            if action == "delete"
            else tuple(drawing.talks.message("user") for _ in range(drawing.rng.randrange(1, 4)))
        )
        if action == "append":
            new = (*new, drawing.talks.message("user", drawing.texts.prose(drawing.rng.randrange(*BROUGHT))))
        change = PlanChange.model_validate(
            {"session": MAIN, "action": action, "messages": new, "at": at, "count": drawing.rng.randrange(1, 4)}
        )
        units.append([change, drawing.turn(drawing.says())])
    drawing.rng.shuffle(units)
    first = PlanChange(session=MAIN, action="insert", at=0.0, messages=(drawing.talks.message("user"),))
    units.append([first, drawing.turn(drawing.says())])
    return [*units, _behind_its_like(drawing), _corrected(drawing), *_put_back(drawing), *_wished(drawing)]


def _wished(drawing: Drawing) -> list[Unit]:
    """Somebody wishes something for good; then the wish is taken back, and its message is gone."""
    wish = drawing.talks.message("user", f"{drawing.rng.choice(WISHES)} {drawing.texts.sentence()}.")
    put = PlanChange(session=MAIN, action="insert", at=drawing.rng.uniform(0.5, 0.9), messages=(wish,))
    gone = PlanChange(session=MAIN, action="delete", behind=wish.id)
    return [[put, drawing.turn(drawing.says())], [gone, drawing.turn(drawing.says())]]


def _corrected(drawing: Drawing) -> Unit:
    """A message of the main session is replaced by another one, so that there are as many as before."""
    at, new = drawing.rng.uniform(0.2, 0.6), (drawing.talks.message("user"),)
    gone = PlanChange(session=MAIN, action="delete", at=at)
    return [gone, PlanChange(session=MAIN, action="insert", at=at, messages=new), drawing.turn(drawing.says())]


def _put_back(drawing: Drawing) -> list[Unit]:
    """A message of the main session is replaced by another one, and then by one that says what it said at first.

    In another, only who says it changes; of two that say the same, the first goes.
    """
    said = [one for one in _given(drawing) if one.role == "user" and one.text and not one.speaker]
    back, turned = drawing.rng.sample(said[1:-1], 2)
    twice = next((one for one in said if one.text in [two.text for two in said if two is not one]), None)
    new = drawing.talks.message("user")
    again = back.model_copy(update={"id": f"{back.id}b"})
    other = turned.model_copy(update={"id": f"{turned.id}b", "role": "assistant"})
    units = [_instead(drawing, back, new), _instead(drawing, new, again), _instead(drawing, turned, other)]
    gone = [PlanChange(session=MAIN, action="delete", behind=one.id, at=0.5) for one in (twice,) if one is not None]
    return [units[0], units[1], [*units[2][:-1], *gone, units[2][-1]]]


def _instead(drawing: Drawing, old: Message, new: Message) -> Unit:
    """One message in the place of another."""
    put = PlanChange(session=MAIN, action="insert", at=1.0, behind=old.id, messages=(new,))
    return [put, PlanChange(session=MAIN, action="delete", at=0.5, behind=old.id), drawing.turn(drawing.says())]


def _given(drawing: Drawing) -> Sequence[Message]:
    """The past of the main session."""
    return next(one.messages for one in drawing.steps if isinstance(one, PlanSeed) and one.session == MAIN)


def _behind_its_like(drawing: Drawing) -> Unit:
    """The main session gets a message behind the second of two that say the same."""
    said, found = set[tuple[str, str]](), list[str]()
    for message in _given(drawing):
        words = (message.role, message.text)
        if words in said and message.text and not message.tool_calls:
            found.append(message.id)
        said.add(words)
    new = (drawing.talks.message("user"),)
    change = PlanChange(session=MAIN, action="insert", behind=drawing.rng.choice(found), messages=new)
    return [change, drawing.turn(drawing.says())]


def history_read(drawing: Drawing) -> list[Unit]:
    """A history is read, grows, and is read again."""
    name = drawing.histories[0]
    units: list[Unit] = [[drawing.turn(drawing.does(drawing.reads(name)), drawing.says())]]
    for action, at in (("append", 1.0), ("insert", drawing.rng.random())):
        new = tuple(drawing.talks.talk(drawing.rng.randrange(1, 5), tools=CALLS))
        change = PlanChange.model_validate({"session": name, "action": action, "messages": new, "at": at})
        units.append([change, drawing.turn(drawing.does(drawing.reads(name)), drawing.says())])
    return units


def history_begun(drawing: Drawing) -> list[Unit]:
    """A history begins, with a long message and one with line ends of another system, and is read."""
    name = drawing.texts.word()
    long = drawing.talks.message("user", drawing.texts.across(drawing.texts.prose(drawing.rng.randrange(*BROUGHT))))
    ended = drawing.talks.message("assistant", "\r\n".join(drawing.texts.sentence() for _ in range(3)))
    new = (*drawing.talks.talk(drawing.rng.randrange(2, 12)), long, ended)
    change = PlanChange(session=name, action="new", messages=new)
    return [[change, drawing.turn(drawing.does(drawing.reads(name)), drawing.says())]]


def histories_at_once(drawing: Drawing) -> list[Unit]:
    """Histories with names alike begin, and the main session and all of them grow at once."""
    names = drawing.texts.alike()
    begun = [
        PlanChange(session=one, action="new", messages=tuple(drawing.talks.talk(drawing.rng.randrange(2, 6))))
        for one in names
    ]
    grown = [
        PlanChange(
            session=one, action="append", at=1.0, messages=tuple(drawing.talks.talk(drawing.rng.randrange(1, 4)))
        )
        for one in (*names, MAIN)
    ]
    look = drawing.does(*map(drawing.reads, names))
    return [[*begun, drawing.turn(look, drawing.says())], [*grown, drawing.turn(look, drawing.says())]]


def history_deleted(drawing: Drawing) -> list[Unit]:
    """A history loses messages, or all of them."""
    name = drawing.rng.choice(drawing.histories)
    whole = drawing.rng.random() < 0.2 and name != drawing.histories[0]
    count = 10_000 if whole else drawing.rng.randrange(2, 6)
    change = PlanChange(session=name, action="delete", at=drawing.rng.uniform(0, 0.8), count=count)
    return [[change, drawing.turn(drawing.does(drawing.reads(name)), drawing.says())]]


def history_back(drawing: Drawing) -> list[Unit]:
    """A history loses all its messages, and gets others; it is read each time, and after a restart."""
    name = drawing.texts.word()
    first, second = (tuple(drawing.talks.talk(drawing.rng.randrange(2, 5), short=True)) for _ in range(2))
    changes: tuple[PlanStep, ...] = (
        PlanChange(session=name, action="new", messages=first),
        PlanChange(session=name, action="delete", at=0.0, count=10_000),
        PlanChange(session=name, action="append", at=1.0, messages=second),
        PlanIncident(happens="restart"),
    )
    return [[change, drawing.turn(drawing.does(drawing.reads(name)), drawing.says())] for change in changes]


def restarted(drawing: Drawing) -> list[Unit]:
    """Closed and opened again from its checkpoint while updates are on their way: all is there, what is new as well."""
    name = drawing.histories[-1]
    look = drawing.does(*map(drawing.reads, drawing.histories))
    late = _news(drawing, name)[: drawing.rng.randrange(3)]
    return [
        [*_news(drawing, name), drawing.turn(drawing.says())],
        [*late, PlanIncident(happens="restart"), drawing.turn(look, drawing.says())],
        [drawing.turn(drawing.says())],
    ]


def _news(drawing: Drawing, name: str) -> list[PlanStep]:
    """A history and the main session grow."""
    found: list[PlanStep] = []
    for session in (MAIN, name):
        said = tuple(drawing.talks.talk(drawing.rng.randrange(1, 4), tools=CALLS))
        found.append(PlanChange(session=session, action="append", at=1.0, messages=said))
    drawing.rng.shuffle(found)
    return found
