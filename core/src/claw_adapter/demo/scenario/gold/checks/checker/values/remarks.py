"""Whether a bracketed remark holds another value of the type beside which it stands: then there are two values, and so none."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from .text import Description, Unclear

__all__ = ["refuse_values", "runs"]

WORDS: Final = re.compile("[^\\W\u3400-\u9fff]+|[\u3400-\u9fff]")
MOST: Final = 8
"""Words (Chinese: signs) of which a value in a remark is made."""


def refuse_values(
    description: Description, found: object, remark: str, read: Callable[[Description, str], Any]
) -> None:
    """Raise if the remark asks a question, says nothing, holds a digit, or if a run of its words is read as another value.

    Raises:
        Unclear: with what to write instead.
    """
    if "?" in remark or not any(sign.isalpha() for sign in remark):
        raise Unclear("the remark in brackets is no remark: leave it out")
    if description["type"] not in ("person", "choice") and any(sign.isdigit() for sign in remark):
        raise Unclear("the remark in brackets holds a number: leave it out")
    if any(_another(description, found, run, read) for run in runs(remark)):
        raise Unclear("the remark in brackets holds another value: leave it out")


def runs(text: str) -> Iterator[str]:
    """Every run of up to `MOST` words of a text."""
    words = list(WORDS.finditer(text))
    for at, first in enumerate(words):
        for last in words[at : at + MOST]:
            yield text[first.start() : last.end()]


def _another(description: Description, found: object, run: str, read: Callable[[Description, str], Any]) -> bool:
    try:
        return read(description, run) not in (None, found)
    except Unclear:  # a value of which a part is missing
        return True
