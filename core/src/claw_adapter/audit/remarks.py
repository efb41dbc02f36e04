"""What a result says beside a text that it shows: whether there is more of it, and how to have that."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.audit.pages import unframed
from claw_adapter.audit.results import BLANK, LEAST, PARTIAL, flat_of, lines_in, split_lines, value_of
from claw_adapter.audit.units import tool_names
from claw_adapter.reading import strings_of

__all__ = ["Claim", "Remark", "WholeReadings", "first_page", "folded", "follows", "points_on", "way_on"]

WORD: Final = re.compile(r"\w+")
NUMBER: Final = re.compile(r"\d+")
PARTED: Final = re.compile(r"\w[_.-]\w|[a-z][A-Z]")
"""What joins the words of a name."""
STAMP: Final = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\d\d?:\d\d(?::\d\d)?"
)
"""A time: its numbers count nothing."""
LINES: Final = "\n"
"""At the end of a field's name: its lines beside the text."""


@dataclass(frozen=True, slots=True)
class Remark:
    """What stands beside a text: fields of JSON, or lines, as (field, what it says without numbers and the text's name)."""

    said: frozenset[tuple[str, str]] = frozenset()
    numbers: frozenset[tuple[tuple[str, str], int]] = frozenset()
    """Numbers, with what is said around them."""
    plain: str = ""
    """All of it, as it stands there."""
    often: frozenset[tuple[str, str]] = field(default=frozenset(), compare=False)
    """What is said several times, as of each line."""

    @classmethod
    def of(cls, result: str, lines: Collection[str], name: str, around: tuple[str, str] = ("", "")) -> Remark:
        """Beside the text `name` with these lines; of the two `around` a result may show the end, and the beginning."""
        flat = flat_of(result)
        text = _Text(
            frozenset(line for line in map(str.strip, lines) if line and line in flat), *map(str.strip, around)
        )
        value = value_of(result, text.lines)
        own = {word.lower() for word in WORD.findall(name)}
        said, numbers, plain = set[tuple[str, str]](), set[tuple[tuple[str, str], int]](), list[str]()
        told = Counter[tuple[str, str]]()
        for where, what in _fields(value, "", text):
            plain.append(f"{where.strip()} {what}")
            if isinstance(what, str):
                counts = STAMP.sub(" ", what.replace(name, " ") if name else what)
                words = [word for word in WORD.findall(NUMBER.sub(" ", counts).lower()) if word not in own]
                one = where, " ".join(words)
                numbers.update((one, int(number)) for number in NUMBER.findall(counts))
            else:
                one = where, str(what) if isinstance(what, bool) else "#"
                numbers.update([(one, what)] if type(what) is int else ())
            if one[1] or not where.endswith(LINES):
                said.add(one)
            told[one] += 1
        often = frozenset(one for one, times in told.items() if times > 1)
        return cls(frozenset(said), frozenset(numbers), "\n".join(plain), often)

    def counts(self) -> set[int]:
        """The numbers that it says."""
        return {number for _, number in self.numbers}

    def like(self, other: Remark) -> bool:
        """Whether it has no field, and no line, that the other one has not: then it is no refusal."""
        fields = {where for where, _ in other.said}
        return all(one in other.said if one[0].endswith(LINES) else one[0] in fields for one in self.said)


