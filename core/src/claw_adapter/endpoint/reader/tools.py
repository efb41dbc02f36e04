"""Understanding a harness's tools by their parameters: what reads a file, writes one, runs a command, shows a session.

Parameters make a tool a candidate: by their names and types, and where no name is known by their descriptions. The tool's own
name and description only veto (a name that says that it deletes or sends) and put equal candidates in order, since
``append_file`` and ``write_file`` can have the same parameters. Of two tools that write, that one comes first whose path is
what the path of one that reads is: its twin. What no name and no description gives away is a stranger, see `strangers`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.calls import variants
from claw_adapter.endpoint.reader.candidates import COMMAND, Candidate, JsonObject, filled
from claw_adapter.endpoint.reader.schema import PAGE_SIZE, At, Param, Params, words
from claw_adapter.model import Tool

__all__ = [
    "FORCE",
    "HARM",
    "NOT_TEXT",
    "PAGE_LINES",
    "PATH",
    "READ_VERBS",
    "VETO",
    "Toolbox",
    "fixed",
    "forced",
    "harms",
    "toolbox",
    "twins",
]


PATH: Final = (
    "path",
    "filepath",
    "absolutepath",
    "file",
    "filename",
    "targetfile",
    "relativepath",
    "relativeworkspacepath",
)
_FOLDER: Final = ("directory", "dir", "folder", "dirname")
_CONTENT: Final = ("content", "contents", "filetext", "filecontent", "text", "body", "data")
_PATCH: Final = ("patch", "patchtext", "input")
_SAYS_PATH: Final = re.compile(r"\b(?:path|file ?name|file to)\b", re.IGNORECASE)
_SAYS_CONTENT: Final = re.compile(r"\b(?:contents?|text|data)\b", re.IGNORECASE)
_SAYS_COMMAND: Final = re.compile(r"\bcommand(?: line)?\b", re.IGNORECASE)
_SESSION: Final = ("sessionkey", "sessionid", "session", "conversationid", "threadid", "sessionname")
_PAGE_START: Final = ("offset", "startline", "start", "linestart", "fromline", "from", "begin", "cursorline")
FORCE: Final = ("force", "reload", "refresh", "nocache")
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
_ASIDE: Final = ("explanation", "reason", "thought", "purpose", "justification")
"""What a call is made for: such a text is no contents."""
_VERB: Final = ("command", "action", "operation", "op", "mode", "method")

_NOT_READ: Final = (
    *_CONTENT, *COMMAND, *_QUERY, "pattern", "regex", "glob", "oldtext", "newtext", "oldstring", "newstring", "oldstr",
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
    *_CONTENT, *COMMAND, "message", "input", "stdin", "keys", "action", "terminate", "kill", "signal", "prompt", "task",
    "model", "title", "name", "closestdin", "url", "path", "agentid", "reply", "pid",
)  # fmt: skip

HARM: Final = frozenset({
    "delete", "remove", "rm", "unlink", "trash", "move", "mv", "rename", "upload", "send", "share", "publish", "install",
    "uninstall", "kill", "reset", "clear", "archive", "spawn", "mail", "post",
})  # fmt: skip
"""What cannot be taken back."""
VETO: Final = HARM | {"copy", "cp", "mkdir", "create_dir", "stop", "close"}
NOT_TEXT: Final = frozenset({"image", "images", "photo", "picture", "audio", "video", "media"})
_LATER: Final = frozenset({"append", "directory", "folder", "list",
                           "ls", "dir", "notebook", "background", "status", "usage", "python", "insert"})  # fmt: skip

READ_VERBS: Final = ("view", "read", "cat", "get", "open", "show", "history", "messages")
WRITE_VERBS: Final = ("create", "write", "put", "save", "overwrite")
EXEC_VERBS: Final = ("run", "exec", "execute", "start", "bash", "shell")
_VERBS: Final = frozenset((*READ_VERBS, *WRITE_VERBS, *EXEC_VERBS))
PAGE_LINES: Final = 80
GUESSED: Final = 8
"""How far behind the others a tool comes of which only descriptions say what its parameters are for."""
_TO_PEOPLE: Final = ("message", "channel", "to", "url", "recipient")


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The candidates for each purpose, best first."""

    read: tuple[Candidate, ...] = ()
    write: tuple[Candidate, ...] = ()
    run: tuple[Candidate, ...] = ()
    history: tuple[Candidate, ...] = ()
    patch: tuple[Candidate, ...] = ()
    names: frozenset[str] = frozenset()
    tools: tuple[Tool, ...] = ()
    every: tuple[tuple[str, Params], ...] = ()
    """Every form of every tool's call, with the tool's name, but for those that harm."""

    def with_first(self, kind: str, made: Candidate) -> Toolbox:
        """With a candidate before the others of its kind."""
        match kind:
            case "read":
                return replace(self, read=(made, *self.read))
            case "write":
                return replace(self, write=(made, *self.write))
        return replace(self, run=(made, *self.run))


