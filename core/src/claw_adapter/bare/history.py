"""What a request shows of the conversation: all of it, or a summary of what is long ago."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from claw_adapter.bare.options import BareOptions
from claw_adapter.harness import Message

__all__ = ["NO_COMMAND", "RULE", "History", "Said"]

RULE: Final = "Answer with exactly one command and nothing else. Answer `done` when the request is fulfilled."
NO_COMMAND: Final = f"No command was given. {RULE}"
_STATUS: Final = re.compile(r"\[exit -?\d+\]\n")

Said: TypeAlias = dict[str, str]
"""A message as a request has it: ``role`` and ``content``."""


class History:
    """How much of the conversation requests show; it gets less when the model says that it was too long."""

    def __init__(self, options: BareOptions) -> None:
        self._options = options
        self._tight = 0
        """Commands that stay whole since the conversation was too long for the model; 0 if it never was."""

    def shown(self, messages: Sequence[Message]) -> tuple[list[Said], str]:
        """The messages of a request, and what was done about their length; empty for nothing that was not asked for."""
        options = self._options
        if self._tight:
            return _summed_up(messages, self._tight), ""
        if options.history == "summary":
            return _summed_up(messages, options.keep), ""
        if options.history == "auto" and (size := sum(len(message.text) for message in messages)) > options.context:
            note = f"the conversation has {size} characters; all but its last {options.keep} commands are summed up"
            return _summed_up(messages, options.keep), note
        return [_as_text(message) for message in messages], ""

    def tighten(self) -> str:
        """Sum up from now on, or leave half as many commands whole; empty if one command was too many already."""
        keep = self._options.keep
        before = self._tight or (keep if self._options.history == "summary" else 2 * keep)
        if before <= 1:
            return ""
        self._tight = before // 2
        return f"too long for the model; all but its last {self._tight} commands are summed up from now on"


def _as_text(message: Message) -> Said:
    """There are no tools here: what an earlier conversation has of them is told as text."""
    calls = (f"{call.name} {json.dumps(call.arguments)}" for call in message.tool_calls)
    role = "user" if message.role == "tool" else message.role
    return {"role": role, "content": "\n".join(filter(None, (message.text, *calls)))}


def _summed_up(messages: Sequence[Message], keep: int) -> list[Said]:
    """Of earlier commands the first line of what they printed, the last `keep` whole; prompts stay as they are."""
    first = max(len(messages) - 2 * keep, 0)
    return [*_brief(messages[:first]), *(_as_text(message) for message in messages[first:])]


def _brief(messages: Sequence[Message]) -> Iterator[Said]:
    lines: list[str] = []
    rest = list(messages)
    while rest:
        if len(rest) > 1 and rest[0].role == "assistant" and _is_printed(rest[1]):
            lines.append(f"$ {rest[0].text}\n  {rest[1].text.partition(chr(10))[2].partition(chr(10))[0]}")
            del rest[:2]
            continue
        yield from _earlier(lines)
        lines = []
        yield _as_text(rest.pop(0))
    yield from _earlier(lines)


def _earlier(lines: Sequence[str]) -> Iterator[Said]:
    if lines:
        yield {"role": "user", "content": "Earlier commands:\n" + "\n".join(lines)}


def _is_printed(message: Message) -> bool:
    return message.role == "user" and (message.text == NO_COMMAND or _STATUS.match(message.text) is not None)
