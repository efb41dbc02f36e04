"""Typed values in a human's writing, English or Chinese: whole, or not at all.

A type is a description in JSON, such as ``{"type": "duration", "tolerance": 60}``. `parse` reads a line as that type and gives
the value or why it is refused; `same` says whether a value is the expected one; `show` writes a value in one of many notations.
docs/values.md has every type, key and notation.

Standard library only and no import from outside this folder: a compiled check carries a copy of it.
"""

from .compare import as_json, same
from .kinds import KEYS, parse, says_another, validate
from .money import Money
from .names import YES_NO
from .show import renderings, show
from .text import Description, Refused, clean, fold

__all__ = [
    "KEYS",
    "YES_NO",
    "Description",
    "Money",
    "Refused",
    "as_json",
    "clean",
    "fold",
    "parse",
    "renderings",
    "same",
    "says_another",
    "show",
    "validate",
]
