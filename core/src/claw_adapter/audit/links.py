"""Symbolic links of a workspace: a file that is reached by one is the file that it leads to."""

from __future__ import annotations

import contextlib
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeGuard

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.course import AuditStep, Steps
from claw_adapter.audit.looking import only_looks
from claw_adapter.audit.places import place_in
from claw_adapter.audit.purpose import command_of, leaves
from claw_adapter.audit.results import flat_of
from claw_adapter.audit.units import CALL, RequestUnit, arguments_of, call_text
from claw_adapter.protocol.limits import Drop
from claw_adapter.reading import strings_of
from claw_adapter.workspace.tree import Tree

__all__ = ["LINKS", "Links", "links_of"]

LINKS: Final = Drop(what="links")
MOST: Final = 8
"""Links that lead to each other."""
LONG: Final = 4096
"""Characters that no path has."""
PARTS: Final = re.compile(r"&&|;|\n")


def links_of(*trees: Tree) -> dict[str, str]:
    """The links to files that lie in the workspace, with these: as they are in the first tree that has them."""
    found: dict[str, str] = {}
    for tree in trees:
        for path, entry in tree.items():
            if entry.kind == "link" and path not in found and (target := _end(path, tree)):
                found[path] = target
    return found


def _end(path: str, tree: Tree) -> str:
    for _ in range(MOST):
        entry = tree.get(path)
        if entry is None or entry.kind != "link":
            return path if entry is not None and entry.kind == "file" else ""
        path = posixpath.normpath(posixpath.join(posixpath.dirname(path), entry.target))
    return ""


def linked_by(arguments: Mapping[str, JsonValue], workspace: str) -> Iterator[tuple[str, str]]:
    """The links to files that a call makes by ``ln -s FILE NAME``, where it does not go to another folder."""
    for text in strings_of(dict(arguments)):
        if "ln -s" not in text or "cd " in text:
            continue
        for part in PARTS.split(text):
            with contextlib.suppress(ValueError):
                match shlex.split(part):
                    case ["ln", "-s", target, path]:
                        path, folder = place_in(path, workspace), posixpath.dirname(place_in(path, workspace))
                        far = target.startswith("/")
                        yield (
                            path,
                            place_in(target, workspace) if far else posixpath.normpath(posixpath.join(folder, target)),
                        )


@dataclass(frozen=True, slots=True)
class Links:
    """What is known of a turn's files.

    Attributes:
        workspace: the end of its path.
        trees: before the turn and after it.
        files: the texts of both.
        loses: that what is written by a link takes its place, as is declared.
    """

    workspace: str
    trees: tuple[Tree, Tree]
    files: tuple[Mapping[str, str], Mapping[str, str]]
    loses: Drop | None

    def followed(self, steps: Steps, book: Book) -> tuple[list[AuditStep], list[AuditStep]]:
        """Calls, of which those that are given a link have what it leads to in its place, and those that are not looked at.

        A tool may refuse links: then it gives nothing of the file, or leaves both as they are.
        """
        known, found, refused = links_of(*self.trees), list[AuditStep](), list[AuditStep]()
        for call, result, exchange in steps:
            arguments = arguments_of(call)
            used = {name: place_in(value, self.workspace) for name, value in arguments.items() if _short(value)}
            used = {name: path for name, path in used.items() if path in known}
            other = call
            if used:
                path = next(iter(used.values()))
                looks = leaves(call.tool, exchange.tools)
                replaced = not looks and (entry := self.trees[1].get(path)) is not None and entry.kind == "file"
                file = known[path]
                if replaced and self.loses is not None:
                    book.bite(self.loses)
                    del known[path]
                if path not in known or (not replaced and self._refused(file, flat_of(result.text), looks=looks)):
                    refused.append((call, result, exchange))
                    continue
                given = {**arguments, **{name: known[path] for name, path in used.items()}}
                other = RequestUnit(CALL, call_text(call.tool, given), call.call)
            command = command_of(call.tool, arguments, exchange.tools)
            if command is not None and not only_looks(command):  # as `sed -i`, which puts a file in a link's place
                known = {path: file for path, file in known.items() if path not in command}
            for path, file in linked_by(arguments, self.workspace):
                known.setdefault(path, known.get(file, file))
            found.append((other, result, exchange))
        return found, refused

    def _refused(self, file: str, result: str, *, looks: bool) -> bool:
        before, after = (side.get(file) for side in self.files)
        if not looks:
            return before == after
        lines = {line.strip() for text in (before, after) for line in (text or "").splitlines()} - {""}
        return not any(line in result for line in lines)


def _short(value: JsonValue) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) < LONG
