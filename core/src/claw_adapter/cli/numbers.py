"""Numbers on the command line that click's own types let through: no number at all, or infinitely many."""

from __future__ import annotations

import math
from typing import Any, Final

import click

__all__ = ["SECONDS"]


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
