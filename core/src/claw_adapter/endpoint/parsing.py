"""A request's body as JSON, whatever halves of characters stand in it."""

from __future__ import annotations

import json
import re
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.reading import without_halves

__all__ = ["HALVES", "parse_json"]

HALVES: Final = re.compile(r"\\u[dD][89a-fA-F]")
_HALVES_OF_BYTES: Final = re.compile(rb"\\u[dD][89a-fA-F]|\xed[\xa0-\xbf]")
"""Halves of surrogate pairs, escaped or raw: alone they are no text, and nothing could write them down."""


def parse_json(body: bytes | bytearray) -> JsonValue:
    """The value of a body.

    Raises:
        BadRequest: it is not JSON.
    """
    try:
        value: JsonValue = json.loads(body)
        if _HALVES_OF_BYTES.search(body):
            value = without_halves(value)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"the request body is not JSON: {error}") from None
    return value
