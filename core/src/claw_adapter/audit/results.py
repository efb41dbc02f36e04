"""Results of tools as texts: what is in them, whole or in part; and what a turn's readings failed to give."""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.reading import parse_json
from claw_adapter.shared import shared

__all__ = [
    "BLANK",
    "LEAST",
    "MARK",
    "PARTIAL",
    "Failed",
    "asks_for_part",
    "bare_ends",
    "flat_of",
    "known_lines",
    "lines_in",
    "lines_of_text",
    "lines_otherwise",
    "split_lines",
    "texts_of",
    "turned",
    "value_of",
    "whole_in",
]

_Holds = Callable[[], bool]
BLANK: Final = " \t"
"""Signs that count for nothing at the ends of a line."""
LINE_END: Final = re.compile(r"\r\n|[\n\r]")
MARK: Final = "\ufeff"
"""The byte order mark with which some systems begin a text: it says how the text is written, and need not be shown."""
ROW: Final = re.compile(r"^[ \t]*[{\[]", re.MULTILINE)
"""Where JSON may begin that has lines of its own."""
REST: Final = re.compile(r"[ \t]*,?[ \t]*(?=[\r\n]|\Z)")
CHANGED: Final = re.compile(r"^[ \t]*(?:\d+[ \t:|]*)?([-+])(?![-+]{2})(.*)$", re.MULTILINE)
"""A line that a difference of two texts shows, with its sign."""
DECODER: Final = json.JSONDecoder()
MOST_BROKEN: Final = 200
"""So often what only begins like JSON is tried."""
QUOTED: Final = 3
"""So often JSON may stand in JSON."""
LEAST: Final = 12
"""Characters that a line must have to be known by."""
BESIDE: Final = 100
"""Lines that a result may have beside those of a text that are compared with it one by one."""
PARTIAL: Final = re.compile(
    r"offset|limit|start|end|line|range|page|from|to$|count|head|tail|byte|length|query|search|before|after|cursor",
    re.IGNORECASE,
)
"""Names of arguments by which a part is asked for."""
SOUGHT: Final = re.compile(r"query|search", re.IGNORECASE)
"""Those that say what to look for: a number there is no size."""


@dataclass(slots=True)
class Failed:
    """Readings of one turn that failed, by cause and what was read: reading it again may mend some."""

    found: dict[tuple[str, str], tuple[str, str, int]] = field(default_factory=dict)
    doubted: list[tuple[tuple[str, str], tuple[str, str, int], _Holds]] = field(default_factory=list)
    """What failed unless something is so that only the end of the trial shows."""
    refused: list[tuple[str, str, Collection[str], _Holds]] = field(default_factory=list)
    """Readings that gave nothing of what is there: of what, the call with its result, the texts, and unless what is so."""

    def note(self, must: str, cause: str, name: str, what: str, request: int, unless: _Holds | None = None) -> None:
        """Reading `name` failed, unless that is so at the end of the trial."""
        entry = must, f"{what} (request {request})", request
        if unless is None:
            self.found.setdefault((cause, name), entry)
        else:
            self.doubted.append(((cause, name), entry, unless))

    def mended(self, name: str, *, but: Container[str]) -> None:
        """It was read after all; what has one of the causes `but` stays."""
        self.found = {key: one for key, one in self.found.items() if key[1] != name or key[0] in but}
        self.doubted = [one for one in self.doubted if one[0][1] != name or one[0][0] in but]

    def nothing(self, name: str, texts: Collection[str], call: str, flat: str, request: int, unless: _Holds) -> None:
        """A call gave nothing of `name`, which has these `texts`: refused in some words, or lost without one."""
        if flat.strip():
            said = " ".join(f"{call[:80]} → {flat.strip()[:60]!r}, request {request}".split())
            self.refused.append((name, said, texts, unless))
        else:
            what = f"a reading of {name}, which is there, has an empty result, without a word"
            self.note("M17", "result-empty", name, what, request, unless)

    def report(self, book: Book) -> None:
        """Into the book with what is left, but for what is doubted."""
        for (cause, _), (must, what, request) in self.found.items():
            book.find(must, cause, what, owner="harness", request=request)

    def decided(self) -> Failed:
        """At the end of the trial: what was doubted and has failed."""
        failed = Failed()
        for (cause, name), (must, what, request), unless in self.doubted:
            if (cause, name) not in self.found and not unless():
                failed.found.setdefault((cause, name), (must, what, request))
        return failed


def asks_for_part(arguments: Mapping[str, object], count: int = 0) -> bool:
    """Whether a call asks for a part; a limit of `count` or more cuts nothing off. With a file, any number asks for one."""
    return any(
        (PARTIAL.search(name) or (type(value) is int and not count)) and not _enough(name, value, count)
        for name, value in arguments.items()
    )


def _enough(name: str, value: object, count: int) -> bool:
    if SOUGHT.search(name):
        return value in ("", None, False)
    try:
        number = int(str(value))
    except ValueError:
        return value in ("", None, False)
    return number in (0, 1) if not count else number >= count


def flat_of(result: str) -> str:
    """A result's text; of JSON, and of JSON in it, its strings and numbers too, so that nothing is quoted."""
    _, *leaves = _leaves(result)
    return f"{result}\n" + "\n".join(leaves).replace("\r\n", "\n") if leaves else result.replace("\r\n", "\n")


def texts_of(result: str) -> list[str]:
    """The texts that a result is made of: itself, or those of its JSON."""
    whole, *leaves = _leaves(result)
    return leaves or [whole]


