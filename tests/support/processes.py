"""Finding processes of a run, and waiting for what another process does."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Final

HANG: Final = 30.0
"""Seconds that nothing takes, on however busy a machine, but what hangs."""


def marked(mark: str, word: str = "") -> dict[int, str]:
    """Living processes whose CLAW_TRIAL begins with `mark`, and whose command line has `word`, by id."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:  # it has just ended, or is not ours
            continue
        if any(item.startswith(f"CLAW_TRIAL={mark}".encode()) for item in environment) and word in command:
            found[int(entry.name)] = command
    return found


def naming(text: str) -> list[int]:
    """Living processes whose command line contains `text`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [int(path.parent.name)] if text.encode() in path.read_bytes() else []
        except OSError:
            continue
    return found


async def until(condition: Callable[[], object]) -> None:
    """Wait for something that another process does; TimeoutError after two minutes."""
    async with asyncio.timeout(4 * HANG):
        while not condition():  # noqa: ASYNC110  # there is no event to wait for
            await asyncio.sleep(0.05)
