"""What a patch does to a file, in the notation that begins with ``*** Begin Patch``, or as a unified diff."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from claw_adapter.reading import strings_of

__all__ = ["Patched", "patched_by"]

BEGIN, END, ADD, UPDATE, HUNK = "*** Begin Patch", "*** End Patch", "*** Add File: ", "*** Update File: ", "@@"
SECTION: Final = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: |^\*\*\* Move to: ", re.MULTILINE)
FILES: Final = re.compile(r"(?:diff --git .*\n)?--- (?P<old>\S.*)\n\+\+\+ (?P<new>\S.*)\n(?P<rest>(?s:@@ .*))")
"""A unified diff, with the paths that its first file has before and afterwards."""
SPAN: Final = re.compile(r"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
"""The head of a hunk: how many lines it has before and afterwards; one, where it does not say."""
NOWHERE: Final = "/dev/null"
OPEN: Final = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Patched:
    """One file that is made, with all its `text`, or in which texts are replaced."""

    path: str
    text: str = ""
    changes: tuple[tuple[str, str], ...] = ()
    """Blocks of lines that stand there, without the end of the last, and what comes in the place of each."""


def patched_by(arguments: Mapping[str, JsonValue]) -> Patched | None:
    """What a call does that is given nothing but a patch; None for any other, and for one of several files, or of none."""
    texts = list(strings_of(dict(arguments)))
    if len(texts) == 1 and (found := FILES.match(texts[0].lstrip())):
        return _unified(found["old"], found["new"], found["rest"].removesuffix("\n").split("\n"))
    if len(texts) != 1 or not texts[0].strip().startswith(BEGIN) or len(SECTION.findall(texts[0])) != 1:
        return None
    head, *lines = texts[0].strip().removeprefix(BEGIN).strip("\n").split("\n")
    lines = lines[:-1] if lines[-1:] == [END] else lines
    if head.startswith(ADD):
        return Patched(head.removeprefix(ADD).strip(), "".join(f"{line[1:]}\n" for line in lines))
    changes = [_change(hunk) for hunk in _hunks(lines)]
    if not head.startswith(UPDATE) or not all(old for old, _ in changes):
        return None
    return Patched(head.removeprefix(UPDATE).strip(), changes=tuple(changes))


def _unified(old: str, new: str, lines: list[str]) -> Patched | None:
    """A diff of one file that stays in its place, or is made; what a line says counts, where a hunk says that there is one."""
    changes, at = [], 0
    while at < len(lines) and (span := SPAN.match(lines[at])):
        at, hunk, due = at + 1, list[str](), [int(many or 1) for many in span.groups()]
        while any(due) and at < len(lines):
            due = [
                many - (lines[at][:1] in signs)
                for many, signs in zip(due, (("-", " ", ""), ("+", " ", "")), strict=True)
            ]
            hunk, at = [*hunk, lines[at]], at + 1
        at += lines[at : at + 1] == [OPEN]
        changes.append(_change([line for line in hunk if line != OPEN]))
    path = new.removeprefix("b/")
    if any(lines[at:]) or not changes or (old != NOWHERE and old.removeprefix("a/") != path):
        return None
    if old == NOWHERE:
        return Patched(path, f"{changes[0][1]}\n") if len(changes) == 1 else None
    return Patched(path, changes=tuple(changes)) if all(before for before, _ in changes) else None


def _hunks(lines: list[str]) -> list[list[str]]:
    hunks = [list[str]()]
    for line in lines:
        if line.startswith(HUNK):
            hunks.append([])
        elif not line.startswith("*** "):
            hunks[-1].append(line)
    return [hunk for hunk in hunks if hunk]


def _change(hunk: list[str]) -> tuple[str, str]:
    """The lines that are to be there, and those that are there then; one without a sign before it is an empty one."""
    old, new = ([line[1:] for line in hunk if line[:1] in signs] for signs in (("-", " ", ""), ("+", " ", "")))
    return "\n".join(old), "\n".join(new)
