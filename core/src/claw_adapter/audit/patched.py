"""What a patch does to a file, in the notation that begins with ``*** Begin Patch``."""

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
