r"""Read the letters of a multiple-choice answer from a reply.

The answer is the *last* well-formed box, ``\bbox{…}`` or ``\boxed{…}``; of boxes within boxes the outer one. Well-formed means
that its braces close. Inside it, typesetting (``\text{…}``, ``\mathbf{…}``, ``$``, spaces, ``*``, brackets) is removed;
letters stand apart by commas, semicolons, slashes, ampersands, spaces or the word "and", each possibly in parentheses or
followed by a full stop. Letters of either case count. Whatever else is in there makes the answer malformed, never wrong
letters. An empty box is the empty set. Time grows linearly with the text, whatever it is.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

__all__ = ["Extraction", "extract", "extract_compat"]

BRACES: Final = re.compile(
    r"\\[{}]|(?P<box>\\(?:bbox|boxed)[ \t]{0,8}(?:\[[^\]\[{}\n]{0,40}\])?\{)|(?P<open>\{)|(?P<close>\})"
)
WRAPPERS: Final = re.compile(
    r"\\(?:text(?:rm|sf|tt|bf|it|up|normal)?|math(?:rm|sf|tt|bf|it|normal)|mbox|fbox|bm|boldsymbol|emph|underline"
    r"|operatorname\*?|bbox|boxed)(?![A-Za-z])"
)
BLANKS: Final = re.compile(r"\\(?:[,;:! ]|quad(?![a-zA-Z])|qquad(?![a-zA-Z])|\\)|~")
TYPESETTING: Final = re.compile(r"\\left(?![A-Za-z])|\\right(?![A-Za-z])|\\[()\[\]{}]|[${}*`]")
SEPARATORS: Final = re.compile(r"[\s,;/&、]+|\\&")
FILLER: Final = re.compile(r"|and|[()\[\]]+\.?|\.", re.IGNORECASE)
"""Parts that say nothing: between two separators, the word, brackets or the full stop apart from their letter."""
LETTER: Final = re.compile(r"[(\[]*([A-Za-z])[)\].]*")
SHOWN: Final = 60

COMPAT_DELIMITERS: Final = re.compile(r"\\[\[\]()]")
COMPAT_REPAIR: Final = re.compile(r"\\[^\x00-\x7f]*box\{")
COMPAT_BOX: Final = re.compile(r"\\(?:bbox|boxed)\{")


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read: the letters, sorted and each once, or None with the reason why the reply is malformed."""

    letters: tuple[str, ...] | None
    malformed: str = ""


def extract(text: str, options: Collection[str] = string.ascii_uppercase) -> Extraction:
    """The letters a reply gives; `options` are the letters there are (upper case)."""
    content = _last_box(text)
    if content is None:
        return Extraction(None, "the reply has no \\bbox{…}")
    plain = _plain(content)
    if not plain:
        return Extraction(())
    tokens = [token for token in SEPARATORS.split(plain) if not FILLER.fullmatch(token)]
    if not tokens:
        return Extraction(None, f"there is no letter in {_excerpt(content)}")
    letters: set[str] = set()
    for token in tokens:
        match = LETTER.fullmatch(token)
        if match is None or match[1].upper() not in options:
            return Extraction(None, f"{_excerpt(token)} is not one of the options")
        letters.add(match[1].upper())
    return Extraction(tuple(sorted(letters)))


def extract_compat(text: str) -> Extraction:
    r"""The letters as the published benchmark's scorer reads them: every ASCII letter of the *first* box.

    The box ends at the first ``}``: ``\boxed{\text{A}}`` so becomes A, E, T, X. Kept only
    to score published runs again.
    """
    text = COMPAT_REPAIR.sub(r"\\bbox{", COMPAT_DELIMITERS.sub("", text))
    opening = COMPAT_BOX.search(text)
    end = text.find("}", opening.end()) if opening is not None else -1
    if opening is None or end < 0:
        return Extraction(None, "the reply has no \\bbox{…}")
    letters = {letter.upper() for letter in text[opening.end() : end] if letter in string.ascii_letters}
    return Extraction(tuple(sorted(letters))) if letters else Extraction(None, "there is no letter in the box")


def _last_box(text: str) -> str | None:
    """The content of the last box whose braces close, boxes within it included; one pass over the text."""
    stack: list[int] = []
    closed: list[tuple[int, int]] = []
    for match in BRACES.finditer(text):
        if match["box"]:
            stack.append(match.end())
        elif match["open"]:
            stack.append(-1)
        elif match["close"] and stack:
            begin = stack.pop()
            if begin >= 0:
                while closed and closed[-1][0] > begin:  # inside the one that closes now
                    closed.pop()
                closed.append((begin, match.start()))
    return text[slice(*closed[-1])] if closed else None


def _plain(content: str) -> str:
    """The content without typesetting, in compatibility form (full-width letters and commas become ordinary ones)."""
    content = BLANKS.sub(" ", unicodedata.normalize("NFKC", content))
    return TYPESETTING.sub("", WRAPPERS.sub("", content)).strip()


def _excerpt(text: str) -> str:
    return repr(text if len(text) <= SHOWN else f"{text[:SHOWN]}…")
