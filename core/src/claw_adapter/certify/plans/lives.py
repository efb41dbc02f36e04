"""Lives of files: names, kinds of text and ways to change a file, each with many others over the plans of a nonce.

A bug often bites only where two things meet: a text in CRLF and an edit, a name with a quotation mark and a list. No chain of
turns that somebody thought of has all pairs; here each file gets a name and a text, and what happens to it is what happened
least to such names and such texts before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final, Literal

from claw_adapter.certify.demand import LEVELS, Level
from claw_adapter.certify.plans.plan import PlanChange, PlanFile
from claw_adapter.certify.plans.shells import LONG_NUMBER
from claw_adapter.certify.plans.texts import ENDINGS, LINES, SAID, SHAPES, Texts
from claw_adapter.endpoint.models.played import ToolUse

__all__ = ["Life", "LivesTurn", "lived", "lives"]

Way = Literal["edit", "out", "over", "put", "add", "drop", "move", "replaced", "gone", "write", "brought"]
"""What happens to a file: a text of it is replaced or taken out; all of it is written anew by a tool or a command; a line is
added; it is removed, or gets another name; an update replaces or deletes it. Where it is not, the agent writes it, or an
update brings it."""
THERE: Final[tuple[Way, ...]] = ("edit", "out", "over", "put", "add", "drop", "move", "replaced", "gone")
AWAY: Final[tuple[Way, ...]] = ("write", "brought")
UPDATES: Final[tuple[Way, ...]] = ("replaced", "gone", "brought")
ENDING: Final[tuple[Way, ...]] = ("drop", "gone")
COUNTS: Final[dict[Level, int]] = {"bronze": 8, "silver": 14, "gold": 14}
"""Files by level: a plan is not to fill a window of 200,000 tokens, nor come near it."""
STEPS: Final = 4
"""What happens to each."""
TURNS: Final = 7
"""In which it happens."""
BESIDE: Final = 4
"""Files in one folder."""
LEAST: Final = 12
"""Characters of a line that an edit replaces, at least."""


@dataclass(frozen=True, slots=True)
class Life:
    """A file: the name's form, the kind of its lines, how it ends, whether it is there at first, and what happens to it."""

    name: str
    lines: str
    end: str
    there: bool
    ways: tuple[Way, ...]


def lives(nonce: str, number: int, level: Level) -> list[Life]:
    """Those of one plan; the plans of lower levels, and those before it, have other ones."""
    rng = Random(f"{nonce}/lives")
    names, lines, ends = (_deck(rng, values) for values in (SHAPES, LINES, tuple(ENDINGS)))
    seen: Counter[tuple[str, str]] = Counter()
    found = list[Life]()
    for one in (*LEVELS[: LEVELS.index(level)], *[level] * (number + 1)):
        found = [_life(rng, next(names), next(lines), next(ends), seen) for _ in range(COUNTS[one])]
    return found


def _deck(rng: Random, values: Sequence[str]) -> Iterator[str]:
    """All of them in any order, again and again."""
    while True:
        yield from rng.sample(values, len(values))


def _life(rng: Random, name: str, lines: str, end: str, seen: Counter[tuple[str, str]]) -> Life:
    first = there = rng.random() < 0.6
    ways = list[Way]()
    for _ in range(STEPS):
        open_ways = [way for way in (THERE if there else AWAY) if not (way == "add" and end.startswith("crlf"))]
        kinds = (f"name {name}", f"lines {lines}", f"end {end}", ways[-1] if ways else "")
        dealt = {way: sum(seen[kind, way] for kind in kinds) for way in open_ways}
        way = min(open_ways, key=lambda one: (dealt[one], rng.random()))
        seen.update((kind, way) for kind in kinds)
        there = way not in ENDING
        ways.append(way)
    return Life(name=name, lines=lines, end=end, there=first, ways=tuple(ways))


@dataclass(slots=True)
class LivesTurn:
    """What updates bring before a turn, the calls of its replies, one reply after another, and what is said."""

    question: str
    answer: str
    updates: list[PlanChange] = field(default_factory=list)
    before: list[ToolUse] = field(default_factory=list)
    """What was left by turns before is looked at."""
    changes: list[ToolUse] = field(default_factory=list)
    after: list[ToolUse] = field(default_factory=list)

    @property
    def replies(self) -> list[Sequence[ToolUse]]:
        """Those that call something."""
        return [uses for uses in (self.before, self.changes, self.after) if uses]


