"""A tool for one purpose, and how it is called for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.toolbox.patches import NOTATIONS
from claw_adapter.toolbox.places import Style, styled, styles_in
from claw_adapter.toolbox.schema import PAGE_SIZE, PARTS, At, Param, Params, placed

__all__ = ["COMMAND", "Candidate", "JsonObject", "filled"]

JsonObject = dict[str, JsonValue]

COMMAND: Final = (
    "command",
    "commands",
    "cmd",
    "shellcommand",
    "commandline",
    "bash",
    "script",
    "keys",
    "keystrokes",
    "argv",
)
"""Keys of parameters that take a command."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool for one purpose; `target` takes the path, command or session key, `fixed` is sent along every time."""

    tool: str
    target: Param
    fixed: JsonObject = field(default_factory=dict)
    content: Param | None = None
    query: Param | None = None
    folder: Param | None = None
    """What takes the folder where a path is given in two, or the first part of a session's key."""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    """What stands around a command: as texts of a list, or in its text."""
    known: Params = field(default_factory=lambda: Params(()))
    """All parameters."""
    listed_by: str = ""
    """The tool that says what this one calls a file."""
    old: Param | None = None
    """What takes the text that is to be replaced."""
    notation: str = "whole"
    """How the content is given."""
    by_lines: bool = False
    """Whether it is given line by line."""

    @property
    def size(self) -> Param | None:
        """What says how much is shown at once."""
        return self.known.one_of(PAGE_SIZE, "integer")

    @property
    def exact(self) -> bool:
        """Whether it does nothing where something else stands than it was told."""
        return self.old is not None or self.notation in ("hunk", "unified", "git", "block", "named block", "patch")

    @property
    def replaces(self) -> bool:
        """Whether it may be given all of a file at once, and nothing but that."""
        numbered = any(item.required and item.types == {"integer"} for item in self.known.items)
        return self.notation in ("whole", "base64") and self.old is None and not (self.by_lines or numbered)

    @property
    def searches(self) -> bool:
        """Whether it shows nothing but what is found for a query."""
        return self.query is not None and self.query.required

    @property
    def guessed(self) -> bool:
        """Whether it has to be given texts of which nobody says what they are."""
        return any(item.needs_text and item not in (self.target, self.query) for item in self.known.items)

    def forms(self, path: str, workspace: str, styles: Sequence[Style] = ()) -> list[tuple[str, str]]:
        """Names and texts of the ways to write a path of the workspace, what the tool asks for first.

        Args:
            path: relative to the workspace.
            workspace: where it is.
            styles: in which files were seen to be named.
        """
        if self.target.enum:
            every = (one for one in self.target.enum if isinstance(one, str))
            return [("choice", one) for one in every if one.replace("\\", "/").endswith(path)]
        forms = [("relative", path)]
        whole = str(PurePosixPath(workspace) / path) if workspace and not path.startswith("/") else ""
        if whole:
            forms.append(("absolute", whole))
            said = f"{self.target.description}\n{self.known.description}"
            known = dict.fromkeys((*styles, *styles_in(said)))
            forms += [(f"as {style[0]}{style[1]}", styled(style, path, whole)) for style in known]
        if self.target.texts and not self.target.accepts("string"):
            forms.append(("parts", path.replace("/", PARTS)))
        if self.target.absolute and whole:  # a relative path may be taken from wherever a command has gone
            return [*forms[1:], *([] if self.content else forms[:1])]
        return forms

    def arguments(self, target: str, more: Mapping[At, JsonValue] | None = None) -> JsonObject:
        """The arguments of a call."""
        values: dict[At, JsonValue] = {self.target.at: self.target.shaped(target, self.before, self.after)}
        if self.folder is not None:
            path = PurePosixPath(target)
            values = {self.folder.at: str(path.parent), self.target.at: path.name}
        return filled(self.fixed, {**values, **(more or {})})

    def writes(self, target: str, content: str, before: str = "") -> JsonObject:
        """The arguments of a call that writes where `before` stands; a list of texts takes a content as its lines."""
        item = self.content
        if item is None:
            return self.arguments(target)
        if item.mapped:
            return filled(self.fixed, {item.at: {target: content}})
        text = NOTATIONS[self.notation](target, content, before)
        if item is self.target:
            return filled(self.fixed, {item.at: text})
        lines = not item.accepts("string") and item.texts
        more: dict[At, JsonValue] = {self.old.at: self.old.shaped(before)} if self.old is not None else {}
        return self.arguments(target, {**more, item.at: list(text.splitlines()) if lines else item.shaped(text)})

    def writes_each(self, target: str, changes: Sequence[tuple[str, str]]) -> JsonObject | None:
        """The arguments of one call that replaces several texts by others; None where the tool takes no list of such."""
        way = self.old.at if self.old is not None else ()
        if 0 not in way or None in way:
            return None
        calls = [self.writes(target, new, old) for old, new in changes]
        items = [_at(call, way[: way.index(0) + 1]) for call in calls]
        return filled(calls[0], {way[: way.index(0)]: items})


def _at(node: JsonValue, way: At) -> JsonValue:
    """What stands at a place."""
    for key in way:
        if isinstance(key, int):
            node = node[key] if isinstance(node, list) else None
        else:
            node = node.get(key or "") if isinstance(node, dict) else None
    return node


def filled(arguments: Mapping[str, JsonValue], more: Mapping[At, JsonValue]) -> JsonObject:
    """Arguments with further values at their places."""
    found: JsonValue = dict(arguments)
    for at, value in more.items():
        found = placed(found, at, value)
    assert isinstance(found, dict)  # noqa: S101  # an object stays one
    return found
