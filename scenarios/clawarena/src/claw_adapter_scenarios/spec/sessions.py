"""Layer 2: the main session and the channels."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.protocol.scenario import Identifier
from claw_adapter_scenarios.spec.common import Moment, Name, Text

__all__ = ["Channel", "Loop", "Main", "MainTurn", "Phase", "Sessions"]


class Loop(Record):
    """One message of a person, what the agent looked at, and its reply. Without a reply one is drawn from the pool."""

    at: Moment
    sender: Name = Field(alias="from")
    say: Text
    reply: Text = ""
    read: Text = Field(
        "", description="Path of a file that the agent reads before it replies (a tool call in the history)."
    )
    source: Name | None = Field(
        None, description="Another kind of source than the channel's, for this message's claims."
    )
    label: Literal["signal", "near_signal", "noise"] = "signal"
    effect: Text = Field("", description="Contradiction or bias effect, for the documents of the spec.")


class Phase(Record):
    """A stretch of a channel's story."""

    name: Text
    loops: tuple[Loop, ...] = ()


class Channel(Record):
    """A history session: a group or a direct conversation."""

    id: Identifier
    kind: Literal["group", "direct"]
    channel: str = Field(description="slack, discord, telegram, feishu, mail …")
    title: Text
    participants: tuple[Name, ...] = Field(min_length=1)
    source: Name
    start: Moment = Field(alias="from", description="Generated messages lie between `from` and `until`.")
    until: Moment
    noise: Annotated[int, Field(ge=0, le=500)] = Field(0, description="Loops of irrelevant small talk.")
    context: Annotated[int, Field(ge=0, le=500)] = Field(0, description="Loops of everyday work that settle nothing.")
    pools: tuple[Name, ...] = Field((), description="Noise pools of 5-controls; all of them when empty.")
    arrives: Identifier | None = Field(
        None, description="The update that brings this session; there from the start when empty."
    )
    phases: tuple[Phase, ...] = ()


class MainTurn(Record):
    """A turn of the main session."""

    say: Text
    reply: Text = "Understood."


class Main(Record):
    """The main session: the roster of the channels follows the opening by itself."""

    opening: Text
    reply: Text = Field(
        "", description="The standard reply says that it will inspect the workspace and the conversations."
    )
    source: Name
    turns: tuple[MainTurn, ...] = ()


class Sessions(Record):
    """``2-sessions.yaml``."""

    main: Main
    channels: tuple[Channel, ...] = Field(min_length=1)
