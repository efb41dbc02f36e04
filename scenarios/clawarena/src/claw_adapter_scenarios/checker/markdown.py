"""A document of Markdown as sections with labels: ``Label: value`` lines and tables.

What stands in comments, code blocks or quotations says nothing. A line belongs to the innermost section that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from .grids import columns_of, entries_of, framed, tables_of
from .pairs import (
    Entry,
    begins_sentence,
    cells_of,
    find_label,
    follows_label,
    is_known,
    label_key,
    split_pair,
    value_of,
)
from .values import clean
from .visible import visible_lines

__all__ = ["Section", "read_sections"]

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
NUMBERED = re.compile(r"(?:\d+(?:\.\d+)*[.)、]? +|\d+[.)、] *|[（(]?[一二三四五六七八九十]+[)）、.] *)(?=\S)")  # noqa: RUF001


class Section:
    """One section that was asked for.

    Attributes:
        title: its heading.
        headings: how many headings of that name there are, those within one another counted once.
        text: whether anything but headings stands in it.
        parted: whether it has several parts, with labels in some of them only.
        entries: by label as it was asked for.
        elsewhere: those of its labels outside the sections that were to have them, and what stands below one at the head of a
            column.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.headings = 0
        self.text = False
        self.parted = False
        self.entries: dict[str, list[Entry]] = {}
        self.elsewhere: dict[str, list[Entry]] = {}


class _Heading(NamedTuple):
    at: int
    upto: int
    """The first line below it."""
    level: int
    name: str
    pair: tuple[str, str]
    """A label, as it is compared, and its value, where it has a colon between them."""


def read_sections(text: str, asked: Sequence[tuple[str, Iterable[str]]]) -> dict[str, Section]:
    """The sections by title, each with its labels.

    Args:
        text: the document.
        asked: title and labels of every section that was asked for.
    """
    names = {_name(title): title for title, _ in asked}
    lines = visible_lines(
        text, lambda line: (found := ATX.match(line)) is not None and _called(found[2] or "", names) in names
    )
    found = {title: Section(title) for title, _ in asked}
    labels = {title: {label_key(label): label for label in wanted} for title, wanted in asked}
    every = {key: label for wanted in labels.values() for key, label in wanted.items()}
    headings = list(_headings(lines, names, every))
    owner, taken = _owners(lines, headings, names, found)
    for title, section in found.items():
        own = [line if owner[at] == title and at not in taken else None for at, line in enumerate(lines)]
        section.text = any(line is not None and re.search(r"\w", line) for line in own)
        section.parted = _is_parted(own, [one for one in headings if owner[one.at] == title], labels[title], every)
        for label, entry in _entries(own, labels[title], every):
            section.entries.setdefault(label, []).append(entry)
        for folded, label in labels[title].items():
            havers = {other for other, wanted in labels.items() if folded in wanted}
            rest = [None if owner[at] in havers or at in taken else line for at, line in enumerate(lines)]
            outside = [entry for _, entry in _entries(rest, {folded: label}, every)]
            outside += [Entry(value) for line in lines if (value := follows_label(line, folded)) is not None]
            outside += [Entry(value) for one in headings for key, value in [one.pair] if key == folded]
            others = havers - {title}
            shown = [None if owner[at] in others or at in taken else line for at, line in enumerate(lines)]
            section.elsewhere[label] = outside + list(columns_of(tables_of(shown), {folded: label}, every))
    return found


def _is_parted(
    lines: Sequence[str | None], headings: Sequence[_Heading], labels: dict[str, str], every: dict[str, str]
) -> bool:
    """Whether a section has labels below one of its own sub-headings and none below another of that level.

    Which of these parts holds (the old figures, the new ones), their form does not show.
    """
    level = min((one.level for one in headings[1:]), default=0)
    starts = [one.at for one in headings[1:] if one.level == level]
    ends = [*starts, len(lines)][1:]
    filled = [any(_entries(lines[start:end], labels, every)) for start, end in zip(starts, ends, strict=True)]
    return len(filled) > 1 and any(filled) and not all(filled)


def _name(text: str) -> str:
    """The name in a heading: without emphasis, case, a number before it and a colon behind it."""
    return label_key(re.sub(r"\s*:\Z", "", clean(text)))


def _headings(lines: Sequence[str], names: Iterable[str], labels: dict[str, str]) -> Iterator[_Heading]:
    known, below = set(names), -1
    for at, line in enumerate(lines):
        if at < below:
            continue
        if found := ATX.match(line):
            yield _Heading(at, at + 1, len(found[1]), _called(found[2] or "", known), _pair(found[2] or ""))
        elif (under := _underline(lines, at)) and not is_known(line, labels):
            below = at + 2
            yield _Heading(at, at + 2, 1 if under == "=" else 2, _called(line, known), _pair(line))


def _pair(text: str) -> tuple[str, str]:
    """The label in a heading, as it is compared, and its value; both empty without."""
    pair = split_pair(text)
    return (label_key(pair[0]), pair[1]) if pair else ("", "")


def _underline(lines: Sequence[str], at: int) -> str:
    """The sign that underlines a line alone in its paragraph; empty where it is no heading."""
    marks = UNDERLINE.match(lines[at + 1]) if at + 1 < len(lines) else None
    alone = at == 0 or not lines[at - 1].strip() or ATX.match(lines[at - 1])
    fits = marks and alone and re.match(r" {0,3}[^\s>|#=+-]", lines[at]) and not UNDERLINE.match(lines[at])
    return marks[1][0] if marks and fits else ""


def _called(text: str, known: Collection[str]) -> str:
    name = _name(text)
    if name in known:
        return name
    bare = _name(NUMBERED.sub("", clean(text), count=1))
    return bare if bare in known else name


def _owners(
    lines: Sequence[str], headings: Sequence[_Heading], names: dict[str, str], found: dict[str, Section]
) -> tuple[list[str], set[int]]:
    """The title of the section that each line belongs to, and the lines that are headings."""
    owner, taken = [""] * len(lines), set[int]()
    open_: list[_Heading] = []
    starts = {heading.at: heading for heading in headings}
    for at in range(len(lines)):
        if heading := starts.get(at):
            open_ = [one for one in open_ if one.level < heading.level]
            taken.update(range(heading.at, heading.upto))
            if heading.name in names:
                found[names[heading.name]].headings += heading.name not in [one.name for one in open_]
            open_.append(heading)
        owner[at] = next((names[one.name] for one in reversed(open_) if one.name in names), "")
    return owner, taken


def _entries(lines: Sequence[str | None], labels: dict[str, str], every: dict[str, str]) -> Iterator[tuple[str, Entry]]:
    """Every one of `labels` with what stands behind it, up to the next of `every`, those of the whole document."""
    for table in tables_of(lines):
        yield from entries_of(table, labels)
    lines = framed(lines)
    for at, line in enumerate(lines):
        if line and cells_of(line) is None and (pair := split_pair(line)) and (named := find_label(pair[0], labels)):
            value, below = value_of(pair[1], line, lines[at + 1 :], every)
            first = pair[1] if begins_sentence(value.removeprefix(pair[1])) else ""
            yield named[0], Entry(value, named[1], bool(named[1]), below=below, first=first)
