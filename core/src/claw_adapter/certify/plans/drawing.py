"""What a plan is drawn with: one source of chance, its texts, the steps so far, and turns and replies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Final

from claw_adapter.certify.demand import LEVELS, Level
from claw_adapter.certify.plans.drawn import DrawnTurn
from claw_adapter.certify.plans.plan import PlanFile, PlanSeed, PlanStep, PlanTurn
from claw_adapter.certify.plans.talks import DrawnTalks
from claw_adapter.certify.plans.texts import NOUNS, Texts
from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.protocol import Message

__all__ = [
    "BREAKING",
    "ENDINGS",
    "GRANTED",
    "LEAST",
    "LONG",
    "PASSING",
    "PATTERNS",
    "PLANS",
    "UNREADABLE",
    "Drawing",
    "Unit",
    "cuts",
]

PLANS: Final[dict[Level, int]] = {"bronze": 1, "silver": 1, "gold": 2}
"""Plans of each level; those of Gold are played at the same time where the harness can."""
Unit = list[PlanStep]
"""Steps that end in the turn which shows what they did."""
PASSING: Final[tuple[FaultKind, ...]] = ("408", "429", "500", "502", "503", "504", "529", "gateway")
BREAKING: Final[tuple[FaultKind, ...]] = ("cut", "told")
"""A reply breaks off when some of its text has come."""
UNREADABLE: Final[tuple[FaultKind, ...]] = ("garbage", "empty")
LONG: Final = (66_000, 67_000)
"""Characters of a long answer, of a prompt into which somebody has put a whole file, and of a file that is written or shown."""
ANSWERED: Final = (20, 80, 300, 600)
REMARKED: Final = (30, 100, 200, 400)
"""Characters of an answer, and of what is said beside calls, which may be more than the answer."""
BESIDE: Final = (0.1, 0.3, 0.2)
"""How often something is said beside calls, by the level: what is long is to fit into the windows that harnesses take."""
ASIDES: Final = 6
"""Files beside one that is written, whose names are made from its own."""
NUMBER: Final = re.compile(r"\d+")
LEAST: Final = 20
"""Characters of a line that an edit replaces, at least."""
GRANTED: Final = 30
"""Seconds that a command is told to take at most, where it takes a few."""
PIECES: Final = (1, 7, 24, 40, 400)
"""Characters of what comes at once; in the smallest, pieces of nothing but a blank or a line end are among them."""
PATTERNS: Final = ("\\1", "$1", "$&", "$$", "$`", "$'", "{0}", "\\g<0>", "&", "%s", "\\n")
"""What the new text of an edit may be taken for."""
ENDINGS: Final = ("", "\n", "\n\n", "  \n", "\t")
ENDS: Final = (
    "Is that right?", "What follows?", "Which of these holds?", "Please check.", "What do you think about it?",
    "Think hard about that.", "Take your time.",
)  # fmt: skip


class Drawing:
    """A plan in the making."""

    def __init__(self, nonce: str, number: int, level: Level) -> None:
        self.nonce, self.number, self.level, self.height = nonce, number, level, LEVELS.index(level)
        self.rng = Random(f"{nonce}/{number}/{level}")
        self.texts = Texts(self.rng)
        self.talks = DrawnTalks(self.texts)
        self.steps: list[PlanStep] = []
        self.histories: list[str] = []

    def history(self, talk: Sequence[Message], name: str = "") -> str:
        """A history, called `name` or as nothing else is."""
        name = name or self.texts.word()
        self.histories.append(name)
        title = self.texts.sentence()
        self.steps.append(PlanSeed(session=name, messages=tuple(talk), title=title, channel=self.rng.choice(NOUNS)))
        return name

    def turn(self, *replies: PlayedReply) -> PlanTurn:
        """A round with these replies; every other one has a question with options."""
        rng = self.rng
        question = f"{self.texts.message()} {rng.choice(ENDS)}"
        feedback = self.texts.message() if rng.random() < 0.4 else ""
        if rng.random() < 0.5:
            return PlanTurn(question=question + rng.choice(("", "  ", "\n", " \n\n")), replies=replies)
        options = tuple(self.texts.sentence() for _ in range(rng.randrange(2, 6)))
        if rng.random() < 0.8:  # else there is nothing to read, and the next prompt says so
            last = replies[-1]
            told = last.model_copy(update={"text": f"{last.text} \\bbox{{{rng.choice('AB')}}}"})
            replies = (*replies[:-1], told)
        return PlanTurn(question=question, options=options, replies=replies, feedback=feedback)

    def says(self, characters: int = 0) -> PlayedReply:
        """An answer of so many characters, or of any usual number."""
        rng = self.rng
        text = self.texts.prose(characters or rng.choice(ANSWERED))
        if rng.random() < 0.3:
            text = self.texts.awkward(text)
        if characters == 0 and rng.random() < 0.3:
            text += rng.choice(("\n", "  "))
        thought = self.thought()
        piece = rng.choice(PIECES) if len(text) < 5_000 else 2_000
        return PlayedReply(text=text, thought=thought, piece=piece)

    def does(self, *uses: ToolUse) -> PlayedReply:
        """A reply with calls; at times it says more than the answer will."""
        text = self.texts.prose(self.rng.choice(REMARKED)) if self.rng.random() < BESIDE[self.height] else ""
        piece, woven = self.rng.choice(PIECES), len(uses) > 1 and self.rng.random() < 0.5
        return PlayedReply(text=text, thought=self.thought(), uses=uses, piece=piece, woven=woven)

    def thought(self) -> str:
        """What a model says to itself, now and then."""
        return self.texts.prose(120) if self.rng.random() < 0.3 else ""

    def file(self, lines: int, end: str = "\n") -> PlanFile:
        """A file of so many lines that is there before the first prompt."""
        made = PlanFile(path=self.texts.path(), text=self.texts.lines(lines).rstrip("\n") + end)
        self.steps.append(made)
        return made

    def long_text(self, size: tuple[int, int] = LONG) -> str:
        """More than 64 KiB, or so many characters, of which rules take most."""
        return self.texts.across(self.texts.ruled(self.rng.randrange(*size)))

    def long_file(self, size: tuple[int, int] = LONG) -> PlanFile:
        """One with such a text."""
        text = self.long_text(size)
        made = PlanFile(path=self.texts.path(), text=f"{text}\n")
        self.steps.append(made)
        return made

    def asides(self, file: PlanFile) -> None:
        """Files that are nobody's affair while a file beside them is written."""
        self.steps += [PlanFile(path=path, text=self.texts.lines(2)) for path in self.texts.asides(file.path, ASIDES)]

    def dealt(self, every: Sequence[str]) -> Sequence[str]:
        """The part of this plan: the plans of a nonce have all of them."""
        plans = sum(PLANS.values())
        return Random(f"{self.nonce}/{every[0]}").sample(every, len(every))[self.height + self.number :: plans]

    def made_of(self, made: DrawnTurn, *between: PlanStep) -> Unit:
        """A turn with what updates bring before it, and an answer."""
        return [*made.updates, *between, self.turn(*(self.does(*uses) for uses in made.replies), self.says())]

    def crlf(self) -> str:
        """Lines as another system ends them."""
        return self.texts.lines(self.rng.randrange(6, 12)).replace("\n", "\r\n")

    def between_words(self, signs: Sequence[str]) -> str:
        """The signs, each before a word."""
        return " ".join(f"{sign} {self.rng.choice(NOUNS)}" for sign in signs)

    def reads(self, name: str) -> ToolUse:
        """A history is asked for."""
        return ToolUse(kind="history", target=name)


def cuts(line: str) -> tuple[str, str, str]:
    """What may be taken out of a sentence: all of it, its end or its beginning; each has its number and stands alone."""
    found = NUMBER.search(line)
    begin, end = found.span() if found else (1, len(line))
    return line, line[begin - 1 :], line[:end]
