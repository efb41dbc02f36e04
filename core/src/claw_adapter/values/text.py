"""What every type shares: a human's line without its typography, the remark that may follow, and why a line is refused."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

__all__ = ["Description", "Refused", "Unclear", "clean", "fold", "language_of", "split_remark"]

Description = dict[str, Any]
"""A type as JSON: ``{"type": "duration", "bare": "h", …}``."""

SIGNS: Final = {
    **{code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)},  # full-width forms
    **dict.fromkeys((0xA0, 0x3000, 0x202F, 0x205F, *range(0x2000, 0x200B)), " "),
    **dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0xAD)),  # of no width
    **dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE63), "-"),
    **dict.fromkeys((0x2018, 0x2019, 0x201A, 0x2032), "'"),
    **dict.fromkeys((0x201C, 0x201D, 0x201E, 0x2033, 0x300C, 0x300D), '"'),
    **dict.fromkeys((0x3010, 0x3014), "["),
    **dict.fromkeys((0x3011, 0x3015), "]"),
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0x3371, 0x33E0)},  # units in one sign
    0x2103: "°C",
    0x2109: "°F",
    0xBA: "°",
    0xB5: "μ",
    0x2044: "/",
    0x2236: ":",
    0xFFE5: "¥",
    0xFFE1: "£",
}
"""One sign for the many of the same meaning. Not NFKC: that would make 103 of 10³ and 21/2 of 2½."""
EMPHASIS: Final = re.compile(
    r"(?<![A-Za-z0-9*_`])(\*{1,3}|_{1,3}|`{1,2})(?=[^\s*_`])(.+?)(?<=[^\s*_`])\1(?![A-Za-z0-9*_`])"
)
"""Markdown's, around whole words only: the rest (``3*4*``, ``~~3~~``) stays, and is no notation of anything."""
QUOTED: Final = re.compile(r"\"([^\"]+)\"|'([^']+)'")
STOP: Final = re.compile(r"(?<=[^.。,;…])[.。,;]\Z")
CLOSING: Final = {")": "(", "]": "["}


class Unclear(Exception):
    """A line of which it is known what is wrong with it; says what to write instead."""


class Refused:
    """No value: why, and what to write instead."""

    def __init__(self, reason: str) -> None:
        self.reason: Final = reason

    def __str__(self) -> str:
        return self.reason


def clean(text: str) -> str:
    """A line without typography: emphasis, code ticks, quotes around it, kinds of blanks and dashes, a stop at its end.

    Line breaks stay.
    """
    if "&" in text:
        import html  # a check starts without its table of names

        text = html.unescape(text)
    text = unicodedata.normalize("NFC", text).translate(SIGNS)
    text = re.sub(r"[^\S\n]+", " ", text).strip()
    before = None
    while text != before:
        before = text
        text = EMPHASIS.sub(r"\2", text).strip()
        if quoted := QUOTED.fullmatch(text):
            text = (quoted[1] or quoted[2]).strip()
        text = STOP.sub("", text).strip()
    return text


def split_remark(text: str) -> tuple[str, str] | None:
    """``value (remark)`` as value and remark; None where no bracket closes the line or nothing stands before it."""
    if text[-1:] not in CLOSING:
        return None
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        depth += (text[at] in CLOSING) - (text[at] in CLOSING.values())
        if depth == 0:
            fits = text[at] == CLOSING[text[-1]]
            body = text[:at].strip()
            return (body, text[at + 1 : -1].strip()) if fits and body else None
    return None


def fold(text: str) -> str:
    """For comparing names: without case, accents and apostrophes; hyphens between words and stops behind letters are blanks."""
    text = "".join(c for c in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(c))
    text = re.sub(r"(?<=[\w.])[-_](?=\w)", " ", re.sub(r"(?<=[^\W\d_])'(?=[^\W\d_])", "", text))
    text = re.sub(r"(?<=[^\W\d_])[.](?=\s|\w|\Z)", " ", text)
    return " ".join(text.split())


def language_of(description: Description) -> str:
    """The language of the description's locale: ``de`` of ``de-CH``; English where none is stated."""
    return str(description.get("locale", "en")).replace("_", "-").partition("-")[0].lower()
