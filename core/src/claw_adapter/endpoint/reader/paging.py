"""Reading on where a tool shows a file in part: as the result says, or by what the tool's parameters turn out to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.candidates import Candidate
from claw_adapter.endpoint.reader.errands import Attempt, Result
from claw_adapter.endpoint.reader.matching import readings
from claw_adapter.endpoint.reader.places import leaves
from claw_adapter.endpoint.reader.purposes import PAGE_LINES
from claw_adapter.endpoint.reader.schema import At, Param, words

__all__ = ["MOST_PAGES", "further", "named", "plain"]

Place = int | str

MOST_PAGES: Final = 12
MOST_FURTHER: Final = 24
MOST_NAMED: Final = 2
EDGE: Final = 600
"""Characters at either end of a result where it may say how to go on."""
_NAMED: Final = r"(?:(?<![A-Za-z0-9])|(?<=next))"
"""What may stand before the name of a parameter in a result."""
_NAMES: Final = re.compile(
    r"(?<![\w.:/<])(?:/[\w.+@=-]+(?:/[\w.+@=-]+)+|[\w.+@=-]+(?:/[\w.+@=-]+)*/[\w+@=-]+\.\w+)(?<!\.)"
)
_ENDS: Final = ("endline", "end")
"""Keys of parameters that say where a page ends, and not how much it holds."""
_NUMBERED = re.compile(r"^\s*[L\[]?(\d+)(?:\t|→|\||:|\])", re.MULTILINE)
_PREFIX: Final = re.compile(r"^\s*[L\[]?\d+(?:\t|→|\||:|\]) ?")
_BREAK: Final = re.compile(r"[\r\n]+|\",\s*\"")
_SPAN: Final = re.compile(r"(?<!\d)\d+(\s*[-:,.~]+\s*)\d+(?!\d)")


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to go on: where it begins, what follows a place that has shown something, and a place as arguments."""

    begins: Place
    then: Callable[[Place, str], Place | None]
    values: Callable[[Place], Mapping[At, JsonValue]]
    told: bool = False
    """Whether a result says where."""


def named(result: str, asked: str) -> list[str]:
    """Other files that a result names before or after what it shows: it may stand there in full."""
    found = _NAMES.findall(_edges(result))
    return [place for place in dict.fromkeys(found) if not place.endswith(asked)][:MOST_NAMED]


def further(
    attempt: Attempt, tool: Candidate, first: Result, *, told: bool = False
) -> Generator[Attempt, Result, Result]:
    """Read on in a file: as a result says, and unless only what is `told` counts by what the tool's other parameters do.

    A whole number may count lines, characters or pages, two of them begin and end a page, as may a list or a text of two; a
    text may take a mark that a result gives under its name. What brings mostly lines that were not there before is gone on
    with, else what brings some. A page begins before the end of the one before, so that nothing is left out between.
    """
    seen = set(_lines_of(first.text))
    found, some = Result(""), None
    if not told and tool.size is not None and tool.size.key not in _ENDS:
        attempt = attempt.with_more({tool.size.at: int(min(tool.size.maximum or PAGE_LINES, PAGE_LINES))})
    for way in _ways(tool, first.text, told=told):
        result = yield attempt.with_more(way.values(way.begins))
        lines = set(_lines_of(result.text))
        new = len(lines - seen)
        found = found + result
        if (new > 1 and 3 * new >= len(lines)) or (way.told and new):
            return found + (yield from _go_on(attempt, way, result, seen))
        if new > 1 and some is None:
            some = (way, result)
    if some is not None:
        found = found + (yield from _go_on(attempt, *some, seen))
    return found


