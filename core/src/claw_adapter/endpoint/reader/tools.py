"""Understanding a harness's tools by their parameters: what reads a file, writes one, runs a command, shows a session.

Names and descriptions never make a tool a candidate. They only veto (a tool whose name says that it deletes or sends) and
put equal candidates in order, since ``append_file`` and ``write_file`` can have the same parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.schema import Param, Params, params, words
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
_SESSION: Final = ("sessionkey", "sessionid", "session", "conversationid", "threadid", "sessionname")
_PAGE_START: Final = ("offset", "startline", "start", "linestart", "fromline", "from", "begin", "cursorline")
_PAGE_SIZE: Final = ("limit", "maxlines", "length", "endline", "end", "lines", "numlines", "count", "maxentries")
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
_LATER: Final = frozenset({"append", "image", "images", "photo", "picture", "audio", "video", "directory", "folder", "list",
                           "ls", "dir", "media", "notebook", "background", "status", "usage", "python", "insert"})  # fmt: skip

READ_VERBS: Final = ("view", "read", "cat", "get", "open", "show", "history", "messages")
WRITE_VERBS: Final = ("create", "write", "put", "save", "overwrite")
EXEC_VERBS: Final = ("run", "exec", "execute", "start", "bash", "shell")
_VERBS: Final = frozenset((*READ_VERBS, *WRITE_VERBS, *EXEC_VERBS))
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
    names: frozenset[str] = frozenset()


def toolbox(tools: Sequence[Tool]) -> Toolbox:
    """Sort a request's tools by purpose."""
    return Toolbox(
        read=_ranked(tools, _reader),
        write=_ranked(tools, _writer),
        run=_ranked(tools, _runner),
        history=_ranked(tools, _historian),
        names=frozenset(tool.name for tool in tools),
    )


def _ranked(
    tools: Sequence[Tool], make: Callable[[Tool, Params], tuple[float, Candidate] | None]
) -> tuple[Candidate, ...]:
    ranked = []
    for tool in tools:
        name = set(words(tool.name))
        made = None if name & _VETO else make(tool, params(tool))
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
    target = known.one_of(_PATH, "string")
    if target is None or (verb is not None and not choice) or known.has(_NOT_READ if verb is None else _TO_PEOPLE):
        return None
    if not target.required and any(item.required for item in known.items if item is not verb):
        return None
    start = known.one_of(_PAGE_START, "integer")
    size = known.one_of(_PAGE_SIZE, "integer")
    force = known.one_of(_FORCE, "boolean")
    made = Candidate(tool.name, target, _fixed(known, target, verb, choice), None, start, size, force)
    return (2.0 - 2 * (start is not None) - (size is not None) - (force is not None)), made


def _writer(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, WRITE_VERBS)
    target, content = known.one_of(_PATH, "string"), known.one_of(_CONTENT, "string")
    if target is None or content is None or known.has(_NOT_WRITE if verb is None else _TO_PEOPLE):
        return None
    if verb is not None and not choice:
        return None
    overwrite = known.one_of(_OVERWRITE, "boolean")
    fixed = _fixed(known, target, verb, choice, content)
    if overwrite is not None:
        fixed[overwrite.name] = True
    return (1.0 - (overwrite is not None)), Candidate(tool.name, target, fixed, content)


def _runner(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, EXEC_VERBS)
    target = known.one_of(_COMMAND, "string") or known.one_of(_COMMAND, "array")
    if target is None or target.enum or (verb is not None and not choice) or known.has(_NOT_EXEC):
        return None
    return float(verb is not None), Candidate(tool.name, target, _fixed(known, target, verb, choice))


def _historian(tool: Tool, known: Params) -> tuple[float, Candidate] | None:
    target = known.one_of(_SESSION, "string")
    if target is None or known.has(_NOT_HISTORY) or not any(item.required for item in known.items if item is target):
        return None
    query, size = known.one_of(_QUERY, "string"), known.one_of(("limit", "lastn", "maxmessages"), "integer")
    fixed = _fixed(known, target, None, "")
    if size is not None:
        fixed[size.name] = int(size.maximum or 1000)
    return (0.0 if known.has(_HISTORY) else 2.0), Candidate(tool.name, target, fixed, query=query)


def _fixed(known: Params, target: Param, verb: Param | None, choice: str, content: Param | None = None) -> JsonObject:
    """Values for the other required parameters."""
    fixed: JsonObject = {verb.name: choice} if verb is not None else {}
    for item in known.items:
        if item.required and item not in (target, content, verb):
            fixed[item.name] = _filler(item)
    return fixed


def _filler(item: Param) -> JsonValue:
    if item.default is not None:
        return item.default
    if item.enum:
        return item.enum[0]
    if item.accepts("string"):
        return "needed for the question at hand"
    if item.accepts("integer"):
        low, high = item.minimum, item.maximum
        wide = item.key in _PAGE_SIZE or "timeout" in item.key
        return int(high or max(low or 0, 1000)) if wide else int(low if low is not None else 1)
    fillers: dict[str, JsonValue] = {"boolean": False, "array": [], "object": {}}
    return next((value for kind, value in fillers.items() if item.accepts(kind)), None)
