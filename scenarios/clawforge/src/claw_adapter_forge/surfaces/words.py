"""Splitting a command line into words, as a POSIX shell would, without running one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from claw_adapter_forge.surfaces.grammar import UsageError

__all__ = ["join_words", "split_words"]

_TOKEN = re.compile(
    r"""\s+ | '([^']*)' | "((?:[^"\\]|\\.)*)" | \\(.) | ([^\s'"\\|;&<>`$()]+) | (\$(?![({])) | (.)""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r'\\([\\"$`\n])')
_SAFE = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


def split_words(line: str) -> list[str]:
    """The words of a command line; quotes are taken off.

    Raises:
        UsageError: an open quote, or shell syntax (pipes, redirections, substitutions, several commands).
    """
    words: list[str] = []
    current: list[str] | None = None
    for match in _TOKEN.finditer(line):
        kind = match.lastindex
        if kind is None:
            if current is not None:
                words.append("".join(current))
                current = None
            continue
        text = match[kind]
        if kind == 6:
            raise UsageError(_complaint(text))
        if kind == 2:
            text = _ESCAPE.sub(r"\1", text)
        current = [text] if current is None else [*current, text]
    if current is not None:
        words.append("".join(current))
    return words


def _complaint(char: str) -> str:
    if char in "'\"":
        return f"unbalanced quote {char}"
    return f"one command per step: shell syntax {char!r} is not available here"


def join_words(words: Sequence[str]) -> str:
    """A command line that `split_words` gives back as `words`."""
    return " ".join(w if _SAFE.fullmatch(w) else "'" + w.replace("'", "'\\''") + "'" for w in words)
