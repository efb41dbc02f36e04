"""A tool for one purpose, and how it is called for that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final

from pydantic import JsonValue

from claw_adapter.endpoint.reader.schema import At, Param, Params, placed

__all__ = ["COMMAND", "Candidate", "JsonObject", "filled"]

JsonObject = dict[str, JsonValue]

COMMAND: Final = ("command", "commands", "cmd", "shellcommand", "commandline", "bash", "script")
"""Keys of parameters that take a command."""
MOST_ROOTS: Final = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A tool for one purpose; `target` takes the path, command or session key, `fixed` is sent along every time."""

    tool: str
    target: Param
    fixed: JsonObject = field(default_factory=dict)
    content: Param | None = None
    size: Param | None = None
    query: Param | None = None
    folder: Param | None = None
    """What takes the folder where a path is given in two."""
    listed: bool = False
    """Whether a command is given as one of a list of commands, and not as a program with its arguments."""
    known: Params = field(default_factory=lambda: Params(()))
    """All parameters."""

    def forms(self, path: str, workspace: str) -> list[tuple[str, str]]:
        """Names and texts of the ways to write a path of the workspace, what the tool asks for first."""
        forms = [("relative", path)]
        if workspace and not path.startswith("/"):
            whole = str(PurePosixPath(workspace) / path)
            forms.append(("absolute", whole))
            said = f"{self.target.description}\n{self.known.description}"
            forms += [(f"in {root}", f"{root}/{path}") for root in _roots(said)]
            if "://" in said:
                forms.append(("uri", f"file://{whole}"))
        if self.target.absolute:
            forms.sort(key=lambda form: form[0] == "relative")
        return forms

    def arguments(self, target: str, more: Mapping[At, JsonValue] | None = None) -> JsonObject:
        """The arguments of a call."""
        values: dict[At, JsonValue] = {self.target.at: self.target.shaped(target)}
        if self.folder is not None:
            path = PurePosixPath(target)
            values = {self.folder.at: str(path.parent), self.target.at: path.name}
        if self.target.key in COMMAND and not self.target.accepts("string") and not self.listed:
            values[self.target.at] = ["bash", "-lc", target]
        return filled(self.fixed, {**values, **(more or {})})

    def writes(self, target: str, content: str) -> JsonObject:
        """The arguments of a call that writes; a list of texts takes a content as its lines."""
        item = self.content
        if item is None:
            return self.arguments(target)
        lines = not item.accepts("string") and item.texts
        return self.arguments(target, {item.at: list(content.splitlines()) if lines else content})


def filled(arguments: Mapping[str, JsonValue], more: Mapping[At, JsonValue]) -> JsonObject:
    """Arguments with further values at their places."""
    found: JsonValue = dict(arguments)
    for at, value in more.items():
        found = placed(found, at, value)
    assert isinstance(found, dict)  # noqa: S101  # an object stays one
    return found


def _roots(said: str) -> list[str]:
    """Folders that a description names from the root on, as a file's place begins with them."""
    found = re.findall(r"(?<![\w.:/<*~-])/\w[\w-]*(?:/[\w-]+)*(?![\w./-]*\.\w)", said)
    return list(dict.fromkeys(found))[:MOST_ROOTS]
