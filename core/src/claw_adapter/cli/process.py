"""The process that `claw` is: what an interrupt does at each moment of its life."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Coroutine
from types import FrameType
from typing import Any, Final, NoReturn, TypeVar

__all__ = ["Interrupts", "finish_in_order", "interrupts"]

T = TypeVar("T")
INTERRUPTED: Final = 130
PATIENCE: Final = 2.0
"""Seconds after which a further interrupt ends at once what is still ending in order."""


class Interrupts:
    """What SIGINT does while a command is at work: the first one raises KeyboardInterrupt, and the second ends the process.

    While `finish_in_order` is at work, the first one cancels it. A process that ends at once leaves nothing behind: files are
    written beside and renamed, and a sidecar ends the children. Before and after a command the system's own way holds: an
    exception out of the middle of an import is lost, or becomes another.
    """

    def __init__(self) -> None:
        self.came = False
        self.cancel: Callable[[], None] | None = None
        self._first = 0.0

    def __enter__(self) -> None:
        signal.signal(signal.SIGINT, self.handle)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The signal handler, of SIGTERM too while something is finished in order."""
        del number, frame
        first, self.came = not self.came, True
        if first:
            self._first = time.monotonic()
        if self.cancel is None:
            if first:
                raise KeyboardInterrupt
            _end_at_once()
        if first:
            self.cancel()
        elif time.monotonic() - self._first > PATIENCE:
            _end_at_once()


interrupts: Final = Interrupts()


def finish_in_order(work: Coroutine[Any, Any, T]) -> T:
    """`asyncio.run`, which SIGINT and SIGTERM cancel once; what is then cleaned up is left alone by further ones.

    Raises:
        KeyboardInterrupt: it was cancelled.
    """
    import asyncio

    async def main() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()

        def cancel() -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended by itself meanwhile
                loop.call_soon_threadsafe(task.cancel if task else lambda: None)

        interrupts.cancel = cancel
        return await work

    if interrupts.came:
        work.close()
        raise KeyboardInterrupt
    interrupts.cancel = lambda: None
    before = {number: signal.signal(number, interrupts.handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        return asyncio.run(main())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        interrupts.cancel = (lambda: None) if interrupts.came else None  # what is said last is said


def _end_at_once() -> NoReturn:
    with contextlib.suppress(OSError):
        os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
