"""Text that agents wrote, made safe to look at: no terminal sequences, nothing invisible, a bounded length."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

__all__ = ["Clipped", "clean", "clip", "is_one_line", "one_line"]

_SEQUENCES: Final = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"  # control sequences: colour, cursor, modes
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]{0,4096}(?:\x07|\x1b\\|\x9c)"  # strings: titles, links, clipboard
    r"|\x1b[ -/]{0,8}[0-~]"  # every other escape
)
"""Bounded repetition: hostile text must not make matching slow. An unterminated string loses its introducer only."""


def _table() -> dict[int, str]:
    table = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A)}
    table[0x7F] = "\u2421"
    table |= dict.fromkeys(range(0x80, 0xA0), "\ufffd")
    table |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
    invisible = [
        0x200B,
        0x2028,
        0x2029,
        0xFEFF,
        *range(0x202A, 0x202F),
        *range(0x2060, 0x206A),
        *range(0xE0000, 0xE0080),
    ]
    return table | {code: f"⟦U+{code:04X}⟧" for code in invisible}


_VISIBLE: Final = _table()
"""Control characters as their pictures; characters that are invisible or turn the text around by their number."""


def clean(text: str) -> str:
    """`text` without terminal sequences; every other control or invisible character is shown, lone surrogates replaced."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _SEQUENCES.sub("", text).translate(_VISIBLE)


def one_line(text: str, limit: int = 200) -> str:
    """`text` cleaned, on one line, of at most `limit` characters."""
    line = " ".join(clean(text[: 8 * limit]).split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def is_one_line(text: str) -> bool:
    """Whether a text can be printed as it is: nothing to be cleaned, no tabs, no line breaks."""
    return clean(text) == text and "\t" not in text and "\n" not in text


@dataclass(frozen=True, slots=True)
class Clipped:
    """The head of a text, cleaned, and how many characters were left out."""

    text: str
    left_out: int = 0


def clip(text: str, limit: int) -> Clipped:
    """The first `limit` characters of `text`, cleaned."""
    return Clipped(clean(text[:limit]), max(len(text) - limit, 0))
