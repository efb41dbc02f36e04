"""Words in prose: whole words only, in every spelling that means the same, and a denied word is not a named one."""

from __future__ import annotations

import re
from functools import cache

__all__ = ["chooses", "names"]

_DENIAL = (
    r"(?:\b(?:not|no|never|neither|nor|rather than|instead of|without)\b|n['’]t\b)"
    r"(?:\s+(?:be|being|been|going|to|go|a|an|the|it|is|as|held|at|all|in|any|yet|fully|quite|really|owned|by|set|mode"
    r"|owner|severity|model)\b)*\s+"
)
_SYNONYMS = {
    "finished": ("finished", "complete", "completed", "done", "closed", "concluded", "wrapped up", "carried out"),
}
"""Values that people put in other words, with the words that count."""


def _literal(word: str) -> str:
    # letters and digits bound a word; an underscore or a hyphen does not belong to it, but a ref's digits do
    return rf"(?<![A-Za-z0-9]){re.escape(word)}(?![A-Za-z0-9])"


def _model(name: str) -> str:
    provider, _, tail = name.partition("/")
    return rf"(?<![\w./-])(?:{re.escape(provider)}/)?{re.escape(tail)}(?![\w/-]|\.\w)"


def _severity(digit: str) -> str:
    other = r"(?:\d\s*(?:or|and|/|to|–|-)\s*)*"
    return rf"(?<![A-Za-z0-9])sev(?:erity)?(?:\s+level)?(?:\s+is)?[\s:=#-]*{other}{digit}(?!\d)"


@cache
def _spelled(word: str) -> re.Pattern[str]:
    severity = re.fullmatch(r"sev(\d)", word)
    if severity:
        pattern = _severity(severity[1])
    elif re.fullmatch(r"[a-z]+/[\w.-]+", word):
        pattern = _model(word)
    else:
        pattern = "|".join(map(_literal, _SYNONYMS.get(word, (word,))))
    return re.compile(pattern, re.IGNORECASE)


@cache
def _denied(word: str) -> re.Pattern[str]:
    return re.compile(_DENIAL + f"(?:{_spelled(word).pattern})", re.IGNORECASE)


def names(text: str, word: str) -> bool:
    """Whether a text has the word, whole and in any case."""
    return _spelled(word).search(text) is not None


def chooses(text: str, word: str, others: tuple[str, ...]) -> bool:
    """Whether a text names `word` and none of `others`, where a denied one ("not async") does not count as named."""

    def said(value: str) -> bool:
        return names(_denied(value).sub(" ", text), value)

    return said(word) and not any(map(said, others))
