"""Whether a harness has demonstrably lost what a file holds, or may have said in its own words how to go on.

Results that consist of lines of the file alone, and not of all of them, or of nothing, say that this is all: the rest is
lost, and the harness has lost it. Anything else in one of them may be a mark (``page 1 of 9``, ``"more": true``, ``stored as
r7``) or a refusal which the reader has not understood: nothing is proven then. What stands in the same words around files
that were shown whole is no mark. A refusal proves something where the same call shows a file of the same kind, as deep in
folders and as large: then it can only be about this file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.matching import normalise, readings
from claw_adapter.endpoint.reader.said import objects
from claw_adapter.endpoint.reader.schema import NEXT, words

__all__ = ["frame_of", "is_altered", "is_lost", "is_refused_alone", "is_unread", "lines_of_file", "shows_part"]

HEAD: Final = 40
"""Characters of a line that are enough to know it."""
TELLING: Final = 4
"""Characters of a line from which on it is looked for."""
SEAM: Final = 12
"""Characters from which on it is no chance that two lines make up a piece."""
_NUMBERS: Final = re.compile(r"\d+")
_PLAIN: Final = re.compile(r"[A-Za-z0-9_./-]+")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_LETTERS_ONLY: Final = re.compile(r"[\W\d_]")
_WORDS: Final = re.compile(r"[^\W_]+")
_TAKEN: Final = "\0"
_MORE: Final = NEXT | {"more", "truncated", "remaining"}
_ALL: Final = frozenset(("total",))
_SIZE: Final = frozenset(("bytes", "size", "chars", "characters", "length", "tokens", "pages"))


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
    return frozenset(
        piece
        for piece in pieces
        if _says(piece) and not any(piece in line for line in lines) and not _is_seam(piece, lines)
    )


def _is_seam(piece: str, lines: Collection[str]) -> bool:
    """Whether it is the beginning of one line with the end of another, and nothing between: what stood there is cut out."""
    cuts = range(TELLING, len(piece) - TELLING + 1) if len(piece) >= SEAM else ()
    return any(
        any(line.startswith(piece[:cut]) for line in lines) and any(line.endswith(piece[cut:]) for line in lines)
        for cut in cuts
    )


def _says(piece: str) -> bool:
    """Whether it can be a mark: more than the number of a line."""
    return bool(_LETTERS.search(piece)) or len(_NUMBERS.findall(piece)) > 1


def frame_of(results: Sequence[str], text: str, path: str) -> frozenset[str]:
    """What results say around a file that one of them shows whole."""
    lines = lines_of_file([text])
    whole = [one for one in results if any(all(line in reading for line in lines) for reading in readings(one))]
    return frozenset(words for one in whole for words in _words_around(one, lines, path))


def is_refused_alone(path: str, texts: Mapping[str, Sequence[str]], shown: Collection[str]) -> bool:
    """Whether a file is like one of those that the same call has `shown`, so that nothing but which file it is can matter.

    As deep in folders, of the same kind by its name's end, and no larger; a name that may have to be written in another way
    proves nothing.

    Args:
        path: of the file that was not shown.
        texts: what files hold and have held, by path.
        shown: paths.
    """

    def size(name: str) -> int:
        return max(map(len, texts.get(name, ())), default=0)

    return bool(_PLAIN.fullmatch(path)) and any(
        other.count("/") == path.count("/")
        and other.rpartition(".")[2] == path.rpartition(".")[2]
        and size(other) >= size(path) > 0
        for other in shown
        if other != path
    )


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


def is_unread(results: Sequence[str]) -> bool:
    """Whether JSON among these results says that there is more, and none of the same kind has come to the end.

    It gives the next place or says that it is not all, or counts more than all rows that were shown together.
    """
    shown = [value for text in results for value in objects(text) if isinstance(value, dict)]
    ended = [value for value in shown if not _says_more(value)]
    for value in shown:
        rest = {key for key in value if not {*words(key)} & _MORE}
        if _says_more(value) and not any(rest and rest <= one.keys() for one in ended):
            return True
        counts = [one for key, one in value.items() if {*words(key)} & _ALL and not {*words(key)} & _SIZE]
        all_ = max((one for one in counts if type(one) is int), default=0)
        if all_ and any(isinstance(one, list) for one in value.values()) and _rows(shown, rest) < all_:
            return True
    return False


def _says_more(value: Mapping[str, JsonValue]) -> bool:
    return any(one not in (None, False, "", 0) for key, one in value.items() if {*words(key)} & _MORE)


def _rows(shown: Sequence[Mapping[str, JsonValue]], keys: AbstractSet[str]) -> int:
    """How many different items the lists of results with these keys have."""
    lists = [one for value in shown if keys <= value.keys() for one in value.values() if isinstance(one, list)]
    return len({repr(item) for one in lists for item in one})
