"""What pydantic finds wrong, said in one line for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pydantic import ValidationError

__all__ = ["describe_errors"]

MOST: Final = 3
"""Mistakes that are named; the rest is counted."""
LONGEST: Final = 300
"""Characters of a field's name, and of what is wrong with it."""
WORDS: Final = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "json_invalid": "this is not JSON",
    "tuple_type": "it must be a list",
}
"""Kind of a mistake → what is said in place of pydantic's own words."""


def describe_errors(error: ValidationError) -> str:
    """The first mistakes as ``field: what is wrong``, without addresses of documentation."""
    entries = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        ": ".join(
            _clipped(part)
            for part in (".".join(map(str, entry["loc"])), WORDS.get(entry["type"]) or _own(entry["msg"]))
            if part
        )
        for entry in entries[:MOST]
    ]
    more = len(entries) - MOST
    return "; ".join([*lines, *([f"and {more} more"] if more > 0 else [])])


def _clipped(text: str) -> str:
    """Names and values of a damaged file may be of any length, and hold what no terminal shows."""
    text = "".join(
        c if c.isprintable() else "\ufffd" for c in " ".join(text.encode("utf-8", "replace").decode().split())
    )
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _own(message: str) -> str:
    return message.removeprefix("Value error, ")