def toolbox(tools: Sequence[Tool], inside: Mapping[str, Sequence[Tool]] | None = None) -> Toolbox:
    """Sort a request's tools by purpose; `inside` are those that tools which call others were found to know, by their names."""
    forms = [(tool.name, form) for tool in tools for form in variants(tool, (inside or {}).get(tool.name, ()))]
    safe = [
        (name, form)
        for name, form in forms
        if not ((_named(name, form) | forced(form)) & (VETO | NOT_TEXT) or harms(form))
    ]
    read = _ranked(safe, _reader)
    write = _ranked(safe, _writer)
    return Toolbox(
        read=read,
        write=tuple(sorted(write, key=lambda one: (_to_people(one), not twins(one.target, read)))),
        run=_ranked(safe, _runner),
        history=_ranked(safe, _historian),
        patch=_ranked(safe, _patcher),
        names=frozenset(tool.name for tool in tools),
        tools=tuple(tools),
        every=tuple((name, form) for name, form in forms if not (_named(name, form) | forced(form)) & HARM),
    )


def _named(tool: str, form: Params) -> set[str]:
    return {*words(tool), *words(form.name)}


def _to_people(one: Candidate) -> bool:
    """Whether the name of a tool says that what it writes goes to somebody."""
    return bool(_named(one.tool, one.known) & {*_TO_PEOPLE})


def forced(form: Params) -> set[str]:
    """The words of the choices that a form of a call leaves no choice about."""
    return {word for item in form.items if len(item.enum) == 1 for word in words(str(item.enum[0]))}


def harms(form: Params) -> bool:
    """Whether a description begins with what cannot be taken back (``Deletes``, ``Sends``)."""
    first = words(form.description)[:3]
    return any(word in HARM or word.removesuffix("s") in HARM or word.removesuffix("es") in HARM for word in first)


def twins(target: Param, others: Sequence[Candidate]) -> bool:
    """Whether a parameter is called, and described, like the target of one of these."""
    return any((target.key, target.description) == (one.target.key, one.target.description) for one in others)


def _ranked(
    forms: Sequence[tuple[str, Params]], make: Callable[[str, Params], tuple[float, Candidate] | None]
) -> tuple[Candidate, ...]:
    ranked = []
    for tool, form in forms:
        made = make(tool, form)
        if made is not None:
            name, said = _named(tool, form), set(words(form.description)[:12])
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


def _says(known: Params, verbs: Sequence[str]) -> bool:
    return bool(set(verbs) & {*words(known.name), *words(known.description)[:12]})


def _reader(tool: str, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, READ_VERBS)
    target, guessed = known.one_of(PATH, "string") or known.one_of((*PATH, "paths", "files"), "array"), 0
    if target is None and _says(known, READ_VERBS):
        target, guessed = known.described(_SAYS_PATH), GUESSED
    if target is None or (verb is not None and not choice) or known.has(_NOT_READ if verb is None else _TO_PEOPLE):
        return None
    if not target.required and any(item.required for item in known.items if item is not verb):
        return None
    folder = _folder(known, target)
    rest = [item for item in known.items if item not in (target, folder) and item.key not in _ASIDE]
    if any(item.required and item.text_only for item in rest) and not _says(
        known, READ_VERBS
    ):  # it may write what is given to it
        return None
    start = known.one_of(_PAGE_START, "integer") is not None
    size = known.one_of(PAGE_SIZE, "integer")
    force = known.one_of(FORCE, "boolean")
    values = fixed(known, (target, folder), verb, choice)
    numbers = [
        item for item in known.items if item.required and item.types and item.accepts("integer") and not item.enum
    ]
    if numbers[1:]:  # where a page begins, and where it ends
        values = filled(values, {numbers[1].at: int(min(numbers[1].maximum or PAGE_LINES, PAGE_LINES))})
    made = Candidate(tool, target, values, size=size, folder=folder, known=known)
    return (guessed + 2.0 - 2 * start - (size is not None) - (force is not None)), made


