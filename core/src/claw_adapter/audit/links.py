"""Symbolic links of a workspace: a file that is reached by one is the file that it leads to."""

from __future__ import annotations

import contextlib
import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from pydantic import JsonValue

from claw_adapter.audit.book import Book
from claw_adapter.audit.course import AuditStep, Steps
from claw_adapter.audit.looking import only_looks
from claw_adapter.audit.places import place_in
from claw_adapter.audit.purpose import command_of, leaves
from claw_adapter.audit.results import LEAST, flat_of, known_lines, lines_of_text
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
    links = _targets(*trees)
    return {path: end for path in links if (end := _end(path, links, trees))}


def _targets(*trees: Tree) -> dict[str, str]:
    """To what each link leads itself."""
    found: dict[str, str] = {}
    for tree in trees:
        for path, entry in tree.items():
            if entry.kind == "link":
                found.setdefault(path, _beside(path, entry.target))
    return found


def _beside(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def _end(path: str, links: Mapping[str, str], trees: Sequence[Tree]) -> str:
    """The file to which a link leads in the end; empty if that is none, or not known."""
    for _ in range(MOST):
        if path not in links:
            kinds = {entry.kind for tree in trees if (entry := tree.get(path)) is not None}
            return path if kinds == {"file"} else ""
        path = links[path]
    return ""


def linked_by(arguments: Mapping[str, JsonValue], workspace: str) -> Iterator[tuple[str, str]]:
    """The links that a call makes by ``ln -s TARGET NAME`` or ``-sfn``, where it does not go to another folder."""
    for text in strings_of(dict(arguments)):
        if "ln -s" not in text or "cd " in text:
            continue
        for part in PARTS.split(text):
            with contextlib.suppress(ValueError):
                match shlex.split(part):
                    case ["ln", ("-s" | "-sf" | "-sfn" | "-snf"), target, path]:
                        path, far = place_in(path, workspace), target.startswith("/")
                        yield path, place_in(target, workspace) if far else _beside(path, target)


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
        links, found, refused = self._known(steps), list[AuditStep](), list[AuditStep]()
        for call, result, exchange in steps:
            arguments, known = arguments_of(call), {path: _end(path, links, self.trees) for path in links}
            used = {name: place_in(value, self.workspace) for name, value in arguments.items() if _short(value)}
            used = {name: path for name, path in used.items() if known.get(path)}
            other = call
            if used:
                path = next(iter(used.values()))
                looks = leaves(call.tool, exchange.tools)
                replaced = not looks and (entry := self.trees[1].get(path)) is not None and entry.kind == "file"
                file = known[path]
                if replaced and self.loses is not None:
                    book.bite(self.loses)
                    del links[path]
                if path not in links or (not replaced and self._refused(file, flat_of(result.text), looks=looks)):
                    refused.append((call, result, exchange))
                    continue
                given = {**arguments, **{name: known[path] for name, path in used.items()}}
                other = RequestUnit(CALL, call_text(call.tool, given), call.call)
            command = command_of(call.tool, arguments, exchange.tools)
            if command is not None and not only_looks(command):  # as `sed -i`, which puts a file in a link's place
                links = {path: target for path, target in links.items() if path not in command}
            links |= linked_by(arguments, self.workspace)
            found.append((other, result, exchange))
        return found, refused

    def _known(self, steps: Steps) -> dict[str, str]:
        """To what links lead before the first call, but for those that are led elsewhere in a way that nobody can read."""
        before, after = map(_targets, self.trees)
        led = {path: to for call, _, _ in steps for path, to in linked_by(arguments_of(call), self.workspace)}
        return {path: to for path, to in (after | before).items() if after.get(path, to) in (to, led.get(path, to))}

    def _refused(self, file: str, result: str, *, looks: bool) -> bool:
        """Whether a call that is given a link to a file has done nothing, or shows no line of it, nor of another one."""
        before, after = (side.get(file) for side in self.files)
        if not looks:
            return before == after
        lines = {line.strip() for text in (before, after) for line in lines_of_text(text or "")}
        others = {text.strip() for side in self.files for text in side.values() if len(text.strip()) >= LEAST}
        lines = lines.union(others, *map(known_lines, others))
        return not any(line in result for line in lines)


def _short(value: JsonValue) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) < LONG
