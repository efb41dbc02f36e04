"""What went wrong in a turn, told from what NanoBot says about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from claw_adapter.command.words import ModelWords
from claw_adapter.errors import (
    ClawError,
    EmptyAnswer,
    EndpointError,
    EndpointFilteredError,
    EndpointMalformedError,
    EndpointTransientError,
    HarnessCrash,
    HarnessError,
    HarnessProtocolError,
)

__all__ = ["CLI_EMPTY", "CLI_MARK", "WORDS", "failure"]

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
WORDS: Final = ModelWords(
    filtered=r"refused to answer",
    auth=r"\b40[13]\b|incorrect api key|permission denied",
    quota=r"\b429\b|insufficient|arrears",
    malformed=r"json|decode|parse|(empty|no) choices|expecting value|before a finish reason|^Error: ([\"<\[]|{\")",
    passing=r"connection|\b5\d\d\b|overloaded|temporarily|disconnected|reset by peer",
)
"""What NanoBot, or the provider whose sentence it passes on, says of a model that failed."""


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
    status, kind = reply.get("status"), reply.get("error_kind")
    if isinstance(status, int):
        return WORDS.error(said, status)
    if "before a finish reason" in said:  # a complete HTTP reply that was no complete answer
        return EndpointMalformedError(said, where="model request")
    if kind in ("connection", "timeout"):
        return EndpointTransientError(said, where="model request")
    return WORDS.error(said)
