"""What a harness says by itself: the words of its requests that nobody gave it. They are told, and judged by no rule."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import LEAST, split_lines, value_of
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import CALL, RESULT, arguments_of
from claw_adapter.reading import strings_of

__all__ = ["OwnWordsHeard"]

FRAME: Final = 120
"""Characters before or behind a known line up to which it is looked for."""
SHORT: Final = 3
"""Characters that an argument must have to be known where it is repeated."""
TOKEN: Final = re.compile(r"""[^\s"'`(),:;|=*\[\]{}<>]+""")
RUN: Final = re.compile(r"#(?:[-:.,+]#)+|…(?:\W*…)+")
"""What is one time, one number, or one place."""
BESIDE: Final = " ⏎ "
WORDS: Final = re.compile(r"\w")
LETTERS: Final = re.compile(r"[^\W\d_]")


@dataclass(slots=True)
class OwnWordsHeard:
    """Goes through the requests of a trial and leaves out what was given, asked, answered or stands in a file."""

    book: Book
    _texts: set[str] = field(default_factory=set)
    """What others have said, whole."""
    _lines: set[str] = field(default_factory=set)
    _names: set[str] = field(default_factory=set)
    _heard: set[tuple[str, str]] = field(default_factory=set)
    _instructed: set[str] = field(default_factory=set)
    """Lines of the instructions so far."""

    def learn(self, texts: Iterable[str], names: Iterable[str] = ()) -> None:
        """What somebody else has said or left, from now on; and names: of files, of histories, of who speaks."""
        for text in texts:
            if text not in self._texts:
                self._texts.add(text)
                self._lines.update(filter(None, (line.strip() for line in split_lines(text))))
        self._names.update(names)

    def hear(self, turn: RequestTurn, prompt: str, judged: Collection[str]) -> None:
        """The requests of a turn; of its results those whose calls are among the ids that were `judged`."""
        first = {unit.text: call for step in turn.steps for call, unit in step.offered if unit is not None}
        told = [call for call in first.values() if call.call not in judged]
        self.learn(text for text, call in first.items() if call in told)
        for exchange in turn.chain:
            units = turn.units[exchange.number]
            self._instructions("\n".join(unit.text for unit in units if unit.kind == "system"), exchange.number)
            for unit in units:
                if unit.kind in (CALL, "system") or (unit.kind, unit.text) in self._heard:
                    continue
                self._heard.add((unit.kind, unit.text))
                if unit.kind == RESULT:
                    call = first.get(unit.text)
                    where = f"result of {call.tool}" if call else "older result"
                    self._say(where, unit.text, exchange.number, strings_of(arguments_of(call)) if call else ())
                else:
                    self._say("prompt" if prompt and prompt in unit.text else "message", unit.text, exchange.number)

    def _instructions(self, text: str, request: int) -> None:
        """All that is said at first is one thing; behind it, each line that is new."""
        lines = [line for line in dict.fromkeys(_lines_of(text)) if line not in self._instructed]
        if self._instructed:
            self._say("instructions, later", "\n".join(lines), request)
        elif own := [line for line in lines if self._own(line)]:
            self.book.own("instructions", "", f"{len(own)} lines: {BESIDE.join(own)}", request)
        self._instructed.update(lines)

    def _say(self, where: str, text: str, request: int, arguments: Iterable[str] = ()) -> None:
        """A run of lines that nobody else has said is one thing that the harness says, and so is what it adds to a line."""
        repeated = sorted({one for one in (*arguments, *self._names) if len(one) >= SHORT}, key=len, reverse=True)
        lines = [line for line in _lines_of(text) if WORDS.search(line)]
        if self._lines.isdisjoint(lines):  # else it shows a text, which may be JSON
            lines = list(_fields("", value_of(text)))
        found = dict[str, str]()
        for whole, run in groupby(lines, key=lambda line: self._own(line) == line):
            forms = dict[str, str]()
            for rest in filter(None, map(self._own, run)):
                forms.setdefault(self._form(rest, repeated), rest)
            if whole:
                forms = {"\n".join(forms): BESIDE.join(forms.values())}
            found = {**forms, **found}
        for form, what in found.items():
            self.book.own(where, form, what, request)

    def _own(self, line: str) -> str:
        """What is left of a line without what others have said."""
        if line in self._lines or not WORDS.search(line):
            return ""
        most = min(len(line), FRAME)
        ends = ((line[at:].strip(), line[:at]) for at in range(1, most))
        begins = ((line[:-at].strip(), line[-at:]) for at in range(1, most))
        for known, rest in (*ends, *begins):
            if known in self._lines and (len(known) >= LEAST or not LETTERS.search(rest)):
                return rest.strip() if WORDS.search(rest) else ""
        within = len(line) >= LEAST and any(line in text for text in self._texts)
        return "" if within else line

    def _form(self, own: str, repeated: Sequence[str]) -> str:
        """A line as a kind of lines: without what its call has said, and without paths and numbers."""
        for one in repeated:
            own = own.replace(one, "…")
        return RUN.sub(lambda found: found.group()[0], TOKEN.sub(_token, own))


def _token(found: re.Match[str]) -> str:
    token = found.group()
    if "/" in token:
        return "…"
    return "#" if any(one.isdigit() for one in token) else token


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