@dataclass(slots=True)
class _File:
    life: Life
    folder: str
    path: str = ""
    text: str | None = None
    looks: int = 0


def lived(texts: Texts, dealt: Sequence[Life]) -> tuple[list[PlanFile], list[LivesTurn]]:
    """The files that are there at first, and the turns."""
    return _Living(texts, dealt).made()


class _Living:
    def __init__(self, texts: Texts, dealt: Sequence[Life]) -> None:
        self.texts, self.rng = texts, texts.rng
        folders = [texts.folder() for _ in range(0, len(dealt), BESIDE)]
        self.files = [_File(life, folders[number // BESIDE]) for number, life in enumerate(dealt)]
        for file in self.files:
            file.path = texts.shaped(file.folder, file.life.name)
        asked, told = (self.rng.sample(kinds, TURNS + 1) for kinds in (LINES, SAID))
        self.turns = [
            LivesTurn(f"{texts.text(one, 'ended')}{texts.message()}", texts.text(other, "open"))
            for one, other in zip(asked, told, strict=True)
        ]

    def made(self) -> tuple[list[PlanFile], list[LivesTurn]]:
        found = list[PlanFile]()
        for file in self.files:
            if file.life.there:
                file.text = self._text(file)
                found.append(PlanFile(path=file.path, text=file.text))
        when = {id(file): sorted(self.rng.sample(range(TURNS), STEPS)) for file in self.files}
        for at, turn in enumerate(self.turns):
            for file in self.files:
                done = [step for step, place in enumerate(when[id(file)]) if place < at]
                now = when[id(file)].index(at) if at in when[id(file)] else None
                if (now == 0 and file.life.there) or (done and when[id(file)][done[-1]] == at - 1):
                    turn.before.append(self._look(file))
                if now is not None:
                    self._happens(file, file.life.ways[now], turn)
            for uses in (turn.before, turn.changes, turn.after):
                self.rng.shuffle(uses)
        return found, self.turns

    def _text(self, file: _File) -> str:
        return self.texts.text(file.life.lines, file.life.end)

    def _look(self, file: _File) -> ToolUse:
        """It is read, shown by a command, or its folder is listed, by turns; now and then a number in it is looked for."""
        file.looks += 1
        numbers = LONG_NUMBER.findall(file.text or "")
        if numbers and file.looks % 5 == 0:
            return ToolUse(kind="search", target=file.folder, content=self.rng.choice(numbers))
        if file.looks % 4 == 3:
            return ToolUse(kind="list", target=file.path.rpartition("/")[0])
        return ToolUse(kind="cat" if file.text is not None and file.looks % 2 else "read", target=file.path)

    def _happens(self, file: _File, way: Way, turn: LivesTurn) -> None:
        if way in UPDATES:
            file.text = None if way == "gone" else self._text(file)
            action: Literal["delete", "new"] = "delete" if way == "gone" else "new"
            turn.updates.append(PlanChange(path=file.path, action=action, text=file.text or ""))
        else:
            turn.changes.append(self._done(file, way))
        turn.after.append(self._look(file))

    def _done(self, file: _File, way: Way) -> ToolUse:
        """What the agent does."""
        before, path = file.text or "", file.path
        match way:
            case "edit" | "out":
                old = self._line(before)
                if old is None:
                    return self._done(file, "over")
                new = self.rng.choice(self.texts.text(file.life.lines, "open").split("\n")) if way == "edit" else ""
                file.text = before.replace(old, new)
                return ToolUse(kind="edit", target=path, wanted=(old,), content=new)
            case "put" | "add":
                new = "\n".join(self.rng.sample((self.texts.sentence(), self.texts.signs()), 2))
                file.text = f"{before if way == 'add' else ''}{new}\n"
                here = way == "put" and self.rng.random() < 0.5
                return ToolUse(kind=way, target=path, content=new, here=here)
            case "drop":
                file.text = None
                return ToolUse(kind="drop", target=path)
            case "move":
                file.path = self.texts.shaped(file.folder, file.life.name)
                return ToolUse(kind="move", target=path, content=file.path)
            case _:
                file.text = self._text(file)
                return ToolUse(kind="write", target=path, content=file.text)

    def _line(self, text: str) -> str | None:
        """A line that stands once in a text, whole or as a part of one; None where there is none."""
        lines = [line.rstrip("\r") for line in text.removeprefix("\ufeff").split("\n")]
        found = [line for line in lines if len(line) >= LEAST and text.count(line) == 1]
        return self.rng.choice(found) if found else None
