"""A keyring of the kernel for each child, so that no two of them, and not the user's session, have keys in common."""

from __future__ import annotations

import functools
import platform
import sys
from collections.abc import Callable
from typing import Final

__all__ = ["fresh_keyring"]

KEYCTL: Final = {"x86_64": 250, "aarch64": 219}
"""The number of the system call keyctl(2)."""
JOIN_SESSION: Final = 1


def fresh_keyring() -> None:
    """Leave the session keyring of this thread for an empty one without a name, which its children inherit.

    Where there are no keyrings, or the user may have no more of them, nothing happens.
    """
    join = _join()
    if join is not None:
        join()


@functools.cache
def _join() -> Callable[[], object] | None:
    number = KEYCTL.get(platform.machine())
    if sys.platform != "linux" or number is None:
        return None
    import ctypes

    call = ctypes.CDLL(None).syscall
    return functools.partial(call, ctypes.c_long(number), ctypes.c_long(JOIN_SESSION), ctypes.c_void_p())
