"""Waiting: for what must not be left half done, and for others within a limit."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import functools
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, ParamSpec, TypeVar

__all__ = ["readable", "shielded", "side_by_side", "timeout", "to_thread"]

P = ParamSpec("P")
A = TypeVar("A")
T = TypeVar("T")


async def shielded(work: Coroutine[Any, Any, T] | asyncio.Future[T]) -> T:
    """Wait until `work` has come to its end, however often that is cancelled; then the cancellation is passed on.

    The work has to be bounded by itself.
    """
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # seen: who cancelled does not want to hear of it
    raise cancelled


async def side_by_side(call: Callable[[A], Awaitable[T]], items: Iterable[A]) -> list[T]:
    """The results for all items, in their order; twice as many at a time as there are processors.

    It is for work that mostly waits for processes, such as sandboxed checks.
    """
    turn = asyncio.Semaphore(2 * (os.cpu_count() or 1))

    async def one(item: A) -> T:
        async with turn:
            return await call(item)

    return await asyncio.gather(*map(one, items))


async def readable(descriptor: int, seconds: float | None = None) -> bool:
    """Wait until there is something to read from a descriptor, or it has ended; False if that takes longer."""
    loop, there = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(descriptor, there.set)
    try:
        async with asyncio.timeout(seconds):
            await there.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(descriptor)
    return True


async def to_thread(call: Callable[P, T], *args: P.args, **more: P.kwargs) -> T:
    """Do work that blocks, such as on many files, in a thread: the loop goes on, and with it everyone's deadlines.

    One who cancels goes on only when the thread has ended, so that it touches nothing afterwards.
    """
    bound = functools.partial(contextvars.copy_context().run, call, *args, **more)
    return await shielded(asyncio.get_running_loop().run_in_executor(None, bound))


@contextlib.asynccontextmanager
async def timeout(seconds: float, late: Callable[[], Exception]) -> AsyncIterator[None]:
    """Bound the block; a TimeoutError of its own is passed on as it is.

    Raises:
        Exception: what `late` makes, when the block takes longer.
    """
    try:
        async with asyncio.timeout(seconds) as limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise late() from None
