"""Whether a harness has demonstrably lost what a file holds, or may have said in its own words how to go on.

Results that consist of lines of the file alone, and not of all of them, or of nothing, say that this is all: the rest is
lost, and the harness has lost it. Anything else in one of them may be a mark (``page 1 of 9``, ``"more": true``, ``stored as
r7``) or a refusal which the reader has not understood: nothing is proven then. What stands in the same words around files
that were shown whole is no mark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Final

from claw_adapter.endpoint.reader.matching import normalise, readings

__all__ = ["frame_of", "is_altered", "is_lost", "lines_of_file", "shows_part"]

HEAD: Final = 40
"""Characters of a line that are enough to know it."""
TELLING: Final = 4
"""Characters of a line from which on it is looked for."""
_NUMBERS: Final = re.compile(r"\d+")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_LETTERS_ONLY: Final = re.compile(r"[\W\d_]")
_WORDS: Final = re.compile(r"[^\W_]+")
_TAKEN: Final = "\0"


def lines_of_file(texts: Sequence[str]) -> frozenset[str]:
    """The lines of a file in all its versions, as they are looked for."""
    lines = (normalise(line) for text in texts for line in text.splitlines())
    return frozenset(line for line in lines if len(line) >= TELLING)


def shows_part(texts: Sequence[str]) -> Callable[[str], bool]:
    """Whether a result shows a line of a file, in any of its versions, or how a long one begins."""
    heads = {line[:HEAD] for line in lines_of_file(texts) if len(line) >= 2 * TELLING}

    def shows(text: str) -> bool:
        return any(head in reading for reading in readings(text) for head in heads)

    return shows


def _words_around(text: str, lines: Collection[str], path: str) -> frozenset[str]:
    """What a result says besides the lines of a file, without the file's name."""
    return min((_around(reading, lines, path) for reading in readings(text)), key=len)


def _around(reading: str, lines: Collection[str], path: str) -> frozenset[str]:
    left = reading
    for line in sorted(lines, key=len, reverse=True):
        left = left.replace(line, _TAKEN)
    pieces = (piece.replace(path, "").strip() for row in left.splitlines() for piece in row.split(_TAKEN))
    return frozenset(piece for piece in pieces if _says(piece) and not any(piece in line for line in lines))


def _says(piece: str) -> bool:
    """Whether it can be a mark: more than the number of a line."""
    return bool(_LETTERS.search(piece)) or len(_NUMBERS.findall(piece)) > 1


def frame_of(results: Sequence[str], text: str, path: str) -> frozenset[str]:
    """What results say around a file that one of them shows whole."""
    lines = lines_of_file([text])
    whole = [one for one in results if any(all(line in reading for line in lines) for reading in readings(one))]
    return frozenset(words for one in whole for words in _words_around(one, lines, path))


def is_altered(results: Sequence[str], versions: Sequence[str]) -> bool:
    """Whether a result shows all letters of a file in their order, and no others, but not its words: they are changed.

    The same words with other signs between them are another way to show the file, as a table for one.
    """
    whole = {_LETTERS_ONLY.sub("", text): _WORDS.findall(text) for text in versions}
    shown = [reading for one in results for reading in readings(one)]
    same = [(whole.get(_LETTERS_ONLY.sub("", reading)), _WORDS.findall(reading)) for reading in shown]
    return any(held is not None for held, _ in same) and not any(held == words for held, words in same)


def is_lost(results: Sequence[str], lines: Collection[str], path: str, frame: Collection[str]) -> bool:
    """Whether the results of looking for a file in vain prove that what was looked for is lost.

    Args:
        results: of all calls, refused ones too.
        lines: of the file, in all its versions.
        path: how it is called.
        frame: what stands around files that were shown whole.
    """
    said = [_words_around(text, lines, path) - set(frame) for text in results]
    return bool(results) and not any(said)
