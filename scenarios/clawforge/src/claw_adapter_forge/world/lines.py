"""Lines ``Label: value`` of a text, and what a value is read as. All other lines are read by nobody."""

from __future__ import annotations

import re
from functools import lru_cache

from claw_adapter.values import Description, clean, fold, parse, same

__all__ = ["labelled", "why_not"]

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


def why_not(text: str, label: str, kind: Description, value: str) -> str:
    """Why a text does not state the value in exactly one line of that label; empty if it does."""
    said = [found for name, found in labelled(text) if name == fold(label)]
    if len(said) != 1:
        return f"{'no' if not said else 'more than one'} line `{label}: …`"
    return "" if same(kind, value, parse(kind, said[0])) else f"`{label}: {said[0]}` does not say {value}"
