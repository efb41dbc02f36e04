"""What went wrong in a turn, told from what NanoBot says about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from claw_adapter.errors import (
    ClawError,
    EmptyAnswer,
    EndpointAuthError,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointQuotaError,
    EndpointTransientError,
    HarnessCrash,
    HarnessError,
    HarnessProtocolError,
    endpoint_error,
)

__all__ = ["CLI_EMPTY", "CLI_MARK", "by_text", "failure"]

CLI_MARK: Final = "[Assistant reply unavailable due to model error.]"
"""What NanoBot writes into a session in place of an answer when the model failed, although its command ends with 0."""

CLI_EMPTY: Final = (
    "I completed the tool steps but couldn't produce a final answer. Please try again or narrow the task."
)
"""What it writes as the answer when the model said nothing."""
GAVE_UP: Final = re.compile(
    r"I reached the maximum number of tool call iterations \(\d+\) without completing the task\.[^\n]*"
)
"""What it says, in place of the model, when that went on calling tools."""
_STOPS: Final[dict[str | None, tuple[type[ClawError], str, str]]] = {
    "empty_final_response": (EmptyAnswer, "NanoBot got no text from the model", ""),
    "cancelled": (HarnessError, "the turn was cancelled", ""),
    "exception": (HarnessCrash, "NanoBot raised an exception", "Its standard error has the traceback."),
    None: (HarnessProtocolError, "NanoBot ended the turn without a reason", ""),
}
_BY_TEXT: Final[tuple[tuple[str, type[EndpointError]], ...]] = (
    (r"content[_ ]?filter|content management policy|refus(al|ed to answer)", EndpointFilteredError),
    (
        r"\b40[13]\b|invalid[_ ]api[_ ]key|incorrect api key|unauthori[sz]ed|authentication|permission denied",
        EndpointAuthError,
    ),
    (r"\b429\b|rate[_ -]?limit|quota|insufficient|arrears|billing|too many requests", EndpointQuotaError),
    (
        r"connection|timed? ?out|timeout|\b5\d\d\b|overloaded|unavailable|temporarily|disconnected|reset by peer",
        EndpointTransientError,
    ),
    (
        r"json|decode|parse|malformed|(empty|no) choices|expecting value|before a finish reason|^Error: ([\"<\[]|{\")",
        EndpointMalformedError,
    ),
)


def by_text(text: str) -> type[EndpointError]:
    """The class that an error text of a provider most likely means."""
    return endpoint_error(0, text, _BY_TEXT)


def failure(reply: Mapping[str, Any]) -> ClawError | None:
    """The error of a turn as the bridge reported it, or None if it brought an answer."""
    stop, said = reply.get("stop_reason"), str(reply.get("error") or "")
    if stop == "error":
        return _of_model(reply, said or "the model failed")
    if reply.get("finish_reason") in ("refusal", "content_filter"):
        return EndpointFilteredError(f"the model ended with {reply['finish_reason']}", where="model request")
    if stop in _STOPS:
        kind, what, remedy = _STOPS[stop]
        return kind(f"{what}: {said}" if said else what, where="NanoBot's turn", remedy=remedy)
    if GAVE_UP.fullmatch(str(reply.get("text") or "").strip()):
        remedy = "Look at the transcript; the option max_iterations raises the limit."
        return HarnessError(f"NanoBot gave up: {reply['text']}", where="NanoBot's turn", remedy=remedy)
    if not str(reply.get("text") or "").strip():
        return EmptyAnswer("NanoBot reported success without an answer", where="NanoBot's turn")
    return None


def _of_model(reply: Mapping[str, Any], said: str) -> EndpointError:
    status = reply.get("status")
    if isinstance(status, int):
        return endpoint_error(status, said, _BY_TEXT)(said, where=f"model request, status {status}")
    return _by_kind(str(reply.get("error_kind")), said)(said, where="model request")


def _by_kind(kind: str, text: str) -> type[EndpointError]:
    if "before a finish reason" in text:  # a complete HTTP reply that was no complete answer
        return EndpointMalformedError
    return EndpointTransientError if kind in ("connection", "timeout") else by_text(text)
