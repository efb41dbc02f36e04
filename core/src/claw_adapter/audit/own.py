"""What a harness says by itself: the words of its requests that nobody gave it. They are told, and judged by no rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.parts import in_lines
from claw_adapter.audit.records import OwnWords
from claw_adapter.audit.results import LEAST, asks_for_part, flat_of, split_lines, value_of
from claw_adapter.audit.turns import Reply, RequestTurn
from claw_adapter.audit.units import CALL, RESULT, arguments_of, tool_named, tool_names
from claw_adapter.reading import strings_of

__all__ = ["OwnWordsHeard", "doubted"]

FRAME: Final = 120
"""Characters before or behind a known line up to which it is looked for."""
SHORT: Final = 3
"""Characters that an argument must have to be known where it is repeated."""
TOKEN: Final = re.compile(r"""[^\s"'`(),:;|=*\[\]{}<>]+""")
RUN: Final = re.compile(r"#(?:[-:.,+]#)+|…(?:\W*…)+")
"""What is one time, one number, or one place."""
BESIDE: Final = " ⏎ "
STALE: Final = "no file has that any more"
MISCOUNTED: Final = "not the number that the line has"
JOINED: Final = "lines of others without anything between them"
BESIDES: Final = "beside the conversation"
PARTLY: Final = "left out of what a call says to a sub-agent"
UNTOLD: Final = "the last that a sub-agent says, and in no result"
MISCALLED: Final = "not who said what stands after it"
TAKEN: Final = "shows a line that the call has replaced, and none that is new"
MISNAMED: Final = "names another file than the call"
BEFORE: Final = "before what the "
NUMBER: Final = re.compile(r"\d+")
WORDS: Final = re.compile(r"\w")
LETTERS: Final = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where something is said."""

    where: str
    request: int
    repeated: Sequence[str] = ()
    """What the call of a result says."""
    beside: str = ""
    result: bool = False
    counts: bool = False
    """Whether what is shown was asked for by lines, or whole: pages may have numbers of their own."""


@dataclass(slots=True)
class OwnWordsHeard:
    """Goes through the requests of a trial and leaves out what was given, asked, answered or, in results, stands in a file."""

    book: Book
    _said: dict[str, set[str]] = field(default_factory=dict)
    """Lines that others have said, each with who did; only the texts in which they stand are kept whole."""
    _numbers: dict[str, set[int]] = field(default_factory=dict)
    """Lines of files, as they ever were, with their numbers there."""
    _texts: set[str] = field(default_factory=set)
    _since: dict[str, int] = field(default_factory=dict)
    """Lines that files had, each with the number of the state since when."""
    _states: int = 0
    _sides: tuple[set[str], set[str]] = field(default_factory=lambda: (set(), set()))
    """Lines of files before the turn and after it."""
    _gone: set[str] = field(default_factory=set)
    """Lines that files had, and none has in the turn that is gone through."""
    _speakers: dict[str, set[str]] = field(default_factory=dict)
    """Lines of messages that have a speaker."""
    _people: set[str] = field(default_factory=set)
    """Those who speak."""
    _learnt: set[tuple[str, str, str]] = field(default_factory=set)
    """Who has said what, and as whom: each round tells all of it again."""
    _paths: set[str] = field(default_factory=set)
    _names: set[str] = field(default_factory=set)
    """Of histories and of who speaks."""
    _heard: set[tuple[str, str, str]] = field(default_factory=set)
    _stood: dict[str, set[str]] = field(default_factory=dict)
    """Lines of the instructions, and of what is said of the tools, so far."""
    _held: dict[str, tuple[str, int]] = field(default_factory=dict)
    """What stands before a conversation, as it was last held against lines that are gone, and in which state of files."""
    _calls: dict[str, str] = field(default_factory=dict)
    """Calls by their ids."""

    def learn(self, who: str, texts: Iterable[str], speaker: str = "") -> None:
        """What somebody has said: a role, such as ``user``, and the name of the speaker if there is one."""
        self._people.update(filter(None, [speaker]))
        for text in texts:
            if (who, text, speaker) in self._learnt:
                continue
            self._learnt.add((who, text, speaker))
            self._texts.add(text)
            for line in _lines_of(text):
                self._said.setdefault(line, set()).add(who)
                self._speakers.setdefault(line, set()).update(filter(None, [speaker]))

    def call(self, names: Iterable[str]) -> None:
        """What histories and those who speak are called."""
        self._names.update(names)

    def files(self, before: Mapping[str, str], after: Mapping[str, str], written: Collection[str]) -> None:
        """What stands in files, before a turn and after it, and as its calls have written them."""
        sides = [{line.strip() for text in side.values() for line in split_lines(text)} for side in (before, after)]
        for text in (*written, *before.values(), *after.values()):
            if text not in self._texts:
                self._texts.add(text)
                for lines in (split_lines(text), text.splitlines()):  # some tools end lines where Unicode does
                    for number, line in enumerate(lines, start=1):
                        self._numbers.setdefault(line.strip(), set()).add(number)
        for side in sides:
            self._states += 1
            self._since |= dict.fromkeys(side - self._since.keys(), self._states)
        self._sides = sides[0], sides[1]
        self._paths.update((*before, *after))
        now = set[str]().union(*sides)
        self._gone = {line for line in self._since.keys() - now - self._said.keys() if len(line) >= LEAST}

    def hear(self, turn: RequestTurn, prompt: str, judged: Collection[str]) -> None:
        """The requests of a turn; of its results those whose calls are among the ids that were `judged`."""
        first = {unit.text: call for step in turn.steps for call, unit in step.offered if unit is not None}
        self._calls |= {unit.call: call.text for step in turn.steps for call, unit in step.offered if unit is not None}
        self.learn("tool", (text for text, call in first.items() if call.call not in judged))
        self._passed_on(turn, judged)
        for exchange in turn.chain:
            units, request = turn.units[exchange.number], exchange.number
            self._stand("instructions", (unit.text for unit in units if unit.kind == "system"), request)
            self._stand("tools", _described(exchange.tools), request)
            for unit in units:
                made = self._calls.get(unit.call, "") if unit.kind == RESULT else ""
                if unit.kind in (CALL, "system") or (unit.kind, unit.text, made) in self._heard:
                    continue
                self._heard.add((unit.kind, unit.text, made))
                if unit.kind != RESULT:
                    self._say(_Place("prompt" if prompt and prompt in unit.text else "message", request), unit.text)
                elif (call := first.get(unit.text)) is not None:
                    arguments = arguments_of(call)
                    place = _Place(
                        f"result of {call.tool}", request, tuple(strings_of(arguments)), result=True,
                        counts=in_lines(arguments) or not asks_for_part(arguments),
                    )  # fmt: skip
                    self._say(place, unit.text)
                    self._taken(place, unit.text)
                else:
                    beside = self._instead(unit.text, made)
                    self._say(_Place("older result", request, beside=beside, result=True), unit.text)

    def _passed_on(self, turn: RequestTurn, judged: Collection[str]) -> None:
        """Whether requests beside the conversation, as of a sub-agent, have all lines of what a call says, or none.

        And whether the call's result, or another one of the turn, has the line with which the sub-agent ends.
        """
        chain = {exchange.number for exchange in turn.chain}
        asides = [exchange for exchange in turn.exchanges if exchange.number not in chain]
        every = [one for step in turn.steps for one in step.offered]
        heard = [flat_of(result.text) for _, result in every if result is not None]
        for call in (call for call, _ in every if asides and call.call not in judged):
            told = [[line for line in _lines_of(text) if len(line) >= LEAST] for text in strings_of(arguments_of(call))]
            last: Reply | None = None
            for exchange in asides:
                texts = [unit.text for unit in turn.units[exchange.number] if unit.kind == "user"]
                for lines in told:
                    held = [line for line in lines if any(line in text for text in texts)]
                    last = (Reply.of(exchange) or last) if held else last
                    if held and len(held) < len(lines):
                        lost = next(line for line in lines if line not in held)
                        self.book.own((BESIDES, self._form(lost, ()), PARTLY), lost, exchange.number)
            ends = [] if last is None or last.calls else [line for line in _lines_of(last.text) if len(line) >= LEAST]
            if last is not None and ends and not any(ends[-1] in text for text in heard):
                self.book.own(
                    (f"result of {call.tool}", self._form(ends[-1], ()), UNTOLD), ends[-1], last.exchange.number
                )

    def _instead(self, text: str, call: str) -> str:
        """In place of which call's result something stands, and whether it names another call's file, and not that one's."""
        said, asked = (self._paths & {*TOKEN.findall(one)} for one in (text, call))
        other = f"{MISNAMED}, " if said and asked and not said & asked else ""
        return f"{other}in place of the result of {call[:80]}" if call else ""

    def _taken(self, place: _Place, text: str) -> None:
        """Whether a result shows a line that its call has replaced, and nothing that the turn has brought."""
        before, after = self._sides
        lines = [*_lines_of(text)]
        replaced = (
            line for line in before - after if any(line in one or one.strip() == line for one in place.repeated)
        )
        shown = next((line for line in replaced if len(line) >= LEAST and any(line in one for one in lines)), "")
        if shown and not any(line in one for line in after - before if len(line) >= LEAST for one in lines):
            self.book.own((place.where, self._form(shown, ()), TAKEN), shown, place.request)

    def _stand(self, where: str, texts: Iterable[str], request: int) -> None:
        """What stands before a conversation, all that is said at first as one thing; after it, each line that is new."""
        text, stood = "\n".join(texts), self._stood.setdefault(where, set())
        lines = [line for line in dict.fromkeys(_lines_of(text)) if line not in stood]
        if lines and stood:
            self._block(_Place(f"{where}, later", request), lines, "")
        elif lines:
            self.book.own((where, "", ""), f"{len(lines)} lines: {BESIDE.join(lines)}", request)
        stood.update(lines)
        if self._held.get(where) != (text, self._states):
            self._held[where] = text, self._states
            for line in filter(self._stale, _lines_of(text)):
                self.book.own((where, self._form(line, ()), STALE), line, request)

    def _say(self, place: _Place, text: str) -> None:
        """A run of lines that nobody else has said is one thing that the harness says, and so is what it adds to a line."""
        lines = [line for line in _lines_of(text) if WORDS.search(line)]
        parts = [self._parted(line, place) for line in lines]
        if place.result and all(not known for _, known in parts):
            parts = [self._parted(line, place) for line in _fields("", value_of(text))]
        elif place.result:  # it shows a text; what has no words there is the frame of an empty line
            parts = [(own, known) for own, known in parts if known or LETTERS.search(own)]
        else:
            for line in (line for line in lines if line not in self._said and self._joined(line)):
                self._block(place, [line], JOINED)
        run = list[str]()
        for own, known in (*parts, ("", "")):
            if own and not known:
                run.append(own)
                continue
            if run:
                self._block(place, run, self._who(run[-1], known))
            run = []
            if own:
                self._block(place, [own], (self._number(own, known) if place.counts else "") or self._who(own, known))

    def _block(self, place: _Place, lines: Sequence[str], beside: str) -> None:
        forms = dict[str, str]()
        for line in lines:
            forms.setdefault(self._form(line, place.repeated), line)
        stale = not place.result and any(map(self._stale, lines))
        beside = place.beside or (STALE if stale else beside)
        key = place.where, "\n".join(forms), beside
        self.book.own(key, BESIDE.join(forms.values()), place.request)

    def _parted(self, line: str, place: _Place) -> tuple[str, str]:
        """What is left of a line without what others have said, and what they have said in it."""

        def said(text: str) -> bool:
            return text in self._said or (place.result and text in self._numbers)

        if said(line) or not WORDS.search(line):
            return "", line
        most = min(len(line), FRAME)
        ends = ((line[at:].strip(), line[:at]) for at in range(1, most))
        begins = ((line[:-at].strip(), line[-at:]) for at in range(1, most))
        for known, rest in (*ends, *begins):
            told = LETTERS.search(known) and rest.endswith((":", ": "))
            if said(known) and (len(known) >= LEAST or told or not LETTERS.search(rest)):
                return (rest.strip() if WORDS.search(rest) else ""), known
        within = len(line) >= LEAST and any(line in text for text in self._texts)
        return ("", line) if within and (place.result or line not in self._numbers) else (line, "")

    def _stale(self, line: str) -> bool:
        """Whether a line says what files had and none has, and not what has come in its place."""
        old = [gone for gone in self._gone if gone in line]
        oldest = min((self._since[gone] for gone in old), default=0)
        newer = (one for one, since in self._since.items() if since > oldest and len(one) >= LEAST)
        return bool(old) and not any(one in line for one in newer)

    def _joined(self, line: str) -> bool:
        """Whether a line is made of several that others have said."""
        ends = {0}
        for at in range(len(line)):
            if at in ends:
                ends.update(end for end in range(at + 1, len(line) + 1) if line[at:end] in self._said)
        return len(line) in ends

    def _who(self, own: str, known: str) -> str:
        """Whose words stand beside what the harness says, if they are one's alone."""
        speakers = self._speakers.get(known, set())
        if speakers and (called := {one for one in self._people if one in own}) and not called & speakers:
            return f"{MISCALLED}: {', '.join(sorted(speakers))}"
        who = self._said.get(known, set())
        return f"{BEFORE}{next(iter(who))} said" if len(who) == 1 and known not in self._numbers else ""

    def _number(self, own: str, known: str) -> str:
        """Whether what stands beside a line of a file, and has no words, is its number there."""
        numbers = {int(one) for one in NUMBER.findall(own)}
        if not numbers or LETTERS.search(own) or known not in self._numbers:
            return ""
        return "the number of the line" if numbers & self._numbers[known] else MISCOUNTED

    def _form(self, own: str, repeated: Sequence[str]) -> str:
        """A line as a kind of lines: without what its call has said, and without paths, names and numbers."""
        phrases = (one for one in (*repeated, *self._names) if len(one) >= SHORT)
        for one in sorted(phrases, key=len, reverse=True):
            own = own.replace(one, "…")
        return RUN.sub(lambda found: found.group()[0], TOKEN.sub(self._token, own))

    def _token(self, found: re.Match[str]) -> str:
        token = found.group()
        if "/" in token or token.rstrip(".") in self._paths:
            return "…"
        return "#" if any(one.isdigit() for one in token) else token


