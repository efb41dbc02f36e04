"""Sessions and their messages, in the neutral form that every adapter's session store translates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Literal, Self

from pydantic import Field, JsonValue, ValidationInfo, field_validator, model_validator

from claw_adapter.protocol.base import Record

__all__ = ["Message", "Role", "Session", "SessionKind", "ToolCall"]

Role = Literal["system", "user", "assistant", "tool"]
SessionKind = Literal["group", "direct"]


class ToolCall(Record):
    """One call of a tool by the assistant."""

    id: str
    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


class Message(Record):
    """One message. A tool result is a message of role ``tool`` that names the call it answers."""

    id: str
    role: Role
    text: str = ""
    time: datetime | None = None
    speaker: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.tool_calls and self.role != "assistant":
            raise ValueError("only an assistant message has tool_calls")
        if (self.tool_call_id is not None) != (self.role == "tool"):
            raise ValueError("a message has a tool_call_id exactly if its role is 'tool'")
        return self


class Session(Record):
    """A conversation: the main one of a scenario, or one of its channel-tagged histories."""

    id: str
    kind: SessionKind = "direct"
    channel: str = "main"
    title: str = ""
    participants: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()

    @field_validator("messages")
    @classmethod
    def _unique_ids(cls, messages: tuple[Message, ...], info: ValidationInfo) -> tuple[Message, ...]:
        """Of the field: one of the model would look again wherever a session is put into a record."""
        if not _unique(messages):
            ids = [message.id for message in messages]
            twice = next(name for at, name in enumerate(ids) if name in ids[:at])
            raise ValueError(f"message id {twice!r} occurs twice in session {info.data.get('id')!r}")
        return messages

    def with_messages(self, messages: Sequence[Message]) -> Session:
        """The same session with other messages; their ids are checked again, and nothing else: they are what they are."""
        if _unique(messages):
            return self.model_copy(update={"messages": tuple(messages)})
        return Session.model_validate({**dict(self), "messages": tuple(messages)})  # which says what is wrong


def _unique(messages: Sequence[Message]) -> bool:
    return len(set(map(attrgetter("id"), messages))) == len(messages)
