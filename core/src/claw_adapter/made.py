"""What was made of an object is not made again: for histories, which every turn repeats and adds a little to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import is_
from typing import Any, Final, Generic, TypeVar

__all__ = ["Made"]

SPARE: Final = 1000
"""Objects that are remembered beside three times those in use, before the others are forgotten."""
T = TypeVar("T")


class Made(Generic[T]):
    """What was made of objects that nobody changes."""

    def __init__(self) -> None:
        self._made: dict[int, tuple[Any, T]] = {}  # the object is kept: another one cannot get its id
        self._last: tuple[Sequence[Any], list[T]] = (), []

    def __len__(self) -> int:
        return len(self._made)

    def of(self, values: Sequence[Any], make: Callable[[Any], T]) -> list[T]:
        """What `make` makes of each of these, or has made of it."""
        before, result = self._last
        if len(before) > len(values) or not all(map(is_, before, values)):
            before, result = (), []
        made, behind = self._made, values[len(before) :]
        new = [value for value in behind if id(value) not in made]
        if len(made) + len(new) > 3 * len(values) + SPARE:
            self._made = made = {id(value): made[id(value)] for value in values if id(value) in made}
        for value in new:
            made[id(value)] = value, make(value)
        found = result + [made[id(value)][1] for value in behind]
        self._last = list(values), found
        return list(found)
