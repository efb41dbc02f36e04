"""JSON text in pieces, so that writing a huge value holds nothing up: neither the event loop nor memory for it all."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Iterator
from json.encoder import encode_basestring_ascii
from typing import Any, Final

__all__ = ["PIECE", "encoded", "pieces", "weight"]

PIECE: Final = 128 * 1024
"""Characters of a piece, about."""


def pieces(value: Any) -> Iterator[str]:
    """The canonical JSON of a value (sorted keys, no blanks, ASCII), piece by piece; a value within is not cut unless long."""
    if isinstance(value, str) and len(value) > PIECE:
        yield '"'
        for at in range(0, len(value), PIECE):
            yield encode_basestring_ascii(value[at : at + PIECE])[1:-1]
        yield '"'
    elif isinstance(value, dict | list | tuple) and weight(value) > PIECE:
        names = sorted(value) if isinstance(value, dict) else None
        opening = "{" if names is not None else "["
        for at, item in enumerate(value if names is None else names):
            yield opening if at == 0 else ","
            if names is not None and isinstance(value, dict):
                yield f"{encode_basestring_ascii(item)}:"
            yield from pieces(value[item] if names is not None else item)
        yield "}" if names is not None else "]"
    else:
        yield json.dumps(value, sort_keys=True, separators=(",", ":"))


async def encoded(value: Any) -> io.BytesIO:
    """The same as a file of bytes; others have their turn in between."""
    found, ahead = io.BytesIO(), 0
    for piece in pieces(value):
        found.write(piece.encode())
        ahead += len(piece)
        if ahead > PIECE:
            ahead = 0
            await asyncio.sleep(0)
    found.seek(0)
    return found


def weight(value: Any) -> int:
    """About how long the text will be; no more is looked at than says that it is long."""
    weight, left = 0, [value]
    while left and weight <= PIECE:
        item = left.pop()
        if isinstance(item, str):
            weight += len(item)
        elif isinstance(item, dict):
            weight += 4 * len(item)
            left.extend(item.values())
        elif isinstance(item, list | tuple):
            weight += len(item)
            left.extend(item)
        else:
            weight += 4
    return weight
