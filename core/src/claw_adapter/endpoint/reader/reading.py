"""Errands that read: a workspace file, a session."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Generator, Sequence
from typing import Final

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result, Steps
from claw_adapter.endpoint.reader.refusals import NOTICE, asked_for
from claw_adapter.endpoint.reader.tools import Candidate, Toolbox

__all__ = ["cat", "keywords", "look", "next_start", "pages", "read_file", "read_session"]

MOST_PAGES: Final = 12
PAGE_LINES: Final = 80
SHELL_PAGE: Final = 8000
LONG_PAGE: Final = 500
"""Numbered lines from which on a page may have been cut although nothing says so."""
KEYWORD: Final = 11
"""Longest search word: shorter than any fragment, so that a search can never contain one."""
_NUMBERED = re.compile(r"^\s*[L\[]?(\d+)(?:\t|→|\||:|\])", re.MULTILINE)


def read_file(path: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Read a workspace file with the tools for reading, then with a command.

    Whoever makes the calls ends this as soon as all that is looked for has been seen. So what comes back here was something
    else, or the file in part: then the path is written in the other way, and another tool is taken. What a tool
    that is known to show files in this way has left out is not there; but it may refuse single files: after a mere notice
    from it the command has the last word.
    """
    for tool in habits.tools("read", box.read, box.run[:1]):
        found, text = False, ""
        for form, target in habits.forms("read", tool.forms(path, workspace)):
            known = habits.known(tool.tool, form)
            result = yield from look(tool, "read", form, target, habits)
            if found := known or result.shows:
                text = result.text
                break
            habits.refusals[tool.tool] += 1
        if len(text) >= NOTICE:
            return False
        if found:
            break
    for shell in box.run[:1]:
        yield from cat(shell, "cat", path, workspace, habits)
    return False


def look(tool: Candidate, kind: str, form: str, target: str, habits: Habits) -> Generator[Attempt, Result, Result]:
    """Read a file with a tool: to its end, with what it asks for, and anew where it may say only that it said it before."""
    attempt = Attempt(kind, tool.tool, {**tool.arguments(target), **habits.extra.get(tool.tool, {})}, form)
    first = yield attempt
    result = yield from pages(tool, kind, target, form, first)
    if not result.shows and (more := asked_for(tool.known, attempt.arguments, first.text)):
        result = result + (yield attempt.with_more(more))
        if result.shows:
            habits.learn(tool.tool, more)
    if not result.shows and tool.force is not None and len(first.text) < NOTICE:
        forced = yield attempt.with_more({tool.force.name: True})
        result = result + (yield from pages(tool, kind, target, form, forced))
    known = habits.known(tool.tool, form)
    fresh = kind == "read" and (known or not habits.refusals[tool.tool])
    if (
        not result.shows and fresh and len(first.text) < NOTICE
    ):  # it may have been busy with another call, or for a moment
        again = yield attempt
        result = result + (yield from pages(tool, kind, target, form, again))
    if not result.shows and known and kind == "read" and tool.start is not None and tool.size is not None:
        result = result + (yield from _by_pages(attempt, tool.start.name, tool.size.name))
    return result


def _by_pages(attempt: Attempt, start: str, size: str) -> Generator[Attempt, Result, Result]:
    """Read a file page by page, although nothing said that it has to be: some tools show, or take on, only so much at once."""
    found = Result("")
    for page in range(MOST_PAGES):
        result = yield attempt.with_more({start: page * PAGE_LINES + 1, size: PAGE_LINES})
        found = found + result
        if len(result.text) < NOTICE:
            break
    return found


def pages(tool: Candidate, kind: str, target: str, form: str, result: Result) -> Generator[Attempt, Result, Result]:
    """Read on where a long file was cut, as far as the results say or show that it was; returns all that was read."""
    at, read = 0, result
    for _ in range(MOST_PAGES):
        start = next_start(tool, result.text) if tool.start is not None else 0
        if tool.start is None or start <= at:
            break
        at = start
        result = yield Attempt(kind, tool.tool, tool.arguments(target, **{tool.start.name: at}), form)
        read = read + result
    return read


def next_start(tool: Candidate, result: str) -> int:
    """Where the next page begins, as far as a result says or shows that there is one; else 0."""
    name = re.escape(tool.start.name) if tool.start is not None else ""
    edges = result[:600] + "\n" + result[-600:]
    hints = re.findall(rf"\b{name}[\"'`]?\s*[=:]\s*(\d+)", edges)
    if hints:
        return int(hints[-1])
    numbers = _NUMBERED.findall(result)
    return int(numbers[-1]) + 1 if len(numbers) >= LONG_PAGE else 0


def cat(shell: Candidate, kind: str, path: str, workspace: str, habits: Habits) -> Generator[Attempt, Result, Result]:
    """Read a file with a command; returns all that was read."""
    read = Result("")
    for form, target in sorted(shell.forms(path, workspace), key=lambda one: not habits.known(shell.tool, one[0])):
        name = shlex.quote(target if target.startswith("/") else f"./{target}")
        result = yield Attempt(kind, shell.tool, shell.arguments(f"cat {name}"), form)
        read = read + result
        for page in range(MOST_PAGES):
            if len(result.text) < SHELL_PAGE // 2:
                break
            command = f"tail -c +{page * SHELL_PAGE + 1} {name} | head -c {SHELL_PAGE + 1000}"
            result = yield Attempt(kind, shell.tool, shell.arguments(command), form)
            read = read + result
        if read.shows or habits.known(shell.tool, form):
            break
    return read


def read_session(names: Sequence[str], box: Toolbox, habits: Habits, missing: Callable[[], Sequence[str]]) -> Steps:
    """Read a session with the harness's session tools, under the names that it may be known by.

    Where the tool shows only the latest messages but can search, search for single words of what is still missing.
    """
    for tool in habits.tools("session", box.history):
        for form, name in habits.forms("session", [(str(i), name) for i, name in enumerate(names)]):
            found = yield Attempt("session", tool.tool, tool.arguments(name), form)
            if tool.query is not None:
                for word in [word for text in missing() for word in keywords(text)]:
                    query = {tool.query.name: word}
                    found = found + (yield Attempt("session", tool.tool, tool.arguments(name, **query), form))
            if found.shows or habits.working.get("session") == (tool.tool, form):
                return False  # it shows this session; what it has not shown is not there
    return False


def keywords(text: str, most: int = 2) -> list[str]:
    """The longest words of a text, cut to `KEYWORD` characters."""
    found = sorted(set(re.findall(r"\w{3,}", text)), key=lambda word: (-len(word), word))
    return [word[:KEYWORD] for word in found[:most]]
