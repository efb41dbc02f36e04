"""Prose in files of its own: ``{prose: FILE}`` in place of a text, or of the ``phases`` or ``loops`` of a session.

The files lie in the folder ``prose`` of the spec and are templates with marks as everywhere. Between a line
``<!-- when owner=label -->`` and its ``<!-- end -->`` stands what a seed turns over (``owner=label|broker``: either side;
``<!-- otherwise -->`` turns to the other case; they may be nested). A session is written as

    # before the meeting
    ## 2026-03-02 09:10, ana
    : read=reports/stock.csv source=paper
    What she writes, in as many lines and paragraphs as she needs.

    > What the agent replies; without it one is drawn.

``#`` begins a phase (left out in ``loops``), ``##`` a message with its moment and who writes. A line that begins with ``: ``
sets further fields; it may stand anywhere before the reply and is never part of what is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter.errors import ScenarioError
from claw_adapter.reading import read_bytes, why

__all__ = ["FOLDER", "KEY", "Prose", "ProseLine", "prose_files", "read"]

FOLDER: Final = "prose"
KEY: Final = "prose"
MAX_BYTES: Final = 1024 * 1024
_BRANCH: Final = re.compile(r"\s*<!--\s*(?:when\s+(\w+)\s*=\s*([\w|-]+)|(otherwise)|(end))\s*-->\s*\Z")
_SETTING: Final = re.compile(r"(\w+)=(\S+)")
_FIELDS: Final = frozenset({"read", "source", "label", "effect"})

Holds = Callable[[str, list[str], str], bool]
"""Whether one of these sides of a switch holds; ``file:line`` is for the error."""


@dataclass(frozen=True, slots=True)
class ProseLine:
    """A line of a file, counted from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """What stands in the place of a ``{prose: …}``: plain data, and the line of each of its parts."""

    path: Path
    data: object
    lines: Mapping[tuple[str | int, ...], int]


def prose_files(root: Path) -> list[Path]:
    """All prose of a spec."""
    return sorted((root / FOLDER).glob("**/*.md"))


def read(root: Path, name: object, where: str, key: str, holds: Holds) -> Prose:
    """The prose that stands in the place of a field.

    Args:
        root: the spec's folder.
        name: the file, below the folder of prose.
        where: ``file:line`` that names it.
        key: of the field: ``phases`` and ``loops`` are sessions, all others texts.
        holds: see `Holds`.

    Raises:
        ScenarioError: the file is missing or cannot be read as what it should be; with its line.
    """
    path = root / FOLDER / str(name)
    if not isinstance(name, str) or not path.resolve().is_relative_to((root / FOLDER).resolve()):
        raise ScenarioError(f"{name!r} is no file of prose", where=where, remedy=f"Name one below {FOLDER}/.")
    try:
        text = read_bytes(path, MAX_BYTES).decode("utf-8-sig")
    except OSError as error:
        raise ScenarioError(f"{FOLDER}/{name}: {why(error)}", where=where, remedy="Write that file.") from error
    except UnicodeDecodeError:
        raise ScenarioError("not UTF-8 text", where=f"{path}:1", remedy="Save the file as UTF-8.") from None
    kept = list(_kept(path, text.splitlines(), holds))
    if key in ("phases", "loops"):
        return _Session(path, kept).phases() if key == "phases" else _Session(path, kept).loops()
    first = kept[0].number if kept else 1
    return Prose(path, "\n".join(line.text for line in kept).strip("\n") + "\n", {(): first})


def _kept(path: Path, lines: Sequence[str], holds: Holds) -> Iterator[ProseLine]:
    """The lines that are there in this world."""
    open_: list[tuple[int, bool]] = []
    for number, text in enumerate(lines, start=1):
        if (found := _BRANCH.match(text)) is None:
            if all(there for _, there in open_):
                yield ProseLine(number, text)
            continue
        switch, sides, otherwise, _ = found.groups()
        if switch:
            open_.append((number, holds(switch, sides.split("|"), f"{path}:{number}")))
        elif not open_:
            raise ScenarioError("no branch is open here", where=f"{path}:{number}", remedy="Write a 'when' before it.")
        elif otherwise:
            open_[-1] = (open_[-1][0], not open_[-1][1])
        else:
            open_.pop()
    if open_:
        raise ScenarioError("this branch has no end", where=f"{path}:{open_[-1][0]}", remedy="Write <!-- end -->.")


