"""What reading a history by the tool for it gives: every message, whole, in order, with its time and its tool calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, Self

from claw_adapter.audit.book import Book
from claw_adapter.audit.remarks import Claim, Remark, WholeReadings, ends_or_says, follows, points_on, way_on
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.results import LEAST, Failed, asks_for_part, split_lines, texts_of
from claw_adapter.audit.units import call_text
from claw_adapter.protocol import Message, Session
from claw_adapter.protocol.limits import Clip, Drop, HistoryLimit

__all__ = ["Histories", "HistoryCall", "HistoryPage", "unlisted"]

BEGINNING: Final = 60
"""Characters by which a message that is cut is known."""
BRIEF: Final = 400
"""Characters up to which a result may be a refusal."""
UNREAD: Final = "history-unread"
PAGE: Final = 10
"""Histories that a list names, from which on it may have left out others."""
TOOLS: Final = Drop(what="history_tools")
SYSTEM: Final = Drop(what="history_system")
BREAKS: Final = Drop(what="history_breaks")
DAY: Final = r"\d{4}[-/]\d\d[-/]\d\d"
DATE: Final = re.compile(DAY)
CLOCK: Final = re.compile(r"\b\d{1,2}:\d\d\b")
TIME: Final = re.compile(
    r"(?P<date>" + DAY + r")[T ,]{1,2}(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::\d\d(?:[.,]\d+)?)?(?!\d)"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\b)?(?: ?(?P<zone>Z\b|(?:UTC|GMT)(?![+-])|[+-](?P<by>\d\d):?(?P<and>\d\d)(?![\d-])))?"
)


@dataclass(frozen=True, slots=True)
class HistoryCall:
    """A call by which a history is read: its tool, what it gave, and the tools that were offered."""

    tool: str = ""
    result: str = ""
    tools: Sequence[Mapping[str, Any]] = ()


NO_CALL: Final = HistoryCall()


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Messages of a history that a call has shown, from one on to another, by number from 0."""

    arguments: Mapping[str, object]
    shown: range
    claim: Claim