@dataclass(frozen=True, slots=True)
class _Text:
    """Lines of a text, without blanks at their ends."""

    lines: frozenset[str]
    ahead: str
    behind: str

    def beside(self, shown: str) -> list[str]:
        """What stands before and behind them in a text of a result, line by line."""
        lines = [line.strip() for line in unframed(shown).splitlines()]
        first = next((at for at, line in enumerate(lines) if self._rest(line) != line), -1)
        if first < 0:
            return [line for line in lines if line]
        last = next(at for at in reversed(range(len(lines))) if self._rest(lines[at]) != lines[at])
        before, behind = lines[:first], lines[last + 1 :]
        if before and self.ahead.endswith(before[-1]):
            del before[-1]
        cut = _common(behind[0], self.behind) if behind else ""
        if behind and (len(cut) >= LEAST or cut == behind[0]):
            behind[0] = behind[0][len(cut) :].strip()
        return [line for line in (*before, self._rest(lines[last]), *behind) if line]

    def bears(self, value: JsonValue) -> bool:
        """Whether a value has any of them."""
        return any(self._rest(line.strip()) != line.strip() for text in strings_of(value) for line in text.splitlines())

    def _rest(self, line: str) -> str:
        """What stands behind the last of them in a line; all of it where none is there."""
        if line in self.lines:
            return ""
        known = max((one for one in self.lines if len(one) >= LEAST and one in line), key=len, default="")
        if known:
            return line.rpartition(known)[2].strip()
        ends = (line[: -len(one)] for one in self.lines if len(one) < LEAST and line.endswith(one))
        return "" if any(not before[-1:].isalnum() for before in ends) else line


