"""Reading on where a tool shows something in part: as a result says, or by what its parameters turn out to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from typing import Any, Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result, as_pages
from claw_adapter.endpoint.reader.matching import normalise, readings
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.places import leaves
from claw_adapter.toolbox.purposes import PAGE_LINES
from claw_adapter.toolbox.said import objects
from claw_adapter.toolbox.schema import NEXT, PAGE_END, PAGE_START, At, Param, Params, words

__all__ = ["Paging", "as_told", "further", "gone_on", "joined", "named", "plain", "pointed"]

MOST_PAGES: Final = 24
MARKS: Final = frozenset(("page", "cursor", "token", "after", "skip"))
"""Words of a parameter that takes the place to go on from, besides those for lines."""
MOST_KNOWN: Final = 8
"""Pages without anything new that are gone through where a result may be cut in its middle."""
MOST_NAMED: Final = 2
FEW: Final = 3
"""New lines that are no chance, such as the words of a refusal."""
LONG: Final = 4000
"""Characters from which on a result may have been cut."""
NARROW: Final = (PAGE_LINES, PAGE_LINES // 4, PAGE_LINES // 16)
"""How much is asked for at once, where a result may have been cut."""
EDGE: Final = 600
"""Characters at either end of a result where it may say how to go on."""
_NAMED: Final = r"(?:(?<![A-Za-z0-9])|(?<=next))"
"""What may stand before the name of a parameter in a result."""
_NAMES: Final = re.compile(
    r"(?<![\w.:/<])(?:/[\w.+@=-]+(?:/[\w.+@=-]+)+|[\w.+@=-]+(?:/[\w.+@=-]+)*/[\w+@=-]+\.\w+)(?<!\.)"
)
_NUMBERED = re.compile(r"^\s*[L\[]?(\d+)(?:\t|→|\||:|\])", re.MULTILINE)
_PREFIX: Final = re.compile(r"^\s*[L\[]?\d+(?:\t|→|\||:|\]) ?")
_BREAK: Final = re.compile(r"\r?\n|\r|\",\s*\"|\}\s*,\s*\{")
_OPENS: Final = re.compile(r"\s*(?:\[|\(|<|…|\.{3}(?!\.))")
_CLOSES: Final = re.compile(r"(?:\]|\)|>|…|(?<!\.)\.{3})\s?")
"""Where something may be said of a page in the row in which its text ends, or begins."""
MOST_MARKS: Final = 4
BORDER: Final = 4
TELLING: Final = 4
_SPAN: Final = re.compile(r"(?<!\d)\d+(\s*[-:,.~]+\s*)\d+(?!\d)")


@dataclass(frozen=True, slots=True)
class Paging:
    """A way to go on: the call for a place, where it begins, and what follows a place.

    A place is whatever `call` takes. `then` is given one, what it has shown, and how many lines of how many the page before did
    not have.
    """

    call: Callable[[Any], Generator[Attempt, Result, Result]]
    begins: Any
    then: Callable[[Any, str, int, int], Any]
    told: bool = False
    """Whether a result says where."""
    name: str = ""
    behind: frozenset[str] = frozenset()
    """Lines of the page before the first."""


def gone_on(way: Paging, seen: set[str], known: int = 0) -> Generator[Attempt, Result, Result]:
    """Go on as long as there are lines that are not `seen`, and through as many pages of `known` ones in a row."""
    found, place, left, before = Result(""), way.begins, known, way.behind
    for number in range(MOST_PAGES):
        result = yield from (as_pages(way.call(place)) if number else way.call(place))
        lines = frozenset(_lines_of(result.text))
        new = len(lines - seen)
        seen |= lines
        found = found + result
        fresh = new > (0 if way.told else 1)
        left = known if fresh else left - 1
        following = way.then(place, result.text, len(lines - before), len(lines))
        before = before if isinstance(following, int) and following < place else lines
        place = following
        if place is None or not (fresh or (left > 0 and 2 * new < len(lines))):
            break
    return found


def named(result: str, asked: str) -> list[str]:
    """Other files that a result names before or after what it shows: it may stand there in full."""
    found = _NAMES.findall(_edges(result))
    return [place for place in dict.fromkeys(found) if not place.endswith(asked)][:MOST_NAMED]


def as_told(attempt: Attempt, tool: Candidate, first: Result) -> Generator[Attempt, Result, Result]:
    """Read on where a result says under a parameter's name how."""
    seen, found = set(_lines_of(first.text)), Result("")
    for way in _told(attempt, tool, first.text):
        found = found + (yield from gone_on(way, seen))
    return found


