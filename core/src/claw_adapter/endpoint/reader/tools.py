"""Understanding a harness's tools by their parameters: what reads a file, writes one, runs a command, shows a session.

Parameters make a tool a candidate: by their names and types, and where no name is known by their descriptions. The tool's own
name and description only veto (a name that says that it deletes or sends) and put equal candidates in order, since
``append_file`` and ``write_file`` can have the same parameters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.schema import PAGE_SIZE, Param, Params, params, words
from claw_adapter.model import Tool

__all__ = ["Candidate", "Toolbox", "toolbox"]

JsonObject = dict[str, JsonValue]

_PATH: Final = (
    "path",
    "filepath",
    "absolutepath",
    "file",
    "filename",
    "targetfile",
    "relativepath",
    "relativeworkspacepath",
)
_CONTENT: Final = ("content", "contents", "filetext", "filecontent", "text", "body", "data")
_COMMAND: Final = ("command", "cmd", "shellcommand", "commandline", "bash", "script")
_PATCH: Final = ("patch", "patchtext", "input")
_SAYS_PATH: Final = re.compile(r"\b(?:path|file ?name|file to)\b", re.IGNORECASE)
_SAYS_CONTENT: Final = re.compile(r"\b(?:contents?|text|data)\b", re.IGNORECASE)
_SAYS_COMMAND: Final = re.compile(r"\bcommand(?: line)?\b", re.IGNORECASE)
_SESSION: Final = ("sessionkey", "sessionid", "session", "conversationid", "threadid", "sessionname")
_PAGE_START: Final = ("offset", "startline", "start", "linestart", "fromline", "from", "begin", "cursorline")
_FORCE: Final = ("force", "reload", "refresh", "nocache")
_QUERY: Final = ("query", "search", "contains", "filter")
_HISTORY: Final = (
    *_QUERY,
    "limit",
    "offset",
    "before",
    "after",
    "cursor",
    "includetools",
    "lastn",
    "maxmessages",
    "page",
)
_OVERWRITE: Final = ("overwrite", "replaceexisting", "allowoverwrite", "force")
_VERB: Final = ("command", "action", "operation", "op", "mode", "method")

_NOT_READ: Final = (
    *_CONTENT, *_COMMAND, *_QUERY, "pattern", "regex", "glob", "oldtext", "newtext", "oldstring", "newstring", "oldstr",
    "newstr", "patch", "diff", "edits", "recursive", "depth", "destination", "dest", "newpath", "to", "url", "message",
    "prompt", "caption", "ignore", "include",
)  # fmt: skip
_NOT_WRITE: Final = (
    "oldtext", "newtext", "oldstring", "newstring", "patch", "diff", "edits", "insertline", "line", "lines", "pattern",
    "to", "channel", "recipient", "message", "url", "schedule", "edit", "find", "search", "replace", "position", "startline",
)  # fmt: skip
_NOT_EXEC: Final = (
    "message",
    "prompt",
    "schedule",
    "cron",
    "cronexpr",
    "atseconds",
    "everyseconds",
    "path",
    "url",
    "task",
)
_NOT_HISTORY: Final = (
    *_CONTENT, *_COMMAND, "message", "input", "stdin", "keys", "action", "terminate", "kill", "signal", "prompt", "task",
    "model", "title", "name", "closestdin", "url", "path", "agentid", "reply", "pid",
)  # fmt: skip

_VETO: Final = frozenset({
    "delete", "remove", "rm", "unlink", "trash", "move", "mv", "rename", "copy", "cp", "mkdir", "create_dir", "upload",
    "send", "share", "publish", "install", "uninstall", "kill", "stop", "close", "reset", "clear", "archive", "spawn",
})  # fmt: skip
_NOT_TEXT: Final = frozenset({"image", "images", "photo", "picture", "audio", "video", "media"})
_LATER: Final = frozenset({"append", "directory", "folder", "list",
                           "ls", "dir", "notebook", "background", "status", "usage", "python", "insert"})  # fmt: skip

READ_VERBS: Final = ("view", "read", "cat", "get", "open", "show", "history", "messages")
WRITE_VERBS: Final = ("create", "write", "put", "save", "overwrite")
EXEC_VERBS: Final = ("run", "exec", "execute", "start", "bash", "shell")
_VERBS: Final = frozenset((*READ_VERBS, *WRITE_VERBS, *EXEC_VERBS))
GUESSED: Final = 8
"""How far behind the others a tool comes of which only descriptions say what its parameters are for."""
_TO_PEOPLE: Final = ("message", "channel", "to", "url", "recipient")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool for one purpose; `target` takes the path, command or session key, `fixed` is sent along every time."""

    tool: str
    target: Param
    fixed: JsonObject = field(default_factory=dict)
    content: Param | None = None
    start: Param | None = None
    size: Param | None = None
    force: Param | None = None
    query: Param | None = None
    known: Params = field(default_factory=lambda: Params(()))
    """All parameters."""

    def forms(self, path: str, workspace: str) -> list[tuple[str, str]]:
        """Names and texts of the ways to write a path of the workspace, what the tool asks for first."""
        forms = [("relative", path)]
        if workspace and not path.startswith("/"):
            forms.append(("absolute", str(PurePosixPath(workspace) / path)))
        return forms[::-1] if self.target.absolute else forms

    def arguments(self, target: str, **more: JsonValue) -> JsonObject:
        """The arguments of a call."""
        as_list = not self.target.accepts("string") and self.target.accepts("array")
        value: JsonValue = ["bash", "-lc", target] if as_list else target
        return {**self.fixed, self.target.name: value, **more}


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The candidates for each purpose, best first."""

    read: tuple[Candidate, ...] = ()
    write: tuple[Candidate, ...] = ()
    run: tuple[Candidate, ...] = ()
    history: tuple[Candidate, ...] = ()
    patch: tuple[Candidate, ...] = ()
    names: frozenset[str] = frozenset()


def toolbox(tools: Sequence[Tool]) -> Toolbox:
    """Sort a request's tools by purpose."""
    return Toolbox(
        read=_ranked(tools, _reader),
        write=_ranked(tools, _writer),
        run=_ranked(tools, _runner),
        history=_ranked(tools, _historian),
        patch=_ranked(tools, _patcher),
        names=frozenset(tool.name for tool in tools),
    )


def _ranked(
    tools: Sequence[Tool], make: Callable[[Tool, Params], tuple[float, Candidate] | None]
) -> tuple[Candidate, ...]:
    ranked = []
    for tool in tools:
        name = set(words(tool.name))
        made = None if name & (_VETO | _NOT_TEXT) else make(tool, params(tool))
        if made is not None:
            said = set(words(tool.description)[:12])
            later = 4 * bool(name & _LATER) + bool(said & _LATER)
            ranked.append((made[0] + later, made[1]))
    return tuple(candidate for _, candidate in sorted(ranked, key=lambda item: item[0]))


def _verb(known: Params, verbs: Sequence[str]) -> tuple[Param | None, str]:
    """The parameter that chooses what a tool does, and the choice that fits; no parameter if the tool does one thing."""
    for item in known.items:
        choices = {str(value) for value in item.enum}
        if item.key in _VERB and choices & _VERBS:
            return item, next((verb for verb in verbs if verb in choices), "")
    return None, ""


def _reader(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, READ_VERBS)
    target, guessed = known.one_of(_PATH, "string"), 0
    if target is None and set(READ_VERBS) & {*words(tool.name), *words(tool.description)[:12]}:
        target, guessed = known.described(_SAYS_PATH), GUESSED
    if target is None or (verb is not None and not choice) or known.has(_NOT_READ if verb is None else _TO_PEOPLE):
        return None
    if not target.required and any(item.required for item in known.items if item is not verb):
        return None
    start = known.one_of(_PAGE_START, "integer")
    size = known.one_of(PAGE_SIZE, "integer")
    force = known.one_of(_FORCE, "boolean")
    made = Candidate(tool.name, target, _fixed(known, target, verb, choice), None, start, size, force, known=known)
    return (guessed + 2.0 - 2 * (start is not None) - (size is not None) - (force is not None)), made


def _writer(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, WRITE_VERBS)
    target, content, guessed = known.one_of(_PATH, "string"), known.one_of(_CONTENT, "string"), 0
    if (target is None or content is None) and set(WRITE_VERBS) & {*words(tool.name), *words(tool.description)[:12]}:
        target, content, guessed = *_described(known, target, content), GUESSED
    if target is None or content is None or known.has(_NOT_WRITE if verb is None else _TO_PEOPLE):
        return None
    if verb is not None and not choice:
        return None
    overwrite = known.one_of(_OVERWRITE, "boolean")
    fixed = _fixed(known, target, verb, choice, content)
    if overwrite is not None:
        fixed[overwrite.name] = True
    return (guessed + 1.0 - (overwrite is not None)), Candidate(tool.name, target, fixed, content, known=known)


def _described(known: Params, target: Param | None, content: Param | None) -> tuple[Param | None, Param | None]:
    """Path and content of a tool that writes, where one of them, or both, are known by their description only."""
    rest = Params(tuple(item for item in known.items if item not in (target, content)))
    found = target or rest.described(_SAYS_PATH)
    rest = Params(tuple(item for item in rest.items if item is not found))
    return found, content or rest.described(_SAYS_CONTENT)


def _runner(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, EXEC_VERBS)
    target, guessed = known.one_of(_COMMAND, "string") or known.one_of(_COMMAND, "array"), 0
    if target is None and set(EXEC_VERBS) & {*words(tool.name), *words(tool.description)[:12]}:
        target, guessed = known.described(_SAYS_COMMAND), GUESSED
    if target is None or target.enum or (verb is not None and not choice) or known.has(_NOT_EXEC):
        return None
    return guessed + float(verb is not None), Candidate(
        tool.name, target, _fixed(known, target, verb, choice), known=known
    )


def _patcher(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    target = known.one_of(_PATCH, "string")
    if target is None or "patch" not in words(tool.name) or [item for item in known.items if item.required] != [target]:
        return None
    return 0.0, Candidate(tool.name, target, known=known)


def _historian(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    target = known.one_of(_SESSION, "string")
    if target is None or known.has(_NOT_HISTORY) or not any(item.required for item in known.items if item is target):
        return None
    query, size = known.one_of(_QUERY, "string"), known.one_of(("limit", "lastn", "maxmessages"), "integer")
    fixed = _fixed(known, target, None, "")
    if size is not None:
        fixed[size.name] = int(size.maximum or 1000)
    return (0.0 if known.has(_HISTORY) else 2.0), Candidate(tool.name, target, fixed, query=query, known=known)


def _fixed(known: Params, target: Param, verb: Param | None, choice: str, content: Param | None = None) -> JsonObject:
    """Values for the other required parameters."""
    fixed: JsonObject = {verb.name: choice} if verb is not None else {}
    for item in known.items:
        if item.required and item not in (target, content, verb):
            fixed[item.name] = item.filler()
    return fixed