def doubted(words: Iterable[OwnWords]) -> tuple[OwnWords, ...]:
    """What a harness says by itself, with a mark where something is known that speaks against it.

    That is what its `beside` begins with, and labels of which several stand before what the user said and before what the
    assistant said.
    """
    told = tuple(words)
    roles: dict[tuple[str, str], set[str]] = {}
    for one in told:
        if one.beside in (f"{BEFORE}user said", f"{BEFORE}assistant said"):
            roles.setdefault((one.where, one.form), set()).add(one.beside)
    both = {
        key for key, before in roles.items() if len(before) > 1 and "#" not in key[1]
    }  # a time stands before anybody
    several = {where for where, times in Counter(where for where, _ in both).items() if times > 1}

    def known(one: OwnWords) -> bool:
        mixed = one.where in several and (one.where, one.form) in both and one.beside.startswith(BEFORE)
        return mixed or one.beside.startswith((STALE, MISCOUNTED, MISNAMED, JOINED, MISCALLED, TAKEN, PARTLY, UNTOLD))

    return tuple(one.model_copy(update={"doubted": known(one)}) for one in told)


def _described(tools: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What is said of tools: their names with their descriptions, and those of their parameters."""
    for name in sorted(tool_names(tools)):
        yield f"{name}: " + "\n".join(strings_of(dict(tool_named(tools, name))))


def _lines_of(text: str) -> Iterator[str]:
    yield from filter(None, (line.strip() for line in split_lines(text)))


def _fields(name: str, value: JsonValue) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _fields(key, item)
    elif isinstance(value, list):
        for item in value:
            yield from _fields(name, item)
    elif isinstance(value, str):
        yield from _lines_of(value)
    else:
        yield f"{name}: {value}" if name else str(value)
