"""The errand that writes a file. It is done when reading the file back shows what was written, whatever a tool has said."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result, Steps
from claw_adapter.endpoint.reader.matching import normalise, readings
from claw_adapter.endpoint.reader.reading import cat, look
from claw_adapter.endpoint.reader.refusals import asked_for
from claw_adapter.endpoint.reader.tools import Candidate, Toolbox

__all__ = ["holds", "write_file"]

LINE: Final = 200
"""Characters of a line that are compared: tools cut long ones."""


def write_file(path: str, content: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Write a workspace file with the tools for writing, then with a command, then with a patch, until it reads as it should.

    A file in which nothing can be looked for (it has no text) counts as written once every way of the first tool was tried,
    and so does any where nothing on offer can read.
    """
    blank, tried = not _lines(content), False
    back = _ReadBack(path, workspace, box, habits, holds(content), blank)
    for tool in habits.tools("write", box.write, box.run[:1]):
        for number, (form, target) in enumerate(habits.forms("write", tool.forms(path, workspace))):
            arguments = tool.arguments(target, **({tool.content.name: content} if tool.content is not None else {}))
            attempt = Attempt("write", tool.tool, {**arguments, **habits.extra.get(tool.tool, {})}, form)
            if (yield from back.shown_after(attempt, tool, insist=not number)):
                return True
        tried = True
        if blank or not back.possible:
            break
    for attempt in _others(path, content, workspace, box):
        if (yield from back.shown_after(attempt)):
            return True
        tried = True
    if blank or not back.possible:
        return tried
    return tried and (yield from back.shown_by_command())


@dataclass(slots=True)
class _ReadBack:
    """Looking, after a call, whether the file reads as it should."""

    path: str
    workspace: str
    box: Toolbox
    habits: Habits
    shows: Callable[[str], bool]
    blank: bool

    @property
    def possible(self) -> bool:
        """Whether there is anything on offer to look with."""
        return bool(self.box.read or self.box.run)

    def shown_after(
        self, attempt: Attempt, tool: Candidate | None = None, *, insist: bool = False
    ) -> Generator[Attempt, Result, bool]:
        """Make a call that writes, and look; one that is to `insist` is made again, then.

        With what its result asks for, and because some tools write over a file only after it was looked at.
        """
        result = yield attempt
        if self.blank:
            return False
        shown = yield from self._shown()
        if not shown and insist and tool is not None:
            more = asked_for(tool.known, attempt.arguments, result.text)
            yield attempt.with_more(more)
            shown = yield from self._shown()
            if shown and more:
                self.habits.learn(tool.tool, more)
        if not shown:
            self.habits.refusals[attempt.tool] += 1
            return False
        self.habits.worked(attempt)
        return True

    def _shown(self) -> Generator[Attempt, Result, bool]:
        for tool in self.habits.tools("read", self.box.read, self.box.run[:1])[:1]:
            for form, target in self.habits.forms("read", tool.forms(self.path, self.workspace)):
                known = self.habits.known(tool.tool, form)
                result = yield from look(tool, "look", form, target, self.habits)
                if self.shows(result.text):
                    self.habits.worked(Attempt("look", tool.tool, {}, form))
                    return True
                if known:
                    return False
        return (yield from self.shown_by_command())

    def shown_by_command(self) -> Generator[Attempt, Result, bool]:
        """Look with a command."""
        for shell in self.box.run[:1]:
            result = yield from cat(shell, "look", self.path, self.workspace, self.habits)
            return self.shows(result.text)
        return False


def _others(path: str, content: str, workspace: str, box: Toolbox) -> Iterator[Attempt]:
    """Calls that write otherwise than with a tool for it."""
    for shell in box.run[:1]:
        for form, target in shell.forms(path, workspace):
            name, folder = shlex.quote(target), shlex.quote(str(PurePosixPath(target).parent))
            command = f"mkdir -p {folder} && printf %s {shlex.quote(content)} > {name}"
            yield Attempt("print", shell.tool, shell.arguments(command), form)
    for tool in box.patch[:1]:
        for form, target in tool.forms(path, workspace):
            for text in _patches(target, content):
                yield Attempt("patch", tool.tool, tool.arguments(text), form)


def _patches(target: str, content: str) -> Sequence[str]:
    """A patch that adds a file, and one that replaces it."""
    added = "\n".join(f"+{line}" for line in content.splitlines())
    add = f"*** Add File: {target}\n{added}\n*** End Patch"
    return [f"*** Begin Patch\n{add}", f"*** Begin Patch\n*** Delete File: {target}\n{add}"]


def holds(content: str) -> Callable[[str], bool]:
    """Whether a text shows a file of this content, whatever way its lines are shown."""
    lines = _lines(content)

    def shows(text: str) -> bool:
        known = readings(text)
        return bool(lines) and all(any(line in reading for reading in known) for line in lines)

    return shows


def _lines(content: str) -> list[str]:
    return [normalise(line)[:LINE] for line in content.splitlines() if line.strip()]
