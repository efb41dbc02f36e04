"""Errands that read: a workspace file, a session."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Generator, Sequence
from typing import Final

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Steps, insisting
from claw_adapter.endpoint.reader.refusals import NOTICE, failed, refused
from claw_adapter.endpoint.reader.tools import Candidate, Toolbox

__all__ = ["cat", "keywords", "next_start", "pages", "read_file", "read_session"]

MOST_PAGES: Final = 12
SHELL_PAGE: Final = 8000
LONG_PAGE: Final = 500
"""Numbered lines from which on a page may have been cut although nothing says so."""
KEYWORD: Final = 11
"""Longest search word: shorter than any fragment, so that a search can never contain one."""
_NUMBERED = re.compile(r"^\s*[L\[]?(\d+)(?:\t|→|\||:|\])", re.MULTILINE)


def read_file(path: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Read a workspace file with the tools for reading, then with a command.

    Whoever makes the calls ends this as soon as what is looked for has been seen. So a text that comes back here was
    something else; a short one may be a refusal, and then the path is written in the other way.
    """
    for tool in habits.tools("read", box.read):
        for form, target in habits.forms("read", tool.forms(path, workspace)):
            _, result = yield from insisting(tool, "read", form, tool.arguments(target), habits)
            if failed(result):
                habits.refusals[tool.tool] += 1
                continue
            yield from pages(tool, "read", target, form, result)
            if tool.force is not None and len(result) < NOTICE:
                result = yield Attempt("read", tool.tool, tool.arguments(target, **{tool.force.name: True}), form)
                yield from pages(tool, "read", target, form, result)
            if not refused(result) or habits.working.get("read") == (tool.tool, form):
                break
            habits.refusals[tool.tool] += 1
        if habits.working.get("read", ("", ""))[0] == tool.tool:
            return False  # a tool known to read has not found it: it is not there
    for shell in box.run[:1]:
        yield from cat(shell, "cat", path, workspace)
    return False


def pages(tool: Candidate, kind: str, target: str, form: str, result: str) -> Generator[Attempt, str, str]:
    """Read on where a long file was cut, as far as the results say or show that it was; returns all that was read."""
    at, read = 0, [result]
    for _ in range(MOST_PAGES):
        start = next_start(tool, result) if tool.start is not None else 0
        if tool.start is None or start <= at:
            break
        at = start
        result = yield Attempt(kind, tool.tool, tool.arguments(target, **{tool.start.name: at}), form)
        if failed(result):
            break
        read.append(result)
    return "\n".join(read)


def next_start(tool: Candidate, result: str) -> int:
    """Where the next page begins, as far as a result says or shows that there is one; else 0."""
    name = re.escape(tool.start.name) if tool.start is not None else ""
    edges = result[:600] + "\n" + result[-600:]
    hints = re.findall(rf"\b{name}[\"'`]?\s*[=:]\s*(\d+)", edges)
    if hints:
        return int(hints[-1])
    numbers = _NUMBERED.findall(result)
    return int(numbers[-1]) + 1 if len(numbers) >= LONG_PAGE else 0


def cat(shell: Candidate, kind: str, path: str, workspace: str) -> Generator[Attempt, str, str]:
    """Read a file with a command; returns what was read, nothing if it cannot be."""
    for form, target in shell.forms(path, workspace):
        name, read = shlex.quote(target if target.startswith("/") else f"./{target}"), []
        result = yield Attempt(kind, shell.tool, shell.arguments(f"cat {name}"), form)
        if failed(result):
            continue
        read.append(result)
        for page in range(MOST_PAGES):
            if len(result) < SHELL_PAGE // 2:
                break
            command = f"tail -c +{page * SHELL_PAGE + 1} {name} | head -c {SHELL_PAGE + 1000}"
            result = yield Attempt(kind, shell.tool, shell.arguments(command), form)
            read.append(result)
        return "\n".join(read)
    return ""


def read_session(names: Sequence[str], box: Toolbox, habits: Habits, missing: Callable[[], Sequence[str]]) -> Steps:
    """Read a session with the harness's session tools, under the names that it may be known by.

    Where the tool shows only the latest messages but can search, search for single words of what is still missing.
    """
    for tool in habits.tools("session", box.history):
        for form, name in habits.forms("session", [(str(i), name) for i, name in enumerate(names)]):
            result = yield Attempt("session", tool.tool, tool.arguments(name), form)
            if failed(result):
                continue
            if tool.query is not None:
                for word in [word for text in missing() for word in keywords(text)]:
                    yield Attempt("session", tool.tool, tool.arguments(name, **{tool.query.name: word}), form)
            break
    return False


def keywords(text: str, most: int = 2) -> list[str]:
    """The longest words of a text, cut to `KEYWORD` characters."""
    found = sorted(set(re.findall(r"\w{3,}", text)), key=lambda word: (-len(word), word))
    return [word[:KEYWORD] for word in found[:most]]
