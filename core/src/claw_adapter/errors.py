"""Every error this package raises, in one tree.

    ClawError
    ├── ArgumentError          an argument of a function of ours is unknown, out of range, or excludes another
    ├── ScenarioError          a scenario, experiment or spec file is wrong: names file, line and field
    ├── PluginError            a plugin is missing, broken, or its name is taken
    ├── AdapterError           our class around a harness broke its contract
    ├── HarnessError           the harness (the vendor's program) failed
    │   ├── HarnessNotFound    it is not installed
    │   ├── HarnessStartError  it did not come up
    │   ├── HarnessCrash       it ended in mid turn
    │   ├── EmptyAnswer        it reported success without an answer
    │   ├── HarnessProtocolError  it said something its protocol does not allow
    │   └── HarnessOverLimits  it used more memory, processes, disk or /dev/shm than a trial may
    ├── OverlayError           something put between harness and endpoint failed
    │   └── OverlayNotFound    it is not installed
    ├── EndpointError          the model endpoint or the provider behind it failed
    │   ├── EndpointAuthError
    │   ├── EndpointQuotaError
    │   ├── EndpointTransientError
    │   ├── EndpointMalformedError
    │   └── EndpointFilteredError
    ├── SandboxError           an isolation level cannot be provided, or a sandboxed command could not be run
    ├── MachineError           the machine ran out of what a run needs: space, descriptors, memory, processes
    ├── DeadlineExceeded       a deadline passed; `owner` says whose it was
    ├── RunStopped             a run cannot go on for now, and nothing is lost: the same call continues it
    ├── JournalError           a run folder is damaged or belongs to another configuration
    └── InternalError          a fault of this package itself, never counted against a harness

Each says what happened, where, and what to do about it (`remedy`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

__all__ = [
    "AdapterError",
    "ArgumentError",
    "ClawError",
    "DeadlineExceeded",
    "EmptyAnswer",
    "EndpointAuthError",
    "EndpointError",
    "EndpointFilteredError",
    "EndpointMalformedError",
    "EndpointQuotaError",
    "EndpointTransientError",
    "HarnessCrash",
    "HarnessError",
    "HarnessNotFound",
    "HarnessOverLimits",
    "HarnessProtocolError",
    "HarnessStartError",
    "InternalError",
    "JournalError",
    "MachineError",
    "OverlayError",
    "OverlayNotFound",
    "Owner",
    "PluginError",
    "RunStopped",
    "SandboxError",
    "ScenarioError",
    "endpoint_error",
]


class Owner(StrEnum):
    """Who a failure belongs to. Every failure has exactly one owner."""

    SCENARIO = "scenario"
    ADAPTER = "adapter"
    HARNESS = "harness"
    OVERLAY = "overlay"
    ENDPOINT = "endpoint"
    SANDBOX = "sandbox"
    MACHINE = "machine"
    """No space, no descriptors, no memory, no processes: a run stops, and records nothing of the round at hand."""
    INTERNAL = "internal"
    """A fault of this package itself."""

    @classmethod
    def _missing_(cls, value: object) -> Owner | None:
        return cls.INTERNAL if value == "kit" else None  # its name in runs of earlier versions


LONGEST: Final = 10_000
"""Characters of an error's text, without its remedy."""


class ClawError(Exception):
    """Base of every error of this package.

    `where` locates the fault (``file:line``, a round id, a process); `remedy` is the way out, in one sentence.
    """

    owner: Owner = Owner.INTERNAL

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.remedy = remedy

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        if len(text) > LONGEST:  # a name in a damaged file may be of any length
            text = f"{text[: LONGEST - 1]}…"
        return f"{text}\n  {self.remedy}" if self.remedy else text


class ArgumentError(ClawError, ValueError):
    """An argument of the Python interface is unknown, out of range, or given beside one that excludes it."""

    def __init__(
        self, what: str, *, where: str = "", remedy: str = "help(claw_adapter.run) says what can be given."
    ) -> None:
        super().__init__(what, where=where, remedy=remedy)


class ScenarioError(ClawError):
    """A scenario, experiment or specification file is wrong."""

    owner = Owner.SCENARIO


