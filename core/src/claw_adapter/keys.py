"""Provider keys in this process: out of the environment while a run goes on, so that no child finds them there.

On Linux the place where the system shows the environment a process was started with (``/proc/PID/environ``) is wiped of
them, for good, and the process is made one that others of the same user cannot look into.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

__all__ = ["close_to_others", "keep", "key_in_url", "key_of", "withheld"]

_PR_GET_DUMPABLE, _PR_SET_DUMPABLE = 3, 4
_ENV_START, _ENV_END = 47, 48
"""Fields of /proc/self/stat, counted from behind the program's name: see proc(5), fields 50 and 51."""
_KEY_NAMES: Final = re.compile(
    r"(?i)(^|[-_.])(api)?(key|token|secret|password|passwd|auth|sig|signature|credential)s?$"
)

_kept: dict[str, str] = {}


def key_of(name: str) -> str:
    """The key that the environment variable `name` holds, or held when it was taken out; empty without one."""
    return _kept.get(name) or os.environ.get(name, "")


def keep(keys: Mapping[str, str]) -> None:
    """Answer `key_of` by these from now on."""
    _kept.update(keys)


@contextlib.contextmanager
def withheld(names: Iterable[str]) -> Iterator[Mapping[str, str]]:
    """Take keys out of the environment; they and the rights on this process are put back at the end."""
    keys = {name: value for name in names if (value := os.environ.get(name))}
    keep(keys)
    for name in keys:
        del os.environ[name]
    _wipe(keys)
    before = close_to_others()
    try:
        yield keys
    finally:
        _dumpable(before)
        for name, value in keys.items():
            del _kept[name]
            os.environ.setdefault(name, value)


def close_to_others() -> int:
    """Let no other process of this user read our memory or environment, as far as the system can; what held before."""
    before = _dumpable(None)
    _dumpable(0)
    return before


def key_in_url(url: str) -> str:
    """What in an address stands where keys stand, without telling it; empty if there is nothing."""
    if "@" in url:  # also behind a slash or a question mark, which a password may hold against the rules
        return "a user name or password"
    for name, _ in parse_qsl(url.partition("?")[2], keep_blank_values=True):
        if _KEY_NAMES.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)):
            return f"the query field {name!r}"
    return ""


def _dumpable(value: int | None) -> int:
    """Set whether others may look into this process, or with None say whether they may."""
    if sys.platform != "linux":
        return 1
    call = ctypes.CDLL(None).prctl
    return int(call(_PR_GET_DUMPABLE, 0, 0, 0, 0) if value is None else call(_PR_SET_DUMPABLE, value, 0, 0, 0))


def _wipe(keys: Mapping[str, str]) -> None:
    """Overwrite the keys in the block of memory that /proc/PID/environ shows; libc has let go of it by now."""
    if sys.platform != "linux" or not keys:
        return
    fields = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    start, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    block = b"\0" + ctypes.string_at(start, end - start)
    for name, value in keys.items():
        text = os.fsencode(value)
        at = block.find(b"\0" + os.fsencode(name) + b"=" + text + b"\0")
        if at >= 0:
            ctypes.memset(start + at + len(os.fsencode(name)) + 1, ord("x"), len(text))
