"""What tools of a harness are used for beside reading, writing and commands: to list, to search, to replace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pydantic import JsonValue

from claw_adapter.patterns import INSERT_LINE
from claw_adapter.toolbox.box import Toolbox, lists
from claw_adapter.toolbox.candidates import Candidate, filled
from claw_adapter.toolbox.purposes import CONTENT, FOLDER, NEW, OLD, PATH, QUERY, SEARCHED, finds, fixed
from claw_adapter.toolbox.schema import At, Param, Params, means, words

__all__ = ["NAMED", "followers", "in_background", "inserters", "listers", "replacer", "replacers", "searchers"]

FILES: Final = frozenset({"file", "files", "workspace", "folder", "folders"})
"""Words by which a tool says that it is about files."""
NAMED: Final = ("glob", "globpattern", "filepattern")
"""Keys of a pattern of names."""
LISTS: Final = frozenset({"list", "ls", "tree", "dir"})
"""Words in the name of a tool that lists, though it might read files as well."""
AFTER: Final = frozenset({"after", "behind", "below", "following"})
"""Words with which a number says that it is the line before a text that is put in."""
CHANGES: Final = frozenset({"replace", "update", "edit", "change", "modify"})
BACKGROUND: Final = ("background", "isbackground", "runinbackground", "inbackground", "async", "detach", "detached")
"""Keys of what a command is told that is to go on while others are run."""
YIELDS: Final = ("yieldms", "yieldtimems")
"""The same of the milliseconds after which it is to."""
SOON: Final = 100
HANDLES: Final = (
    "sessionid", "processid", "taskid", "bashid", "shellid", "jobid", "execid", "commandid", "backgroundid", "handle", "id",
)  # fmt: skip
"""Keys of what names such a command."""
PROCESSES: Final = frozenset({
    "process", "processes", "background", "exec", "command", "commands", "shell", "shells", "bash", "terminal", "job", "jobs",
})  # fmt: skip
"""Words by which a tool says that it is about commands that go on."""
FOLLOWS: Final = ("poll", "read", "log", "output", "get", "status")
"""Choices by which it shows what one of them has printed."""


INSERTED: Final = ((PATH, "string"), ((*NEW, *CONTENT), "string"), (INSERT_LINE, "integer"))
"""Keys and kinds of what a tool is told that puts a text behind a line."""


def listers(box: Toolbox) -> Iterator[Candidate]:
    """Tools that say that they list, and can be told which folder."""
    others = {one.tool for one in (*box.read, *box.write, *box.run)}
    for name, form in box.every:
        item = form.one_of((*FOLDER, *PATH), "string")
        more = any(one.needed for one in form.items if one is not item)
        sure = name not in others or {*words(name)} & LISTS
        if item is not None and not more and sure and lists(name, form):
            yield Candidate(name, item, fixed(form, (item,)), known=form)


def searchers(box: Toolbox, *, by_name: bool) -> Iterator[Candidate]:
    """Tools that say that they search, and need nothing but what to look for; most can be told where."""
    for name, form in box.every:
        keys = (*NAMED, *SEARCHED) if by_name else SEARCHED
        needed = [item for item in form.items if item.needed]
        item = form.one_of(keys, "string") if not needed else needed[0] if needed[0].key in keys else None
        place = form.one_of((*FOLDER, *PATH), "string")
        of_files = bool(FILES & {*words(form.description)})  # others ask the web, or memories
        somewhere = place is not None or of_files or (item is not None and item.key not in QUERY)
        if item is not None and len(needed) < 2 and somewhere and item.accepts("string") and finds(name, form):
            yield Candidate(name, item, fixed(form, (item,)), folder=place, known=form)


def replacers(box: Toolbox) -> Iterator[Candidate]:
    """Tools that put a text in the place of another one."""
    return filter(None, (replacer(*one) for one in box.every))


def replacer(tool: str, form: Params) -> Candidate | None:
    """A tool that puts a text in the place of another one, by the names of its parameters."""
    file, old, new = (form.one_of(keys, "string") for keys in (PATH, OLD, NEW))
    if file is None or old is None or new is None:
        return None
    choices = [(item, one) for item in form.items if item.required for one in item.enum if {*words(str(one))} & CHANGES]
    values = filled(fixed(form, (file, old, new)), {item.at: one for item, one in reversed(choices)})
    return Candidate(tool, file, values, new, old=old, known=form)


def inserters(box: Toolbox) -> Iterator[tuple[Candidate, Param]]:
    """Tools that put a text behind a line, with the parameter that takes its number, and says that."""
    for name, form in box.every:
        file, text, line = (form.one_of(keys, kind) for keys, kind in INSERTED)
        if file is None or text is None or line is None or not {*words(f"{line.name} {line.description}")} & AFTER:
            continue
        choices = {
            item.at: one for item in form.items if item.required for one in item.enum if "insert" in words(str(one))
        }
        others = [
            item for item in form.items if item.needed and item not in (file, text, line) and item.at not in choices
        ]
        if not others:
            yield Candidate(name, file, filled(fixed(form, (file, text, line)), choices), text, known=form), line


def in_background(shell: Candidate) -> dict[At, JsonValue]:
    """What tells a tool for commands to come back while one is at work; nothing where it cannot be told so."""
    switch, wait = shell.known.one_of(BACKGROUND, "boolean"), shell.known.one_of(YIELDS, "integer")
    said = shell.known.one_of(BACKGROUND, "string") if switch is None else None
    if switch is not None or said is not None:
        return {switch.at: True} if switch is not None else {said.at: "true"} if said is not None else {}
    return {wait.at: max(SOON, int(wait.minimum or 0))} if wait is not None else {}


def followers(box: Toolbox) -> Iterator[Candidate]:
    """The ways to ask what a command has printed that goes on, each a tool with what takes the command's name."""
    for name, form in box.every:
        handle = form.one_of(HANDLES, "string")
        about = {*words(name), *words(form.name), *words(form.description)[:12]}
        if handle is None or not handle.text_only or not about & PROCESSES:
            continue
        verb = next((item for item in form.items if item.operates or item.key in ("action", "operation")), None)
        others = [item for item in form.items if item.needed and item not in (handle, verb)]
        choices = [one for way in FOLLOWS for one in (verb.enum if verb else ()) if means(str(one), way)]
        for choice in choices if verb is not None else [""] if not others else []:
            if not others:
                yield Candidate(name, handle, fixed(form, (handle,), verb, str(choice)), known=form)
