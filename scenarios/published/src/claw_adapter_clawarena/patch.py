"""The patch format of the tool ``apply_patch``: files added, deleted, moved, and changed by hunks found by their context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from claw_adapter.errors import ScenarioError

__all__ = ["Hunk", "PatchedFile", "apply_hunks", "parse_patch"]

_BEGIN, _END, _EOF = "*** Begin Patch", "*** End Patch", "*** End of File"
_KINDS: Final[dict[str, Literal["add", "delete", "update"]]] = {
    "*** Add File: ": "add",
    "*** Delete File: ": "delete",
    "*** Update File: ": "update",
}
_MOVE: Final = "*** Move to: "


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines to find and the lines to put there; `anchor` is a line that stands before them."""

    anchor: str
    old: tuple[str, ...]
    new: tuple[str, ...]


@dataclass
class PatchedFile:
    """What a patch does to one file; `lines` are those of a file that is added."""

    kind: Literal["add", "delete", "update"]
    path: str
    target: str = ""
    lines: list[str] = field(default_factory=list)
    hunks: list[Hunk] = field(default_factory=list)


def parse_patch(text: str) -> list[PatchedFile]:
    """The files of a patch, in order.

    Raises:
        ScenarioError: the text is no patch.
    """
    lines = text.strip("\n").split("\n")
    if not lines or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise ScenarioError(f"a patch begins with {_BEGIN!r} and ends with {_END!r}")
    files: list[PatchedFile] = []
    body: list[str] = []
    for line in lines[1:-1]:
        kind = next((kind for mark, kind in _KINDS.items() if line.startswith(mark)), None)
        if kind is not None:
            _close(files, body)
            files.append(PatchedFile(kind, line.split(": ", 1)[1].strip()))
            body = []
        elif not files:
            raise ScenarioError(f"a patch names a file first, not {line!r}")
        elif line.startswith(_MOVE):
            files[-1].target = line.removeprefix(_MOVE).strip()
        else:
            body.append(line)
    _close(files, body)
    return files


def _close(files: list[PatchedFile], body: Sequence[str]) -> None:
    if not files:
        return
    if files[-1].kind == "add":
        files[-1].lines = [line[1:] for line in body if line.startswith("+")]
    elif files[-1].kind == "update":
        files[-1].hunks = list(_hunks(body))


def _hunks(body: Sequence[str]) -> Iterator[Hunk]:
    anchor, old, new = "", list[str](), list[str]()
    for line in [*body, "@@"]:
        if line.startswith("@@"):
            if old or new:
                yield Hunk(anchor, tuple(old), tuple(new))
            anchor, old, new = line[2:].strip(" @"), [], []
        elif line != _EOF:
            mark, rest = line[:1] or " ", line[1:]
            if mark not in " +-":
                raise ScenarioError(f"a line of a hunk begins with ' ', '+' or '-', not {line!r}")
            if mark != "+":
                old.append(rest)
            if mark != "-":
                new.append(rest)


def apply_hunks(text: str, hunks: Sequence[Hunk]) -> str:
    """A file's text after the hunks, each found behind the one before; lines are compared exactly, then without outer blanks.

    Raises:
        ScenarioError: a hunk's lines are not there.
    """
    closed = text.endswith("\n") or not text
    lines = text.removesuffix("\n").split("\n") if text else []
    position = 0
    for hunk in hunks:
        if hunk.anchor:
            position = _find(lines, (hunk.anchor,), position) + 1
        at = _find(lines, hunk.old, position) if hunk.old else (position if hunk.anchor else len(lines))
        lines[at : at + len(hunk.old)] = hunk.new
        position = at + len(hunk.new)
    return "\n".join(lines) + ("\n" if closed and lines else "")


def _find(lines: Sequence[str], wanted: Sequence[str], start: int) -> int:
    """Where the wanted lines stand, first behind `start`, then before; exactly, then without blanks at their ends."""
    forms: tuple[Callable[[str], str], ...] = (str, str.strip)
    for form in forms:
        have, want = [form(line) for line in lines], [form(line) for line in wanted]
        places: list[int] = [*range(start, len(have) - len(want) + 1), *range(min(start, len(have)))]
        for index in places:
            if have[index : index + len(want)] == want:
                return index
    raise ScenarioError(f"the patch does not fit: {wanted[0]!r} is not there")
