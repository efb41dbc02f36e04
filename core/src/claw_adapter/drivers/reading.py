"""Read the lines of a child until its end, and say once what ended them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from claw_adapter.drivers.process import Process
from claw_adapter.errors import ClawError, HarnessCrash

__all__ = ["EXIT_SECONDS", "LineReader"]

TAIL_CHARACTERS: Final = 2000
"""How much of the child's standard error goes into an error's text."""
EXIT_SECONDS: Final = 1.0
"""How long its end is waited for once it has closed its output, and the rest of its output once it has ended."""


class LineReader:
    """Tasks that read from a process started with ``lines=True``; made inside a running loop.

    Args:
        process: the child.
        who: what it is called in messages: ``the child``.
        take: gets each line; a `ClawError` that it raises ends the reading.
        fail: gets the reason when there will be no more lines; it may be called again with another one.
    """

    def __init__(
        self, process: Process, who: str, take: Callable[[bytes], Awaitable[None]], fail: Callable[[ClawError], None]
    ) -> None:
        self._process, self._who, self._take, self._fail = process, who, take, fail
        loop = asyncio.get_running_loop()
        self._reader = loop.create_task(self._read())
        self._watcher = loop.create_task(self._watch())

    async def close(self) -> None:
        """Stop reading."""
        tasks = {self._reader, self._watcher}
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        self._fail(HarnessCrash(f"{self._who} was closed", where=self._process.argv[0]))

    def crash(self) -> HarnessCrash:
        """The error of a child that is gone."""
        state = self._process.exit or "closed its output but runs on"
        return HarnessCrash(f"{self._who} ended: {state}{self.last_words()}", where=self._process.argv[0])

    def last_words(self) -> str:
        """The end of its standard error, as the end of a message."""
        text = self._process.stderr.text[-TAIL_CHARACTERS:].strip()
        return f"\nstandard error ends with:\n{text}" if text else ""

    async def _read(self) -> None:
        try:
            while line := await self._process.readline():
                await self._take(line)
            await self._process.ended(EXIT_SECONDS)
            await self._process.drained(EXIT_SECONDS)
            self._fail(self.crash())
        except ClawError as error:
            self._fail(error)

    async def _watch(self) -> None:
        """A child can be gone while something it started keeps its output open: that is no reason to wait."""
        await self._process.ended()
        await asyncio.wait({self._reader}, timeout=EXIT_SECONDS)
        self._fail(self.crash())
