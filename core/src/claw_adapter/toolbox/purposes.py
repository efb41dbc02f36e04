"""What a tool is for, by its parameters: reading a file, writing one, running a command, patching, showing a session.

Parameters make a tool a candidate: by their names and types, and where no name is known by their descriptions. The tool's own
name and description only veto (a name that says that it deletes or sends) and put equal candidates in order, since
``append_file`` and ``write_file`` can have the same parameters. What no name and no description gives away is a stranger.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pydantic import JsonValue

from claw_adapter.toolbox.candidates import COMMAND, Candidate, JsonObject, filled
from claw_adapter.toolbox.schema import (
    EXEC_VERBS,
    HARM,
    OPERATION,
    PAGE_SIZE,
    PAGE_START,
    READ_VERBS,
    REMOVAL,
    TAKEN_AWAY,
    TAKES_AWAY,
    VERBS,
    WRITE_VERBS,
    At,
    Param,
    Params,
    means,
    words,
)

__all__ = [
    "CONTENT",
    "FOLDER",
    "FOLDERS",
    "FORCE",
    "HARM",
    "KINDS",
    "LATER",
    "LISTING",
    "MAKES",
    "NEW",
    "NOT_TEXT",
    "OLD",
    "PAGE_LINES",
    "PARTLY",
    "PATH",
    "PLAIN",
    "QUERY",
    "READ_VERBS",
    "REMOVAL",
    "SEARCHED",
    "SHOWS",
    "TAKEN_AWAY",
    "TAKES_AWAY",
    "TO_PEOPLE",
    "VERBS",
    "VETO",
    "WRITE_VERBS",
    "finds",
    "fixed",
    "folder_of",
    "historian",
    "makes",
    "patcher",
    "reader",
    "runner",
    "writer",
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
FOLDER: Final = ("directory", "dir", "folder", "dirname")
FOLDERS: Final = frozenset({"folder", "folders", "directory", "directories", "dir"})
"""Words by which a tool says that it is about folders."""
CONTENT: Final = ("content", "contents", "filetext", "filecontent", "text", "body", "data")
_PATCH: Final = ("patch", "patchtext", "diff", "input")
_SAYS_PATH: Final = re.compile(r"\b(?:path|file ?name|file to)\b", re.IGNORECASE)
_SAYS_CONTENT: Final = re.compile(r"\b(?:contents?|text|data)\b", re.IGNORECASE)
_SAYS_COMMAND: Final = re.compile(r"\bcommand(?: line)?\b", re.IGNORECASE)
_SESSION: Final = (
    "conversation",
    "thread",
    "chat",
    "chatid",
    "sessionkey",
    "sessionid",
    "session",
    "conversationid",
    "threadid",
    "sessionname",
)
FORCE: Final = ("force", "reload", "refresh", "nocache")
QUERY: Final = ("query", "search", "contains", "filter")
SEARCHED: Final = (
    *QUERY, "searchterm", "term", "terms", "keyword", "keywords", "word", "words", "prefix", "phrase", "pattern", "regex", "q",
    "text",
)  # fmt: skip
"""Keys of what a tool looks for that says that it searches."""
_FINDS: Final = frozenset({
    "search", "searches", "find", "finds", "grep", "glob", "lookup", "look", "looks", "recall", "recalls", "match", "matches",
})  # fmt: skip
_HISTORY: Final = (
    *QUERY,
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

OLD: Final = ("old", "oldstring", "oldtext", "oldstr", "oldcontent", "search", "searchtext", "find")
NEW: Final = ("new", "newstring", "newtext", "newstr", "newcontent", "replace", "replacement", "replacewith")
"""Keys of what is to be replaced in a file, and what by."""
_NOT_READ: Final = (
    *CONTENT, *COMMAND, *QUERY, *OLD, *NEW, "pattern", "regex", "glob", "patch", "diff", "edits",
    "recursive", "depth", "destination", "dest", "newpath", "to", "url", "message",
    "prompt", "caption", "ignore", "include",
)  # fmt: skip
_NOT_WRITE: Final = (
    *OLD, *NEW, "patch", "diff", "edits", "insertline", "line", "lines", "pattern", "to", "channel", "recipient", "message",
    "url", "schedule", "edit", "position", "startline",
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
    *CONTENT, *COMMAND, "message", "input", "stdin", "keys", "action", "terminate", "kill", "signal", "prompt", "task",
    "model", "title", "name", "closestdin", "url", "path", "agentid", "reply", "pid",
)  # fmt: skip

VETO: Final = HARM | {"copy", "cp", "mkdir", "stop", "close"}
SHOWS: Final = frozenset({
    *READ_VERBS, "fetch", "load", "retrieve", "print", "display", "return", "peek", "search", "grep", "find", "text", "content",
    "contents", "body", "output", "result", "screen", "page", "next", "more", "continue", "poll", "transcript", "log",
})  # fmt: skip
"""Words of what a tool is called, or begins to say of itself, that shows something."""
MAKES: Final = frozenset({
    *WRITE_VERBS, "edit", "update", "append", "add", "insert", "replace", "make", "new", "patch", "modify", "emit",
})  # fmt: skip
KINDS: Final = ("code", "opcode", "kind", "type", "verb", "what", "do")
PARTLY: Final = frozenset(
    {"preview", "head", "tail", "summary", "info", "stat", "metadata", "outline", "first", "last", "editor"}
)
"""Words of what shows something else than a whole text."""
PLAIN: Final = frozenset({
    "text", "plain", "raw", "full", "content", "contents", "utf", "utf8", "8", "ascii", "all", "lines", "whole", "complete",
    "verbose", "detailed", "long", "markdown", "md", "source", "body", "string",
})  # fmt: skip
"""Choices of how a file is shown."""
NOT_TEXT: Final = frozenset({"image", "images", "photo", "picture", "audio", "video", "media"})
LATER: Final = frozenset({"append", "directory", "folder", "list",
                           "ls", "dir", "notebook", "background", "status", "usage", "python", "insert"})  # fmt: skip

LISTING: Final = frozenset(
    {"list", "lists", "ls", "tree", "dir", "directory", "folder", "all", "index", "files", "documents", "resources"}
)
"""What is tried first of what needs to be told nothing."""
PAGE_LINES: Final = 80
GUESSED: Final = 8
"""How far behind the others a tool comes of which only descriptions say what its parameters are for."""
TO_PEOPLE: Final = ("message", "channel", "to", "url", "recipient")


def _verb(known: Params, verbs: Sequence[str]) -> tuple[Param | None, str]:
    """The parameter that chooses what a tool does, and the choice that fits; no parameter if the tool does one thing."""
    for item in known.items:
        choices = [str(value) for value in item.enum]
        if (item.required or item.key in OPERATION) and item.operates:
            safe = [one for one in choices if not {*words(one)} & HARM]
            return item, next((one for verb in verbs for one in safe if means(one, verb)), "")
    return None, ""


def _says(known: Params, verbs: Sequence[str]) -> bool:
    said = {*words(known.name), *words(known.description)[:12]}
    return any(verb in said or f"{verb}s" in said for verb in verbs)


def reader(tool: str, known: Params) -> tuple[float, Candidate] | None:
    """A candidate for reading files, with what it comes behind others by."""
    verb, choice = _verb(known, READ_VERBS)
    target, guessed = known.one_of(PATH, "string") or known.one_of((*PATH, "paths", "files"), "array"), 0
    if target is None and _says(known, READ_VERBS):
        target, guessed = known.described(_SAYS_PATH), GUESSED
    if target is None and choice:
        target, guessed = next((item for item in known.items if item.text_only), None), GUESSED
    if target is None or (verb is None and makes(tool, known)):
        return None
    named = Params(
        tuple(item for item in known.items if item.types != {"integer"} or item.key != "to")
    )  # a line, no place
    if (verb is not None and not choice) or named.has(_NOT_READ if verb is None else TO_PEOPLE):
        return None
    if not target.required and any(item.required for item in known.items if item is not verb):
        return None
    folder = folder_of(known, target)
    rest = [item for item in known.items if item not in (target, folder) and item.key not in _ASIDE]
    if any(item.required and item.text_only for item in rest) and not _says(
        known, READ_VERBS
    ):  # it may write what is given to it
        return None
    start = known.one_of(PAGE_START, "integer") is not None
    size = known.one_of(PAGE_SIZE, "integer")
    force = known.one_of(FORCE, "boolean")
    values = fixed(known, (target, folder), verb, choice)
    made = Candidate(tool, target, values, folder=folder, known=known)
    return (guessed + 2.0 - 2 * start - (size is not None) - (force is not None)), made


def makes(tool: str, known: Params) -> bool:
    """Whether a tool says that it writes, and not that it reads: what it is given may be gone."""
    said = {*words(tool), *words(known.name), *words(known.description)[:3]}
    return any(word in said or f"{word}s" in said for word in WRITE_VERBS) and not said & {*READ_VERBS}


def folder_of(known: Params, target: Param) -> Param | None:
    """What a path's folder has to be given in besides its name."""
    found = known.one_of(FOLDER, "string")
    return found if found is not None and found.required and found.text_only and found is not target else None