def _ways(tool: Candidate, first: str, *, told: bool) -> Iterator[_Way]:
    """Ways to go on with a tool, those that a result tells first."""
    items = [item for item in tool.known.items if item not in (tool.target, tool.folder) and not item.enum]
    for item in items:
        if (item.accepts("integer") or (item.text_only and not item.required)) and (mark := _mark(item, 0, first)):
            yield _Way(mark, partial(_mark, item), partial(_alone, item), told=True)
    if told:
        return
    numbers = [item for item in items if item.accepts("integer") and item.types]
    begins = _line(0, first)
    pairs = list(combinations(numbers, 2))[:2]
    for start, end in [pair for pair in pairs if all(item.required for item in pair)]:
        yield _Way(begins, _line, partial(_pair, start, end, True))
    for item in numbers:
        if item is not tool.size:
            yield _Way(begins, _line, partial(_alone, item))
            yield _Way(_character(0, first), _character, partial(_alone, item))
            yield _Way(1, _page, partial(_alone, item))
            yield _Way(2, _page, partial(_alone, item))
    for item in items:
        if item.types == {"array"} and not item.texts:
            yield _Way(begins, _line, partial(_range, item))
        elif span := _SPAN.search(item.description) if item.text_only else None:
            yield _Way(begins, _line, partial(_span, item, span[1]))
    for start, end in pairs:
        ends = tool.size is None or tool.size.key in _ENDS
        pair = (end, start) if start is tool.size else (start, end)
        for until in (ends, not ends):
            yield _Way(begins if _lines_of(first)[1:] else 1, _line, partial(_pair, *pair, until))


def _go_on(attempt: Attempt, way: _Way, result: Result, seen: set[str]) -> Generator[Attempt, Result, Result]:
    """Go on as long as there are new lines."""
    found, place = Result(""), way.begins
    for _ in range(MOST_FURTHER):
        new = set(_lines_of(result.text)) - seen
        following = way.then(place, result.text)
        if len(new) < (1 if way.told else 2) or following is None or following == place:
            break
        seen |= new
        place = following
        result = yield attempt.with_more(way.values(place))
        found = found + result
    return found


def plain(shown: str) -> list[str]:
    """What a file's text may be that a result shows: without numbers of lines and words around, as in JSON, as it is."""
    rows = [_PREFIX.sub("", row, count=1) for row in shown.splitlines() if _NUMBERED.match(row)]
    found = ["\n".join(rows), *(text for text in leaves(shown) if "\n" in text), shown]
    return [f"{text.rstrip()}\n" for text in found if text][:MOST_NAMED]


def _line(at: Place, shown: str) -> int:
    numbers = _NUMBERED.findall(shown)
    return int(numbers[-1]) if numbers else int(at) + max(len(_lines_of(shown)) * 3 // 4, 1)


def _character(at: Place, shown: str) -> int:
    return int(at) + len(shown) * 3 // 4


def _page(at: Place, _shown: str) -> int:
    return int(at) + 1


def _mark(item: Param, at: Place, shown: str) -> Place | None:
    """What a result gives under a name, or as the next of it, with quotes or without."""
    parts = r"[\W_]?".join(map(re.escape, words(item.name)))
    named_so = rf"{_NAMED}{parts}[\"'`]?\s*[=:]\s*[\"'`]?([\w./+=-]+)"
    found = re.findall(named_so, _edges(shown), re.IGNORECASE)
    if not found or found[-1] in ("null", "None"):
        return None
    if not item.accepts("integer"):
        return str(found[-1])
    number = found[-1].rstrip(".")
    return int(number) if number.isdecimal() and int(number) != int(at) else None


def _alone(item: Param, place: Place) -> Mapping[At, JsonValue]:
    return {item.at: place}


def _range(item: Param, place: Place) -> Mapping[At, JsonValue]:
    """The first and last line of a page."""
    return {item.at: [place, int(place) + PAGE_LINES]}


def _span(item: Param, between: str, place: Place) -> Mapping[At, JsonValue]:
    return {item.at: f"{place}{between}{int(place) + PAGE_LINES - 1}"}


def _pair(start: Param, end: Param, until: bool, place: Place) -> Mapping[At, JsonValue]:  # bound beforehand
    return {start.at: place, end.at: int(place) + PAGE_LINES - 1 if until else PAGE_LINES}


def _edges(text: str) -> str:
    return text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"


def _lines_of(text: str) -> list[str]:
    """The lines of a result that hold anything, escaped or not, without the numbers before them; texts of a list are such."""
    return [line for line in (_NUMBERED.sub("", line).strip() for line in _BREAK.split(readings(text)[-1])) if line]
