"""Options of a plugin, as an experiment says them, made the typed record that the plugin works with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Final, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from claw_adapter.errors import AdapterError, ClawError

__all__ = ["FromOne", "FromZero", "Seconds", "checked"]

T = TypeVar("T")

FromZero = Annotated[int, Field(ge=0)]
"""A whole number from 0 on."""
FromOne = Annotated[int, Field(ge=1)]
"""A whole number from 1 on."""
Seconds = Annotated[float, Field(ge=0)]
"""A time in seconds, from 0 on."""
WORDS: Final = {
    "bool_type": ("neither true nor false", "Write true or false, without quotation marks."),
    "int_type": ("no whole number", "Write a whole number, without quotation marks."),
    "float_type": ("no number", "Write a number, without quotation marks."),
    "string_type": ("no text", "Write text; what looks like a number or like true and false needs quotation marks."),
    "tuple_type": ("no list", "Write a list: [a, b]."),
    "greater_than_equal": ("no number from {ge} on", "Write a number from {ge} on."),
    "literal_error": ("none of {expected}", "Choose one of these."),
}
"""Kind of a mistake → what is said of the value, and the way out; filled in with what pydantic knows of it."""


def checked(kind: type[T], given: Mapping[str, Any], where: str, error: type[ClawError] = AdapterError) -> T:
    """Make the dataclass `kind` of the options that an experiment gives; no value is converted into another type.

    Types are those of YAML and JSON: ``"1"`` is not a number, ``1`` is not true, and a list fits a tuple.

    Args:
        kind: a dataclass whose fields are the options.
        given: options by name.
        where: whose options they are, for the error: ``harness reference``.
        error: its class.

    Raises:
        AdapterError: an unknown option, or a value of another type or out of range; it names option and remedy.
    """
    known = sorted(field.name for field in fields(kind))  # type: ignore[arg-type]  # a dataclass, which has no type of its own
    if unknown := sorted(set(given) - set(known)):
        raise error(f"no option {unknown[0]!r}", where=where, remedy=f"It has: {', '.join(known)}.")
    try:
        return TypeAdapter(kind).validate_json(json.dumps(dict(given), default=repr), strict=True)
    except ValidationError as invalid:
        first = invalid.errors()[0]
        name = str(first["loc"][0])
        what, remedy = WORDS.get(first["type"], (first["msg"], "See the options in the plugin's documentation."))
        about = first.get("ctx", {})
        raise error(
            f"{given.get(name)!r} is {what.format(**about)}",
            where=f"{where}, option {name!r}",
            remedy=remedy.format(**about),
        ) from None