def writer(tool: str, known: Params) -> tuple[float, Candidate] | None:
    """A candidate for writing files, with what it comes behind others by."""
    verb, choice = _verb(known, WRITE_VERBS)
    target, guessed = known.one_of(PATH, "string"), 0
    content = known.one_of(CONTENT, "string") or known.one_of((*CONTENT, "lines"), "array")
    content = content if content is None or content.text_only or content.accepts("string") else None
    if (target is None or content is None) and (choice or _says(known, WRITE_VERBS)):
        target, content, guessed = *_described(known, target, content), GUESSED
    texts = [item for item in known.items if item.text_only]
    if (target is None or content is None) and choice and len(texts) == 2:
        (target, content), guessed = texts, GUESSED
    lines = content is not None and content.key == "lines"
    if target is None or content is None or known.has(TO_PEOPLE if verb is not None or lines else _NOT_WRITE):
        return None
    places = [item for item in known.items if item.required and item.types == {"integer"} and item.key not in PAGE_SIZE]
    if (verb is not None and not choice) or places:
        return None  # a number says where a text goes
    overwrite = known.one_of(_OVERWRITE, "boolean")
    folder = folder_of(known, target)
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


def runner(tool: str, known: Params) -> tuple[float, Candidate] | None:
    """A candidate for running commands, with what it comes behind others by."""
    verb, choice = _verb(known, EXEC_VERBS)
    target, guessed = known.one_of(COMMAND, "string") or known.one_of(COMMAND, "array"), 0
    if target is None and _says(known, EXEC_VERBS):
        target, guessed = known.described(_SAYS_COMMAND), GUESSED
    if target is None or target.enum or (verb is not None and not choice) or known.has(_NOT_EXEC):
        return None
    program = not target.accepts("string") and target.key != "commands"
    typed = target.key in ("keys", "keystrokes")
    before = ("bash", "-lc") if program and not typed else ()
    after = (("Enter",) if program else ("\n",)) if typed else ()
    made = Candidate(tool, target, fixed(known, (target,), verb, choice), before=before, after=after, known=known)
    return guessed + float(verb is not None), made


