"""Session files as the text that the published tables count (ClawArena v2, appendix E).

JSON-lines sessions are parsed and rendered as ChatML; Markdown logs count as they are. What a tool call becomes differs by
format, which is why the same history has another size in another layout: OpenClaw and Claude Code write ``name(arguments)``,
NanoBot and PicoClaw keep the calls as JSON, ids included, characters as they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, get_args

from claw_adapter.data_format.prompt import COMPAT_INSTRUCTION, COMPAT_UPDATE_NOTE
from claw_adapter.reading import parse_json
from claw_adapter.tokens import render
from claw_adapter_clawarena.layouts import Format

__all__ = ["SESSION_TEXT", "feedback_text", "preference_text", "question_text", "session_text"]

_CLAUDE = frozenset({"user", "assistant", "system", "tool"})
Records = Iterator[dict[str, Any]]


def session_text(text: str, form: Format) -> str:
    """What is counted of a session file; a file that is not of its format counts as plain text."""
    if form == "markdown":
        return text
    try:
        records = _records(text)
        return render(_READERS[form](iter(records)))
    except (ValueError, AttributeError, TypeError, LookupError):
        return text


def _records(text: str) -> list[Any]:
    """The records of JSON lines; read as one array, which is faster, unless there are empty lines."""
    lines = text.strip()
    if "\n\n" not in lines and "\r" not in lines:
        return list(parse_json(f"[{lines.replace(chr(10), ',')}]"))
    return [parse_json(line) for line in lines.split("\n") if line.strip()]


def _openclaw(records: Records) -> Iterator[tuple[str, str]]:
    for record in records:
        if record.get("type") == "message":
            message = record["message"] or {}
            yield str(message.get("role", "")), _content(message.get("content"))


def _claude(records: Records) -> Iterator[tuple[str, str]]:
    for record in records:
        if record.get("type") in _CLAUDE:
            message = record.get("message") or {}
            yield str(message.get("role", record["type"])), _content(message.get("content"))


def _flat(records: Records) -> Iterator[tuple[str, str]]:
    for record in records:
        if "role" in record:
            calls = record.get("tool_calls")
            said = f"\n{json.dumps(calls, ensure_ascii=False)}" if calls else ""
            yield str(record["role"]), _content(record.get("content")) + said


_READERS: Mapping[str, Callable[[Records], Iterator[tuple[str, str]]]] = {
    "openclaw": _openclaw,
    "claude-code": _claude,
    "nanobot": _flat,
    "picoclaw": _flat,
}


SESSION_TEXT: Mapping[Format, Callable[[str], str] | None] = {
    form: partial(session_text, form=form) if form in _READERS else None for form in get_args(Format)
}
"""Per format `session_text` of it; None where the file counts as it is."""


def _content(content: Any) -> str:
    if content is None:
        return ""
    if isinstance(content, list):
        if len(content) == 1 and isinstance(content[0], dict):
            return _part(content[0])
        return "\n".join(filter(None, map(_part, content)))
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type")
    if kind == "text":
        return str(part.get("text") or "")
    if kind in ("toolCall", "tool_use"):
        arguments = part.get("arguments", part.get("input", {}))
        return f"{part.get('name', '')}({json.dumps(arguments, ensure_ascii=False)})"
    if kind == "tool_result":
        return _content(part.get("content"))
    return json.dumps(part, ensure_ascii=False)


def question_text(item: Mapping[str, Any]) -> str:
    """A round's prompt in the published format; `item` is an entry of ``questions.json``."""
    question = str(item.get("question", ""))
    if item.get("type") != "multi_choice":
        return question
    options = item.get("eval", {}).get("options", {})
    note = [COMPAT_UPDATE_NOTE] if item.get("update_ids") else []
    lines = [f"{letter}. {text}" for letter, text in sorted(options.items())]
    return "\n".join([*note, question, *lines, "", COMPAT_INSTRUCTION])


def feedback_text(item: Mapping[str, Any]) -> str:
    """All feedback that a round has, said or not: outcomes and statements, one a line."""
    return "\n".join(_strings(item.get("feedback")))


def preference_text(item: Mapping[str, Any]) -> str:
    """A round's teaching check: command, feedback, and its rules where they are a list."""
    given = item.get("pref")
    if not isinstance(given, dict):
        return ""
    rules = given.get("rules")
    listed = [str(rule) for rule in rules] if isinstance(rules, list) else []
    return "\n".join(filter(None, [str(given.get("command", "")), *_strings(given.get("feedback")), *listed]))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