@dataclass(slots=True)
class Histories:
    """Judges the readings of one turn."""

    renderer: Renderer
    book: Book
    failed: Failed
    brought: Collection[str]
    strict: bool = False
    """Whether a refusal is the harness's: the model asks only for what is there, in every way there is."""
    sessions: Mapping[str, Session] = field(default_factory=dict)
    """All that are read by the tool for them, as they are now."""
    shown: set[str] = field(default_factory=set)
    """Histories that this turn has shown, or some of them: under another name they may well be refused."""
    whole: WholeReadings = field(default_factory=WholeReadings)
    """What tools say beside histories that they show whole."""
    pages: dict[tuple[str, str], HistoryPage] = field(default_factory=dict)
    """The last page of each history that a tool has shown in this turn."""
    earlier: Mapping[tuple[str, str], HistoryPage] = field(default_factory=dict)
    """The same, in turns before: since then messages may have come."""

    def judge(
        self,
        session: Session,
        arguments: Mapping[str, object],
        flat: str,
        older: frozenset[str],
        request: int,
        call: HistoryCall = NO_CALL,
    ) -> None:
        """One reading; `older` are texts that the session no longer has."""
        session = _ended_alike(session)
        if old := next((text for text in older if len(text) >= LEAST and text in flat), ""):
            what = f"reading the history {session.id} gives what an update took away: {old[:60]!r}"
            self.failed.note("M21", "deleted-there", session.id, what, request)
        page = self._page(session, arguments, flat, call)
        key = session.id, call.tool
        last = self.pages.pop(key, self.earlier.get(key))
        changed = _follows(session, last, page) if last else 0
        if last and changed:
            self._next(session, last if last is not self.earlier.get(key) else None, page, changed, flat, request)
            self.pages[key] = page
            return
        if asks_for_part(arguments, len(session.messages)) or _by_number(page):
            return
        if page.shown:
            self.pages[key] = page
        texts = [self.renderer.plain(message.text) for message in session.messages]
        lost, moved = self._missing(texts, flat)
        if lost and len(lost) == sum(map(bool, texts)) and (other := self._other(session, flat)):
            what = f"reading the history {session.id} gives the history {other}"
            self.failed.note("M22", "history-wrong", session.id, what, request)
            return
        known = self.strict or self.whole.known(call.tool) or key in self.earlier
        if len(lost) == sum(map(bool, texts)) and (len(flat) <= BRIEF or not known):
            self._unread(session, call_text(call.tool, arguments), flat, request, call.tool)
            return  # a refusal, such as of a name, or a list of ids; the model may ask again
        self.shown.add(session.id)
        self.failed.found.pop((UNREAD, session.id), None)
        lost = lost or _fewer(texts, call.result or flat)
        if not lost:
            self.whole.take(call.tool, page.claim.remark)
        elif points_on(call.tool, call.tools, flat, texts):
            lost = []
        every, unless = range(len(session.messages)), None
        if lost and page.shown and way_on(call.tool, arguments, call.tools, page.claim.remark, len(session.messages)):
            every, unless = page.shown, partial(page.claim.holds, self.whole)
            inside, moved = self._missing(texts[every.start : every.stop], flat, texts)
            self._lost(session, [every.start + number for number in inside], flat, request)
            lost = [number for number in lost if number not in every]
        self._order(session, flat, request, every, moved=moved)
        self._lost(session, lost, flat, request, unless)

    def _unread(self, session: Session, call: str, flat: str, request: int, tool: str) -> None:
        """A reading shows no message; whether the tool for it ever shows any is known in the end."""
        texts = [message.text for message in session.messages if message.text]
        if texts and len(flat) <= BRIEF and not self.strict:
            self.failed.nothing(session.id, texts, call, flat, request, lambda: not self.whole.known(tool))
        elif texts and len(flat) <= BRIEF and session.id not in self.shown:
            what = f"the history {session.id} cannot be read: {flat[:80]!r}"
            self.failed.note("M22", UNREAD, session.id, what, request)

    def _missing(self, texts: Sequence[str], flat: str, every: Sequence[str] = ()) -> tuple[list[int], bool]:
        """As `_walked`; lines may be wrapped, and what breaks them may be declared to be lost."""
        lost, moved = _walked(texts, flat, every)
        wrapped = not any("\n" in texts[number] for number in lost)
        if not lost or not (wrapped or BREAKS in self.renderer.losses):
            return lost, moved
        before = len(lost)
        lines, others = ([" ".join(text.split()) for text in some] for some in (texts, every))
        lost, moved = _walked(lines, " ".join(flat.split()), others)
        if len(lost) < before and not wrapped:
            self.book.bite(BREAKS)
        return lost, moved

    def _order(self, session: Session, flat: str, request: int, shown: range, *, moved: bool) -> None:
        """Of the messages that are shown, the order, the tool calls and the times."""
        if moved:
            changed = any(message.text in self.brought for message in session.messages)
            must, cause = ("M21", "update-order") if changed else ("M22", "history-order")
            what = f"reading the history {session.id} gives its messages in another order"
            self.failed.note(must, cause, session.id, what, request)
        self._tools(session, flat, request, shown)
        self._times(session, flat, request)

    def _page(self, session: Session, arguments: Mapping[str, object], flat: str, call: HistoryCall) -> HistoryPage:
        """The messages that a reading shows, from the first to the last that can be told from all others."""
        texts = [self.renderer.plain(message.text) for message in session.messages]
        there = [number for number, text in enumerate(texts) if text in flat and _sole(text, texts)]
        shown, count = range(there[0], there[-1] + 1) if there else range(0), len(texts)
        remark = Remark.of(call.result or flat, [line for text in texts for line in split_lines(text)], session.id)
        pages = frozenset(-(-count // size) for size in range(len(shown), len(shown) + 3) if 0 < size < count)
        before = round(shown.start / len(shown)) if shown else 0
        page = frozenset({before, before + 1})
        return HistoryPage(arguments, shown, Claim(call.tool, remark, frozenset({count}), pages=pages, page=page))

    def _next(
        self, session: Session, before: HistoryPage | None, page: HistoryPage, changed: int, flat: str, request: int
    ) -> None:
        """A page behind another: all of its messages, none lost between the two, and a true end."""
        texts = [self.renderer.plain(message.text) for message in session.messages]
        first, last = page.shown.start, page.shown.stop
        inside, moved = self._missing(texts[first:last], flat, texts)
        self._order(session, flat, request, page.shown, moved=moved)
        self._lost(session, [first + number for number in inside], flat, request)
        if before is None or not (page.shown or page.claim.remark.like(before.claim.remark)):
            return
        ahead = first >= before.shown.start
        if not page.shown:
            ahead = before.shown.stop < len(texts)
            first = last = before.shown.stop if ahead else before.shown.start
        between = (*range(before.shown.stop, first), *range(last, before.shown.start))
        lost = [number for number in between if _sole(texts[number], texts)]
        self._lost(session, lost, flat, request)
        rest = range(last, len(texts)) if ahead else range(first)
        if page.shown and (first, last)[not ahead] == (before.shown.start, before.shown.stop)[not ahead]:
            return  # more of the same
        if changed == 1 and (lost := [number for number in rest if _sole(texts[number], texts)]):
            self._lost(session, lost, flat, request, partial(ends_or_says, before.claim, page.claim, self.whole))
        elif not lost:
            self.whole.take(page.claim.tool, page.claim.remark)

    def _other(self, session: Session, flat: str) -> str:
        """Another history, if a result is that one."""
        for name, other in self.sessions.items():
            texts = [self.renderer.plain(message.text) for message in other.messages]
            if name != session.id and any(texts) and not _walked(texts, flat)[0]:
                return name
        return ""

    def _lost(
        self,
        session: Session,
        lost: Sequence[int],
        flat: str,
        request: int,
        unless: Callable[[], bool] | None = None,
    ) -> None:
        """Messages that a reading does not show, or shows cut."""
        for number in lost:
            message = session.messages[number]
            loss = self._declared(session, number, flat)
            if loss is not None:
                self.book.bite(loss)
                continue
            cut = message.text[:BEGINNING] in flat and message.text not in flat and len(message.text) > BEGINNING
            cause, how = ("history-cut", "is cut") if cut else ("history-missing", "is not shown")
            must = "M22"
            if message.text in self.brought and not cut:
                must, cause = "M21", "update-missing"
            what = f"reading the history {session.id}: message {number + 1} of {len(session.messages)} {how}"
            self.failed.note(must, cause, session.id, what, request, unless)

    def _declared(self, session: Session, number: int, flat: str) -> Drop | Clip | HistoryLimit | None:
        """The declared loss by which a message is not shown whole."""
        hidden = TOOLS in self.renderer.losses
        message = session.messages[number]
        if message.role == "tool" and hidden:
            return TOOLS
        if message.role == "system" and SYSTEM in self.renderer.losses:
            return SYSTEM
        said = [one for one in session.messages if not (hidden and one.role == "tool")]
        behind = sum(one.role != "tool" or not hidden for one in session.messages[number:])
        total = sum(len(one.text) for one in said)
        for loss in self.renderer.losses:
            if isinstance(loss, Clip) and loss.of == "result" and len(flat) >= loss.characters * 0.8:
                return loss
            if isinstance(loss, HistoryLimit) and (
                (loss.messages and behind > loss.messages)
                or (loss.characters and len(message.text) > loss.characters * 0.8)
                or (loss.total and total > loss.total * 0.3)
            ):
                return loss
        return None

    def _tools(self, session: Session, flat: str, request: int, shown: range) -> None:
        hidden = [
            (number, call.name)
            for number in shown
            for call in session.messages[number].tool_calls
            if call.name not in flat
        ]
        losses = [TOOLS if TOOLS in self.renderer.losses else self._declared(session, at, flat) for at, _ in hidden]
        for loss in filter(None, losses):
            self.book.bite(loss)
        if None in losses:
            what = f"reading the history {session.id} does not show the call of {hidden[losses.index(None)][1]!r}"
            self.failed.note("M22", "history-tools-missing", session.id, what, request)

    def _times(self, session: Session, flat: str, request: int) -> None:
        """Where a reading shows times, each message's own stands beside it; of words that others say too, it may be theirs."""
        gaps, place, cut = list[str](), 0, False
        shown: list[Message] = []
        texts = [message.text for message in session.messages]
        for message in session.messages:
            sole = message.text and sum(message.text in text for text in texts) == 1
            at = flat.find(message.text, place) if sole else -1
            cut = cut or message.text not in flat  # then what stands there may be of one that is left out
            if at >= 0 and message.time is not None:
                gaps.append("" if cut else flat[place:at])
                shown.append(message)
            place, cut = (at + len(message.text), False) if at >= 0 else (place, cut)
        gaps.append("" if cut else flat[place : place + 200])
        beside = max(_beside(shown, gaps[:-1]), _beside(shown, gaps[1:]), key=lambda found: found.count(True))
        wrong = beside.index(False) if beside.count(True) * 2 > len(shown) and False in beside else -1
        clocks = max((_Clocks.of(shown, those) for those in (gaps[:-1], gaps[1:])), key=lambda one: len(one.right))
        undated = max(_undated(shown, gaps[:-1]), _undated(shown, gaps[1:]))
        if undated >= 0:
            what = f"reading the history {session.id} gives {shown[undated].text[:40]!r} a clock, but not its day"
            self.failed.note("M22", "history-times", session.id, what, request)
        elif wrong >= 0 or (wrong := clocks.wrong) >= 0:
            text = shown[wrong].text
            what = f"reading the history {session.id} gives {text[:40]!r} another time"
            self.failed.note("M22", "history-times", session.id, what, request)


def unlisted(sessions: Collection[str], flat: str) -> str:
    """A history that a list of histories leaves out; none of a result that names only one, or so many that it may end there.

    Capitals tell no two apart, but each is named by itself.
    """
    shown, found = flat.casefold(), list[str]()
    for name in sessions:
        alike = [one for one in found if one.casefold() == name.casefold()]
        if len(re.findall(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])", shown)) > len(alike):
            found.append(name)
    return next((name for name in sessions if name not in found), "") if 1 < len(found) < PAGE else ""


def _fewer(texts: Sequence[str], result: str) -> list[int]:
    """The last of messages that say the same in one line, where a result has them less often than they were said."""
    shown = "\n".join(texts_of(result))
    again = {text: number for number, text in enumerate(texts) if text in texts[:number] and "\n" not in text}
    said = "\n".join(texts)
    return [
        number
        for text, number in again.items()
        if text and max(shown.count(text), result.count(text)) < said.count(text)
    ]


def _ended_alike(session: Session) -> Session:
    """The same with the line ends that results have."""
    if not any("\r\n" in message.text for message in session.messages):
        return session
    said = (one.model_copy(update={"text": one.text.replace("\r\n", "\n")}) for one in session.messages)
    return session.model_copy(update={"messages": tuple(said)})


@dataclass(frozen=True, slots=True)
class _Clocks:
    """The times beside messages, however they are written: the numbers of those that tell the message's own, and of others."""

    right: Sequence[int]
    others: Sequence[int]
    shifts: Sequence[set[timedelta]]
    """How far each may be from the true one, where no zone stands beside it."""

    @classmethod
    def of(cls, messages: Sequence[Message], gaps: Sequence[str]) -> Self:
        right, others, shifts = list[int](), list[int](), list[set[timedelta]]()
        for number, (message, gap) in enumerate(zip(messages, gaps, strict=True)):
            told = list(_told(gap))
            if message.time is None or not told:
                continue
            true = message.time.astimezone(UTC).replace(tzinfo=None, second=0, microsecond=0)
            shift = {when - true - (zone or timedelta(0)) for when, zone in told}
            bare = {when - true for when, zone in told if zone is None}
            own = timedelta(0) in shift or message.time.utcoffset() in bare
            (right if own else others).append(number)
            shifts.append(shift)
        return cls(right, others, shifts)

    @property
    def wrong(self) -> int:
        """The first that is not told as it was, if every third is told well at least and no one zone explains all; else -1."""
        if not self.others or len(self.right) < max(3, len(self.others) / 2):
            return -1
        hours = (timedelta(hours=1), timedelta(hours=-1))  # in summer and in winter
        zones = [{one, one + hour} for one in self.shifts[0] for hour in hours]
        return -1 if any(all(shift & zone for shift in self.shifts) for zone in zones) else self.others[0]


def _told(text: str) -> Iterator[tuple[datetime, timedelta | None]]:
    """The times that a text tells by date and clock, to the minute, each with its zone if that stands beside it."""
    for found in TIME.finditer(text):
        hour, half, zone = int(found["hour"]), found["half"], found["zone"]
        if half:
            hour = hour % 12 + (12 if half in "Pp" else 0)
        try:
            when = datetime.fromisoformat(f"{found['date'].replace('/', '-')}T{hour:02d}:{found['minute']}")
        except ValueError:  # such as 31 February: no time
            continue
        east = timedelta(hours=int(found["by"]), minutes=int(found["and"])) if found["by"] else timedelta(0)
        yield when, None if zone is None else -east if zone.startswith("-") else east


def _follows(session: Session, before: HistoryPage, page: HistoryPage) -> int:
    """How many arguments ask for the page behind another one: by how many messages that has shown, or which was its last."""
    end, count = before.shown.stop, len(session.messages)
    places = {end, end + 1, end + 2} if end + 2 < count else {count - before.shown.start}
    return follows(before.arguments, page.arguments, before.claim, places)


def _by_number(page: HistoryPage) -> bool:
    """Whether it is one message, which was asked for by its number, from 0 or 1 on."""
    numbers = (value for value in page.arguments.values() if type(value) is int)
    return len(page.shown) == 1 and any(number in (page.shown.start, page.shown.stop) for number in numbers)


def _sole(text: str, texts: Sequence[str]) -> bool:
    """Whether a text is long enough, and in no other one, so that it is known where it stands."""
    return len(text) >= LEAST and _once(text, texts)


def _once(text: str, texts: Sequence[str]) -> bool:
    """Whether a text is in no other one."""
    return sum(text in other for other in texts) == 1


def _walked(texts: Sequence[str], flat: str, every: Sequence[str] = ()) -> tuple[list[int], bool]:
    """The numbers of texts that are not there, and whether any stands in another place.

    Where a text stands is told by those that no other has: of words that are said again, the first may not be shown. That holds
    of all that was said, `every` one, where these are a part of it.
    """
    place, lost, moved = 0, list[int](), False
    for number, text in enumerate(texts):
        at = flat.find(text, place)
        if at >= 0:
            place = at + len(text) if _once(text, texts) else place
        elif text in _besides([other for other in texts if text in other != text], flat):
            moved = moved or (every or texts).count(text) == 1
        else:
            lost.append(number)
    return lost, moved


def _besides(texts: Sequence[str], flat: str) -> str:
    """A result without these texts: what stands in it only as a part of one of them is not there by itself."""
    for text in texts:
        flat = flat.replace(text, "")
    return flat


def _beside(messages: Sequence[Message], gaps: Sequence[str]) -> list[bool | None]:
    """For each message whether its own time stands in its gap; None where no time of any of them does."""
    times = {form for message in messages for form in _forms(message)}
    found: list[bool | None] = []
    for message, gap in zip(messages, gaps, strict=True):
        own = any(form in gap for form in _forms(message))
        found.append(True if own else False if any(form in gap for form in times) else None)
    return found


def _undated(messages: Sequence[Message], gaps: Sequence[str]) -> int:
    """The first message of another day than the one before, beside which a clock stands and nothing that tells this; else -1.

    What tells the day, in whatever words, is not beside the messages of the day before.
    """
    before, last = set[str](), -1
    for number, (message, gap) in enumerate(zip(messages, gaps, strict=True)):
        if message.time is None or not _own_clocks(message.time) & {*CLOCK.findall(gap)}:
            continue
        if DATE.search(gap):
            before, last = set(), number
            continue
        day = messages[last].time if last >= 0 else None
        beside = CLOCK.sub("", gap).replace(message.speaker or message.role, "")
        if day is not None and all(one.date() != other.date() for one, other in _days(message.time, day)):
            if beside in before:
                return number
            before = set()
        before.add(beside)
        last = number
    return -1


def _own_clocks(time: datetime) -> set[str]:
    """Its own clock, and that of UTC."""
    return {f"{time:%H:%M}", f"{time.astimezone(UTC):%H:%M}"}


def _days(one: datetime, other: datetime) -> list[tuple[datetime, datetime]]:
    """Two times by their own clocks, and by that of UTC."""
    return [(one, other), (one.astimezone(UTC), other.astimezone(UTC))]


def _forms(message: Message) -> tuple[str, ...]:
    """How a time is written, without its zone."""
    time = message.time
    if time is None:
        return ()
    return (time.isoformat()[:19], time.astimezone(UTC).isoformat()[:19], str(int(time.timestamp() * 1000)))