def patcher(tool: str, known: Params) -> tuple[float, Candidate] | None:
    """A candidate for patches."""
    target = known.one_of(_PATCH, "string")
    patches = bool({"patch", "diff"} & {*words(tool), *words(known.name)})
    if target is None or not patches or [item for item in known.items if item.required] != [target]:
        return None
    return 0.0, Candidate(tool, target, known=known)


def historian(tool: str, known: Params) -> tuple[float, Candidate] | None:
    """A candidate for showing sessions, with what it comes behind others by."""
    target = known.one_of(_SESSION, "string")
    keys, size = SEARCHED if finds(tool, known) else QUERY, known.one_of(PAGE_SIZE, "integer")
    query = known.one_of(keys, "string") or next(
        (item for item in known.items if item.key in SEARCHED and item.texts), None
    )
    others = Params(tuple(item for item in known.items if item is not query))
    if target is None or others.has(_NOT_HISTORY) or not any(item.required for item in known.items if item is target):
        return None
    parts = [item for item in known.items if item.needs_text and item not in (target, query)]
    folder = parts[0] if len(parts) == 1 else None
    values = fixed(known, (target, folder, query))
    if size is not None:
        values = filled(values, {size.at: int(size.maximum or 1000)})
    made = Candidate(tool, target, values, query=query, folder=folder, known=known)
    return (0.0 if known.has(_HISTORY) else 2.0) + 4 * made.searches, made


def finds(tool: str, known: Params) -> bool:
    """Whether a tool says that it searches."""
    return bool({*words(tool), *words(known.name), *words(known.description)[:4]} & _FINDS)


def fixed(known: Params, given: Sequence[Param | None], verb: Param | None = None, choice: str = "") -> JsonObject:
    """Values for the other required parameters."""
    values: dict[At, JsonValue] = {verb.at: choice} if verb is not None else {}
    needed = [item for item in known.items if item.required and item not in (*given, verb)]
    values |= {item.at: item.filler() for item in needed}
    numbers = [item for item in needed if item.types and item.accepts("integer") and not (item.enum or item.nullable)]
    if numbers[1:]:  # where a page begins, and where it ends
        values[numbers[1].at] = int(min(numbers[1].maximum or PAGE_LINES, PAGE_LINES))
    return filled({}, values)
