"""The errand that writes a file. It is done when reading the file back shows what was written, whatever a tool has said."""

from __future__ import annotations

import shlex
from collections.abc import Generator, Sequence
from pathlib import PurePosixPath
from typing import Final

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Steps, insisting
from claw_adapter.endpoint.reader.matching import normalise, readings
from claw_adapter.endpoint.reader.reading import cat, pages
from claw_adapter.endpoint.reader.refusals import failed, read_first
from claw_adapter.endpoint.reader.tools import Candidate, Toolbox

__all__ = ["write_file"]

LINE: Final = 200
"""Characters of a line that are compared: tools cut long ones."""


def write_file(path: str, content: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Write a workspace file with the tools for writing, then with a command, then with a patch."""
    for tool in habits.tools("write", box.write):
        for form, target in habits.forms("write", tool.forms(path, workspace)):
            attempt, result = yield from _write(tool, form, target, content, box, habits)
            if (yield from _done(attempt, result, path, content, workspace, box, habits)):
                return True
    for shell in box.run[:1]:
        for form, target in shell.forms(path, workspace):
            name, folder = shlex.quote(target), shlex.quote(str(PurePosixPath(target).parent))
            command = f"mkdir -p {folder} && printf %s {shlex.quote(content)} > {name}"
            attempt = Attempt("print", shell.tool, shell.arguments(command), form)
            result = yield attempt
            if (yield from _done(attempt, result, path, content, workspace, box, habits)):
                return True
    for tool in box.patch[:1]:
        for form, target in tool.forms(path, workspace):
            for text in _patches(target, content):
                attempt = Attempt("patch", tool.tool, tool.arguments(text), form)
                result = yield attempt
                if (yield from _done(attempt, result, path, content, workspace, box, habits)):
                    return True
    tried = box.write or box.run or box.patch
    return bool(tried) and (yield from _shown(path, content, workspace, box, habits)) is True


def _write(
    tool: Candidate, form: str, target: str, content: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, str, tuple[Attempt, str]]:
    arguments = tool.arguments(target, **({tool.content.name: content} if tool.content is not None else {}))
    attempt, result = yield from insisting(tool, "write", form, arguments, habits)
    if failed(result) and read_first(result) and box.read:
        reader = habits.tools("read", box.read)[0]
        yield Attempt("look", reader.tool, reader.arguments(target), form)
        result = yield attempt
    return attempt, result


def _patches(target: str, content: str) -> Sequence[str]:
    """A patch that adds a file, and one that replaces it."""
    added = "\n".join(f"+{line}" for line in content.splitlines())
    add = f"*** Add File: {target}\n{added}\n*** End Patch"
    return [f"*** Begin Patch\n{add}", f"*** Begin Patch\n*** Delete File: {target}\n{add}"]


def _done(
    attempt: Attempt, result: str, path: str, content: str, workspace: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, str, bool]:
    """Whether the file holds the content; where nothing can read it, whether the tool has not refused."""
    if failed(result):
        done = False
    else:
        shown = yield from _shown(path, content, workspace, box, habits)
        done = True if shown is None else shown
    if done:
        habits.worked(attempt)
    else:
        habits.refusals[attempt.tool] += 1
    return done


def _shown(
    path: str, content: str, workspace: str, box: Toolbox, habits: Habits
) -> Generator[Attempt, str, bool | None]:
    """Whether the file, read back, holds the content; None if nothing reads it."""
    lines = [normalise(line)[:LINE] for line in content.splitlines() if line.strip()]
    if not lines:
        return None
    read: bool | None = None
    known = {habits.working.get(kind, ("", ""))[0] for kind in ("read", "look", "cat", "print")}
    for tool in habits.tools("read", box.read)[:1]:
        for form, target in habits.forms("read", tool.forms(path, workspace)):
            attempt = Attempt("look", tool.tool, tool.arguments(target), form)
            result = yield attempt
            if failed(result):  # a tool known to read has not found it: it is not there
                read = False if tool.tool in known else read
                continue
            text = yield from pages(tool, "look", target, form, result)
            if _holds(text, lines):
                habits.worked(attempt)
                return True
            read = False
    for shell in box.run[:1]:
        text = yield from cat(shell, "look", path, workspace)
        if _holds(text, lines):
            return True
        read = False if text or shell.tool in known else read
    return read


def _holds(text: str, lines: Sequence[str]) -> bool:
    known = readings(text)
    return all(any(line in reading for reading in known) for line in lines)
