"""What went wrong in a turn, told from how PicoClaw ended and what it printed."""

from __future__ import annotations

import re
from typing import Final

from claw_adapter.command.words import ModelWords
from claw_adapter.errors import (
    ClawError,
    EmptyAnswer,
    EndpointFilteredError,
    HarnessCrash,
    HarnessError,
    HarnessProtocolError,
    HarnessStartError,
)
from claw_adapter_picoclaw.trace import Trace

__all__ = ["EMPTY", "LIMIT", "answered", "ended"]

EMPTY: Final = "The model returned an empty response. This may indicate a provider error or token limit."
"""What PicoClaw says, with status 0, when the model said nothing."""
LIMIT: Final = "I've reached `max_tool_iterations` without a final response."
"""How it begins, with status 0, when the model still wanted a tool after the last allowed request."""
TAIL: Final = 2000
_MODEL: Final = "LLM call failed"
_STATUS: Final = re.compile(r"^\s*Status:\s*(\d{3})\s*$", re.MULTILINE)
_WORDS: Final = ModelWords(
    filtered=r"refused to answer",
    auth=r"permission denied",
    malformed=r"json|decode|parse|unexpected eof|instead of",
    passing=r"connection|deadline|dial tcp|\bEOF\b|reset by peer",
)
_START: Final = re.compile(r"error (loading config|creating provider)|start process hook|unknown (command|flag)")


def ended(status: str, stderr: str) -> ClawError:
    """The error of a command that did not end with status 0; `status` says how it ended."""
    said = stderr.strip()[-TAIL:].removeprefix("Error: ").removeprefix("error processing message: ")
    where = f"picoclaw agent, {status}"
    if _MODEL in said:
        found = _STATUS.search(said)
        return _WORDS.error(said, int(found[1]) if found else 0)
    if _START.search(said):
        return HarnessStartError(f"PicoClaw refuses to start: {said}", where=where)
    if "error processing message" in stderr:
        return HarnessError(said, where=where)
    return HarnessCrash(f"PicoClaw ended with {status}: {said or 'it said nothing'}", where=where)


def answered(text: str, trace: Trace) -> ClawError | None:
    """The error of a command that ended with status 0, or None if it brought an answer of the model."""
    where = "picoclaw agent"
    if trace.finish in ("content_filter", "refusal"):
        return EndpointFilteredError(f"the model ended with {trace.finish}", where="model request")
    if not text.strip() or text == EMPTY:
        return EmptyAnswer("the model said nothing", where=where)
    if text.startswith(LIMIT):
        remedy = "Raise the option max_iterations."
        return EmptyAnswer("the model still called tools after the last request allowed", where=where, remedy=remedy)
    if not trace.asked:
        return HarnessProtocolError(f"answered without the model: {text[:TAIL]}", where=where)
    return None
