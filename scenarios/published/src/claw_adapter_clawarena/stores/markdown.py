r"""Message logs in Markdown, as harnesses with one session get their histories.

    # Message Log: NAME

    *Session started: TIME*

    ---

    **User** (TIME):

    text

    **Assistant** (TIME):

    text

A call is ``**Assistant** [tool: NAME](TIME):`` with its arguments in a fenced block; its result is
``**Tool Result** [NAME]:`` with the text in one. A line ``---`` stands before each user message.

Calls of a message stand behind its text, with its time. Held: the file's name (a session's id), roles, text without blank
lines at its ends, times except of results, calls, results one a message. Not held: ids of messages and calls (they are ``m1``,
``call_1`` … by position), channel, kind, title, participants, speakers, and that two messages of the assistant in a row have
one time. A line of a text that would be taken for a head gets a backslash, taken away on reading; so does a ``---`` that ends
a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from claw_adapter.errors import ScenarioError
from claw_adapter.harness import Message, Session, ToolCall
from claw_adapter_clawarena.stores.base import FileStore, arguments_of, message, read_text
from claw_adapter_clawarena.times import format_time, parse_time

__all__ = ["MarkdownStore"]

_HEAD: Final = re.compile(
    r"\*\*(?:(?P<role>User|Assistant|System)\*\*(?: \[tool: (?P<call>[^\]\n]+)\])? ?\((?P<time>[^()\n]*)\):"
    r"|Tool Result\*\* \[(?P<result>[^\]\n]*)\]:)\Z"
)
_RULE: Final = "---"
_FENCE: Final = re.compile(r"(`{3,})(json)?\Z")


class MarkdownStore(FileStore):
    """The folder ``message_logs`` of a workspace, or one file of it."""

    ending: ClassVar[str] = ".md"

    def parse_file(self, path: Path) -> Session:
        """The messages of one log."""
        reader = _Reader(path)
        for number, head, body in _blocks(read_text(path).split("\n")):
            reader.take(number, head, body)
        return Session(id=path.stem, messages=tuple(reader.found))

    def render(self, session: Session, folder: Path) -> Mapping[str, str]:
        """The log."""
        del folder
        started = next((format_time(m.time) for m in session.messages if m.time), "")
        parts = [f"# Message Log: {session.id}\n\n*Session started: {started}*\n\n---\n\n"]
        names = {call.id: call.name for item in session.messages for call in item.tool_calls}
        for position, item in enumerate(session.messages):
            if item.role == "user" and position:
                parts.append(f"{_RULE}\n\n")
            parts.extend(_written(item, names))
        return {f"{session.id}{self.ending}": "".join(parts).removesuffix("\n")}


class _Reader:
    """Turns blocks into messages; ids are positions. A result answers the first call of its name without one, or the last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: list[Message] = []
        self.calls: list[ToolCall] = []
        self.waiting: list[ToolCall] = []
        self.stamp = ""

    def take(self, number: int, head: re.Match[str], body: Sequence[str]) -> None:
        where = f"{self.path}:{number}"
        name, time = f"m{len(self.found) + 1}", parse_time(head["time"])
        if head["call"]:
            self._call(head["call"], head["time"], arguments_of(_fenced(body, where)), where)
        elif head["role"]:
            self.found.append(message(where, id=name, role=head["role"].lower(), text=_joined(body), time=time))
        else:
            named = [call for call in self.waiting if call.name == head["result"]]
            self.waiting = [call for call in self.waiting if call not in named[:1]]
            named = named or [call for call in self.calls[::-1] if call.name == head["result"]]
            of = named[0].id if named else ""
            self.found.append(message(where, id=name, role="tool", text=_fenced(body, where), tool_call_id=of))
        self.stamp = head["time"] or ""

    def _call(self, name: str, stamp: str, arguments: Mapping[str, object], where: str) -> None:
        """A call is of the assistant's message right before it, if both have the same time; else it is a message of its own."""
        call = ToolCall(id=f"call_{len(self.calls) + 1}", name=name, arguments=arguments)
        self.calls.append(call)
        last = self.found[-1] if self.found else None
        if last is not None and last.role == "assistant" and stamp and self.stamp == stamp:
            self.waiting = [*(self.waiting if last.tool_calls else ()), call]
            self.found[-1] = last.model_copy(update={"tool_calls": (*last.tool_calls, call)})
        else:
            self.waiting = [call]
            number = f"m{len(self.found) + 1}"
            self.found.append(message(where, id=number, role="assistant", time=parse_time(stamp), tool_calls=(call,)))