def _fields(value: JsonValue, where: str, text: _Text) -> Iterator[tuple[str, JsonValue]]:
    """Every field beside the text; what stands at each line or message is no remark about the whole."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _fields(item, f"{where}.{key}", text)
    elif isinstance(value, list):
        rows = [item for item in value if text.bears(item)]
        for item in value:
            if not (len(rows) > 1 and _alike(item, rows[0])):
                yield from _fields(item, where, text)
    elif isinstance(value, str) and (not where or text.bears(value)):
        yield from ((where + LINES, line) for line in text.beside(value))
    elif value not in (None, ""):
        yield where, value


def _common(one: str, other: str) -> str:
    """The beginning that two texts share."""
    return next((one[:size] for size in range(len(one), 0, -1) if other.startswith(one[:size])), "")


def _alike(one: JsonValue, other: JsonValue) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return not one.keys().isdisjoint(other)
    return isinstance(one, list) and isinstance(other, list)


@dataclass(slots=True)
class WholeReadings:
    """What the tools of a trial say beside texts that they show whole."""

    _found: dict[str, list[Remark]] = field(default_factory=dict)

    def take(self, tool: str, remark: Remark) -> None:
        """A tool has shown a text whole, and said this beside it."""
        self._found.setdefault(tool, []).append(remark)

    def known(self, tool: str) -> bool:
        """Whether the tool has shown any."""
        return tool in self._found

    def differ(self, tool: str, remark: Remark) -> bool:
        """Whether a remark says something that the tool does not say beside whole texts.

        That is a further line, a field that is empty there, true in place of false or the other way round, or something else
        than what is the same beside every whole text, of two or more. Of a tool that has shown none whole, a field that is
        true is believed.
        """
        whole = self._found.get(tool, [])
        if not whole:
            return any(what == str(True) for _, what in remark.said)
        return any(
            _new(where, remark.said, [other.said for other in whole]) for where in {where for where, _ in remark.said}
        )

    def unlike(self, tool: str, remark: Remark) -> set[int]:
        """The numbers that are said in words, or fields, in which none is said beside whole texts."""
        known = {one for whole in self._found.get(tool, []) for one, _ in whole.numbers}
        return {number for one, number in remark.numbers if one not in known}


def _new(where: str, said: Collection[tuple[str, str]], whole: Sequence[Collection[tuple[str, str]]]) -> bool:
    """Whether a field says something new, by what it says and said beside whole texts."""
    now, *before = [{what for field, what in one if field == where} for one in (said, *whole)]
    known = set[str]().union(*before)
    if now <= known:
        return False
    further = len(now) > max(map(len, before)) or "#" in now or now | known <= {"True", "False"}
    return further or (len(before) > 1 and all(one == before[0] for one in before))


@dataclass(frozen=True, slots=True)
class Claim:
    """That a result is a page: it holds if it says so, by a number, or by something that does not stand beside whole texts."""

    tool: str
    remark: Remark
    counts: frozenset[int]
    """How much there is in all."""
    next: frozenset[int] = frozenset()
    """Where what is not shown begins."""
    pages: frozenset[int] = frozenset()
    """How many pages there are, if all are as long as this one."""
    page: frozenset[int] = frozenset({0, 1})
    """Which page it is, from 0 or 1 on."""

    @classmethod
    def at(cls, tool: str, remark: Remark, text: str, lines: Sequence[str], shown: range) -> Claim:
        """One of a page that shows those lines of a text, by number from 0; the last ones may stand there by chance."""
        places = [len("\n".join(lines[:end])) for end in (shown.start, shown.stop, shown.stop + 1)]
        sizes = [(len(lines), len(shown)), *((len(text), end - places[0]) for end in places[1:])]
        before = round(shown.start / len(shown)) if shown else 0
        sure = next((at for at in reversed(shown) if lines[at].strip() and lines.count(lines[at]) == 1), shown.start)
        return cls(
            tool,
            remark,
            counts=frozenset({len(lines), len([line for line in lines if line]), len(text), len(text.encode())}),
            next=frozenset(
                {*range(sure + 2, shown.stop + 2), *range(len("\n".join(lines[: sure + 1])), places[2] + 1)}
            ),
            pages=frozenset(ceil(count / size) for count, size in sizes if 0 < size < count),
            page=frozenset({before, before + 1}),
        )

    def holds(self, whole: WholeReadings) -> bool:
        """Whether it says that there is more."""
        said = self.remark.counts()
        pages = any(page < last for last in self.pages & said for page in self.page & said)
        numbers = self.counts & said or self.next & whole.unlike(self.tool, self.remark)
        return pages or bool(numbers) or whole.differ(self.tool, self.remark)


def ends_or_says(before: Claim, after: Claim, whole: WholeReadings) -> bool:
    """Whether a page says that there is more, as the one before it did; where that did not, nobody knows."""
    return after.holds(whole) or not before.holds(whole)


def way_on(
    name: str, arguments: Mapping[str, object], tools: Sequence[Mapping[str, Any]], remark: Remark, places: int = 0
) -> bool:
    """Whether the rest can be had: by a parameter that the call of tool `name` has left out, or another tool that is named.

    Of a text with numbered `places` also by an argument that is one of them.
    """
    words = set(WORD.findall(remark.plain))
    squashed = "".join(WORD.findall(remark.plain.replace("_", ""))).lower()
    given = arguments_in(arguments)
    for tool in tools:
        function = tool.get("function") or {}
        if function.get("name") != name:
            if function.get("name") in words:
                return True
            continue
        left = set(_parameters(function.get("parameters"))) - {where.rpartition(".")[2] for where in given}
        if any(PARTIAL.search(one) or one.replace("_", "").lower() in squashed for one in left):
            return True
        if any(0 <= number <= places for number in map(_number, given.values()) if number is not None and places):
            return True
    return False


def folded(text: str, flat: str, call: tuple[str, Mapping[str, object], Sequence[Mapping[str, Any]]]) -> bool:
    """Whether a result says, at each place where lines of a text are left out, how many; and `call` might ask for them.

    Blank lines there may count or not, and what Unicode calls the end of a line may be one.
    """
    tools = [function for tool in call[2] if (function := tool.get("function") or {}).get("name") == call[0]]
    left = any({*_parameters(function.get("parameters"))} - {*call[1]} for function in tools)
    text = text.removesuffix("\n")
    return left and any(_counted(ends(text), ends(flat)) for ends in (split_lines, str.splitlines))


def _counted(every: Sequence[str], shown: Iterable[str]) -> bool:
    """Whether lines say, wherever some of `every` are left out among those that are `shown`, how many these are.

    A line that stands there twice may be either one, so all the ways to read the result are followed.
    """
    there = [(number, line.strip(BLANK)) for number, line in enumerate(every) if line.strip(BLANK)]
    starts = [-1, *(number for number, _ in there), len(every)]

    def follows(place: int, at: int, numbers: Collection[int]) -> bool:
        """Whether the line of a place may come where `at` is the next one, and these numbers were told before it."""
        return place == at or any(place - at <= number < starts[place + 1] - starts[at] for number in numbers)

    states: set[tuple[int, frozenset[int]]] = {(0, frozenset())}
    for line in filter(None, (one.strip(BLANK) for one in shown)):
        places = [n for n, (_, one) in enumerate(there) if one in (line, line[-len(one) :])]
        told, reached = frozenset(map(int, NUMBER.findall(line))), set[tuple[int, frozenset[int]]]()
        for at, numbers in states:
            later = [n for n in places if n >= at]
            reached |= {(n + 1, frozenset()) for n in later if follows(n, at, numbers)}
            if not later:  # a line of its own
                reached.add((at, numbers | told))
        states = reached
    return any(follows(len(there), at, numbers) for at, numbers in states)


def points_on(
    name: str, tools: Sequence[Mapping[str, Any]], flat: str, texts: Iterable[str], *, plain: bool = False
) -> bool:
    """Whether a result of tool `name` names another tool, which these texts that it shows do not: that one has the rest.

    A name of one word may be any word, and counts only where it is `plain` that something is to follow.
    """
    others = tool_names(tools) - {name}
    found = [
        one
        for one in others
        if (plain or PARTED.search(one)) and re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", flat)
    ]
    return bool(found) and not any(one in text for text in texts for one in found)


def _parameters(schema: object) -> Iterator[str]:
    """The names of a tool's parameters, those within others too."""
    if isinstance(schema, Mapping):
        for name, one in (schema.get("properties") or {}).items():
            yield name
            yield from _parameters(one)


