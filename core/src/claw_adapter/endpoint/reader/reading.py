"""Errands that read: a workspace file, a session."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Generator, Sequence
from typing import Final

from claw_adapter.endpoint.reader.errands import Attempt, Habits, Result, Steps
from claw_adapter.endpoint.reader.paging import MOST_PAGES, PAGE_LINES, further, named, pages
from claw_adapter.endpoint.reader.refusals import NOTICE, asked_for
from claw_adapter.endpoint.reader.tools import Candidate, Toolbox

__all__ = ["cat", "keywords", "look", "read_file", "read_session"]

SHELL_PAGE: Final = 8000
KEYWORD: Final = 11
"""Longest search word: shorter than any fragment, so that a search can never contain one."""


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
    if kind == "read" and len(result.text) >= NOTICE:
        result = result + (yield from further(attempt, tool, result))
        for place in named(first.text, target):
            result = result + (yield attempt.with_more({tool.target.name: place}))
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


def cat(shell: Candidate, kind: str, path: str, workspace: str, habits: Habits) -> Generator[Attempt, Result, Result]:
    """Read a file with a command; returns all that was read."""
    read = Result("")
    for form, target in sorted(shell.forms(path, workspace), key=lambda one: not habits.known(shell.tool, one[0])):
        name = shlex.quote(target if target.startswith("/") else f"./{target}")
        result = yield Attempt(kind, shell.tool, shell.arguments(f"cat {name}"), form)
        read = read + result
        size = min(SHELL_PAGE, len(result.text) * 2 // 3)
        for page in range(MOST_PAGES):
            if len(result.text) < max(size // 2, NOTICE):
                break
            command = f"tail -c +{page * size + 1} {name} | head -c {size + size // 8}"
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