class PluginError(ClawError):
    """A plugin is missing, broken, or its name is already taken."""

    owner = Owner.ADAPTER


class AdapterError(ClawError):
    """An adapter broke the contract of `claw_adapter.harness`."""

    owner = Owner.ADAPTER


class HarnessError(ClawError):
    """The harness failed; an adapter raises or returns this for faults of the vendor's program."""

    owner = Owner.HARNESS


class HarnessNotFound(HarnessError):
    """The harness is not installed on this machine."""


class HarnessStartError(HarnessError):
    """The harness was found but did not come up."""


class HarnessCrash(HarnessError):
    """The harness ended while a turn was under way."""


class EmptyAnswer(HarnessError):
    """The harness reported success without any answer: an error, never a wrong answer."""


class HarnessProtocolError(HarnessError):
    """The harness said something that its own protocol does not allow."""


class HarnessOverLimits(HarnessError):
    """The harness used more of the machine than a trial may, and was ended: says of what, how much, and the limit."""


class OverlayError(ClawError):
    """An overlay, between harness and endpoint, failed: neither the harness nor the model is at fault."""

    owner = Owner.OVERLAY


class OverlayNotFound(OverlayError):
    """The overlay is not installed on this machine."""


class EndpointError(ClawError):
    """The model endpoint, or the provider behind it, failed."""

    owner = Owner.ENDPOINT


class EndpointAuthError(EndpointError):
    """The provider refused the credential."""


class EndpointQuotaError(EndpointError):
    """The provider's rate limit or budget is used up."""


class EndpointTransientError(EndpointError):
    """A passing failure: connection, time-out, 5xx, overload."""


class EndpointMalformedError(EndpointError):
    """The provider's answer could not be read."""


class EndpointFilteredError(EndpointError):
    """The provider's content filter refused the request or the answer."""


_BY_STATUS: Final[dict[int, type[EndpointError]]] = {
    401: EndpointAuthError,
    402: EndpointQuotaError,
    403: EndpointAuthError,
    408: EndpointTransientError,
    409: EndpointTransientError,
    425: EndpointTransientError,
    429: EndpointQuotaError,
}
_SERVER: Final = 500


def endpoint_error(
    status: int = 0, text: str = "", rules: Sequence[tuple[str, type[EndpointError]]] = ()
) -> type[EndpointError]:
    """The class of a provider's failure: by its HTTP status where that says it, else by the first rule that its text fits.

    Args:
        status: 0 if it is not known. A bad request (400, 404, 413, 422) is for the text to explain.
        text: what the provider, or the harness about it, said.
        rules: pairs of a pattern, searched for without regard to case, and its class. How a failure is worded is a fact
            about one harness, so each adapter brings its own.
    """
    if status >= _SERVER:
        return EndpointTransientError
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return next((kind for pattern, kind in rules if re.search(pattern, text, re.IGNORECASE)), EndpointError)


class SandboxError(ClawError):
    """An isolation level cannot be provided here, or a sandboxed command could not be run."""

    owner = Owner.SANDBOX


class MachineError(ClawError):
    """The machine did not give what a run needs: space, descriptors, memory, processes, a place that can be written.

    It belongs to nothing that was at work, so nothing is recorded of it: the run stops, and the same command resumes it.
    """

    owner = Owner.MACHINE


class DeadlineExceeded(ClawError):
    """A deadline passed. `owner` is whose deadline it was; the default is the harness."""

    def __init__(self, what: str, *, where: str = "", remedy: str = "", owner: Owner = Owner.HARNESS) -> None:
        super().__init__(what, where=where, remedy=remedy)
        self.owner = owner


class RunStopped(ClawError):
    """The run cannot go on for now: its provider is away, refuses it, or a limit is reached. The same call continues it.

    What was under way is not in the journal, so nobody is charged with it.
    """

    owner = Owner.ENDPOINT


class JournalError(ClawError):
    """A run folder is damaged, or belongs to another configuration."""


class InternalError(ClawError):
    """The certification kit itself failed; never counted against a harness."""
