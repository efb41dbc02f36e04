"""A document of Markdown as sections with labels: ``Label: value`` lines and tables.

What stands in comments, code blocks or quotations says nothing. A line belongs to the innermost section that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from .values import clean, fold
from .visible import BULLET, visible_lines

__all__ = ["Entry", "Section", "read_sections"]

ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
NUMBERED = re.compile(r"(?:\d+(?:\.\d+)*[.)、]? +|\d+[.)、] *|[（(]?[一二三四五六七八九十]+[)）、.] *)(?=\S)")  # noqa: RUF001
COLON = re.compile("[:：]")  # noqa: RUF001
MARKS = ("***", "___", "**", "__", "*", "_", "``", "`")
DELIMITER = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*")
RULE = re.compile(r":?-+:?|")
BREAK_LINE = re.compile(r" {0,3}(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+|=+[ \t]*+)\Z")
"""A rule across the page, or what underlines a heading."""
BREAK = re.compile(r"(?:\\|<br ?/?>)\s*\Z")


@dataclass(frozen=True)
class Entry:
    """The value that stands behind a label, and the unit that the head of its column or label names."""

    value: str
    unit: str = ""
    from_label: bool = False
    beside: tuple[str, ...] = ()
    """Further cells of its row."""
    below: str = ""
    """What goes on in its paragraph or item behind a colon of its own, and is none of the labels that were asked for."""
    first: str = ""
    """Its first line, where the lines below it may be a sentence of their own."""
    heads: tuple[str, ...] = ()
    """What stands at the head of its column, or of its row."""


@dataclass
class Section:
    """One section that was asked for."""

    title: str
    headings: int = 0
    """How many headings of that name there are, those within one another counted once."""
    text: bool = False
    """Whether anything but headings stands in it."""
    entries: dict[str, list[Entry]] = field(default_factory=dict)
    """By label as it was asked for."""
    elsewhere: dict[str, list[Entry]] = field(default_factory=dict)
    """Those of its labels outside the sections that were to have them, and what stands below one at the head of a column."""


@dataclass(frozen=True)
class _Heading:
    at: int
    upto: int
    """The first line below it."""
    level: int
    name: str


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
    labels = {title: {_key(label): label for label in wanted} for title, wanted in asked}
    every = {key: label for wanted in labels.values() for key, label in wanted.items()}
    headings = list(_headings(lines, names, every))
    owner, taken = _owners(lines, headings, names, found)
    tables = list(_tables([None if at in taken else line for at, line in enumerate(lines)]))
    for title, section in found.items():
        own = [line if owner[at] == title and at not in taken else None for at, line in enumerate(lines)]
        section.text = any(line is not None and re.search(r"\w", line) for line in own)
        for label, entry in _entries(own, labels[title], every):
            section.entries.setdefault(label, []).append(entry)
        for folded, label in labels[title].items():
            havers = {other for other, wanted in labels.items() if folded in wanted}
            rest = [None if owner[at] in havers or at in taken else line for at, line in enumerate(lines)]
            outside = [entry for _, entry in _entries(rest, {folded: label}, every)]
            section.elsewhere[label] = outside + list(_columns(tables, {folded: label}, every))
    return found


def _name(text: str) -> str:
    """The name in a heading: without emphasis, case, a number before it and a colon behind it."""
    return _key(re.sub(r"\s*:\Z", "", clean(text)))


def _key(text: str) -> str:
    """A label for comparing: a blank beside a Chinese sign says nothing."""
    return re.sub("(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])", "", fold(clean(text)))


def _headings(lines: Sequence[str], names: Iterable[str], labels: dict[str, str]) -> Iterator[_Heading]:
    known, below = set(names), -1
    for at, line in enumerate(lines):
        if at < below:
            continue
        if found := ATX.match(line):
            yield _Heading(at, at + 1, len(found[1]), _called(found[2] or "", known))
        elif (under := _underline(lines, at)) and not _known(line, labels):
            below = at + 2
            yield _Heading(at, at + 2, 1 if under == "=" else 2, _called(line, known))


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
    for table in _tables(lines):
        yield from _of_table(table, labels)
    lines = _framed(lines)
    for at, line in enumerate(lines):
        if line and _cells(line) is None and (pair := _split(line)) and (named := _label(pair[0], labels)):
            value, below = _value(pair[1], line, lines[at + 1 :], every)
            first = pair[1] if _begins(value.removeprefix(pair[1])) else ""
            yield named[0], Entry(value, named[1], bool(named[1]), below=below, first=first)


def _tables(lines: Sequence[str | None]) -> Iterator[list[list[str]]]:
    """The cells of every table, by rows."""
    table: list[list[str]] = []
    for line in [*_framed(lines), None]:
        cells = _cells(line) if line else None
        if cells is not None:
            table.append(cells)
        elif table:
            yield table
            table = []


def _columns(tables: Iterable[list[list[str]]], labels: dict[str, str], every: dict[str, str]) -> Iterator[Entry]:
    """What stands below one of `labels` at the head of a column, beside whatever others; not in rows of a label."""
    for rows in tables:
        head = [_label(_bare(cell), labels) for cell in rows[0]]
        for cells in rows[1:] if any(head) else ():
            if not all(RULE.fullmatch(cell) for cell in cells) and not _label(_bare(cells[0]), every):
                yield from (entry for _, entry in _below(head, cells))


def _of_table(rows: list[list[str]], labels: dict[str, str]) -> Iterator[tuple[str, Entry]]:
    """A label to a row, its value beside it and remarks behind that; or the labels as head, the values below them."""
    head = [_label(_bare(cell), labels) for cell in rows[0]] if rows else []
    if (labelled := sum(named is not None for named in head)) > 1 or labelled == len(head) == 1:
        for cells in rows[1:]:
            if not all(RULE.fullmatch(cell) for cell in cells):
                yield from _below(head, cells)
        return
    unit = _unit(rows[0][1]) if rows and len(rows[0]) > 1 else ""
    heads = tuple(rows[0][1:2]) if rows and not head[0] else ()
    for cells in rows:
        if len(cells) > 1 and (named := _label(_bare(cells[0]), labels)):
            beside = tuple(filter(None, cells[2:]))
            yield named[0], Entry(cells[1], named[1] or unit, bool(named[1]), beside, heads=heads)


def _below(head: Sequence[tuple[str, str] | None], cells: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    heads = tuple(cell for named, cell in zip(head, cells, strict=False) if named is None)
    for at, named in enumerate(head):
        if named is not None:
            yield named[0], Entry(cells[at] if at < len(cells) else "", named[1], bool(named[1]), heads=heads)


def _bare(cell: str) -> str:
    """A cell without emphasis and a colon behind it."""
    return re.sub(r"\s*[:：]\Z", "", clean(cell))  # noqa: RUF001


def _framed(lines: Sequence[str | None]) -> list[str | None]:
    """The lines, with the outer bars of those tables that were written without."""
    framed = list(lines)
    for at in range(1, len(lines)):
        head, line = lines[at - 1], lines[at]
        if head and line and "|" in head and DELIMITER.fullmatch(line):
            for row in range(at - 1, len(lines)):
                if not (text := lines[row]) or "|" not in text:
                    break
                framed[row] = text if text.lstrip().startswith("|") else f"|{text.rstrip().removesuffix('|')}|"
    return framed


def _cells(line: str) -> list[str] | None:
    """The cells of a row of a table."""
    line = line.strip()
    if not line.startswith("|") or line.count("|") < 2:
        return None
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.removesuffix("|")[1:])]


def _unit(header: str) -> str:
    inner = re.search(r"[(（\[]([^()（）\[\]]+)[)）\]]\s*\Z", header)  # noqa: RUF001
    return clean(inner[1] if inner else header)


def _split(line: str) -> tuple[str, str] | None:
    """Label and value of a line, its bullet and emphasis taken away."""
    bullet = BULLET.match(line)
    body = BREAK.sub("", line[bullet.end() :] if bullet else line)
    colon = COLON.search(body)
    if colon is None:
        return None
    head, tail = body[: colon.start()].strip(), body[colon.end() :].strip()
    for mark in MARKS:
        if head.startswith(mark) and not head.endswith(mark):
            if tail.startswith(mark):
                return head[len(mark) :], tail[len(mark) :].strip()
            if tail.endswith(mark):
                return head[len(mark) :], tail[: -len(mark)].strip()
    return head, tail


def _label(text: str, labels: dict[str, str]) -> tuple[str, str] | None:
    """The label that was asked for, and the unit in brackets behind it."""
    found = _key(text)
    if found in labels:
        return labels[found], ""
    unit = re.search(r"\s*[(（\[]([^()（）\[\]]+)[)）\]]\s*\Z", clean(text))  # noqa: RUF001
    base = labels.get(_key(clean(text)[: unit.start()])) if unit else None
    return (base, unit[1]) if base and unit else None


def _value(value: str, line: str, rest: Sequence[str | None], labels: dict[str, str]) -> tuple[str, str]:
    """A value with what goes on in its paragraph or item of a list, up to a label; and what goes on behind another colon.

    Whether that is a line of its own (``Note: …``) or takes the value back (``No: 60 min``), its form does not show.
    """
    if not value:
        return _below_label(rest, labels), ""
    listed, below = _is_item(line), ""
    for other in rest:
        if other is None or not other.strip() or BREAK_LINE.match(other):
            break
        if _cells(other) is not None or _known(other, labels):
            break
        item = _is_item(other)
        if item and not (listed and _indent(other) > _indent(line)):
            break
        if below or _is_labelled(other):
            below = f"{below} {other.strip()}"
        else:
            value = f"{value}{chr(10) if item else ' '}{other.strip()}"
    return value, below


def _begins(text: str) -> bool:
    """Whether what goes on in the lines below a value begins as a sentence does: with a capital, or a sign of Chinese."""
    start = clean(text).lstrip("\"'“‘«(（「")[:1]  # noqa: RUF001
    return bool(start) and (start.isupper() or "\u3400" <= start <= "\u9fff")


def _known(line: str, labels: dict[str, str]) -> bool:
    pair = _split(line)
    return pair is not None and _label(pair[0], labels) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_item(line: str) -> bool:
    marked = BULLET.match(line)
    return bool(marked and marked[0].strip())


def _is_labelled(line: str) -> bool:
    """Whether it has a colon that is none of a time."""
    colon = COLON.search(line)
    return bool(colon and not re.search(r"\d[:：]\d", line[colon.start() - 1 : colon.end() + 1]))  # noqa: RUF001


def _below_label(rest: Sequence[str | None], labels: dict[str, str]) -> str:
    lines: list[str] = []
    for line in rest:
        if line is None or (lines and not line.strip()) or BREAK_LINE.match(line) or _known(line, labels):
            break
        if line.strip():
            lines.append(line.strip())
    return "\n".join(lines)
