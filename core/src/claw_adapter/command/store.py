"""A program's own session files as data: JSON, whose fields are named by a small table.

The defaults are messages of OpenAI chat in one JSON document per session. Message ids, and a session's kind, channel and title,
have no place there; times only where a field is named for them. A speaker is written in front of the text (``Ann: hello``),
because the model sees nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, get_args

from pydantic import JsonValue, ValidationError

from claw_adapter.command.data import at, parsed, put
from claw_adapter.errors import AdapterError, HarnessProtocolError
from claw_adapter.harness import Message, ToolCall
from claw_adapter.reading import parse_json
from claw_adapter.validation import describe_errors

__all__ = ["JsonStore"]

_ROLES: Final[tuple[str, ...]] = get_args(Message.model_fields["role"].annotation)


@dataclass(frozen=True, slots=True)
class JsonStore:
    """A file per session. All fields but `path`, `lines` and `fresh` say where something stands, as in ``function.name``.

    Attributes:
        path: of the main session's file, with places; with ``{session}`` in it, history sessions can be native, too.
        messages: the list of messages in the document; "" where the document is the list.
        lines: a line per message instead of one document.
        fresh: the rest of a new document.
        message: what every message of ours has beside the fields below.
        role, text: of a message.
        time: in ISO 8601; "" for none.
        roles: our word → theirs, where it is another.
        skip: roles of theirs whose messages are none of the conversation; they are not read, and gone after an update.
        calls: the list of tool calls of a message; "" where the format has no tools: then only what was said is written.
        call: what every call has beside the fields below.
        call_id, call_name, call_arguments: of a call.
        encoded: arguments are a JSON text, not an object.
        result_of: the call that a message of role ``tool`` answers.
    """

    path: str
    messages: str = "messages"
    lines: bool = False
    fresh: Mapping[str, JsonValue] = field(default_factory=dict)
    message: Mapping[str, JsonValue] = field(default_factory=dict)
    role: str = "role"
    text: str = "content"
    time: str = ""
    roles: Mapping[str, str] = field(default_factory=dict)
    calls: str = "tool_calls"
    call: Mapping[str, JsonValue] = field(default_factory=lambda: {"type": "function"})
    call_id: str = "id"
    call_name: str = "function.name"
    call_arguments: str = "function.arguments"
    encoded: bool = True
    result_of: str = "tool_call_id"
    skip: Sequence[str] = ()

    def render(self, messages: Sequence[Message], before: str) -> str:
        """The text of a file that holds these messages; `before` is what it held until now, "" if there is none."""
        records = [self.to_native(message) for message in self.holds(messages)]
        if self.lines:
            return "".join(_json(record) + "\n" for record in records)
        if not self.messages:
            return _json(records)
        document = self._document(before) if before else {}
        document = json.loads(_json(dict(self.fresh))) | document
        put(document, self.messages, records)
        return _json(document)

    def holds(self, messages: Sequence[Message]) -> list[Message]:
        """Those of the messages for which the format has a place."""
        return [message for message in messages if self.calls or (message.text and message.role != "tool")]

    def read(self, text: str, where: str) -> list[dict[str, Any]]:
        """The messages as the program has them.

        Raises:
            HarnessProtocolError: not a session as the table says.
        """
        said = parsed(text, where, lines=self.lines)
        found = said if self.lines else at(said, self.messages)
        if not isinstance(found, list) or not all(isinstance(record, dict) for record in found):
            raise HarnessProtocolError(f"no list of messages at {self.messages!r}", where=where)
        return [record for record in found if at(record, self.role) not in self.skip]

    def messages_of(self, text: str, where: str) -> list[Message]:
        """The messages as ours, without ids.

        Raises:
            HarnessProtocolError: not a session as the table says.
            AdapterError: a role that the table does not know.
        """
        records = self.read(text, where)
        return [self.from_native(record, "", f"{where}, message {n}") for n, record in enumerate(records, start=1)]

    def to_native(self, message: Message) -> dict[str, Any]:
        """A message of ours as one of theirs."""
        native: dict[str, Any] = dict(self.message)
        put(native, self.role, self.roles.get(message.role, message.role))
        put(native, self.text, f"{message.speaker}: {message.text}" if message.speaker else message.text)
        if self.time and message.time is not None:
            put(native, self.time, message.time.isoformat())
        if self.calls and message.tool_calls:
            put(native, self.calls, [self._call(call) for call in message.tool_calls])
        if message.tool_call_id is not None:
            put(native, self.result_of, message.tool_call_id)
        return native

    def from_native(self, record: Mapping[str, Any], id_: str, where: str) -> Message:
        """One of their messages as one of ours.

        Raises:
            HarnessProtocolError: it is none.
            AdapterError: the table does not know its role.
        """
        theirs = {name: ours for ours, name in self.roles.items()}
        role = at(record, self.role)
        if theirs.get(role, role) not in _ROLES:
            remedy = (
                f"In the adapter's JsonStore, `role` says where it stands (here {self.role!r}), `roles` names their word for "
                'one of ours, and skip=("…",) leaves messages of a role out.'
            )
            raise AdapterError(f"the role {role!r} is none of {', '.join(_ROLES)}", where=where, remedy=remedy)
        try:
            return Message(
                id=id_,
                role=theirs.get(role, role),
                text=_text(at(record, self.text)),
                time=_time(at(record, self.time)) if self.time else None,
                tool_calls=tuple(self._ours(call) for call in at(record, self.calls) or ()) if self.calls else (),
                tool_call_id=at(record, self.result_of) if theirs.get(role, role) == "tool" else None,
            )
        except (ValidationError, ValueError, TypeError) as error:
            why = describe_errors(error) if isinstance(error, ValidationError) else str(error)
            remedy = "Compare it with the fields that the adapter's JsonStore names."
            raise HarnessProtocolError(f"not a message of a session: {why}", where=where, remedy=remedy) from error

    def _call(self, call: ToolCall) -> dict[str, Any]:
        native: dict[str, Any] = dict(self.call)
        put(native, self.call_id, call.id)
        put(native, self.call_name, call.name)
        put(native, self.call_arguments, _json(call.arguments) if self.encoded else call.arguments)
        return native

    def _ours(self, call: Mapping[str, Any]) -> ToolCall:
        given = at(call, self.call_arguments)
        value = parse_json(given or "{}") if self.encoded else given
        arguments = value if isinstance(value, dict) else {"raw": value}
        return ToolCall(id=at(call, self.call_id), name=at(call, self.call_name), arguments=arguments)

    def _document(self, before: str) -> dict[str, Any]:
        document = parsed(before, "session")
        if not isinstance(document, dict):
            raise HarnessProtocolError("a session that is no object", where="session")
        return document


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(content: Any) -> str:
    """The text of a message, which may come in parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)


def _time(value: Any) -> datetime | None:
    return datetime.fromisoformat(value) if isinstance(value, str) else None
