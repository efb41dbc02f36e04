"""Numbers on the command line that click has no type for: finite times, amounts of bytes."""

from __future__ import annotations

import math
import re
from typing import Any, Final

import click

__all__ = ["BYTES", "SECONDS"]


class _Seconds(click.FloatRange):
    """A finite time greater than 0; click compares ``nan`` with a bound and finds nothing wrong."""

    name = "seconds"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = float(super().convert(value, param, ctx))
        if not math.isfinite(found):
            self.fail(f"{value} is not a time in seconds.", param, ctx)
        return found


SECONDS: Final = _Seconds(min=0, min_open=True)
"""A finite number of seconds greater than 0."""


_UNITS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}


class _Bytes(click.ParamType):  # type: ignore[type-arg]  # of older versions of click it is not generic
    """An amount of bytes, as ``500M`` or ``2 GB``; units are thousands of each other."""

    name = "bytes"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)b?", value.strip().lower())
        if found is None:
            self.fail(f"{value!r} is not an amount of bytes, such as 500M or 2GB.", param, ctx)
        return int(float(found[1]) * _UNITS[found[2]])


BYTES: Final = _Bytes()
"""A number of bytes, with a unit or without."""
