"""Readings that give the lines of a file in another shape, and lose nothing: its words laid out anew."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Final

from claw_adapter.audit.results import LEAST, lines_of_text, split_lines, texts_of

__all__ = ["NUMBERED", "broken_line", "letters", "signs_lost", "unfolded", "unframed", "words_in"]

WORD: Final = re.compile(r"\w+")
SIGN: Final = re.compile(r"[^\w\s|]|[\u00a0\u2007\u202f\u2009\u3000]")
"""What is neither part of a word nor a break nor a bar; blanks that are not broken at are signs."""
LINE_NUMBER: Final = r"\[?L?(\d+)\s*[|│:→\])\t]"
FRAME: Final = re.compile(rf"^\s*(?:{LINE_NUMBER}|[|│])\s?|\s*[|│]\s*$")
"""What stands around a line: its number, a bar."""
NUMBERED: Final = re.compile(rf"^\s*{LINE_NUMBER}\s?")
MARGIN: Final = re.compile(r"^\s*[|│]\s?|^ *\t")
"""What stands before a line that goes on, beside such as have a number."""
ENDS: Final = re.compile(r"^\W+|\W+$")
"""The signs with which a line begins and ends."""


def words_in(text: str, flat: str) -> bool:
    """Whether a result has all words of a text, in order: lines may be wrapped, framed, numbered or aligned.

    A word may be broken by a line's end where nothing else than a frame stands between its parts.
    """
    return _words_in(text, flat) or any(letters(text) in letters(shown) for shown in (flat, unframed(flat)))


def signs_lost(text: str, flat: str) -> list[str]:
    """The signs, of those that no frame is made of, of which a result has fewer than a text, and what it has escaped."""
    signs = Counter(SIGN.findall(text))
    found = [sign for sign, times in signs.items() if flat.count(sign) < times]
    for line in lines_of_text(text):
        if line not in flat and (escaped := html.escape(line)) != line and escaped in flat:
            found.append(next(sign for sign in "&<>\"'" if sign in line))
            break
    return found


def broken_line(text: str, result: str) -> str:
    """A line of a text that a result breaks as if it were two, with nothing that tells this break from those of the text."""
    for shown in texts_of(result):
        joined = _joined(_numbered(shown))
        for line in lines_of_text(text):
            whole = ENDS.sub("", line) or line  # beside a cut, signs may seem to be those of the line
            broken = len(line) >= LEAST and whole not in shown and any(line in one for one in joined)
            if broken and not any(line in one for one in _joined(text.replace(line, ""))):
                return line
    return ""


def _joined(text: str) -> tuple[str, str]:
    """A text in one line, with a blank for each end of a line, and without."""
    return text.replace("\n", " "), text.replace("\n", "")


def _numbered(shown: str) -> str:
    """A result without the numbers of its lines; what has none beside such that have, or the same again, begins no line."""
    lines = split_lines(shown)
    numbers = [found[1] if (found := NUMBERED.match(line)) else "" for line in lines]
    counted = list(dict.fromkeys(int(number) for number in numbers if number))
    if len(counted) < 2 or counted != list(range(counted[0], counted[0] + len(counted))):
        return "\n".join(lines)
    before = ["", *numbers]
    begun = zip(lines, numbers, before, strict=False)
    return "\n".join(NUMBERED.sub("", line) if own and own != last else f"\0{line}" for line, own, last in begun)


def unframed(flat: str) -> str:
    """A result without numbers and bars around its lines."""
    return "\n".join(FRAME.sub("", line) for line in flat.split("\n"))


def unfolded(flat: str, texts: Iterable[str]) -> str:
    """A result in which lines that go on behind a margin without a number are one, as they are in one of these texts."""
    lines = split_lines(flat)
    if not any(map(MARGIN.match, lines)):
        return flat
    known, found = {line.rstrip() for text in texts for line in split_lines(text)}, list[str]()
    numbered = [at for at, line in enumerate(lines) if NUMBERED.match(line)]
    for at, end in pairwise([0, *numbered, len(lines)]):
        more = list(takewhile(MARGIN.match, lines[at + 1 : end]))
        parts = [NUMBERED.sub("", lines[at]), *(MARGIN.sub("", line) for line in more)] if more else []
        whole = next((one for one in _joins(parts) if one.rstrip() in known), None)
        if whole is None:
            found += lines[at:end]
        else:
            found += [lines[at].removesuffix(parts[0]) + whole, *lines[at + 1 + len(more) : end]]
    return "\n".join(found)


def _joins(rows: Sequence[str]) -> Iterator[str]:
    """The lines that rows may be of one folded line: broken within a word, at a blank, or before a sign that says so."""
    if rows:
        yield "".join(rows)
        yield " ".join(rows)
        if len({row[-1:] for row in rows[:-1]}) == 1:
            yield "".join((*(row[:-1] for row in rows[:-1]), rows[-1]))


def _words_in(text: str, flat: str) -> bool:
    there = iter(WORD.findall(flat))
    return all(word in there for word in WORD.findall(text))


def letters(text: str) -> str:
    """A text without anything between its words."""
    return "".join(WORD.findall(text))
