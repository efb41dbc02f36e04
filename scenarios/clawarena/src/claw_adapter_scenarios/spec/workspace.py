"""Layer 1: the files of the workspace. Each kind of document has fields of its own; all texts are templates with marks."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from claw_adapter.protocol.base import Record
from claw_adapter_scenarios.spec.common import Expression, Moment, Name, Text

__all__ = [
    "AgentFiles", "Contract", "Csv", "Document", "Json", "Log", "Mail", "Minutes", "Plain", "SeriesRows", "Ticket", "Workspace",
]  # fmt: skip


class _Document(Record):
    path: Text = Field(description="Path in the workspace; a template.")
    source: Name = Field(description="Kind of source (0-truth), which gives its claims their rank.")
    role: Literal["signal", "near_signal", "background"] = "signal"
    why: Text = Field("", description="Near-signal: why it looks relevant, and why it should not settle anything.")
    carries: Text = Field("", description="Key facts carried, for the documents of the spec.")


class Plain(_Document):
    """Text or Markdown as written."""

    kind: Literal["text", "markdown"]
    text: Text


class SeriesRows(Record):
    """Rows made of a series, one per reading: `row` is a template that may use ``{at}``, ``{value}`` and ``{n}``."""

    fact: Name
    row: Text
    every: Annotated[int, Field(ge=1)] = Field(1, description="Take every n-th reading.")
    marks: dict[str, Expression] = Field(
        default_factory=dict,
        description="Claims on rows: mark head (as in [[head: …]]) → moment of the reading that is marked.",
    )


class Csv(_Document):
    """A table as a system exports it; cells with commas or quotes are quoted."""

    kind: Literal["csv"]
    columns: tuple[str, ...] = Field(min_length=1)
    rows: tuple[Text, ...] = Field((), description="Lines as they stand in the file; marks allowed.")
    series: SeriesRows | None = None


class LogLine(Record):
    """A line at a time; the time stamp is put before it."""

    at: Moment
    text: Text


class LogNoise(Record):
    """Generated lines between two times, drawn from a pool with slots."""

    start: Moment = Field(alias="from")
    until: Moment
    count: Annotated[int, Field(ge=1, le=100_000)]
    lines: tuple[Text, ...] = Field(min_length=1)


class Log(_Document):
    """A log: signal lines among generated ones, sorted by time."""

    kind: Literal["log"]
    stamp: str = Field("%Y-%m-%dT%H:%M:%S", description="strftime format of the time stamp.")
    header: tuple[Text, ...] = ()
    lines: tuple[LogLine, ...] = ()
    noise: tuple[LogNoise, ...] = ()


class MailItem(Record):
    """One mail of a thread."""

    sender: Name = Field(alias="from")
    to: tuple[Name, ...] = Field(min_length=1)
    at: Moment
    text: Text


class Mail(_Document):
    """A mail thread as exported, oldest first."""

    kind: Literal["mail"]
    subject: Text
    mails: tuple[MailItem, ...] = Field(min_length=1)


class MinutesItem(Record):
    """An item of a meeting."""

    topic: Text
    text: Text
    decision: Text = ""


class Minutes(_Document):
    """Minutes of a meeting."""

    kind: Literal["minutes"]
    meeting: Text
    at: Moment
    present: tuple[Name, ...]
    items: tuple[MinutesItem, ...] = Field(min_length=1)
    actions: tuple[Text, ...] = ()


class Comment(Record):
    """A comment on a ticket."""

    at: Moment
    by: Name
    text: Text


class Ticket(_Document):
    """A ticket with its comments."""

    kind: Literal["ticket"]
    number: Text
    title: Text
    opened: Moment
    by: Name
    status: Text = "open"
    priority: Text = "normal"
    description: Text = ""
    comments: tuple[Comment, ...] = ()


class Clause(Record):
    """A clause of a contract or policy."""

    title: Text
    text: Text


class Contract(_Document):
    """A contract, policy or standard procedure with numbered clauses."""

    kind: Literal["contract"]
    title: Text
    parties: tuple[Text, ...] = ()
    dated: Text = ""
    clauses: tuple[Clause, ...] = Field(min_length=1)


class Json(_Document):
    """A JSON export; strings are templates, ``=expression`` gives a typed value."""

    kind: Literal["json"]
    data: JsonValue


Document = Annotated[Plain | Csv | Log | Mail | Minutes | Ticket | Contract | Json, Field(discriminator="kind")]


class AgentFiles(Record):
    """What the five fixed agent files say beyond their standard text."""

    identity: Text = Field(description="Who the agent is, one sentence.")
    habits: tuple[Text, ...] = Field((), description="Further working principles (SOUL.md).")
    notes: tuple[Text, ...] = Field((), description="Further notes on the house (USER.md).")


class Workspace(Record):
    """``1-workspace.yaml``."""

    agent: AgentFiles
    documents: tuple[Document, ...] = Field(min_length=1)
