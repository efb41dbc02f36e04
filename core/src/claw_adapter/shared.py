"""What two versions of a text, of bytes or of a list have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["contrast", "shared"]

T = TypeVar("T", str, bytes, list[bytes], tuple[str, ...])


def shared(old: T, new: T) -> tuple[int, int]:
    """How many items at the beginning and at the end two texts or lists have in common, none of them twice."""
    most = min(len(old), len(new))
    first = _agreed(most, lambda size: old[:size] == new[:size])
    return first, _agreed(most - first, lambda size: old[len(old) - size :] == new[len(new) - size :])


def _agreed(most: int, same: Callable[[int], bool]) -> int:
    """The largest size up to `most` at which they are the same; as they are at all smaller ones."""
    if same(most):  # which goes on as it was
        return most
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if same(middle) else (low, middle - 1)
    return low


def contrast(old: str, new: str, around: int = 16, most: int = 48) -> str:
    """Where one text becomes another: what stands there, with a few characters before it, and what does in its place."""
    first, last = shared(old, new)
    start = max(first - around, 0)
    sides = (text[start : min(len(text) - last + around, start + most)] for text in (old, new))
    return " is ".join(map(repr, sides))
