"""The first screen of a terminal: what must stand there, and of the rest what there is room for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from rich.console import Console

__all__ = ["LINES", "Block", "print_blocks"]

LINES: Final = 40
"""Lines of a first screen."""


class Block(NamedTuple):
    """A part of what is printed; parts stand in their order."""

    show: Callable[[Console], object]
    rank: int = 0
    """0: always there; of the others the lowest come first, as long as there is room."""


def print_blocks(blocks: Sequence[Block], console: Console, *, whole: bool) -> None:
    """Print all of them; without `whole` those of rank 0, and of the others as many as `LINES` lines have room for."""
    if whole:
        for block in blocks:
            block.show(console)
        return
    texts = [_printed(block, console) for block in blocks]
    room = LINES - sum(text.count("\n") for block, text in zip(blocks, texts, strict=True) if not block.rank)
    shown = {at for at, block in enumerate(blocks) if not block.rank}
    for at in sorted(range(len(blocks)), key=lambda at: blocks[at].rank):
        if at not in shown and (lines := texts[at].count("\n")) <= room:
            shown.add(at)
            room -= lines
    for at in sorted(shown):
        console.file.write(texts[at])


def _printed(block: Block, console: Console) -> str:
    with console.capture() as captured:
        block.show(console)
    return captured.get()
