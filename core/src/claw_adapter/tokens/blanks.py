r"""Cutting text at very long runs of blanks, without changing how it is tokenised.

The regular expression of cl100k ends in ``\s+(?!\S)``, for which tiktoken's engine keeps one backtracking state per
character: a run of about a million blanks before a visible character exhausts its stack and ends in a Rust panic.
The engine never looks behind, so text may be cut wherever a piece ends. In a run of blanks without line breaks that is
followed by a visible character, that is before the run and before its last blank: the run but for its last blank is
exactly one piece (``\s++$`` and ``\s*[\r\n]`` fail there, ``\s+(?!\S)`` takes all but one), and standing alone it is
one piece again, this time through ``\s++$``, which needs no stack. What precedes the run ends in a line break or in a
visible character, and every alternative that can match there stops at a blank just as it stops at the end of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["BLANKS", "LONGEST_RUN", "WINDOW", "cut", "windows"]

BLANKS = (
    "\t\x0b\x0c \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
r"""Unicode White_Space (the engine's ``\s``) without carriage return and line feed."""

LONGEST_RUN = 100_000
"""Runs from this length on are cut out; the engine's limit is ten times as high."""

WINDOW = 1_000_000
"""Characters that are tokenised at a time: every token takes some twenty bytes of memory until it is counted."""

_BORDER = re.compile(r"(?<=\n)(?=[A-Za-z])|(?<=[A-Za-z])(?= [A-Za-z])|(?<=[A-Za-z])(?=[0-9])")
"""Where no piece of the encoding spans and none looks further: behind a line break, before a blank or a digit."""

_RUN = re.compile(f"[{BLANKS}]+")


def cut(text: str, longest: int = LONGEST_RUN) -> Iterator[str]:
    """Yield consecutive parts of the text whose token sequences, joined, are the text's own.

    Text without a run of `longest` (at least 2) blanks is yielded whole. Takes time proportional to the text.
    """
    done = 0
    for start, end in _runs(text, longest):
        if end < len(text) and text[end] not in "\r\n":
            yield text[done:start]
            yield text[start : end - 1]
            done = end - 1
    yield text[done:]


def windows(text: str, size: int = WINDOW) -> Iterator[str]:
    """Yield consecutive parts of about `size` characters whose token sequences, joined, are the text's own."""
    done = 0
    while len(text) - done > size and (border := _BORDER.search(text, done + size)):
        yield text[done : border.start()]
        done = border.start()
    yield text[done:]


def _runs(text: str, longest: int) -> Iterator[tuple[int, int]]:
    """Start and end of each maximal run of at least `longest` blanks: each covers an index one short of a multiple."""
    end = 0
    for probe in range(longest - 1, len(text), longest):
        if probe < end or text[probe] not in BLANKS:
            continue
        floor = max(end, probe - longest + 1)  # a run from further left would have been met at the probe before
        start = floor + len(text[floor:probe].rstrip(BLANKS))
        found = _RUN.match(text, probe)
        end = found.end() if found else probe
        if end - start >= longest:
            yield start, end
