"""What the status of a harness's own server means; the tree is that of `claw_adapter.errors`."""

from __future__ import annotations

from typing import Final

from claw_adapter.errors import AdapterError, HarnessError, HarnessProtocolError

__all__ = ["ServerFailed", "ServerRefused", "excerpt", "refusal"]

SHOWN_BYTES: Final = 500
_PASSING: Final = frozenset({408, 425, 429})


class ServerFailed(HarnessError):
    """The harness's server could not answer: a status of 500 or more, or one that says to try later (408, 425, 429).

    `status` is the HTTP status, `retry_after` what the server asked for, in seconds. A harness that passes its
    provider's status on must be told apart by its adapter: the body is in the message.
    """

    def __init__(self, what: str, *, status: int, retry_after: float | None = None, where: str = "") -> None:
        super().__init__(what, where=where)
        self.status = status
        self.retry_after = retry_after


class ServerRefused(AdapterError):
    """The harness's server refused what our adapter sent: wrong credential (401, 403), path or body (other 4xx)."""

    def __init__(self, what: str, *, status: int, where: str = "") -> None:
        super().__init__(what, where=where, remedy="Look whether the adapter was written for this version.")
        self.status = status


def refusal(
    status: int, reason: str, body: bytes, retry_after: str, where: str
) -> ServerFailed | ServerRefused | HarnessProtocolError:
    """The error for a status that is no success, with the beginning of what the server said about it."""
    what = f"status {status} {reason}".rstrip() + (f": {excerpt(body)}" if body else "")
    if status >= 500 or status in _PASSING:
        return ServerFailed(what, status=status, retry_after=_seconds(retry_after), where=where)
    if status >= 400:
        return ServerRefused(what, status=status, where=where)
    return HarnessProtocolError(f"{what}: neither an answer nor an error", where=where)


def excerpt(body: bytes) -> str:
    """The beginning of a body, for messages."""
    return repr(body[:SHOWN_BYTES].decode("utf-8", "replace"))


def _seconds(text: str) -> float | None:
    """Retry-After in seconds; None for a date or nothing."""
    return float(text) if text.isascii() and text.isdigit() else None
