"""How a request can fail, as exceptions inside the endpoint, and which error of the tree a status stands for."""

from __future__ import annotations

import re
from typing import Final, Literal

from claw_adapter.errors import (
    ClawError,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointTransientError,
    endpoint_error,
)

__all__ = [
    "CLIENT_CLOSED",
    "RUN_LIMIT",
    "BadRequest",
    "BrokenWire",
    "ProviderError",
    "WireFault",
    "classify",
    "is_too_long",
]

WireFault = Literal["refused", "drop", "drop_call", "drop_late", "stall", "told", "garbage", "empty"]

CLIENT_CLOSED: Final = 499
"""Status recorded for a request that the harness gave up."""

RUN_LIMIT: Final = "run_limit"
"""Code of the refusal of a request that would pass what may be spent."""

_TOO_LONG = re.compile(
    r"context.{0,12}(length|window|size)|"
    r"(input|prompt).{0,24}context|maximum.{0,20}tokens|prompt is too long|too many (input )?tokens|exceed_context",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content[ _-]?(filter|policy|management)|responsible_?ai|safety (system|filter)|moderation", re.IGNORECASE
)


class BadRequest(Exception):  # named after the HTTP status that it becomes
    """The harness sent something that its dialect does not allow; `what` says what."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class ProviderError(Exception):
    """The model could not answer: `status` goes to the harness, `error` is the reason as a `ClawError`.

    With `page` what comes is not the dialect's, but a page as of a proxy before the provider.
    """

    def __init__(
        self, status: int, error: ClawError, *, code: str = "", retry_after: str = "", page: bool = False
    ) -> None:
        super().__init__(error.what)
        self.status = status
        self.error = error
        self.code = code
        self.retry_after = retry_after
        self.page = page


class BrokenWire(Exception):  # not an error of ours: a fault that was asked for
    """Something other than a well-formed reply or error must happen on the wire."""

    def __init__(self, fault: WireFault) -> None:
        super().__init__(fault)
        self.fault: WireFault = fault

    @property
    def error(self) -> EndpointError:
        """The reason as recorded."""
        kinds = {"garbage": EndpointMalformedError, "empty": EndpointMalformedError}
        return kinds.get(self.fault, EndpointTransientError)(f"the model endpoint was told to fail: {self.fault}")


def classify(status: int, message: str, code: str = "", *, where: str = "") -> EndpointError:
    """The error that an upstream's status and message stand for."""
    text = f"{code} {message}"
    if is_too_long(status, text):
        remedy = "use a model with a longer context, or let the harness compact earlier"
        return EndpointError(
            f"the conversation no longer fits the model's context: {message}", where=where, remedy=remedy
        )
    if status in (400, 403, 422) and _FILTERED.search(text):
        return EndpointFilteredError(f"the provider's content filter refused the request: {message}", where=where)
    return endpoint_error(status)(f"the provider answered {status}: {message}", where=where)


def is_too_long(status: int, text: str) -> bool:
    """Whether a refusal says that the conversation no longer fits the model's context."""
    return status == 413 or (status in (400, 422) and _TOO_LONG.search(text) is not None)
