"""Unix sockets below folders whose path is longer than the 108 bytes that a socket address can hold.

The address goes through ``/proc/self/fd/<descriptor of the folder>/<name>``, which is short whatever the folder is called.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Final

__all__ = ["address", "bind_unix"]

LONGEST: Final = 100
_DESCRIPTORS: Final = Path("/proc/self/fd")


@contextlib.contextmanager
def address(path: Path) -> Iterator[str]:
    """Yield an address for `path` that is short enough; valid inside the block only."""
    if len(os.fsencode(path)) <= LONGEST or not _DESCRIPTORS.is_dir():
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield str(_DESCRIPTORS / str(folder) / path.name)
    finally:
        os.close(folder)


def bind_unix(path: Path, mode: int) -> socket.socket:
    """Return a bound, non-blocking Unix socket; a file left by an earlier process is replaced.

    Raises:
        OSError: the folder does not exist or cannot be written.
    """
    path.unlink(missing_ok=True)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with address(path) as short:
            before = os.umask(0o777 & ~mode)  # never open to others, not even for a moment
            try:
                sock.bind(short)
            finally:
                os.umask(before)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock
