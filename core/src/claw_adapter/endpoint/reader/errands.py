"""Errands: what the reader does with a harness's tools, one call after the other, each step knowing the last result.

An errand is a generator: it yields attempts and is sent the text of their results. The text of a fragment is never part of a
reading call, so that no echo of a call can be taken for evidence.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.tools import Candidate, Toolbox

__all__ = ["Attempt", "Errand", "Habits", "Steps", "failed", "keywords", "read_file", "read_session", "write_file"]

MOST_PAGES: Final = 12
MOST_TOOLS: Final = 3
NOTICE: Final = 200
"""Characters up to which a result may be a notice ("unchanged since last read") instead of content."""
SHELL_PAGE: Final = 8000
LONG_PAGE: Final = 500
"""Numbered lines from which on a page may have been cut although nothing says so."""
KEYWORD: Final = 11
"""Longest search word: shorter than any fragment, so that a search can never contain one."""

_FAILED = re.compile(
    r"""\s*(?:<[a-z_]*error>|\[?\(?["']?(?:\w*error\b|fail|traceback|exception|fatal|denied|refus|cannot\b|can't\b|could\ not\b
    |unable\b|invalid\b|unknown\b|unsupported\b|missing\b|not\ (?:found|allowed|permitted)|no\ such|enoent|eacces
    |(?:access|permission|path|file|tool|user|command)\b.{0,80}(?:denied|not\ (?:found|allowed|permitted|exist)|outside|blocked
    |does\ not\ exist|already\ exists|rejected|has\ not\ been\ read)))""",
    re.IGNORECASE | re.VERBOSE,
)
_ANYWHERE = ("no such file or directory", "permission denied", "command not found", "tool not found")
_NUMBERED = re.compile(r"^\s*[L\[]?(\d+)(?:\t|→|\||:|\])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One tool call; `kind` and `form` say what is learnt if it works."""

    kind: str
    tool: str
    arguments: dict[str, JsonValue]
    form: str = ""

    @property
    def habit(self) -> tuple[str, str]:
        """Tool and form of the target."""
        return self.tool, self.form


Steps = Generator[Attempt, str, bool]


@dataclass(slots=True)
class Habits:
    """What has worked in this trial, by kind of attempt: tried first from then on."""

    working: dict[str, tuple[str, str]] = field(default_factory=dict)

    def tools(self, kind: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The candidates, the one that works first."""
        tool = self.working.get(kind, ("", ""))[0]
        return sorted(candidates, key=lambda candidate: candidate.tool != tool)[:MOST_TOOLS]

    def forms(self, kind: str, forms: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Forms of a target (name and text), the one that works first."""
        form = self.working.get(kind, ("", ""))[1]
        return sorted(forms, key=lambda item: item[0] != form)


class Errand:
    """An errand under way: `attempt` is the call to make now, None when there is nothing left to try."""

    MOST_REPEATS: Final = 2

    def __init__(self, steps: Steps, wants: frozenset[str] = frozenset()) -> None:
        self.wants = wants
        self.success = False
        self.call_id = ""
        self._steps = steps
        self._repeats = 0
        self.attempt: Attempt | None = None
        self._take(lambda: next(steps))

    def advance(self, result: str) -> None:
        """Go on to the next attempt."""
        self.call_id, self._repeats = "", 0
        self._take(lambda: self._steps.send(result))

    def lost(self) -> None:
        """The harness came back without a result: make the same call again, but not for ever."""
        self.call_id = ""
        self._repeats += 1
        if self._repeats > self.MOST_REPEATS:
            self.advance("error: no result")

    def close(self) -> None:
        """There is no need for it any more."""
        self._steps.close()
        self.attempt = None

    def _take(self, step: Callable[[], Attempt]) -> None:
        try:
            self.attempt = step()
        except StopIteration as end:
            self.attempt, self.success = None, bool(end.value)


def failed(result: str) -> bool:
    """Whether a tool result reads like an error."""
    head = result[:400]
    if _FAILED.match(head) or any(text in head.lower() for text in _ANYWHERE):
        return True
    try:
        value = json.loads(result) if result.lstrip().startswith("{") else None
    except ValueError:
        return False
    if not isinstance(value, dict):
        return False
    status = str(value.get("status", "")).lower()
    return (
        bool(value.get("error"))
        or value.get("ok") is False
        or value.get("success") is False
        or status in ("error", "failed")
    )


def _forms(path: str, workspace: str) -> list[tuple[str, str]]:
    forms = [("relative", path)]
    if workspace and not path.startswith("/"):
        forms.append(("absolute", str(PurePosixPath(workspace) / path)))
    return forms


def read_file(path: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Read a workspace file with the tools for reading, then with a command."""
    for tool in habits.tools("read", box.read):
        for form, target in habits.forms("read", _forms(path, workspace)):
            result = yield Attempt("read", tool.tool, tool.arguments(target), form)
            if failed(result):
                continue
            yield from _pages(tool, target, form, result)
            if tool.force is not None and len(result) < NOTICE:
                result = yield Attempt("read", tool.tool, tool.arguments(target, **{tool.force.name: True}), form)
                yield from _pages(tool, target, form, result)
            break
        if habits.working.get("read", ("", ""))[0] == tool.tool:
            return False  # a tool known to read has not found it: it is not there
    for shell in box.run[:1]:
        yield from _cat(path, workspace, shell)
    return False


def _pages(tool: Candidate, target: str, form: str, result: str) -> Generator[Attempt, str, None]:
    """Read on where a long file was cut, as far as the results say or show that it was."""
    at = 0
    for _ in range(MOST_PAGES):
        start = _next_start(tool, result) if tool.start is not None else 0
        if tool.start is None or start <= at:
            return
        at = start
        result = yield Attempt("read", tool.tool, tool.arguments(target, **{tool.start.name: at}), form)
        if failed(result):
            return


def _next_start(tool: Candidate, result: str) -> int:
    name = re.escape(tool.start.name) if tool.start is not None else ""
    edges = result[:600] + "\n" + result[-600:]
    hints = re.findall(rf"\b{name}[\"'`]?\s*[=:]\s*(\d+)", edges)
    if hints:
        return int(hints[-1])
    numbers = _NUMBERED.findall(result)
    return int(numbers[-1]) + 1 if len(numbers) >= LONG_PAGE else 0


def _cat(path: str, workspace: str, shell: Candidate) -> Generator[Attempt, str, None]:
    for form, target in _forms(path, workspace):
        name = shlex.quote(target if target.startswith("/") else f"./{target}")
        result = yield Attempt("cat", shell.tool, shell.arguments(f"cat {name}"), form)
        if failed(result):
            continue
        for page in range(MOST_PAGES):
            if len(result) < SHELL_PAGE // 2:
                return
            command = f"tail -c +{page * SHELL_PAGE + 1} {name} | head -c {SHELL_PAGE + 1000}"
            result = yield Attempt("cat", shell.tool, shell.arguments(command), form)
        return


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


def write_file(path: str, content: str, workspace: str, box: Toolbox, habits: Habits) -> Steps:
    """Write a workspace file with the tools for writing, then with a command; the outcome is whether one did not fail."""
    for tool in habits.tools("write", box.write):
        for form, target in habits.forms("write", _forms(path, workspace)):
            extra: dict[str, JsonValue] = {tool.content.name: content} if tool.content is not None else {}
            attempt = Attempt("write", tool.tool, tool.arguments(target, **extra), form)
            result = yield attempt
            if failed(result) and "read" in result.lower() and box.read:  # some insist on reading before replacing
                reader = box.read[0]
                yield Attempt("look", reader.tool, reader.arguments(target), form)
                result = yield attempt
            if not failed(result):
                return True
    for shell in box.run[:1]:
        for form, target in _forms(path, workspace):
            name, folder = shlex.quote(target), shlex.quote(str(PurePosixPath(target).parent))
            command = f"mkdir -p {folder} && printf %s {shlex.quote(content)} > {name}"
            result = yield Attempt("print", shell.tool, shell.arguments(command), form)
            if not failed(result):
                return True
    return False