def pointed(attempt: Attempt, first: Result, tools: Iterable[tuple[str, Params]]) -> Generator[Attempt, Result, Result]:
    """Read on with another tool that a result names, as long as it says under their names all values that the tool needs."""
    found, shown = Result(""), first.text
    for name, form in tools:
        if name == attempt.tool or not re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", _edges(shown)):
            continue
        made = list[Mapping[At, JsonValue]]()
        while len(made) < MOST_PAGES and (values := _values(form, shown)) and values not in made:
            made.append(values)
            result = yield Attempt(attempt.kind, name, filled({}, values), attempt.form, page=True)
            found, shown = found + result, result.text
        if made:
            break
    return found


def _values(form: Params, shown: str) -> dict[At, JsonValue]:
    """What a result gives for a tool's parameters, by their names; empty where one that is needed is not given."""
    marks = {item.at: mark for item in form.items if (mark := _mark(item, "", shown)) is not None}
    return dict(marks) if all(item.at in marks for item in form.items if item.needed) else {}


def further(attempt: Attempt, tool: Candidate, first: Result, habits: Habits) -> Generator[Attempt, Result, Result]:
    """Read on by what a tool's parameters turn out to do.

    A whole number may count lines, messages, characters or pages, two of them begin and end a page, as may a list or a text of
    two. What brings lines that were not there before is gone on with. A long result may have been cut, also in its middle:
    less is asked for at once first, from page to page.
    """
    seen, found = set(_lines_of(first.text)), Result("")
    size = None if tool.size is None or tool.size.key in PAGE_END else tool.size
    if size is not None and size.name not in attempt.arguments and len(_rows(first.text)) < PAGE_LINES:
        wider = attempt.with_more({size.at: int(min(size.maximum or PAGE_LINES, PAGE_LINES))})
        found = result = yield wider
        if len(result.text) > len(first.text):
            attempt, first = wider, result
    known = len(seen)
    for most in NARROW if size is not None and len(first.text) >= LONG else ():
        less = attempt.with_more({size.at: most}) if size is not None else attempt
        result = yield less
        found = found + result
        if len(result.text) < len(first.text) * 3 // 4:
            seen |= set(_lines_of(result.text))
            found = found + (yield from _by_ways(less, tool, result, habits, seen, MOST_KNOWN))
            break
    if len(seen) - known < FEW:
        found = found + (yield from _by_ways(attempt, tool, first, habits, seen))
    return found


def _by_ways(
    attempt: Attempt, tool: Candidate, first: Result, habits: Habits, seen: set[str], known: int = 0
) -> Generator[Attempt, Result, Result]:
    """Go on by the first way that brings more than a `FEW` lines; the one that did so before comes first."""
    found, before = Result(""), len(seen)
    ways = sorted(_untold(attempt, tool, first.text), key=lambda way: way.name != habits.paging.get(tool.tool))
    for way in ways[: 2 if known else None]:
        found = found + (yield from gone_on(way, seen, known))
        if len(seen) - before >= FEW:
            habits.paging[tool.tool] = way.name
            break
    return found


def _told(attempt: Attempt, tool: Candidate, first: str) -> Iterator[Paging]:
    by_name = False
    for item in tool.known.items:
        given = item in (tool.target, tool.folder, tool.size) or item.enum
        if not given and (item.accepts("integer") or (item.text_only and not item.required)):
            at = attempt.arguments.get(item.name, 0)
            if (mark := _mark(item, at, first)) is not None:
                turned = partial(_page, attempt, partial(_alone, item))
                yield Paging(turned, mark, partial(_next, item), told=True)
                if isinstance(mark, int) and mark == 2 and at == 0:  # the first page may be number 0
                    yield Paging(turned, 1, partial(_next, item), told=True)
                by_name = True
    others = [item for item in tool.known.items if item not in (tool.target, tool.folder, tool.size) and not item.enum]
    begins = [item for item in others if item.key in PAGE_START or {*words(item.name)} & MARKS]
    for item in begins[:1] if not by_name else ():
        if (mark := _following(item, attempt.arguments.get(item.name, 0), first)) is not None:
            yield Paging(partial(_page, attempt, partial(_alone, item)), mark, partial(_goes_on, item), told=True)


