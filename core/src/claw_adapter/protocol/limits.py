"""What a harness makes of what it is given: renderings, which lose nothing, and losses, which do; both closed lists.

They are declared in `Capabilities`. The audit renders both sides before it compares them, and allows exactly the losses that
are declared, with their numbers; what each word means is its own to say (docs/audit.md), so nobody writes patterns.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from claw_adapter.protocol.base import Record

__all__ = [
    "RENDERINGS",
    "AnswerLimit",
    "CallLimit",
    "Clip",
    "Drop",
    "Forget",
    "HistoryLimit",
    "Loss",
    "Mask",
    "PromptLimit",
    "Prune",
    "Rendering",
    "WindowLimit",
]

Rendering = Literal[
    "stamp", "system_as", "speaker_as", "merge", "trim", "newline", "empty_reply", "call_id", "insert", "told",
]  # fmt: skip
RENDERINGS: Final[dict[Rendering, str]] = {
    "stamp": "puts the time in brackets before messages",
    "system_as": "gives system messages of a conversation as the user's, or marked as such",
    "speaker_as": "puts the speaker's name before what was said",
    "merge": "joins messages of one role that follow each other",
    "trim": "takes blanks off both ends of texts",
    "newline": "makes every line end a line feed",
    "empty_reply": "leaves out empty replies, or fills them",
    "call_id": "gives tool calls other ids",
    "insert": "adds texts of its own to a conversation",
    "told": "tells the past as text in front of a prompt",
}
"""Every rendering, as notes say it."""


class Clip(Record):
    """Texts over a size are cut, at their end or in their middle."""

    kind: Literal["clip"] = "clip"
    of: Literal["seeded", "result", "file", "line", "command"]
    """Messages of the past it is given; results of tools; only those of reading a file, or each line of them; only what
    commands print."""
    characters: PositiveInt
    lines: PositiveInt | None = None
    """At so many lines, if that is less."""
    left: PositiveInt | None = None
    """Characters that are left of what is longer, where these are fewer: a preview."""
    told: tuple[tuple[PositiveInt, PositiveInt], ...] = ()
    """Where it is told the model's window: from so many tokens on, cut at so many characters, the smallest window first."""

    def at(self, window: int) -> Clip:
        """The limit where it is told a window of so many tokens."""
        fitting = [characters for tokens, characters in self.told if tokens <= window]
        return self.model_copy(update={"characters": fitting[-1]}) if fitting else self

    def __str__(self) -> str:
        of = {
            "seeded": "messages of the past",
            "result": "results of tools",
            "file": "files that are read",
            "line": "lines of files that are read",
            "command": "what commands print",
        }[self.of]
        lines = f" or {self.lines:,} lines" if self.lines else ""
        left = f", of which {self.left:,} are left" if self.left else ""
        return f"{of}: cut at {self.characters:,} characters{lines}{left}"


class Drop(Record):
    """Something is left out."""

    kind: Literal["drop"] = "drop"
    what: Literal[
        "directives",
        "history_tools",
        "history_system",
        "history_breaks",
        "control",
        "command_format",
        "text_before_calls",
        "repeated_reply",
        "long_numbers",
        "escapes",
        "other_bytes",
        "executable",
        "line_end",
        "file_ends",
        "line_blanks",
        "cd_here",
        "wordless_reply",
        "stopped_output",
        "stopped_groups",
        "later_tools",
        "structured",
        "links",
    ]
    """Lines that the harness takes for directives to itself; tool calls and results, or system messages, where a history is
    read, or the line ends of its messages; control characters; characters of format, which nobody sees, in what commands
    print; a reply's text behind which a message of its own with tool calls stands; a reply that says the same as the one
    right before it; digits of numbers that no float of 64 bits has, or escapes (``\\uXXXX``), in whose place stand the
    characters that they name, in arguments of calls and what is done by them; bytes that are no UTF-8, or the right to
    execute it, of a file that is edited, or the line end behind a text that an edit takes out; the kind of its line ends,
    and that its last line has none, of a file that is written or edited; blanks at the ends of lines that are written; a
    ``cd`` to where a command runs anyway, before it; that a final reply has no words, in whose place its thoughts are given
    as the answer; what a command has printed by the time at which it is stopped, or that a process of it with a process
    group of its own is stopped as well; tools of an MCP server that are not on the
    first page of its list; what one of its tools gives as data beside a text; that a path is a link to a file, where that
    is written or edited by it."""

    def __str__(self) -> str:
        return {
            "directives": "lines of replies that it takes for its own directives are left out",
            "history_tools": "histories are shown without tool calls and results",
            "history_system": "histories are shown without system messages",
            "history_breaks": "histories are shown with each message in one line",
            "control": "control characters are left out",
            "command_format": "what commands print is shown without characters of format, which nobody sees",
            "text_before_calls": "a reply of the past is left out when the next message has tool calls",
            "long_numbers": "whole numbers beyond 2^53 in the arguments of calls are rounded",
            "escapes": "escapes (\\uXXXX) in the arguments of calls become the characters that they name, in files too",
            "executable": "a file that is edited or written over can no longer be executed",
            "line_end": "an edit that takes a text out takes out the line end behind it as well",
            "file_ends": "line ends of a file that is written or edited are made of one kind, and its last line gets one",
            "line_blanks": "blanks at the ends of lines may be left out of what is written, or put in the place of a text",
            "cd_here": "of a call whose command goes first to where it runs anyway, the conversation has no `cd`",
            "other_bytes": "bytes that are no UTF-8 become others in a file that is edited",
            "wordless_reply": "a final reply without words is answered with what the model thought",
            "stopped_output": "of a command that is stopped at its time limit nothing is shown that it has printed",
            "stopped_groups": "what a command has begun in a process group of its own goes on when the command is stopped",
            "later_tools": "of an MCP server that lists its tools page by page those of the first page are offered",
            "structured": "of a tool of an MCP server that gives data beside a text the text alone is shown",
            "links": "a link by which a file is written or edited becomes a file of its own, and the other one stays as it was",
            "repeated_reply": "a reply that says the same as the one right before it is left out",
        }[self.what]