def arguments_in(arguments: Mapping[str, object], where: str = "") -> dict[str, object]:
    """All arguments that are no objects, by name; those in others as ``outer.inner``."""
    found = dict[str, object]()
    for name, value in arguments.items():
        if isinstance(value, dict):
            found |= arguments_in(value, f"{where}{name}.")
        else:
            found[f"{where}{name}"] = value
    return found


def follows(
    before: Mapping[str, object], after: Mapping[str, object], claim: Claim, places: Collection[int] = ()
) -> int:
    """How many arguments of a call are others than those of the one before, if it asks for the page behind that; otherwise 0.

    It does so by the number that follows, one of `places`, or something that the page before has said and that is no count.
    """
    old, new = arguments_in(before), arguments_in(after)
    changed = {name for name, value in new.items() if old.get(name) != value}
    said = {*places, *(claim.remark.counts() - claim.counts - claim.pages)}
    if old.keys() - new.keys() or not all(
        _number(new[name]) is not None or str(new[name]) in claim.remark.plain for name in changed
    ):
        return 0
    return len(changed) if any(_next(old.get(name), new[name], claim, said) for name in changed) else 0


def _next(before: object, after: object, claim: Claim, said: Collection[int]) -> bool:
    number, last = _number(after), _number(before)
    if number is None:
        return str(after) in claim.remark.plain
    return number in said or (number in (1, 2) if last is None else number == last + 1)


def _number(value: object) -> int | None:
    text = str(value)
    return int(text) if value is not True and value is not False and NUMBER.fullmatch(text) else None


def first_page(
    text: str, result: str, flat: str, path: str, call: tuple[str, Mapping[str, object], Sequence[Mapping[str, Any]]]
) -> Claim | None:
    """What a result claims that shows the first lines of a text and none behind them; None if it is no such page.

    The `call` is of a tool by name, with arguments, of these tools: there is a way to the rest. Some count what only Unicode
    calls a separator as the end of a line.
    """
    for every in (split_lines(text), text.splitlines()):
        lines = every[:-1] if every and not every[-1] else every
        shown = next((at for at, line in enumerate(lines) if line.strip() not in flat), len(lines))
        before = {*lines[:shown]}
        behind = (line for line in lines[shown + 1 :] if line not in before)  # what comes again is no other line
        if not 0 < shown < len(lines) or lines_in("\n".join(behind), flat):
            continue
        remark = Remark.of(result, lines[:shown], path, ("", lines[shown]))
        if way_on(*call, remark):
            return Claim.at(call[0], remark, text, lines, range(shown))
    return None