class _Session:
    """Reads the messages of a session."""

    def __init__(self, path: Path, lines: Sequence[ProseLine]) -> None:
        self.path, self.lines = path, lines
        self.places: dict[tuple[str | int, ...], int] = {(): lines[0].number if lines else 1}

    def phases(self) -> Prose:
        made: list[dict[str, object]] = []
        for number, (head, body) in enumerate(self._parts(self.lines, "# ")):
            if head is None:
                raise self._wrong(body[0], "text before the first phase", "Begin with a line '# what this phase is'.")
            self.places[number,] = head.number
            made.append({"name": head.text[2:].strip(), "loops": self._loops(body, (number, "loops"))})
        return Prose(self.path, made, self.places)

    def loops(self) -> Prose:
        return Prose(self.path, self._loops(self.lines, ()), self.places)

    def _loops(self, lines: Sequence[ProseLine], at: tuple[str | int, ...]) -> list[dict[str, object]]:
        made = []
        for number, (head, body) in enumerate(self._parts(lines, "## ")):
            if head is None:
                raise self._wrong(body[0], "text before the first message", "Begin with '## 2026-03-02 09:10, ana'.")
            self.places[*at, number] = head.number
            made.append(self._loop(head, body))
        return made

    def _loop(self, head: ProseLine, body: Sequence[ProseLine]) -> dict[str, object]:
        moment, comma, sender = head.text[3:].rpartition(",")
        if not comma:
            raise self._wrong(head, "a message names its moment and who writes", "Write '## 2026-03-02 09:10, ana'.")
        loop: dict[str, object] = {"at": moment.strip(), "from": sender.strip()}
        said, replied = list[str](), list[str]()
        for line in body:
            if line.text.startswith(": ") and not replied:
                loop |= self._settings(line)
            elif line.text.startswith(">"):
                replied.append(line.text[1:].removeprefix(" "))
            elif replied and line.text.strip():
                raise self._wrong(line, "text after the reply", "Begin a message of its own with '##'.")
            elif not replied and (said or line.text.strip()):
                said.append(line.text)
        if not said:
            raise self._wrong(head, "nothing is said", "Write what the person says below this line.")
        loop["say"] = "\n".join(said).rstrip()
        return loop | ({"reply": "\n".join(replied)} if replied else {})

    def _settings(self, line: ProseLine) -> dict[str, object]:
        found = dict(_SETTING.findall(line.text))
        strange = found.keys() - _FIELDS
        if strange or not found:
            what = f"{min(strange)!r} is no field" if strange else "no NAME=VALUE"
            raise self._wrong(line, what, f"There are: {', '.join(sorted(_FIELDS))}; a space ends a value.")
        return {key: value.replace(",", ", ") if key == "effect" else value for key, value in found.items()}

    def _parts(self, lines: Sequence[ProseLine], mark: str) -> Iterator[tuple[ProseLine | None, list[ProseLine]]]:
        """The parts that lines beginning with `mark` begin, and what stands before the first of them."""
        head: ProseLine | None = None
        body: list[ProseLine] = []
        for line in lines:
            if line.text.startswith(mark):
                if head is not None or any(one.text.strip() for one in body):
                    yield head, body
                head, body = line, []
            elif line.text.strip() or body:
                body.append(line)
        if head is not None or any(one.text.strip() for one in body):
            yield head, body

    def _wrong(self, line: ProseLine, what: str, remedy: str) -> ScenarioError:
        return ScenarioError(what, where=f"{self.path}:{line.number}", remedy=remedy)
