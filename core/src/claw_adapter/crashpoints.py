"""Named places at which a test lets the runner die, to prove that nothing is lost there.

``CLAW_CRASH_AT=NAME[:N]`` makes the N-th passing of that place end the process at once, as SIGKILL would.
"""

from __future__ import annotations

import os
import signal

__all__ = ["crashpoint"]

_passed: dict[str, int] = {}


def crashpoint(name: str) -> None:
    """Die here if the environment asks for it; otherwise nothing."""
    wanted = os.environ.get("CLAW_CRASH_AT")
    if not wanted:
        return
    place, _, count = wanted.partition(":")
    if place == name:
        _passed[name] = _passed.get(name, 0) + 1
        if _passed[name] == int(count or 1):
            os.kill(os.getpid(), signal.SIGKILL)
