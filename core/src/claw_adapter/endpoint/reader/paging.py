"""Reading on where a tool shows a file in part: as the result says, or by what the tool's parameters turn out to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.errands import Attempt, Result
from claw_adapter.endpoint.reader.matching import readings
from claw_adapter.endpoint.reader.schema import Param
from claw_adapter.endpoint.reader.tools import Candidate

__all__ = ["MOST_PAGES", "PAGE_LINES", "further", "named", "pages"]

Place = int | str | list[JsonValue]
Unit = Callable[[str, Place, str], Place | None]
"""The next value of a parameter, by its name, its value before, and what that has shown."""

MOST_PAGES: Final = 12
PAGE_LINES: Final = 80
MOST_FURTHER: Final = 24
MOST_NAMED: Final = 2
LONG_PAGE: Final = 500
"""Numbered lines from which on a page may have been cut although nothing says so."""
_NAMED: Final = r"(?:(?<![A-Za-z0-9])|(?<=next))"
"""What may stand before the name of a parameter in a result."""
_ABSOLUTE: Final = re.compile(r"(?<![\w.:/<])/[\w.+@=-]+(?:/[\w.+@=-]+)+(?<!\.)")
_ENDS: Final = ("endline", "end")
"""Keys of parameters that say where a page ends, and not how much it holds."""
_NUMBERED = re.compile(r"^\s*[L\[]?(\d+)(?:\t|→|\||:|\])", re.MULTILINE)


def named(result: str, asked: str) -> list[str]:
    """Other files that a result names before or after what it shows: it may stand there in full."""
    found = _ABSOLUTE.findall(result[:600] + "\n" + result[-600:])
    return [place for place in dict.fromkeys(found) if not place.endswith(asked)][:MOST_NAMED]


def further(attempt: Attempt, tool: Candidate, first: Result) -> Generator[Attempt, Result, Result]:
    """Read on in a file that was shown, where nothing in words says how: by what the tool's other parameters do.

    A whole number may count lines, characters or pages: what brings mostly lines that were not there before is gone on with,
    else what brings some. A text may take a mark that a result gives under its name. A page begins before the end of the one
    before, so that nothing is left out between.
    """
    if tool.size is not None and tool.size.key not in _ENDS:
        attempt = attempt.with_more({tool.size.name: int(min(tool.size.maximum or PAGE_LINES, PAGE_LINES))})
    seen = set(_lines_of(first.text))
    found, some = Result(""), None
    for item in tool.known.items:
        if item in (tool.target, tool.size) or item.enum:
            continue
        for unit in _units(item):
            if (value := unit(item.name, 0 if unit is not _page else 1, first.text)) is None:
                continue
            result = yield attempt.with_more({item.name: value})
            lines = set(_lines_of(result.text))
            new = len(lines - seen)
            found = found + result
            if new > 1 and 2 * new >= len(lines):
                return found + (yield from _go_on(attempt, item.name, unit, value, result, seen))
            if new > 1 and some is None:
                some = (item.name, unit, value, result)
    if some is not None:
        found = found + (yield from _go_on(attempt, *some, seen))
    return found


def _units(item: Param) -> tuple[Unit, ...]:
    """What a parameter may count."""
    if item.accepts("integer"):
        return (_line, _character, _page)
    if item.types == {"array"}:
        return (_range,)
    return (_mark,) if item.text_only and not item.required else ()


def _go_on(
    attempt: Attempt, name: str, unit: Unit, value: Place, result: Result, seen: set[str]
) -> Generator[Attempt, Result, Result]:
    """Go on as long as there are new lines."""
    found = Result("")
    for _ in range(MOST_FURTHER):
        new = set(_lines_of(result.text)) - seen
        following = unit(name, value, result.text)
        if len(new) < 2 or following is None or following == value:
            break
        seen |= new
        value = following
        result = yield attempt.with_more({name: value})
        found = found + result
    return found


def _line(_name: str, at: Place, shown: str) -> Place | None:
    numbers = _NUMBERED.findall(shown)
    return int(numbers[-1]) if numbers else _number(at) + max(len(_lines_of(shown)) * 3 // 4, 1)


def _character(_name: str, at: Place, shown: str) -> Place | None:
    return _number(at) + len(shown) * 3 // 4


def _page(_name: str, at: Place, _shown: str) -> Place | None:
    return _number(at) + 1


def _range(name: str, at: Place, shown: str) -> Place | None:
    """The first and last line of a page."""
    start = _line(name, at, shown)
    return [start, start + PAGE_LINES] if isinstance(start, int) else None


def _number(at: Place) -> int:
    found = at[0] if isinstance(at, list) else at
    return found if isinstance(found, int) else 0


def _mark(name: str, _at: Place, shown: str) -> Place | None:
    """What a result gives under a name, or as the next of it, with quotes or without."""
    found = re.findall(rf"{_NAMED}{re.escape(name)}[\"'`]?\s*[=:]\s*[\"'`]?([\w./+=-]+)", shown, re.IGNORECASE)
    return found[-1] if found and found[-1] not in ("null", "None") else None


def _lines_of(text: str) -> list[str]:
    """The lines of a result that hold anything, escaped or not, without the numbers before them."""
    return [line for line in (_NUMBERED.sub("", line).strip() for line in readings(text)[-1].splitlines()) if line]


def pages(tool: Candidate, kind: str, target: str, form: str, result: Result) -> Generator[Attempt, Result, Result]:
    """Read on where a long file was cut, as far as the results say or show that it was; returns all that was read."""
    at, read = 0, result
    for _ in range(MOST_PAGES):
        start = next_start(tool, result.text) if tool.start is not None else 0
        if tool.start is None or start <= at:
            break
        at = start
        result = yield Attempt(kind, tool.tool, tool.arguments(target, **{tool.start.name: at}), form)
        read = read + result
    return read


def next_start(tool: Candidate, result: str) -> int:
    """Where the next page begins, as far as a result says or shows that there is one; else 0."""
    name = re.escape(tool.start.name) if tool.start is not None else ""
    edges = result[:600] + "\n" + result[-600:]
    hints = re.findall(rf"{_NAMED}{name}[\"'`]?\s*[=:]\s*(\d+)", edges, re.IGNORECASE)
    if hints:
        return int(hints[-1])
    numbers = _NUMBERED.findall(result)
    return int(numbers[-1]) + 1 if len(numbers) >= LONG_PAGE else 0