def _folder(known: Params, target: Param) -> Param | None:
    """What a path's folder has to be given in besides its name."""
    found = known.one_of(_FOLDER, "string")
    return found if found is not None and found.required and found.text_only and found is not target else None


def _writer(tool: str, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, WRITE_VERBS)
    target, guessed = known.one_of(PATH, "string"), 0
    content = known.one_of(_CONTENT, "string") or known.one_of((*_CONTENT, "lines"), "array")
    content = content if content is None or content.text_only or content.accepts("string") else None
    if (target is None or content is None) and (choice or _says(known, WRITE_VERBS)):
        target, content, guessed = *_described(known, target, content), GUESSED
    lines = content is not None and content.key == "lines"
    if target is None or content is None or known.has(_TO_PEOPLE if verb is not None or lines else _NOT_WRITE):
        return None
    if verb is not None and not choice:
        return None
    overwrite = known.one_of(_OVERWRITE, "boolean")
    folder = _folder(known, target)
    values = fixed(known, (target, folder, content), verb, choice)
    if overwrite is not None:
        values = filled(values, {overwrite.at: True})
    made = Candidate(tool, target, values, content, folder=folder, known=known)
    return guessed + 1.0 - (overwrite is not None), made


def _described(known: Params, target: Param | None, content: Param | None) -> tuple[Param | None, Param | None]:
    """Path and content of a tool that writes, where one of them, or both, are known by their description only."""
    rest = Params(tuple(item for item in known.items if item not in (target, content)))
    found = target or rest.described(_SAYS_PATH)
    rest = Params(tuple(item for item in rest.items if item is not found))
    return found, content or rest.described(_SAYS_CONTENT)


def _runner(tool: str, known: Params) -> tuple[float, Candidate] | None:
    verb, choice = _verb(known, EXEC_VERBS)
    target, guessed = known.one_of(COMMAND, "string") or known.one_of(COMMAND, "array"), 0
    if target is None and _says(known, EXEC_VERBS):
        target, guessed = known.described(_SAYS_COMMAND), GUESSED
    if target is None or target.enum or (verb is not None and not choice) or known.has(_NOT_EXEC):
        return None
    made = Candidate(tool, target, fixed(known, (target,), verb, choice), listed=target.key == "commands", known=known)
    return guessed + float(verb is not None), made


def _patcher(tool: str, known: Params) -> tuple[float, Candidate] | None:
    target = known.one_of(_PATCH, "string")
    patches = "patch" in (*words(tool), *words(known.name))
    if target is None or not patches or [item for item in known.items if item.required] != [target]:
        return None
    return 0.0, Candidate(tool, target, known=known)


def _historian(tool: str, known: Params) -> tuple[float, Candidate] | None:
    target = known.one_of(_SESSION, "string")
    if target is None or known.has(_NOT_HISTORY) or not any(item.required for item in known.items if item is target):
        return None
    query, size = known.one_of(_QUERY, "string"), known.one_of(("limit", "lastn", "maxmessages"), "integer")
    values = fixed(known, (target,))
    if size is not None:
        values = filled(values, {size.at: int(size.maximum or 1000)})
    return (0.0 if known.has(_HISTORY) else 2.0), Candidate(tool, target, values, query=query, known=known)


def fixed(known: Params, given: Sequence[Param | None], verb: Param | None = None, choice: str = "") -> JsonObject:
    """Values for the other required parameters."""
    values: dict[At, JsonValue] = {verb.at: choice} if verb is not None else {}
    values |= {item.at: item.filler() for item in known.items if item.required and item not in (*given, verb)}
    return filled({}, values)