def _leaves(value: object, depth: int = 0) -> Iterable[str]:
    """A text, and what it holds if it is JSON; of anything else in JSON, all that is in it."""
    if isinstance(value, dict | list):
        for item in value if isinstance(value, list) else value.values():
            yield from _leaves(item, depth)
        return
    yield str(value)
    if isinstance(value, str) and depth < QUOTED and (inner := value_of(value)) != value:
        yield from _leaves(inner, depth + 1)


def value_of(result: str, lines: Container[str] = ()) -> JsonValue:
    """What a result says: its JSON; of a text in which JSON stands in lines of its own, these values and the text between.

    What is among the `lines` of a text that it shows is not JSON of the result's own.
    """
    if result.lstrip()[:1] in ("{", "[", '"'):
        with contextlib.suppress(ValueError):
            value: JsonValue = parse_json(result, halves=True)
            return value
    parts, end, broken = list[JsonValue](), 0, 0
    for opening in ROW.finditer(result):
        if opening.start() < end or broken == MOST_BROKEN:
            continue
        try:
            row, stop = DECODER.raw_decode(result, opening.end() - 1)
        except (ValueError, RecursionError):
            broken += 1
            continue
        source = result[opening.start() : stop]
        if REST.match(result, stop) and not any(line.strip() in lines for line in split_lines(source)):
            parts += [result[end : opening.start()].strip("\r\n"), row]
            end = stop
    return [part for part in (*parts, result[end:].strip("\r\n")) if part] if parts else result


def lines_of_text(text: str) -> list[str]:
    """The lines that are not blank, without blanks at their ends."""
    return [line for one in split_lines(text) if (line := one.strip(BLANK))]


def known_lines(text: str) -> set[str]:
    """The lines by which a text is known."""
    return {line.strip() for line in lines_of_text(text) if len(line.strip()) >= LEAST}


def split_lines(text: str) -> list[str]:
    """A text at its line ends and nowhere else: what only Unicode calls a separator stands in a line."""
    return LINE_END.split(text)


def _one_by_one(text: str) -> Iterator[str]:
    """Its `lines_of_text`, as far as they are asked for: most texts are not where they are looked for."""
    start = 0
    for end in LINE_END.finditer(text):
        if line := text[start : end.start()].strip(BLANK):
            yield line
        start = end.end()
    if line := text[start:].strip(BLANK):
        yield line


def whole_in(text: str, flat: str) -> bool:
    """Whether every line of a text is in a result, in order; numbers may stand before them."""
    place = 0
    for line in _one_by_one(text):
        at = flat.find(line, place)
        if at < 0:
            return False
        place = at + len(line)
    return True


def turned(text: str, gone: Collection[str], new: Collection[str]) -> bool:
    """Whether lines with the signs of a change (``-``, ``+``) say that what is new has gone, and that what has gone is new."""
    said: dict[str, set[str]] = {"-": set(), "+": set()}
    for sign, line in CHANGED.findall(text):
        said[sign].add(line.strip())
    return bool(said["-"] & {*new} and said["+"] & {*gone}) and not (said["-"] & {*gone} or said["+"] & {*new})


def bare_ends(text: str, flat: str) -> str:
    """A line that stands in a result without the blanks at its ends, where the text stands in it line by line.

    The beginning of the first line and the end of the last one are the ends of a result as well, where many trim.
    """
    lines = [line for line in split_lines(text) if line.strip(BLANK)][1:-1]
    return next((line for line in lines if line != line.strip(BLANK) and line not in flat), "")


def lines_in(text: str, flat: str) -> int:
    """How many lines of a text are in a result, of those long enough to be known; those it has twice as often as they are."""
    times = Counter(line for line in lines_of_text(text) if len(line) >= LEAST)
    return sum(min(count, flat.count(line)) if count > 1 else line in flat for line, count in times.items())


def lines_otherwise(text: str, flat: str) -> Iterator[tuple[str, str]]:
    """Lines of a text that a result shows with something changed in them, each with how it shows it.

    They are known by their places: as many lines stand there between two of the text's as the text has between these. What is
    only the beginning of a line, with a sign of that or without, is no change.
    """
    wanted, shown = lines_of_text(text), lines_of_text(flat)
    if len(shown) > len(wanted) + BESIDE:
        return
    for (first, at), (last, until) in pairwise(_in_order(wanted, shown)):
        frame = max(shown[at].find(wanted[first]), 0) if at >= 0 else 0
        if last - first == until - at > 1:
            pairs = zip(wanted[first + 1 : last], shown[at + 1 : until], strict=True)
            yield from ((line, other) for line, other in pairs if line not in other and _is_like(line, other[frame:]))


def _in_order(wanted: Sequence[str], shown: Sequence[str]) -> list[tuple[int, int]]:
    """Which lines are in which lines of a result, both in order; with what is before the first and behind the last ones."""
    found = [(-1, -1)]
    for number, line in enumerate(wanted):
        at = found[-1][1] + 1
        place = next((n for n in range(at, len(shown)) if line in shown[n]), None) if len(line) >= LEAST else None
        found += [(number, place)] if place is not None else []
    return [*found, (len(wanted), len(shown))]


def _is_like(line: str, other: str) -> bool:
    """Whether a line is another one, with something changed before its end."""
    first, last = shared(line, other)
    return last > 0 and 2 * (first + last) >= len(line)