def _blocks(lines: Sequence[str]) -> Iterator[tuple[int, re.Match[str], list[str]]]:
    """Line number, head and body of each message; what stands before the first is the log's own head."""
    head: re.Match[str] | None = None
    start, body, fence = 0, list[str](), ""
    for number, line in enumerate(lines, start=1):
        match = _HEAD.match(line)
        if match is not None and _is_closed(body, fence):
            if head is not None:
                yield start, head, _without_rule(body) if match["role"] == "User" else body
            start, head, body, fence = number, match, [], ""
            continue
        body.append(line)
        opening = None if fence or head is None or (head["role"] and not head["call"]) else _FENCE.match(line)
        fence = opening[1] if opening else fence
    if head is not None:
        yield start, head, body


def _is_closed(body: list[str], fence: str) -> bool:
    """Whether a block with this fence, of a call or a result, has ended: the text in it may have such lines itself."""
    if not fence:
        return True
    closing = [line for line in reversed(body[-8:]) if line.strip() and line != _RULE]
    return closing[:1] == [fence] and sum(line.startswith(fence) for line in body) > 1


def _without_rule(body: list[str]) -> list[str]:
    """The body without the line that stands before the next user message."""
    end = len(body)
    while end and not body[end - 1].strip():
        end -= 1
    return body[: end - 1] if end and body[end - 1] == _RULE else body


def _joined(body: Sequence[str]) -> str:
    return _unescaped("\n".join(body).strip("\n"))


def _fenced(body: Sequence[str], where: str) -> str:
    """The text of a fenced block; without a fence, the text as it is."""
    lines = "\n".join(body).strip("\n").split("\n")
    opening = _FENCE.match(lines[0])
    if opening is None:
        return "\n".join(lines)
    if len(lines) < 2 or lines[-1] != opening[1]:
        raise ScenarioError("a fenced block does not end", where=where, remedy=f"End it with {opening[1]}.")
    return "\n".join(lines[1:-1])


def _written(item: Message, names: Mapping[str, str]) -> Iterator[str]:
    stamp = format_time(item.time) if item.time else ""
    if item.role == "tool":
        yield f"**Tool Result** [{names.get(item.tool_call_id or '', '')}]:\n\n{_fence(item.text, '')}\n\n"
        return
    if item.text or not item.tool_calls:
        yield f"**{item.role.capitalize()}** ({stamp}):\n\n{_escaped(item.text)}\n\n"
    for call in item.tool_calls:
        block = _fence(json.dumps(call.arguments, ensure_ascii=False), "json")
        yield f"**Assistant** [tool: {call.name}]({stamp}):\n\n{block}\n\n"


def _fence(text: str, kind: str) -> str:
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"


def _structural(line: str, *, last: bool) -> bool:
    bare = line.lstrip("\\")
    return (last and bare == _RULE) or _HEAD.match(bare) is not None


def _escaped(text: str) -> str:
    lines = text.split("\n")
    last = len(lines) - 1
    return "\n".join(f"\\{line}" if _structural(line, last=i == last) else line for i, line in enumerate(lines))


def _unescaped(text: str) -> str:
    lines = text.split("\n")
    last = len(lines) - 1
    return "\n".join(
        line[1:] if line.startswith("\\") and _structural(line, last=i == last) else line
        for i, line in enumerate(lines)
    )