def _untold(attempt: Attempt, tool: Candidate, first: str) -> Iterator[Paging]:
    items = [item for item in tool.known.items if item not in (tool.target, tool.folder) and not item.enum]
    numbers = [item for item in items if item.accepts("integer") and item.types]
    rows = max(len(_rows(first)) * 3 // 4, 1)
    pairs = list(combinations(numbers, 2))[:2]

    behind = frozenset(_lines_of(first))

    def way(name: str, values: Callable[[Any], Mapping[At, JsonValue]], begins: int, step: int) -> Paging:
        return Paging(partial(_page, attempt, values), begins, _stepping(step, first), name=name, behind=behind)

    for start, end in [pair for pair in pairs if all(item.required for item in pair)]:
        yield way(f"{start.key}-{end.key}", partial(_pair, start, end, True), rows, rows)
    for item in numbers:
        for step, begins in ((rows, rows), (1, 1), (1, 2)) if item is not tool.size else ():
            if begins != attempt.arguments.get(item.name):
                yield way(f"{item.key} {begins if step == 1 else ''}", partial(_alone, item), begins, step)
    for item in items:
        if item.types == {"array"} and not item.texts:
            yield way(item.key, partial(_range, item), rows, rows)
        elif span := _SPAN.search(item.description) if item.text_only else None:
            yield way(item.key, partial(_span, item, span[1]), rows, rows)
    for start, end in pairs:
        ends = tool.size is None or tool.size.key in PAGE_END
        pair = (end, start) if start is tool.size else (start, end)
        for until in (ends, not ends):
            begins = max(1, rows)
            yield way(f"{start.key}-{end.key} {until}", partial(_pair, *pair, until), begins, PAGE_LINES * 3 // 4)


def _page(
    attempt: Attempt, values: Callable[[Any], Mapping[At, JsonValue]], place: Any
) -> Generator[Attempt, Result, Result]:
    return (yield attempt.with_more(values(place)))


def _stepping(step: int, first: str) -> Callable[[int, str, int, int], int]:
    """Further by a step, for what a number counts is not known: wider where a page has hardly anything new.

    And back by a part of it where a page has nothing of the one before: something may lie between them. A page that begins
    within a line of the one before is counted in characters.
    """
    width, lines = [step], [_lines_of(first)]

    def then(place: int, shown: str, new: int, every: int) -> int:
        before, lines[0] = lines[0], _lines_of(shown)
        top = lines[0][0] if lines[0] else ""
        if top and top not in before and any(one.endswith(top) for one in before):
            width[0] = max(width[0], len(shown) * 2 // 3)
            return place + width[0]
        if width[0] > 1 and 8 * new > 7 * every:
            width[0], far = max(width[0] // 4, 1), width[0]
            return place - far + width[0]
        if 0 < 3 * new < every:
            width[0] = max(width[0] * every // (3 * new), width[0] + 1)
        return place + width[0]

    return then


def joined(line: str, before: str, after: str) -> bool:
    """Whether a page ends within a line and another one goes on with it, whatever stands around their texts."""
    wanted, ends, begins = normalise(line), _borders(before, -1), _borders(after, 1)
    return any(
        any(len(head) >= least and end.endswith(head) for end, least in ends)
        and any(len(tail) >= least and begin.startswith(tail) for begin, least in begins)
        for head, tail in ((wanted[:cut].rstrip(), wanted[cut:].lstrip()) for cut in range(1, len(wanted)))
    )


def _borders(page: str, way: int) -> list[tuple[str, int]]:
    """The last (-1) or first rows of a result, or of the texts in it, also without what may be said of the page.

    With each the characters of it that are no chance: one of the outermost row of the longest text, some of any other.
    """
    inside = leaves(page)
    found: dict[str, int] = {}
    for text in inside[::way] or [page]:
        outermost = text == max(inside, key=len, default=page)
        for row in [row for row in text.splitlines() if row.strip()][::way][:BORDER]:
            marks = list((_OPENS if way < 0 else _CLOSES).finditer(row))[::way][:MOST_MARKS]
            parts = [row[: one.start()] if way < 0 else row[one.end() :] for one in marks]
            for one in (row, *parts, *([] if way < 0 else [_PREFIX.sub("", row, count=1)])):
                found.setdefault(normalise(one), 1 if outermost else TELLING)
            outermost = outermost and "" in parts  # the row only says something of the page
    return list(found.items())


def plain(shown: str) -> list[str]:
    """What a file's text may be that a result shows: without numbers of lines and words around, as in JSON, as it is."""
    rows = [_PREFIX.sub("", row, count=1) for row in shown.splitlines() if _NUMBERED.match(row)]
    found = ["\n".join(rows), *(text for text in leaves(shown) if "\n" in text), shown]
    return [f"{text.rstrip()}\n" for text in found if text][:MOST_NAMED]


def _next(item: Param, at: Any, shown: str, _new: int, _every: int) -> int | str | None:
    return _mark(item, at, shown)


def _mark(item: Param, at: Any, shown: str) -> int | str | None:
    """What a result gives under a name, or as the next of it, in quotes, brackets or without."""
    parts = r"[\W_]?".join(map(re.escape, words(item.name)))
    counted = rf"(?:{parts}|{words(item.name)[0]})" if len(parts) > FEW else parts
    of = re.findall(
        rf"{_NAMED}{counted}[\s=:]{{0,3}}(\d+)\s*(?:/|[^\W\d]{{1,3}})\s*(\d+)", _edges(shown), re.IGNORECASE
    )
    if of and item.accepts("integer") and item.types:
        return int(of[-1][0]) + 1 if int(of[-1][0]) < int(of[-1][1]) else None
    value = (
        r"[\s=:(]{1,3}(?:[^\W\d]{1,5}[\s:]{1,2})?[\"'`]?(\d+)"
        if item.accepts("integer")
        else r"\s*[=:]\s*[\"'`]?([\w./+=-]+)"
    )
    found = re.findall(rf"{_NAMED}{parts}[\"'`]?{value}", _edges(shown), re.IGNORECASE)
    if not found or found[-1] in ("null", "None", str(at)):
        return None
    return int(found[-1]) if item.accepts("integer") else str(found[-1])


def _following(item: Param, at: Any, shown: str) -> int | str | None:
    """What the JSON of a result gives as the next place, without saying which parameter takes it."""
    every = [entry for value in objects(shown) if isinstance(value, dict) for entry in (value, *value.values())]
    for key, value in ((key, one) for entry in every if isinstance(entry, dict) for key, one in entry.items()):
        if not {*words(key)} & NEXT or isinstance(value, bool) or not isinstance(value, int | str):
            continue
        if value not in (at, "") and item.accepts("integer" if isinstance(value, int) else "string"):
            return value
    return None


def _goes_on(item: Param, at: Any, shown: str, _new: int, _every: int) -> int | str | None:
    return _following(item, at, shown)


def _alone(item: Param, place: int) -> Mapping[At, JsonValue]:
    return {item.at: place}


def _range(item: Param, place: int) -> Mapping[At, JsonValue]:
    """The first and last line of a page."""
    return {item.at: [place, place + PAGE_LINES]}


def _span(item: Param, between: str, place: int) -> Mapping[At, JsonValue]:
    return {item.at: f"{place}{between}{place + PAGE_LINES - 1}"}


def _pair(start: Param, end: Param, until: bool, place: int) -> Mapping[At, JsonValue]:  # bound beforehand
    return {start.at: place, end.at: place + PAGE_LINES - 1 if until else PAGE_LINES}


def _edges(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


def _lines_of(text: str) -> list[str]:
    """The lines of a result that hold anything, escaped or not, texts of a list too; without numbers before them that rise."""
    rows = _rows(text)
    numbers = [int(found[1]) for row in rows if (found := _NUMBERED.match(row))]
    rising = all(one < next_ for one, next_ in pairwise(numbers))
    return [line for row in rows if (line := (_NUMBERED.sub("", row) if rising else row).strip())]


def _rows(text: str) -> list[str]:
    return _BREAK.split(readings(text)[-1])
