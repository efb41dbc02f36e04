"""Lines ``Label: value`` of a text, and whether one states a fact. All other lines are read by nobody."""

from __future__ import annotations

import re
from functools import lru_cache

from claw_adapter.values import clean, fold, parse, same
from claw_adapter_forge.tasks.labels import description

__all__ = ["labelled", "states", "why_not"]

_MARK = re.compile(r"(?:[-*•+]|\d{1,2}[.)]) +(?=\S)")
_LINE = re.compile(r"([^:：]{1,60}?)\s*[:：]\s*(.*)")  # noqa: RUF001  # the colon of Chinese keyboards
_MOST = 400
"""Signs of a line that are looked at."""


@lru_cache(maxsize=1024)
def labelled(text: str) -> tuple[tuple[str, str], ...]:
    r"""(label in small letters, value) of each line that has a colon; ``\n`` that a command line kept is a line break."""
    found = []
    for line in text.replace("\\n", "\n").splitlines():
        bare = clean(line[:_MOST])
        if mark := _MARK.match(bare):
            bare = clean(bare[mark.end() :])
        if match := _LINE.fullmatch(bare):
            found.append((fold(match[1]), match[2]))
    return tuple(found)


def why_not(text: str, label: str, fact: str, value: str, zone: str = "") -> str:
    """Why a text does not state the fact in exactly one line of that label; empty if it does."""
    said = [found for name, found in labelled(text) if name == fold(label)]
    if len(said) != 1:
        return f"{'no' if not said else 'more than one'} line `{label}: …`"
    kind = description(fact, value, zone)
    read = parse(kind, said[0])
    return "" if same(kind, value, read) else f"`{label}: {said[0]}` does not say {value}"


def states(text: str, values: tuple[str, ...]) -> bool:
    """Whether a text states a fact; `values` are its label, the fact, the right value and the office's time zone."""
    return not why_not(text, *values)
