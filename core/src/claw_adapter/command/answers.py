"""Where an answer stands, and where a report of tokens or of a failure does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from claw_adapter.command.data import at, parsed
from claw_adapter.drivers import Captured
from claw_adapter.errors import HarnessProtocolError
from claw_adapter.harness import ReportedUsage
from claw_adapter.protocol.turn import UsageKind

__all__ = ["Answer", "Json", "JsonUsage", "LastLine", "Output", "Reported", "Stored", "Text"]

STDOUT: Final = "standard output"


@dataclass(frozen=True, slots=True)
class Output:
    """What a turn left: standard output (None for a terminal, which shows pictures of texts), and files, read by path."""

    stdout: Captured | None
    file: Callable[[str], str]

    def text(self, file: str) -> tuple[str, str]:
        """The text of a file, or of standard output for "", and what to call it.

        Raises:
            HarnessProtocolError: not there, not text, or longer than what is kept of an output.
        """
        if file:
            return self.file(file), file
        if self.stdout is None or self.stdout.truncated or self.stdout.invalid_utf8:
            raise HarnessProtocolError("too long to be kept whole, or not UTF-8", where=STDOUT)
        return self.stdout.text, STDOUT

    def json(self, file: str, *, lines: bool = False) -> Any:
        """The JSON in a file or on standard output, as in `text`."""
        text, where = self.text(file)
        return parsed(text, where, lines=lines)


@dataclass(frozen=True, slots=True)
class Text:
    """The whole of standard output, or of a file, without the line end that a program adds."""

    file: str = ""

    def read(self, output: Output) -> str:
        """The answer."""
        return output.text(self.file)[0].removesuffix("\n").removesuffix("\r")


@dataclass(frozen=True, slots=True)
class LastLine:
    """The last line that is not blank, for programs that print progress before a short answer."""

    file: str = ""

    def read(self, output: Output) -> str:
        """The answer."""
        lines = [line for line in output.text(self.file)[0].splitlines() if line.strip()]
        return lines[-1] if lines else ""


@dataclass(frozen=True, slots=True)
class Json:
    """A text in JSON: `path` is ``result.text`` or ``messages.-1.content``; with `lines`, every line is a value of the list."""

    path: str
    file: str = ""
    lines: bool = False

    def read(self, output: Output) -> str:
        """The answer; a place that is empty, or not there, is no answer.

        Raises:
            HarnessProtocolError: no JSON, or something other than a text at the path.
        """
        found = at(output.json(self.file, lines=self.lines), self.path)
        if found is not None and not isinstance(found, str):
            raise HarnessProtocolError(f"no text at {self.path!r}: {found!r:.200}", where=self.file or STDOUT)
        return found or ""


@dataclass(frozen=True, slots=True)
class Stored:
    """The last text of the assistant that the turn has added to the session store."""


Answer = Text | LastLine | Json | Stored


@dataclass(frozen=True, slots=True)
class JsonUsage:
    """Where tokens are reported in JSON, and what they mean (`ReportedUsage`)."""

    kind: UsageKind
    input: str
    output: str
    cached: str = ""
    file: str = ""
    lines: bool = False

    def read(self, output: Output) -> ReportedUsage | None:
        """What is reported; None if nothing is.

        Raises:
            HarnessProtocolError: no JSON, or something other than a count of tokens.
        """
        said = output.json(self.file, lines=self.lines)
        counts = [at(said, path) if path else 0 for path in (self.input, self.output, self.cached)]
        if counts[0] is None and counts[1] is None:
            return None
        if any(type(count) is not int or count < 0 for count in counts):
            raise HarnessProtocolError(f"no counts of tokens: {counts}", where=self.file or STDOUT)
        return ReportedUsage(kind=self.kind, input=counts[0], output=counts[1], cached=counts[2])


@dataclass(frozen=True, slots=True)
class Reported:
    """Where a failed turn is reported in JSON: `text` says why, `status` is the model's HTTP status.

    Nothing there: no failure.
    """

    text: str
    status: str = ""
    file: str = ""
    lines: bool = False

    def read(self, output: Output) -> tuple[int | None, str] | None:
        """Status and text; None if no failure is reported, or the report cannot be read."""
        try:
            said = output.json(self.file, lines=self.lines)
        except HarnessProtocolError:
            return None  # a failure is then told from the exit status, or the answer is missing
        text, status = at(said, self.text), at(said, self.status) if self.status else None
        return (status if type(status) is int else None, str(text)) if text else None
