"""Coroutines called from ordinary code, also where an event loop is running already, as in a notebook."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from claw_adapter.machine import machine_error, system_error

__all__ = ["finish", "system_errors"]

T = TypeVar("T")


def finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Wait for a coroutine: in a loop of this thread, or of a thread of its own if this one's is running.

    An interrupt ends the coroutine in order before it is passed on.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    return _in_a_thread(coroutine)


def _in_a_thread(coroutine: Coroutine[Any, Any, T]) -> T:
    cancel: list[Callable[[], object]] = []

    async def main() -> T:
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is not None:
            cancel.append(lambda: loop.call_soon_threadsafe(task.cancel))
        return await coroutine

    with ThreadPoolExecutor(1, thread_name_prefix="claw") as pool:
        future = pool.submit(asyncio.run, main())
        try:
            return future.result()
        except KeyboardInterrupt:
            for call in cancel:
                with contextlib.suppress(RuntimeError):  # the loop has ended by itself meanwhile
                    call()
            raise


@contextlib.contextmanager
def system_errors() -> Iterator[None]:
    """A refusal of the system (no such file, no permission, no space) becomes a `ClawError` with the way out."""
    try:
        yield
    except Exception as error:
        if (short := machine_error(error)) is not None:
            raise short from error
        if not isinstance(error, OSError) or error.errno is None:  # not the system's
            raise
        raise system_error(error) from error
