"""What can go wrong between us and a child process; every class stands in the tree of `claw_adapter.errors`."""

from __future__ import annotations

from claw_adapter.errors import AdapterError, HarnessError, HarnessNotFound, HarnessProtocolError, HarnessStartError

__all__ = ["CommandInvalid", "LineTooLong", "ProgramNotFound", "ProgramNotStarted", "RemoteError"]


class ProgramNotFound(HarnessNotFound):
    """No program of that name on the child's PATH; the caller puts its own way to install it in `remedy`."""


class ProgramNotStarted(HarnessStartError):
    """The program is there but could not be started: not executable, no interpreter, bad working folder."""


class CommandInvalid(AdapterError):
    """A command that no system would start: too long an argument, a NUL byte, no arguments at all."""


class LineTooLong(HarnessProtocolError):
    """A child of a line protocol sent more than the agreed bytes without a line end."""


class RemoteError(HarnessError):
    """A line child answered a call with an error of its own; `kind` is the word it used for it."""

    def __init__(self, what: str, *, kind: str, where: str = "", remedy: str = "") -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.kind = kind
