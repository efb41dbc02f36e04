"""Readings that give less than a file, or its lines in another shape, and lose nothing: its words laid out anew, and pages."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from claw_adapter.audit.results import PARTIAL, lines_in, lines_of_text, split_lines

__all__ = ["letters", "signs_lost", "tells_the_rest", "unframed", "words_in"]

WORD: Final = re.compile(r"\w+")
SIGN: Final = re.compile(r"[^\w\s|]|[\u00a0\u2007\u202f\u2009\u3000]")
"""What is neither part of a word nor a break nor a bar; blanks that are not broken at are signs."""
FRAME: Final = re.compile(r"^\s*(?:\[?L?\d+\s*[|│:→\])\t]|[|│])\s?|\s*[|│]\s*$")
"""What stands around a line: its number, a bar."""
NUMBER: Final = re.compile(r"\d+")


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


def unframed(flat: str) -> str:
    """A result without numbers and bars around its lines."""
    return "\n".join(FRAME.sub("", line) for line in flat.split("\n"))


def _words_in(text: str, flat: str) -> bool:
    there = iter(WORD.findall(flat))
    return all(word in there for word in WORD.findall(text))


def letters(text: str) -> str:
    """A text without anything between its words."""
    return "".join(WORD.findall(text))


def tells_the_rest(
    text: str, flat: str, name: str, arguments: Mapping[str, object], tools: Sequence[Mapping[str, Any]]
) -> bool:
    """Whether the result of a call is the first page of a text, and says that there is more and how to have it.

    That there is more it says beside the text, by a number: of the next line or character, or of all of them. How to have it:
    by a parameter for parts that the call of tool `name` has left out, or one or another tool that it names. Some count what
    only Unicode calls a separator as the end of a line.
    """
    return any(
        _first_page(lines, text, flat, name, arguments, tools) for lines in (split_lines(text), text.splitlines())
    )


def _first_page(
    lines: Sequence[str],
    text: str,
    flat: str,
    name: str,
    arguments: Mapping[str, object],
    tools: Sequence[Mapping[str, Any]],
) -> bool:
    if not lines[-1:] or not lines[-1]:
        lines = lines[:-1]
    shown = next((at for at, line in enumerate(lines) if line.strip() not in flat), len(lines))
    if not 0 < shown < len(lines) or lines_in("\n".join(lines[shown + 1 :]), flat):
        return False
    remark = flat
    for line in lines_of_text("\n".join(lines[:shown])):
        remark = remark.replace(line, "", 1)
    first = len("\n".join(lines[:shown]))
    behind = range(first, first + len(lines[shown]) + 2)
    places = {shown + 1, len(lines), len(text), len(text.encode()), *behind}
    return not places.isdisjoint(map(int, NUMBER.findall(remark))) and _way_on(name, arguments, tools, remark)


def _way_on(name: str, arguments: Mapping[str, object], tools: Sequence[Mapping[str, Any]], remark: str) -> bool:
    said = set(WORD.findall(remark))
    for tool in tools:
        function = tool.get("function") or {}
        if function.get("name") != name:
            if function.get("name") in said:
                return True
            continue
        left = set((function.get("parameters") or {}).get("properties") or ()) - set(arguments)
        if left & said or any(PARTIAL.search(parameter) for parameter in left):
            return True
    return False
