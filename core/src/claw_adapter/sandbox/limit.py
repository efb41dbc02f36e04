"""Set resource limits, then become the command: ``python -I -S limit.py as=BYTES cpu=SECONDS ... -- argv``.

Standard library only; runs inside the sandbox where the system has no ``prlimit``, which starts fifteen times as fast.
It limits itself and not a child, so that there is no instant in which the command is without limits.
"""

from __future__ import annotations

import os
import resource
import signal
import sys

KINDS = {"as": "RLIMIT_AS", "cpu": "RLIMIT_CPU", "fsize": "RLIMIT_FSIZE", "nproc": "RLIMIT_NPROC"}
COUNTED_PER_NAMESPACE = (5, 14)
"""First Linux that counts the processes of a user per user namespace; before, a limit would count all of the user's."""


def lower(name: str, value: int) -> None:
    """Lower one limit, soft and hard."""
    if (most := possible(name, value)) is not None:
        resource.setrlimit(getattr(resource, KINDS[name]), (most, most))


def possible(name: str, value: int) -> int | None:
    """What a limit can be: never above a hard limit that is there already; None for one to be left alone here."""
    if name == "nproc" and kernel() < COUNTED_PER_NAMESPACE:
        return None
    hard = resource.getrlimit(getattr(resource, KINDS[name]))[1]
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def kernel() -> tuple[int, ...]:
    """Return the running kernel's version, two numbers."""
    return tuple(int(part) for part in os.uname().release.split(".")[:2])


def main(arguments: list[str]) -> int:
    """Lower what is named and become the rest of the arguments; 127 if there is no such program."""
    at = arguments.index("--")
    for item in arguments[:at]:
        name, _, value = item.partition("=")
        lower(name, int(value))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and a program inherits that
        signal.signal(number, signal.SIG_DFL)
    argv = arguments[at + 1 :]
    try:
        os.execvp(argv[0], argv)  # noqa: S606  # becoming the command is the purpose
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return 127


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
