"""What went wrong in a turn, told from the record that ends it: by `is_error`, for `subtype` says "success" all the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from claw_adapter.command.words import ModelWords
from claw_adapter.errors import ClawError, EmptyAnswer, EndpointFilteredError, HarnessError

__all__ = ["exhausted", "failure", "status"]

_WORDS: Final = ModelWords(
    filtered=r"usage policy|legal/aup|refused to",
    auth=r"authenticat|not logged in|permission denied",
    quota=r"credit balance",
    malformed=r"json|parse|empty or|unexpected (end|token)|without (content|receiving)",
    passing=r"connect|socket|network|ECONN|fetch failed|overloaded|closed|terminated",
)

_STATUS: Final = re.compile(r"API Error: (?:Request rejected \()?([45]\d\d)\b")


def failure(result: Mapping[str, Any]) -> ClawError | None:
    """The error of a turn, or None if it brought an answer."""
    said = _said(result)
    where = f"Claude Code's turn ({result.get('terminal_reason') or result.get('subtype') or 'no reason'})"
    if result.get("stop_reason") == "refusal":
        return EndpointFilteredError(said or "the model refused", where="model request")
    if not result.get("is_error"):
        return None if said.strip() else EmptyAnswer("the model said nothing", where=where)
    return _reported(result, said, where)


def _reported(result: Mapping[str, Any], said: str, where: str) -> ClawError:
    """The error that Claude Code itself reports."""
    code = result.get("api_error_status")
    if isinstance(code, int):
        return _WORDS.error(said, code)
    if result.get("subtype") == "error_max_turns":
        return exhausted(where)
    if "last_content_type=none" in said:
        return EmptyAnswer("the model said nothing", where=where)
    if said.startswith("API Error") or result.get("terminal_reason") in ("api_error", "model_error"):
        return _WORDS.error(said)
    return HarnessError(said or "Claude Code reports an error", where=where)


def exhausted(where: str) -> EmptyAnswer:
    """The error of a turn that had no answer after `max_requests` requests, whatever the mode."""
    remedy = "Raise the option max_requests."
    return EmptyAnswer("the model still called tools after the last request allowed", where=where, remedy=remedy)


def status(text: str) -> int | None:
    """The HTTP status in a sentence such as ``API Error: 400 …``."""
    found = _STATUS.search(text)
    return int(found[1]) if found else None


def _said(result: Mapping[str, Any]) -> str:
    return str(result.get("result") or "") or "; ".join(map(str, result.get("errors") or ()))
