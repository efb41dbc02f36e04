"""What went wrong in a turn, told from the gateway's HTTP answer and from what it wrote into the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from claw_adapter.command.words import ModelWords
from claw_adapter.errors import ClawError, EmptyAnswer, HarnessError
from claw_adapter_openclaw.answers import OK
from claw_adapter_openclaw.native import message_of
from claw_adapter_openclaw.steps import replies

__all__ = ["failure", "reason"]

NOTHING: Final = "OpenClaw ended the turn without an answer"
TOOLS_ONLY: Final = "The tool run finished"
"""How its own sentence begins; its session then ends with the results, or with a reply without words."""
MIRROR: Final = "delivery-mirror"
"""The model that its session names for sentences of its own."""
LOOP: Final = "tool-loop recovery encountered another critical loop"
"""How its guard against loops ends a turn (`loop_detection`)."""
_WORDS: Final = ModelWords(
    auth=r"temporarily disabled after a provider auth/billing failure|\b40[13]\b",
    quota=r"\b(402|429)\b",
    malformed=r"invalid json|unexpected token|without finish_reason|premature",
    # "terminated" is what fetch says of a stream that broke off.
    passing=r"connection|econnrefused|econnreset|fetch failed|network|\b5\d\d\b|overloaded|\b408\b|^terminated$",
)


def reason(events: Sequence[Mapping[str, Any]]) -> str:
    """What the session says of a turn that failed; empty if it says nothing."""
    for event in reversed(events):
        message = event.get("message") or {}
        if event.get("customType") == "run-failed-before-reply":
            return str((event.get("details") or {}).get("error") or event.get("content") or "")
        if message.get("role") == "assistant":
            return str(message.get("errorMessage") or "") if message.get("stopReason") == "error" else ""
    return ""


def failure(status: int, text: str, said: str, events: Sequence[Mapping[str, Any]]) -> ClawError | None:
    """The error of a turn, or None if it brought an answer.

    Args:
        status: HTTP status of the gateway's answer; over ACP 200 for a turn that ended, whatever it brought, else 500.
        text: the reply, if there is one.
        said: the gateway's own error text, which may say no more than "internal error".
        events: what the turn added to the session.
    """
    why = reason(events)
    if LOOP in (why or said):
        what = "OpenClaw ended the turn: the model called the same tool again and again, with the same outcome"
        remedy = "With the option loop_detection: false only the deadline ends such a turn."
        return EmptyAnswer(what, where="OpenClaw's turn", remedy=remedy)
    if status == OK and text.strip() and not why:
        return EmptyAnswer(NOTHING, where="OpenClaw's turn") if _wordless(text, events) else None
    if why or status in (400, 401, 402, 403, 408, 429, 502, 503):
        words = why or said
        return _WORDS.kind(words)(words, where=f"model request (gateway: {status})")
    if status == OK or _spoke(events):
        return EmptyAnswer(NOTHING, where="OpenClaw's turn")
    return HarnessError(f"the gateway answered {status}: {said}", where="OpenClaw's turn")


def _wordless(text: str, events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a text is what OpenClaw says after tools where the model, asked three times, had no words for their results."""
    last = [reply for reply in replies(events) if reply["message"].get("model") != MIRROR][-1:]
    said = message_of(last[0]) if last else None
    return text.startswith(TOOLS_ONLY) and (said is None or text not in said.text)


def _spoke(events: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the model's last reply came through, with nothing for the user in it (no text, or NO_REPLY)."""
    last = replies(events)[-1:]
    return bool(last) and last[0]["message"].get("stopReason") in ("stop", "length")
