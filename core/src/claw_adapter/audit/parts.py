"""Files that are read in parts: each part whole, and nothing lost between one and the next."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final

from claw_adapter.audit.book import Book
from claw_adapter.audit.pages import letters, unframed
from claw_adapter.audit.remarks import Claim, Remark, WholeReadings, ends_or_says, follows
from claw_adapter.audit.rendering import Renderer
from claw_adapter.audit.results import LEAST, LINE_END, Failed, asks_for_part, lines_of_text, split_lines
from claw_adapter.protocol.limits import Clip

__all__ = ["FileParts", "begins_within", "from_end", "in_lines"]

SLACK: Final = 0.8
FEW: Final = 3
"""Lines that a page may have less than it was asked for, and be no shorter page of its own."""
SHORT: Final = 3
"""Characters per asked line under which it was no number of lines."""
START: Final = re.compile(r"offset|start|from|first|begin", re.IGNORECASE)
END: Final = re.compile(r"end|until|last|^to", re.IGNORECASE)
SIZE: Final = re.compile(r"limit|length|lines|count|max|size", re.IGNORECASE)
"""Names of arguments that say where a part begins and ends, and how much it has."""
WHOLE: Final = re.compile(r"-?\d+")
NUMBER: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _FilePart:
    """One reading: from which line on it was asked for, how many (0: not said), which it shows (of those that stand once)."""

    start: int
    size: int
    shown: tuple[int, ...]
    flat: str
    request: int
    told: frozenset[int]
    """Numbers that stand beside the lines."""
    exact: bool
    arguments: Mapping[str, object]
    claim: Claim
    """Whether it says that there is more."""
    follows: int
    """By how many other arguments it asks for the page behind the one before, of those that begin with nothing but the file."""


@dataclass(slots=True)
class FileParts:
    """The readings of one turn that ask for parts, with those before them that showed one by themselves."""

    renderer: Renderer
    book: Book
    failed: Failed
    whole: WholeReadings = field(default_factory=WholeReadings)
    last: dict[tuple[str, str], tuple[Mapping[str, object], Claim]] = field(default_factory=dict)
    """The last page that a tool has shown of a file, in whichever turn."""
    _found: dict[tuple[str, str, str], list[_FilePart]] = field(default_factory=dict)
    _pages: set[tuple[str, str, frozenset[tuple[str, str]]]] = field(default_factory=set)
    """Calls that asked for a page behind another one, without the path: made again, they ask for the same page."""

    def take(
        self,
        versions: Sequence[str],
        path: str,
        tool: str,
        arguments: Mapping[str, object],
        flat: str,
        request: int,
        *,
        exact: bool,
        result: str = "",
    ) -> bool:
        """One reading of a file that was the same all the turn; `exact` if what was asked for means lines, from 1.

        `result` is the text of which `flat` was made, where that is another. True if it asks for the page behind the one
        that this tool has shown before, once or once more.
        """
        if len(versions) != 1 or (asked := _asked(arguments)) is None:
            return False
        text = versions[0]
        lines = [line.strip() for line in split_lines(text.removesuffix("\n"))]
        there = {line.strip() for shape in (flat, unframed(flat)) for line in split_lines(shape)}
        run = letters(unframed(flat))
        shown = tuple(
            at for at, line in enumerate(lines) if len(line) >= LEAST and (line in there or "" != letters(line) in run)
        )
        remark = flat
        for at in shown:
            remark = remark.replace(lines[at], "", 1)
        told = frozenset(map(int, NUMBER.findall(remark[-400:] + remark[:400])))
        known = _known(lines)
        sole = tuple(at for at in shown if at in known)
        places = range(sole[0], _until(sole[-1], lines, known, there)) if sole else range(0)
        around = ["", *lines, ""][places.start], [*lines, ""][places.stop]
        beside = Remark.of(result or flat, lines, path, around)
        claim = Claim.at(tool, beside, text, split_lines(text.removesuffix("\n")), places)
        if lines_of_text(text)[-1:] == [lines[at] for at in sole[-1:]] and asks_for_part(arguments):
            self.whole.take(tool, beside)
        last = self.last.get((path, tool))
        follow = follows(last[0], arguments, last[1]) if last else 0
        part = _FilePart(*asked, sole, flat, request, told, exact, arguments, claim, follow)
        self._found.setdefault((path, tool, text), []).append(part)
        self.last.pop((path, tool), None)
        if follow or not asks_for_part(arguments):
            self.last[path, tool] = arguments, claim
        page = path, tool, frozenset((name, str(one)) for name, one in arguments.items() if not str(one).endswith(path))
        if follow:
            self._pages.add(page)
        return page in self._pages

    def judge(self) -> None:
        """Every part, and every two that follow each other."""
        for (path, _, text), parts in self._found.items():
            known = _known([line.strip() for line in split_lines(text)])
            for part in parts:
                self._inside(part, path, known, len(lines_of_text(text)))
            for before, after in pairwise(parts):
                self._between(before, after, path, text, known)
            self._paged(parts, path, known, len(lines_of_text(text)))

    def _inside(self, part: _FilePart, path: str, known: set[int], count: int, *, paged: bool = False) -> None:
        """What is asked for is shown without a gap, and all of it; or there is more, and it says so."""
        unless: Callable[[], bool] | None = None
        if part.exact and part.size:
            must = known & set(range(part.start - 1, part.start - 1 + part.size))
        elif part.shown and _beyond(part, count):
            must, unless = known & set(range(part.start - 1, count)), partial(part.claim.holds, self.whole)
        elif part.shown and (part.size or paged):
            must = known & set(range(part.shown[0], part.shown[-1] + 1))
        else:
            return
        lost = sorted(must - set(part.shown))
        if lost and not self._clipped(part):
            what = f"reading lines of {path} from {part.start} on does not show line {lost[0] + 1} of {count}"
            self.failed.note("M20", "part-lines-missing", path, what, part.request, unless)

    def _paged(self, parts: Sequence[_FilePart], path: str, known: set[int], count: int) -> None:
        """Pages that follow another one: no gap, and a true end."""
        for before, after in pairwise(parts):
            last = (after.shown or before.shown)[-1:]
            refused = not after.shown and not after.claim.remark.like(before.claim.remark)
            larger = after.shown[:1] == before.shown[:1]
            if not after.follows or not before.shown or not last or refused or larger:
                continue  # what comes behind a refusal is the first page
            self._inside(after, path, known, count, paged=True)
            rest = sorted(at for at in known if at > last[0])
            if len(rest) > 1 and after.follows == 1 and not self._clipped(after):
                what = f"{path} is read by pages, of which the last one ends before line {rest[0] + 1} of {count}"
                unless = partial(ends_or_says, before.claim, after.claim, self.whole)
                self.failed.note("M20", "file-cut", path, what, after.request, unless)

    def _between(self, before: _FilePart, after: _FilePart, path: str, text: str, known: set[int]) -> None:
        """A part that is asked for where the one before ended begins there."""
        if not before.shown or (after.follows and not after.shown) or not self._continues(before, after, text):
            return
        last = before.shown[-1]
        rest = {at for at in known if at > last}
        lost = sorted(at for at in rest if not after.shown or at < after.shown[0])
        if not lost or _joined(text, before, after) or self._clipped(before) or self._clipped(after):
            return
        what = f"{path} is read from {before.start} and from {after.start} on: line {lost[0] + 1} is in neither"
        self.failed.note("M20", "lines-between-parts", path, what, after.request)

    def _clipped(self, part: _FilePart) -> bool:
        """Whether a declared loss has taken some of it."""
        for loss in self.renderer.losses:
            if (
                isinstance(loss, Clip)
                and loss.of != "seeded"
                and (
                    len(part.flat) >= min(loss.left or loss.characters, loss.characters) * SLACK
                    or (loss.lines is not None and len(part.shown) >= loss.lines * SLACK)
                )
            ):
                self.book.bite(loss)
                return True
        return False

    @staticmethod
    def _continues(before: _FilePart, after: _FilePart, text: str) -> bool:
        """Whether a part is asked for where the one before ended, whatever is counted: lines, characters, bytes, pages."""
        if after.follows:
            return True
        if after.start <= before.start:
            return False
        end = _end(text, before)
        if {after.start, after.start - 1} & {end, len(text[:end].encode())}:
            return True
        if after.start in before.told:  # a page that says the next line may say how many there are as well
            return before.shown[-1] + 2 not in before.told or after.start == before.shown[-1] + 2
        return _full(before) and before.start + before.size >= after.start and not _begins_elsewhere(before, after)


def _beyond(part: _FilePart, count: int) -> bool:
    """Whether so many lines are asked for that the file ends before: lines, since far more characters are shown."""
    return 0 < count < part.start + part.size and len(part.flat) > 2 * part.size


def _known(lines: Sequence[str]) -> set[int]:
    """The lines that are long enough, and stand once, so that it is known where they are shown."""
    times = Counter(lines)
    return {at for at, line in enumerate(lines) if len(line) >= LEAST and times[line] == 1}


def _until(last: int, lines: Sequence[str], known: Collection[int], there: Collection[str]) -> int:
    """Behind the last line that is known to be shown, and those that may stand there behind it: blank, short, repeated."""
    behind = (at for at in range(last + 1, len(lines)) if lines[at])
    return next((at for at in behind if at in known or lines[at] not in there), len(lines))


def _full(part: _FilePart) -> bool:
    """Whether a part has as many lines as it was asked for, or about; so many bytes are something else."""
    return (
        bool(part.size) and part.shown[-1] - part.shown[0] + 1 + FEW >= part.size and len(part.flat) > SHORT * part.size
    )


def _places(text: str) -> list[int]:
    """Where each line begins, and where the last one ends."""
    return [0, *(found.end() for found in LINE_END.finditer(text)), len(text)]


def _end(text: str, part: _FilePart) -> int:
    """Where a part ends, in characters: behind its last line, or in the next one that is not blank."""
    places, last = _places(text), part.shown[-1]
    behind = (at for at in range(last + 1, len(places) - 1) if text[places[at] : places[at + 1]].strip())
    first, most = places[last], places[next(behind, last) + 1]
    # the longest beginning that is there: if one is, shorter ones are
    return first + bisect_left(
        range(most - first), True, key=lambda size: text[first : first + size + 1] not in part.flat
    )


def _joined(text: str, before: _FilePart, after: _FilePart) -> bool:
    """Whether one part goes on within the line in which the other ends, though it may have no whole line."""
    end, places = _end(text, before), _places(text)
    begun = text[end:].lstrip()[:LEAST].partition("\n")[0]
    rest = text[end : places[after.shown[0] + 1]] if after.shown else begun
    return bool(rest) and rest.strip() in after.flat


def _begins_elsewhere(before: _FilePart, after: _FilePart) -> bool:
    """Whether a part begins before the line of the number that was asked for: then that counts something else."""
    if not after.shown:
        return False
    steps, lines = after.start - before.start, before.shown[-1] - before.shown[0] + 1
    pages = steps > 1 < lines and after.shown[0] - before.shown[0] == steps * lines and after.shown[0] > after.start
    return pages or after.shown[0] < after.start - 1


def in_lines(arguments: Mapping[str, object]) -> bool:
    """Whether a call asks for all of a file, or for lines of it, and not for a part in another way."""
    return not asks_for_part(arguments) or _asked(arguments) not in (None, (0, 0))


def from_end(arguments: Mapping[str, object]) -> bool:
    """Whether a call asks for a part that is counted from the end."""
    return _first(_numbers(arguments), START) < 0


def begins_within(arguments: Mapping[str, object], text: str) -> bool:
    """Whether a call asks for lines from one on that a text has."""
    asked = _asked(arguments)
    return asked is not None and 0 < asked[0] <= len(split_lines(text.removesuffix("\n")))


def _asked(arguments: Mapping[str, object]) -> tuple[int, int] | None:
    """From where on, and how much; a part that is asked for in another way is none."""
    numbers = _numbers(arguments)
    end = _first(numbers, END)
    start = _first(numbers, START)
    size = 0 if end else _first(numbers, SIZE)
    if start < 0 or size < 0 or end < 0:
        return None
    return start, size or (end - start + 1 if end and start else end)


def _numbers(arguments: Mapping[str, object]) -> dict[str, int]:
    return {
        name: int(str(value)) for name, value in arguments.items() if WHOLE.fullmatch(str(value)) and value is not True
    }


def _first(numbers: Mapping[str, int], names: re.Pattern[str]) -> int:
    return next((number for name, number in numbers.items() if names.search(name)), 0)