class Mask(Record):
    """What looks like a secret is blackened."""

    kind: Literal["mask"] = "mask"

    def __str__(self) -> str:
        return "what looks like a password or a key is blackened in its sessions"


class Prune(Record):
    """Results of tools are cut or left out when they have become old."""

    kind: Literal["prune"] = "prune"
    turns: Annotated[int, Field(ge=0)]
    """How many turns back they are at least."""
    characters: Annotated[int, Field(ge=0)] = 0
    """Results up to this size stay."""

    def __str__(self) -> str:
        over = f" over {self.characters:,} characters" if self.characters else ""
        return f"results of tools{over} are shortened once they are {self.turns} turns old"


class Forget(Record):
    """The oldest turns are left out of a conversation in which tools were used much, however short it is."""

    kind: Literal["forget"] = "forget"
    results: PositiveInt
    """Results of tools from which on that happens."""

    def __str__(self) -> str:
        return f"the oldest turns are left out once a conversation has had {self.results:,} results of tools"


class HistoryLimit(Record):
    """One reading of a history shows a part of it."""

    kind: Literal["history"] = "history"
    messages: PositiveInt | None = None
    """At most so many, the latest."""
    characters: PositiveInt | None = None
    """Of each message."""
    total: PositiveInt | None = None
    """Of all together; the latest messages that fit."""

    def __str__(self) -> str:
        parts = [f"the last {self.messages} messages"] if self.messages else []
        parts += [f"{self.characters:,} characters of a message"] if self.characters else []
        parts += [f"{self.total:,} characters in all"] if self.total else []
        return f"one reading of a history shows at most {', '.join(parts)}"


class CallLimit(Record):
    """Of one reply only so many tool calls are run."""

    kind: Literal["calls_per_reply"] = "calls_per_reply"
    calls: PositiveInt

    def __str__(self) -> str:
        return f"of one reply at most {self.calls} tool calls are run"


class PromptLimit(Record):
    """A longer prompt is refused."""

    kind: Literal["prompt"] = "prompt"
    bytes: PositiveInt

    def __str__(self) -> str:
        return f"prompts over {self.bytes:,} bytes are refused"


class AnswerLimit(Record):
    """A longer answer is cut."""

    kind: Literal["answer"] = "answer"
    characters: PositiveInt

    def __str__(self) -> str:
        return f"answers: cut at {self.characters:,} characters"


class WindowLimit(Record):
    """What the harness takes for the model's window, and what it does at its end."""

    kind: Literal["window"] = "window"
    tokens: PositiveInt
    then: Literal["summary", "oldest", "error"]
    reserve: NonNegativeInt = 0
    """Tokens that it keeps free of a window that it is told."""
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """What it fills of the rest, where it counts more tokens than the model does."""
    told: Literal["summary", "oldest", "error"] | None = None
    """What it does at the end of a window that it is told, if that is something else."""

    def at(self, window: int) -> WindowLimit:
        """The limit where it is told a window of so many tokens."""
        return WindowLimit(tokens=max(int((window - self.reserve) * self.share), 1), then=self.told or self.then)

    def __str__(self) -> str:
        then = {
            "summary": "sums the conversation up when it no longer fits",
            "oldest": "drops the oldest part of a conversation that does not fit",
            "error": "what does not fit is an error",
        }[self.then]
        return f"takes the model's window for {self.tokens:,} tokens; {then}"


Loss = Annotated[
    Clip | Drop | Mask | Prune | Forget | HistoryLimit | CallLimit | PromptLimit | AnswerLimit | WindowLimit,
    Field(discriminator="kind"),
]
