"""KnownLines that must not be there: what comes later, answers, what another conversation says, what was taken away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from claw_adapter.protocol import Gold, Round, Scenario
from claw_adapter.scenario import World, first_world, worlds
from claw_adapter.shared import shared

__all__ = ["Forbidden", "KnownLines", "ScenarioLines", "lines_of"]

LEAST: Final = 24
"""Characters that a line must have to be told from others by."""
_EDGES: Final = re.compile(r"^\W+|\W+$")
"""Quotation marks, commas and brackets with which a list says something that stands elsewhere without them."""

_QUOTES: Final = re.compile(r"""['"\\]""")


def lines_of(texts: Iterable[str]) -> set[str]:
    """The lines by which texts are known."""
    return {line.strip() for text in texts for line in text.splitlines() if len(line.strip()) >= LEAST}


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A line that is in a request and must not be: `why` is ``later``, ``gold`` or ``other``."""

    why: str
    line: str


@dataclass(frozen=True, slots=True)
class ScenarioLines:
    """What can be found out of a scenario before any trial: it serves all of them."""

    begun: World
    """What there was before any update."""
    worlds: list[World]
    later: dict[str, int]
    """Lines that are not there from the beginning, and the round from which on they are."""
    gold: set[str]

    @classmethod
    def of(cls, scenario: Scenario, gold: Gold) -> Self:
        """Its lines."""
        found, first = worlds(scenario), dict[str, int]()
        for number, (item, world) in enumerate(zip(scenario.rounds, found, strict=True)):
            for line in lines_of([*world_texts(world), *round_texts(item)]):
                first.setdefault(line, number)
        later = {line: number for line, number in first.items() if number > 0}
        return cls(first_world(scenario), found, later, lines_of(gold_texts(gold)) - first.keys())


@dataclass(slots=True)
class KnownLines:
    """Lines of one scenario by the round from which on an agent may know them."""

    scenario: Scenario
    lines: ScenarioLines
    others: Mapping[str, set[str]]
    """Scenario → lines by which other conversations of the run are known."""
    _seen: str = field(init=False, default="")
    _calls: list[str] = field(init=False, default_factory=list)

    @property
    def worlds(self) -> list[World]:
        """The world at each round."""
        return self.lines.worlds

    def visible(self, texts: Iterable[str]) -> None:
        """What an agent has been shown, or has said itself, may come again."""
        self._seen += "\n" + "\n".join(texts)

    def called(self, calls: Iterable[str]) -> None:
        """The arguments of an agent's calls: it may have changed by them what it was shown."""
        self._calls += calls

    def judge(self, texts: Sequence[str], number: int) -> list[Forbidden]:
        """The first line of each kind that must not be in these texts at round `number`."""
        text = "\n".join(texts)
        kinds: dict[str, Iterable[str]] = {
            "later": (line for line, first in self.lines.later.items() if first > number),
            "gold": self.lines.gold,
            "other": (line for lines in self.others.values() for line in lines),
        }
        found = []
        for why, lines in kinds.items():
            line = next((one for one in lines if one in text and not self._known(one, number)), None)
            if line is not None:
                found.append(Forbidden(why, line))
        return found

    def _known(self, line: str, number: int) -> bool:
        """Whether what a line says, without signs around it, stands inside something longer that may be known."""
        said = _EDGES.sub("", line)
        if said in self._seen or _unquoted(said) in _unquoted(self._seen):
            return True
        shown = [text for item in self.scenario.rounds[: number + 1] for text in round_texts(item)]
        for world in self.worlds[: number + 1]:
            shown += [*world_texts(world), *world.files, *world.sessions]
        return any(said in text for text in shown) or self._made(said, shown)

    def _made(self, line: str, shown: Iterable[str]) -> bool:
        """Whether an agent has made this line of one that was shown, by a call that says what is put in place of what."""
        whole = tuple(line.split())
        for one in lines_of(shown):
            known = tuple(_EDGES.sub("", one).split())
            first, last = shared(known, whole)
            old, new = known[first : len(known) - last], whole[first : len(whole) - last]
            little = (old or new) and len(old) + len(new) < len(whole)
            if little and any(" ".join(old) in call and " ".join(new) in call for call in self._calls):
                return True
        return False


def _unquoted(text: str) -> str:
    """Without the signs by which a shell takes a text as it is: an agent that has nothing else writes with commands."""
    return _QUOTES.sub("", text)


def world_texts(world: World) -> list[str]:
    """Everything an agent could read."""
    files = [data.decode("utf-8", "replace") for data in world.files.values() if b"\0" not in data]
    return [*files, *(message.text for session in world.sessions.values() for message in session.messages)]


def round_texts(item: Round) -> list[str]:
    """What a round says."""
    return [item.question, *item.options.values(), *(f"{letter}. {text}" for letter, text in item.options.items())]


def gold_texts(gold: Gold) -> list[str]:
    """What nobody may be shown: checks and artefacts. Feedback is said in prompts."""
    paths = [path for folder in ("checks", "oracle") for path in sorted((gold.root / folder).rglob("*"))]
    return [path.read_text("utf-8", "replace") for path in paths if path.is_file()]
