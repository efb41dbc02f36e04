"""``Label: value`` in the lines of a document of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .values import clean, fold
from .visible import BULLET

__all__ = [
    "Entry",
    "begins_sentence",
    "cells_of",
    "find_label",
    "follows_label",
    "is_known",
    "label_key",
    "split_pair",
    "value_of",
]

COLON = re.compile("[:：]")  # noqa: RUF001
SIGN = re.compile(r"\s*(?:[=≈→＝]+|-+>|=+>|\s[~-]+\s)\s*")  # noqa: RUF001
MARKS = ("***", "___", "**", "__", "*", "_", "``", "`")
BREAK_LINE = re.compile(r" {0,3}(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+|=+[ \t]*+)\Z")
"""A rule across the page, or what underlines a heading."""
BREAK = re.compile(r"(?:\\|<br ?/?>)\s*\Z")


class Entry(NamedTuple):
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
    columns: tuple[str, ...] = ()
    """The heads of the columns of its label and of itself, where every row has a label."""


def label_key(text: str) -> str:
    """A label for comparing: a blank beside a Chinese sign says nothing."""
    return re.sub("(?<=[\u3400-\u9fff]) | (?=[\u3400-\u9fff])", "", fold(clean(text)))


def split_pair(line: str) -> tuple[str, str] | None:
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


def follows_label(line: str, label: str) -> str | None:
    """What stands in a line behind a label and a sign that is no colon, as in ``Label = value``; None without."""
    bullet = BULLET.match(line)
    text = clean(line[bullet.end() :] if bullet else line)
    found = SIGN.search(text)
    return text[found.end() :] if found and label_key(text[: found.start()]) == label else None


def find_label(text: str, labels: dict[str, str]) -> tuple[str, str] | None:
    """The label that was asked for, and the unit in brackets behind it."""
    found = label_key(text)
    if found in labels:
        return labels[found], ""
    unit = re.search(r"\s*[(（\[]([^()（）\[\]]+)[)）\]]\s*\Z", clean(text))  # noqa: RUF001
    base = labels.get(label_key(clean(text)[: unit.start()])) if unit else None
    return (base, unit[1]) if base and unit else None


def value_of(value: str, line: str, rest: Sequence[str | None], labels: dict[str, str]) -> tuple[str, str]:
    """A value with what goes on in its paragraph or item of a list, up to a label; and what goes on behind another colon.

    Whether that is a line of its own (``Note: …``) or takes the value back (``No: 60 min``), its form does not show.
    """
    if not value:
        return _below_label(rest, labels), ""
    listed, below = _is_item(line), ""
    for other in rest:
        if other is None or not other.strip() or BREAK_LINE.match(other):
            break
        if cells_of(other) is not None or is_known(other, labels):
            break
        item = _is_item(other)
        if item and not (listed and _indent(other) > _indent(line)):
            break
        if below or _is_labelled(other):
            below = f"{below} {other.strip()}"
        else:
            value = f"{value}{chr(10) if item else ' '}{other.strip()}"
    return value, below


def begins_sentence(text: str) -> bool:
    """Whether what goes on in the lines below a value begins as a sentence does: with a capital, or a sign of Chinese."""
    start = clean(text).lstrip("\"'“‘«(（「")[:1]  # noqa: RUF001
    return bool(start) and (start.isupper() or "\u3400" <= start <= "\u9fff")


def is_known(line: str, labels: dict[str, str]) -> bool:
    """Whether a line begins with one of these labels."""
    pair = split_pair(line)
    return pair is not None and find_label(pair[0], labels) is not None


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
        if line is None or (lines and not line.strip()) or BREAK_LINE.match(line) or is_known(line, labels):
            break
        if line.strip():
            lines.append(line.strip())
    return "\n".join(lines)


def cells_of(line: str) -> list[str] | None:
    """The cells of a row of a table."""
    line = line.strip()
    if not line.startswith("|") or line.count("|") < 2:
        return None
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.removesuffix("|")[1:])]
