"""Waiting for files to be saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

__all__ = ["each_save"]


def each_save(files: Callable[[], Iterable[Path]], every: float = 0.5) -> Iterator[list[str]]:
    """Begin with an empty list; then, whenever files have changed, the sorted names of those that did, appeared or went.

    Args:
        files: the files to look at, asked for at each look.
        every: seconds between two looks.
    """
    seen = _stamps(files())
    yield []
    while True:
        found = _stamps(files())
        if names := sorted(path.name for path in found.keys() | seen.keys() if found.get(path) != seen.get(path)):
            seen = found
            yield names
        else:
            time.sleep(every)


def _stamps(files: Iterable[Path]) -> dict[Path, int]:
    found = dict[Path, int]()
    for path in files:
        try:
            found[path] = path.stat().st_mtime_ns
        except OSError:
            continue  # an editor is replacing it
    return found
