"""Drawing a plan from a nonce: the grammar. What a level asks for is in every plan of it; all the rest differs."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from claw_adapter.audit.results import MARK
from claw_adapter.certify.demand import LEVELS, Level
from claw_adapter.certify.plans.drawn import DrawnTurn
from claw_adapter.certify.plans.lives import lived, lives
from claw_adapter.certify.plans.plan import (
    MAIN,
    PlanChange,
    PlanFault,
    PlanFile,
    PlanIncident,
    PlanSeed,
    PlanStep,
    PlanTurn,
    SessionPlan,
)
from claw_adapter.certify.plans.seeks import search_turns
from claw_adapter.certify.plans.shells import LONG_NUMBER, shell_turns
from claw_adapter.certify.plans.talks import DrawnTalks
from claw_adapter.certify.plans.texts import (
    BREAKS,
    CLEARED,
    CONTROLS,
    DOTTED,
    FOLDERS,
    INDENTS,
    KINDS,
    LEFT_OUT,
    NOUNS,
    PLAINEST,
    TAKEN,
    TOOLS,
    USUAL,
    Texts,
)
from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import CommandEffect, PlayedReply, ToolUse
from claw_adapter.protocol import Message
from claw_adapter.runner.incident import IncidentKind

__all__ = ["PLANS", "draw"]

PLANS: Final[dict[Level, int]] = {"bronze": 1, "silver": 1, "gold": 2}
"""Plans of each level; those of Gold are played at the same time where the harness can."""
Unit = list[PlanStep]
"""Steps that end in the turn which shows what they did."""
PASSING: Final[tuple[FaultKind, ...]] = ("408", "429", "500", "502", "503", "504", "529", "gateway")
BREAKING: Final[tuple[FaultKind, ...]] = ("cut", "told")
"""A reply breaks off when some of its text has come."""
BROKEN_CALLS: Final[tuple[FaultKind, ...]] = ("cut_call", "cut_late")
"""It breaks off within a call, or behind all of it."""
UNREADABLE: Final[tuple[FaultKind, ...]] = ("garbage", "empty")
SERVER: Final[tuple[FaultKind, ...]] = ("500", "502", "503")
FOR_GOOD: Final[tuple[FaultKind, ...]] = (
    "400", "401", "402", "403", "404", "409", "422", "context", "413", "filter", "refused", "garbage", "empty", "told",
)  # fmt: skip
REFUSED: Final[tuple[FaultKind, ...]] = ("400", "401", "402", "403", "404", "422", "context", "413", "filter")
"""Those of them behind which no further attempt is made."""
LONG: Final = (66_000, 67_000)
"""Characters of a long answer, of a prompt into which somebody has put a whole file, and of a file that is written or shown."""
WIDE: Final = ((15_000, 17_000), (18_000, 22_000), (9_000, 14_000))
"""Characters of a long file, by the level: what has a long past is not to fill the window."""
LINE: Final = ((2_500, 12_000), (2_500, 5_000), (2_500, 4_000))
"""Characters of the one long line in it, as records of data have, by the level."""
ANSWERED: Final = (20, 80, 300, 600)
REMARKED: Final = (30, 200, 200, 700)
"""Characters of an answer, and of what is said beside calls, which may be more than the answer."""
BESIDE: Final = (0.6, 0.6, 0.2)
"""How often something is said beside calls, by the level: what is long is to fit into the windows that harnesses take."""
ASKED: Final = (4_000, 7_000)
"""Characters of a long prompt, but for Bronze, which has one that is longer."""
BROUGHT: Final = (6_000, 9_000)
"""Characters of a long message that an update brings."""
PAST: Final = (16, 24, 60, 110, 160)
LONG_PAST: Final = (180, 240)
"""Messages of the past; of that in the first plan of Gold, and of a history that each of them has."""
TALK: Final = (56, 80)
LONG_TALK: Final = (210, 300)
BYTES: Final = 3_000
"""Bytes of a file that is no text."""
WRITTEN: Final = ((6_000, 8_000), (5_500, 7_000), (4_200, 5_000))
"""Characters of a long file that is written, by the level."""
ASIDES: Final = 6
"""Files beside one that is written, whose names are made from its own."""
PAGED: Final = (400, 401, 419, 500, 501)
"""Lines of a file that is read by pages: as many as some show at once, or one more."""
STEPS: Final = (23, 28)
"""Replies with calls of a long turn."""
SLOW: Final = 0.4
"""Seconds that a slow command takes, while others of its reply are done."""
PAUSE: Final = 3.0
"""Seconds in which nothing of a reply comes."""
LASTS: Final = 50.0
"""Seconds that a command takes which some programs would end."""
LARGE: Final = 1_300
"""Lines of a file of more than 64 KiB."""
PLAINLY: Final = 150
"""Lines at the beginning of one that are ASCII."""
AGAIN: Final = 5
"""How often two commands are repeated in one turn."""
BLOCK: Final = 50
"""Lines of it that are replaced at once."""
HUGE: Final = (140_000, 300_000)
"""Characters of a file that is only listed."""
NUMBER: Final = re.compile(r"\d+")
LEAST: Final = 20
"""Characters of a line that an edit replaces, at least."""
PIECES: Final = (1, 7, 24, 40, 400)
"""Characters of what comes at once; in the smallest, pieces of nothing but a blank or a line end are among them."""
WORDLESS: Final = ("", " ", "\n\n")
CROWD: Final = (101, 131)
"""Files in a folder that has more of them than some lists show."""
PATTERNS: Final = ("\\1", "$1", "$&", "$$", "$`", "$'", "{0}", "\\g<0>", "&", "%s", "\\n")
"""What the new text of an edit may be taken for."""
APART: Final = 0.7
"""How often something else may come between two units of a chain."""
MIXED: Final = (2, 4, 3)
"""Turns in which everything happens to the same few files, by the level."""
SHELLS: Final = (2, 4, 4)
"""Turns in which tools, commands and updates change a few files that are alike, by the level."""
RESTARTED: Final = 0.3
FAILING: Final = 0.7
"""How often a turn of `lives` begins behind a restart; how often, else, requests of it fail."""
LAID: Final[tuple[Callable[[str], str], ...]] = (
    lambda text: text.rstrip("\n"),
    lambda text: text.replace("\n", "\n    ", 1),
    lambda text: text.replace("\n", "\n\n", 1),
    lambda text: text.replace(" ", "\n", 1),
)
"""How a text is written anew of which nothing changes but blanks and line ends."""
ENDINGS: Final = ("", "\n", "\n\n", "  \n", "\t")
ENDS_OF_FILES: Final = ("", "\n\n")
"""Of those in which something is replaced: most others end with one line end."""
SHORT: Final = ("OK", "No.", "42", "是", "B")
UNFINISHED: Final = (
    "Shall I go on?", "Do you want me to do that now?", "Next I will look at the files.", "Let me check that first.",
    "- [ ] the rest", "To be continued...", "I will now do the following:", "DONE", "Please confirm (yes/no).",
    "Step 1 of 3 is complete.", "```", "Let me know if you need more.", "I will wait for the rest.",
    "3. the first\n7. the second\n2. the third",
)  # fmt: skip
"""How answers end that some programs take for a question to themselves, or for the beginning of something."""
BEGINNINGS: Final = (
    "Sure, ", "Of course! ", "Great question. ", "Based on the file, ", "Certainly: ", "Here is the answer:\n\n", "Okay.\n",
    "As you asked, ", "Final answer: ", "**Answer:** ", "Thanks! ", "> ",
)  # fmt: skip
"""How answers begin that some programs take for no part of them."""
TABLES: Final = ("csv", "csv", "tsv", "txt")
LIKE_FOLDERS: Final = ("s.csv", "age.md", "-list.md", "ment.txt", "_1.md")
"""How names of files go on that begin as those of folders which some programs leave out."""
COMMON: Final = ("README.md", "notes/todo.md", "data.csv")
"""Names of files that other conversations have as well, with other content."""
ENDS: Final = (
    "Is that right?", "What follows?", "Which of these holds?", "Please check.", "What do you think about it?",
    "Think hard about that.", "Take your time.",
)  # fmt: skip

WISHES: Final = (
    "From now on, remember that", "Please note that", "Always keep in mind:", "Remember:", "For all future answers:",
    "IMPORTANT: never forget that",
)  # fmt: skip
"""How messages begin that some programs keep aside."""


def draw(nonce: str, number: int, level: Level) -> SessionPlan:
    """The plan `number` of a nonce: always the same for the same three."""
    return _Drawing(nonce, number, level).plan()


class _Drawing:
    def __init__(self, nonce: str, number: int, level: Level) -> None:
        self.nonce, self.number, self.level, self.height = nonce, number, level, LEVELS.index(level)
        self.rng = Random(f"{nonce}/{number}/{level}")
        self.texts = Texts(self.rng)
        self.talks = DrawnTalks(self.texts)
        self.steps: list[PlanStep] = []
        self.histories: list[str] = []

    def plan(self) -> SessionPlan:
        """All of it."""
        name, model = self.texts.scenario(), self.texts.model(of_a_shop=self.height == 0)
        if self.height > 0:
            self._seeds(self.number if self.height > 1 else None)
        self.steps.append(PlanFile(path="AGENTS.md", text=self.texts.lines(3)))  # two at once have other ones
        begin = self.texts.now
        chains = [chain for make in self._chains() for chain in [make()] if chain]
        last = [
            self._wide(),
            [[*self._asked(LONG), *self._written_large()], self._long(), []][self.height],
        ]  # what fills the window comes when little else will
        return SessionPlan(
            nonce=self.nonce, number=self.number, level=self.level, name=name, model=model, clock=begin,
            steps=(*self.steps, *self._merged(chains), *(step for chain in last for unit in chain for step in unit)),
        )  # fmt: skip

    def _chains(self) -> Sequence[Callable[[], list[Unit]]]:
        """What the level asks for, and more turns."""
        found = [self._replaced, self._deleted, self._batch, self._written, self._plain, self._short]
        found += [
            self._mixed,
            self._lives,
            self._shells,
            self._usual,
            self._said_again,
            self._brought,
            self._listed,
            self._sought,
            self._left,
            self._absolute,
            self._repeated,
            self._common,
            self._called,
            self._odd,
            self._edited,
            self._edited_at_once,
            self._edited_plainly,
            self._cut_out,
            self._paged,
            self._missing,
            self._bytes,
            self._added,
            self._failures,
            self._dropped,
            self._inside,
            self._made,
            self._scripts,
        ]
        if self.height == 0:
            return [*found, self._many, self._edited_large, self._kinds]
        found += [
            lambda: self._asked(ASKED),
            self._brought,
            self._plain,
            self._plain,
            self._inserted,
            self._talk,
            self._talk_begun,
            self._talk_deleted,
            self._restarted,
            self._talks_at_once,
        ]
        if self.height == 1:
            found += [self._plain] * self.rng.randrange(2, 5)
        else:
            found += [
                self._failing,
                self._unreadable,
                self._again,
                self._broken,
                self._killed,
                self._cancelled,
                self._paused,
                self._failed,
            ]
            found += [self._restarted, self._halting, self._wordless, self._long_talk]
        return found

    def _merged(self, chains: Sequence[list[Unit]]) -> list[PlanStep]:
        """The chains, each in its order, dealt into each other; before the first prompt already an update brings a file."""
        first, *later = self._brought()
        chains = [*chains, later]
        tickets = [number for number, chain in enumerate(chains) for _ in chain]
        self.rng.shuffle(tickets)
        waiting = [list(chain) for chain in chains]
        steps: list[PlanStep] = list(first)
        for number in tickets:
            while waiting[number]:
                steps += waiting[number].pop(0)
                if self.rng.random() < APART:  # else what comes next of it follows at once
                    break
        return steps

    # what it begins with

    def _seeds(self, number: int | None) -> None:
        """The past and the histories, of which one has a name that another begins with.

        Of the plans of Gold the first (`number` 0) has a long past.
        """
        rng = self.rng
        result = self.texts.prose(rng.randrange(9_000, 14_000))
        first = rng.choice(("user", "assistant")) if number else "assistant" if number is None else "user"
        size = rng.randrange(*LONG_PAST) if number == 0 else rng.choice(PAST[:3] if number else PAST)
        odd, short = self.texts.odd(), number == 0
        main = self.talks.seeded(size, tools=0.12, result=result, first=first, main=True, odd=odd, short=short)
        self.steps.append(PlanSeed(session=MAIN, messages=main))
        for at in range(rng.choice((2, 2, 3))):
            size = rng.randrange(*TALK if at == 0 else (4, 30))
            talk = self.talks.seeded(size, tools=0.08, result=self.texts.sentence(), odd="" if at else odd)
            self._history(talk, f"{self.histories[0]}-2" if at == 1 else "")

    def _history(self, talk: Sequence[Message], name: str = "") -> str:
        """A history, called `name` or as nothing else is."""
        name = name or self.texts.word()
        self.histories.append(name)
        title = self.texts.sentence()
        self.steps.append(PlanSeed(session=name, messages=tuple(talk), title=title, channel=self.rng.choice(NOUNS)))
        return name

    def _long_talk(self) -> list[Unit]:
        """A history that is longer than others is read."""
        name = self._history(self.talks.talk(self.rng.randrange(*LONG_TALK), short=True))
        self.histories.remove(name)
        return [[self._turn(self._does(self._reads(name)), self._says())]]

    # turns

    def _turn(self, *replies: PlayedReply) -> PlanTurn:
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

    def _says(self, characters: int = 0) -> PlayedReply:
        rng = self.rng
        text = self.texts.prose(characters or rng.choice(ANSWERED))
        if rng.random() < 0.3:
            text = self.texts.awkward(text)
        if characters == 0 and rng.random() < 0.3:
            text += rng.choice(("\n", "  "))
        thought = self._thought()
        piece = rng.choice(PIECES) if len(text) < 5_000 else 2_000
        return PlayedReply(text=text, thought=thought, piece=piece)

    def _does(self, *uses: ToolUse) -> PlayedReply:
        """A reply with calls; at times it says more than the answer will."""
        text = self.texts.prose(self.rng.choice(REMARKED)) if self.rng.random() < BESIDE[self.height] else ""
        piece, woven = self.rng.choice(PIECES), len(uses) > 1 and self.rng.random() < 0.5
        return PlayedReply(text=text, thought=self._thought(), uses=uses, piece=piece, woven=woven)

    def _thought(self) -> str:
        """What a model says to itself, now and then."""
        return self.texts.prose(120) if self.rng.random() < 0.3 else ""

    def _file(self, lines: int, end: str = "\n") -> PlanFile:
        made = PlanFile(path=self.texts.path(), text=self.texts.lines(lines).rstrip("\n") + end)
        self.steps.append(made)
        return made

    def _long_text(self) -> str:
        """More than 64 KiB, of which rules take most."""
        return self.texts.across(self.texts.ruled(self.rng.randrange(*LONG)))

    def _long_file(self) -> PlanFile:
        text = self._long_text()
        made = PlanFile(path=self.texts.path(), text=f"{text}\n")
        self.steps.append(made)
        return made

    def _aside(self, file: PlanFile) -> None:
        """Files that are nobody's affair while a file beside them is written."""
        self.steps += [PlanFile(path=path, text=self.texts.lines(2)) for path in self.texts.asides(file.path, ASIDES)]

    # chains of units

    def _plain(self) -> list[Unit]:
        return [[self._turn(self._says())]]

    def _short(self) -> list[Unit]:
        """Answers: a word, code or data as no program writes it, about failures, of a talk, as if it went on or had begun.

        One, and a prompt, has line ends of another system.
        """
        code, data = (
            f"```\n{self.texts.lines(2)}```",
            f'{{ "text":"{self.texts.sentence()}", "n":{self.texts.number()}.0,"e": 1e3,"e": "\\u00e9\\/" , "a":[ ]}}',
        )
        told = [f"{self.texts.sentence()}.\n{end}" for end in self._dealt(UNFINISHED)]
        told += [f"{begin}{self.texts.sentence()}." for begin in self._dealt(BEGINNINGS)]
        told.append("\r\n".join(self.texts.sentence() for _ in range(3)))
        texts = (self.rng.choice(SHORT), code, data, self.texts.failure(), self.texts.quoted(), *told)
        units: list[Unit] = [
            [PlanTurn(question=self.texts.message(), replies=(PlayedReply(text=text),))] for text in texts
        ]
        ended = "\r\n".join((self.texts.sentence(), "", self.texts.sentence(), f"  {self.texts.sentence()}"))
        return [*units, [PlanTurn(question=ended, replies=(self._says(),))]]

    def _dealt(self, every: Sequence[str]) -> Sequence[str]:
        """The part of this plan: the plans of a nonce have all of them."""
        plans = sum(PLANS.values())
        return Random(f"{self.nonce}/{every[0]}").sample(every, len(every))[self.height + self.number :: plans]

    def _absolute(self) -> list[Unit]:
        """A file is written where none was, read and edited by its whole path, and read again, by the one or the other."""
        path, text = f"{self.texts.word()}/{self.texts.word()}.md", self.texts.lines(4)
        made = ToolUse(kind="write", target=path, content=text, absolute=True)
        look = ToolUse(kind="read", target=path)
        far = look.model_copy(update={"absolute": True})
        lists = ToolUse(kind="list", target=path.partition("/")[0], absolute=True)
        edit = ToolUse(
            kind="edit", target=path, wanted=(text.split("\n")[1],), content=self.texts.sentence(), absolute=True
        )
        replies = (made,), (look, lists), (edit,), (far, look)
        return [[self._turn(*(self._does(*uses) for uses in replies), self._says())]]

    def _repeated(self) -> list[Unit]:
        """The same prompt twice, one behind the other, partly in another script, with other answers; and one more.

        Then nothing but the same reading in four turns, and two commands of one reply that begin alike, at length; and in one
        turn again and again the same two commands, of which the one adds to a file, and the other shows it.
        """
        answer = PlayedReply(text=self.texts.foreign(self.texts.sentence()))
        turn = PlanTurn(question=self.texts.foreign(self.texts.message()), replies=(answer,))
        look = self._does(ToolUse(kind="read", target=self._file(self.rng.randrange(3, 9)).path))
        looks = [self._turn(look, self._says()) for _ in range(4)]
        said = " ".join(self.texts.word() for _ in range(20))
        alike = [self._echoes(f"{said} {self.texts.number()}") for _ in range(2)]
        grown = self._file(self.rng.randrange(3, 9)).path
        both = ToolUse(kind="add", target=grown, content=self.texts.sentence()), ToolUse(kind="cat", target=grown)
        again = self._turn(*(self._does(use) for use in both * AGAIN), self._says())
        first: Unit = [turn, turn.model_copy(update={"replies": (self._says(),)}), self._turn(self._says())]
        return [first, [*looks, self._turn(self._does(*alike), self._says())], [again]]

    def _echoes(self, words: str) -> ToolUse:
        """A command that says these words."""
        return ToolUse(kind="run", target=f"echo {words}", effect=CommandEffect(prints=f"{words}\n"))

    def _said_again(self) -> list[Unit]:
        """The same answer twice; one that is the prompt, or begins as what was said beside a call; a prompt within another."""
        rng = self.rng
        done = PlayedReply(text=rng.choice(("Done.", "OK", self.texts.sentence())))
        asked, whole = self.texts.message(), f"{self.texts.sentence()}. {self.texts.sentence()}."
        look = ToolUse(kind="read", target=self._file(3).path)
        before = self.texts.sentence()
        says = PlayedReply(text=before, uses=(look,)), PlayedReply(text=f"{before}{rng.choice(('', '. And more.'))}")
        return [
            [self._turn(done), self._turn(done)],
            [PlanTurn(question=asked, replies=(PlayedReply(text=asked),))],
            [PlanTurn(question=whole, replies=says)],
            [PlanTurn(question=whole.partition(". ")[0], replies=(self._says(),))],
        ]

    def _common(self) -> list[Unit]:
        """A file with a name that many have, and a table."""
        made = PlanFile(path=self.rng.choice(COMMON), text=self.texts.lines(self.rng.randrange(3, 30)))
        table = PlanFile(path=f"{self.texts.word()}.{self.rng.choice(TABLES)}", text=self.texts.table())
        self.steps += [made, table]
        looks = [ToolUse(kind="read", target=one.path) for one in (made, table)]
        return [[self._turn(self._does(*looks), self._says())]]

    def _wide(self) -> list[Unit]:
        """A long file is read, in which one line is very long; Bronze has longer ones shown, three in one turn."""
        size, line = self.rng.randrange(*WIDE[self.height]), self.rng.randrange(*LINE[self.height])
        before = self.rng.randrange(size - line)
        parts = (self.texts.prose(before), self.texts.line(line), self.texts.prose(size - line - before))
        file = PlanFile(path=self.texts.path(), text=self.texts.across("\n".join(parts)) + "\n")
        self.steps.append(file)
        units: list[Unit] = [[self._turn(self._does(ToolUse(kind="read", target=file.path)), self._says())]]
        if self.height == 0:
            shows = [ToolUse(kind=kind, target=self._long_file().path) for kind in ("cat", "cat", "read")]
            units.append([self._turn(*map(self._does, shows), self._says())])
        return units

    def _asked(self, characters: tuple[int, int]) -> list[Unit]:
        """A long prompt; a very long one has rules in it, which take fewer tokens."""
        turn = self._turn(self._says())
        made = self.texts.ruled if characters == LONG else self.texts.prose
        text = self.texts.across(made(self.rng.randrange(*characters)))
        return [[turn.model_copy(update={"question": f"{text}\n\n{turn.question}"})]]

    def _bytes(self) -> list[Unit]:
        """Files that are no text are left as they are, and one of them is replaced.

        A line is edited of a script that may be executed, and of a text in another encoding, which a command shows before.
        """
        folder = self.texts.word()
        path = f"{folder}/{self.texts.word()}.bin"
        self.steps.append(PlanFile(path=path, text=self._any_bytes(), encoding="latin-1"))
        script = PlanFile(
            path=f"{folder}/{self.texts.word()}.sh", text=f"#!/bin/sh\necho {self.texts.word()}\n", executable=True
        )
        self.steps.append(script)
        change = PlanChange(path=path, action="new", text=self._any_bytes(), encoding="latin-1")
        (other, edited), (marked, begun) = self._encoded(), self._marked()
        said = ToolUse(kind="edit", target=script.path, wanted=(script.text.splitlines()[1],), content="echo ready")
        looks = [ToolUse(kind="read", target=one.path) for one in (script, marked, other)]
        show = ToolUse(kind="cat", target=other.path)
        listed = ToolUse(kind="list", target=folder)
        first = self._turn(self._does(*looks[:2], show, listed), self._does(said, begun), self._says())
        second = self._turn(self._does(looks[2]), self._does(edited, *self._behind(marked)), self._says())
        kind = f"{folder}/{self.texts.word()}"
        self.steps.append(PlanFile(path=kind, text=self._any_bytes(), encoding="latin-1"))
        become = PlanChange(path=kind, action="new", text=self.texts.lines(4))
        asks = self._does(ToolUse(kind="read", target=kind), ToolUse(kind="list", target=folder))
        return [[change, first], [second], [become, self._turn(asks, self._says())]]

    def _marked(self) -> tuple[PlanFile, ToolUse]:
        """A text as other systems write it, and an edit of its first line, before which a mark stands.

        It has blanks and line ends of every kind within its lines, and its last line does not end.
        """
        first, odd, *more, last = (self.texts.sentence() for _ in range(6))
        lines = (first, f"{odd} {self.texts.between(BREAKS)}", f"{self.texts.between(CONTROLS)}\t", *more, last)
        file = PlanFile(path=self.texts.path(), text=MARK + self.rng.choice(("\n", "\r\n")).join(lines))
        self.steps.append(file)
        return file, ToolUse(kind="edit", target=file.path, wanted=(first,), content=self.texts.sentence())

    def _behind(self, file: PlanFile) -> list[ToolUse]:
        """A line is added to a text, where that does not give it line ends of two kinds."""
        return [] if "\r" in file.text else [ToolUse(kind="add", target=file.path, content=self.texts.sentence())]

    def _encoded(self) -> tuple[PlanFile, ToolUse]:
        """A text that is no UTF-8, and an edit of a line of it that is plain."""
        lines = [" ".join(self.texts.word() for _ in range(4)) for _ in range(5)]
        file = PlanFile(path=self.texts.path(), text="\n".join((*lines, f"{lines[0]} caf\xe9\n")), encoding="latin-1")
        self.steps.append(file)
        return file, ToolUse(kind="edit", target=file.path, wanted=(lines[2],), content=self.texts.word())

    def _any_bytes(self) -> str:
        return self.rng.randbytes(BYTES).decode("latin-1")

    def _mixed(self) -> list[Unit]:
        """A few files and histories, and whatever may happen to them, in any order and side by side."""
        rng = self.rng
        there = [self._file(rng.randrange(6, 14))]
        there += [PlanFile(path=path, text=self._crlf()) for path in (self.texts.path(), self.texts.odd_path())]
        self.steps += there[1:]
        beside = self._file(2).path  # so that the folder is there, whatever becomes of the file that is written
        new = (self.texts.path(), f"{posixpath.join(posixpath.dirname(beside), self.texts.word())}.md")
        files: dict[str, str] = {step.path: step.text for step in there} | dict.fromkeys(new, "")
        units: list[Unit] = []
        last: list[ToolUse] = []
        for _ in range(MIXED[self.height]):
            steps = self._happens(files)
            replies = [self._does(*self._uses(files, last)) for _ in range(rng.randrange(1, 4))]
            if self.height > 1 and rng.random() < 0.4:
                at = rng.choice(((1,), (2,), (3,), (1, 2), (2, 3)))
                steps.append(PlanFault(fault=rng.choice((*PASSING, *BREAKING)), at=at))
            units.append([*steps, self._turn(*replies, self._says())])
        return units

    def _lives(self) -> list[Unit]:
        """Files of every name and kind, and what happens to them; restarts and failing requests between, by the level."""
        files, turns = lived(self.texts, lives(self.nonce, self.number, self.level))
        self.steps += files
        units: list[Unit] = []
        for made in turns:
            steps: Unit = [*made.updates]
            if self.height > 0 and self.rng.random() < RESTARTED:
                steps.append(PlanIncident(happens="restart"))
            elif self.height > 1 and self.rng.random() < FAILING:
                at = self.rng.choice(((1,), (2,), (3,), (1, 2), (2, 3)))
                steps.append(PlanFault(fault=self.rng.choice((*PASSING, *BREAKING, *UNREADABLE)), at=at))
            replies = *(self._does(*uses) for uses in made.replies), PlayedReply(text=made.answer)
            units.append([*steps, PlanTurn(question=made.question, replies=replies)])
        return units

    def _shells(self) -> list[Unit]:
        """A few files that are named and filled alike, and what tools, commands and updates do to them; restarts between."""
        before = (self.height + self.number) / sum(PLANS.values())  # of the plans of a nonce
        files, turns = shell_turns(self.texts, SHELLS[self.height], self.nonce, before)
        self.steps += files
        units: list[Unit] = []
        for made in turns:
            again = self.height > 0 and self.rng.random() < RESTARTED
            units.append(self._made_of(made, *([PlanIncident(happens="restart")] if again else [])))
        return units

    def _made_of(self, made: DrawnTurn, *between: PlanStep) -> Unit:
        """A turn with what updates bring before it, and an answer."""
        return [*made.updates, *between, self._turn(*(self._does(*uses) for uses in made.replies), self._says())]

    def _happens(self, files: dict[str, str]) -> list[PlanStep]:
        """What updates change, and perhaps a restart behind them."""
        rng, found = self.rng, list[PlanStep]()
        if rng.random() < 0.5:
            path = rng.choice(list(files))
            gone = bool(files[path]) and rng.random() < 0.3
            files[path] = "" if gone else rng.choice((self._crlf(), self.texts.lines(rng.randrange(2, 12))))
            found.append(PlanChange(path=path, action="delete" if gone else "new", text=files[path]))
        for name in (MAIN, *self.histories[1:]) if self.height > 0 else ():
            if rng.random() < 0.4:
                action, at = rng.choice((("append", 1.0), ("insert", rng.random()), ("delete", rng.uniform(0.3, 0.9))))
                new = () if action == "delete" else tuple(self.talks.talk(rng.randrange(1, 4)))
                change = {"session": name, "action": action, "messages": new, "at": at, "count": rng.randrange(1, 4)}
                found.append(PlanChange.model_validate(change))
        if self.height > 0 and rng.random() < 0.4:
            found.append(PlanIncident(happens="restart"))
        return found

    def _uses(self, files: dict[str, str], last: list[ToolUse]) -> list[ToolUse]:
        """Some calls of one reply, of which at most one changes a file; now and then one that was made before."""
        rng, found, changed = self.rng, list[ToolUse](), set[str]()
        for _ in range(rng.randrange(1, 5)):
            path = rng.choice(list(files))
            if last and rng.random() < 0.35 and files[last[-1].target]:
                found.append(last[-1])
            elif rng.random() < 0.15:
                found.append(ToolUse(kind="list", target=path.rpartition("/")[0]))
            elif files[path] and rng.random() < 0.15 and (numbers := LONG_NUMBER.findall(files[path])):
                found.append(ToolUse(kind="search", target="", content=rng.choice(numbers)))
            elif self.height > 0 and rng.random() < 0.15:
                found.append(self._reads(rng.choice(self.histories[1:])))
            elif path in changed or (files[path] and rng.random() < 0.5):
                last.append(ToolUse(kind=rng.choice(("read", "cat")), target=path))
                found.append(last[-1])
            else:
                found.append(self._changes(path, files))
                changed.add(path)
        return found

    def _changes(self, path: str, files: dict[str, str]) -> ToolUse:
        """A way to change a file, or to make it."""
        rng, text = self.rng, files[path]
        lines = [line for line in text.split("\n") if text.count(line) == 1 and len(line) > LEAST]
        edits = ("edit", "edit", "out") if lines else ()
        kind = rng.choice(("write", "put", "add", "drop", *edits)) if text else "write"
        new = rng.choice((self.texts.sentence(), self.texts.lines(rng.randrange(2, 6)), self._crlf()))
        if kind == "drop":
            files[path] = ""
            return ToolUse(kind="drop", target=path)
        if kind == "out":
            old = rng.choice(_cuts(rng.choice(lines).rstrip("\r")))
            files[path] = text.replace(old, "")
            return ToolUse(kind="edit", target=path, wanted=(old,))
        if kind == "edit":
            old = rng.choice(lines).rstrip("\r")
            new = f"{self.texts.sentence()} {self._between_words(rng.sample(PATTERNS, 3))}"
            files[path] = text.replace(old, new)
            return ToolUse(kind="edit", target=path, wanted=(old,), content=new)
        if kind != "write":
            new = self.texts.sentence()
        files[path] = new if kind == "write" else f"{text if kind == 'add' else ''}{new}\n"
        return ToolUse(kind=kind, target=path, content=new)

    def _crlf(self) -> str:
        """Lines as another system ends them."""
        return self.texts.lines(self.rng.randrange(6, 12)).replace("\n", "\r\n")

    def _added(self) -> list[Unit]:
        """A command adds a line to a file, twice in one reply and once in the next; one that shows another fails then.

        Behind that, and before it is read again, another line of it is replaced.
        """
        file = self._file(self.rng.randrange(3, 12))
        add = ToolUse(kind="add", target=file.path, content=self.texts.sentence())
        lines = self.texts.lines(self.rng.randrange(3, 12)).splitlines(keepends=True)
        at = self.rng.randrange(len(lines))
        other = PlanFile(path=self.texts.path(), text="".join((*lines[: at + 1], *lines[at:])))  # one of them twice
        self.steps.append(other)
        show, fails = (ToolUse(kind="cat", target=one.path, exit=status) for one, status in ((file, 0), (other, 3)))
        look = ToolUse(kind="read", target=file.path)
        old = file.text.split("\n")[0]
        change = ToolUse(kind="edit", target=file.path, wanted=(old,), content=self.texts.sentence())
        replies = (look, show, fails), (add, add), (add,), (change,), (look, show)
        return [[self._turn(*(self._does(*uses) for uses in replies), self._says())]]

    def _inside(self) -> list[Unit]:
        """A command goes to a folder and shows a file of another system, whose last line does not end; then others follow."""
        folder = f"{self.rng.choice(FOLDERS)}/{self.rng.choice(NOUNS)}"
        inside = PlanFile(path=f"{folder}/{self.texts.word()}.md", text=self._crlf().rstrip("\r\n"))
        self.steps.append(inside)
        other, new = self._file(self.rng.randrange(3, 9)), f"{self.texts.word()}.txt"
        goes = ToolUse(kind="cat", target=inside.path, inside=True)
        made = ToolUse(kind="write", target=new, content=self.texts.lines(3))
        looks = [ToolUse(kind="read", target=path) for path in (other.path, inside.path, new)]
        back = ToolUse(kind="cat", target=new, inside=True)  # some shells stay where they were left
        replies = (goes,), (looks[0], made), looks[1:], (back,)
        return [[self._turn(*(self._does(*uses) for uses in replies), self._says())]]

    def _made(self) -> list[Unit]:
        """A program writes a file that is shown before and behind it; a folder is made, and a file in it some turns later.

        A command counts what is in the workspace while it runs; others say by their status alone how they have ended.
        """
        made, folder, text = self._file(self.rng.randrange(3, 9)), self.texts.folder(), self.texts.lines(3).rstrip("\n")
        script = PlanFile(
            path=f"{self.texts.word()}.sh", text=f"printf '%s\\n' {shlex.quote(text)} > {shlex.quote(made.path)}\n"
        )
        self.steps.append(script)
        show, look = (ToolUse(kind=kind, target=made.path) for kind in ("cat", "read"))
        program = ToolUse(kind="program", target=made.path, content=text, needs=(script.path,))
        filled = ToolUse(
            kind="put", target=f"{folder}/{self.texts.word()}.csv", content=self.texts.sentence(), needs=(f"{folder}/",)
        )
        empty = ToolUse(kind="folder", target=folder)
        replies = (show,), (program,), (show, look), (empty,)
        first = self._turn(*(self._does(*uses) for uses in replies), self._says())
        looks = [ToolUse(kind="read", target=filled.target), ToolUse(kind="count", target="")]
        ends = [PlanFile(path=f"{self.texts.word()}.sh", text=f"exit {status}\n") for status in (0, 3)]
        self.steps += ends
        looks += [ToolUse(kind="status", target=one.path) for one in ends]
        return [[first], [self._turn(self._does(filled), self._does(*looks), self._says())]]

    def _scripts(self) -> list[Unit]:
        """A prompt, a file, an edit of it, another file and an answer that have no letter of English."""
        lines = [self.texts.in_script() for _ in range(self.rng.randrange(6, 12))]
        file = PlanFile(path=self.texts.path(), text="\n".join((*lines, "")))
        self.steps.append(file)
        look = ToolUse(kind="read", target=file.path)
        change = ToolUse(kind="edit", target=file.path, wanted=(lines[2],), content=self.texts.in_script())
        made = ToolUse(
            kind="write", target=self.texts.path(), content="\n".join(self.texts.in_script() for _ in range(3))
        )
        replies = map(self._does, (look, change, made, look))
        answer = PlayedReply(text=self.texts.in_script())
        return [[PlanTurn(question="\n".join(self.texts.in_script() for _ in range(2)), replies=(*replies, answer))]]

    def _long(self) -> list[Unit]:
        """In the first plan of Gold a long answer that comes in one piece, and one more turn."""
        if self.number:
            return []
        text = self._long_text()
        return [[self._turn(PlayedReply(text=text, piece=len(text)))], [self._turn(self._says())]]

    def _batch(self) -> list[Unit]:
        """A dozen calls at once, of files and a history, a slow one among them, one after another answered."""
        uses = [
            ToolUse(kind="read", target=self._file(self.rng.randrange(3, 12)).path)
            for _ in range(self.rng.randrange(10, 13))
        ]
        uses += [self._reads(name) for name in self.histories[-1:]]
        self.rng.shuffle(uses)
        slow = ToolUse(kind="cat", target=self._file(self.rng.randrange(3, 20)).path, delay=SLOW)
        uses.insert(self.rng.randrange(len(uses)), slow)
        return [[self._turn(self._does(*uses), self._says())]]

    def _replaced(self) -> list[Unit]:
        """A file is read, replaced by one of equal size, and read again; and once more, its last line being another."""
        file = self._file(self.rng.randrange(64, 100))
        look = ToolUse(kind="read", target=file.path)
        turns = [self._turn(self._does(look), self._says()) for _ in range(3)]
        text = self._of_size(len(file.text))
        end = self.texts.line(2 * LEAST)
        new = [
            PlanChange(path=file.path, action="new", text=one) for one in (text, f"{text[: -len(end) - 2]}\n{end}\n")
        ]  # the first right behind the turn, before anything else makes the harness look
        return [[turns[0], new[0], turns[1]], [new[1], turns[2]]]

    def _listed(self) -> list[Unit]:
        """A folder is listed; files go and come in a folder of it, and it is listed again; then in itself, and again.

        At last a command gives one of them another name, between two lists.

        In the plan without a past, one with many files is listed as well.
        """
        folder = f"{self.rng.choice(NOUNS)}/{self.rng.choice(DOTTED)}"
        look = self._does(ToolUse(kind="list", target=folder))
        line = self.texts.lines(1)
        huge = line * (self.rng.randrange(*HUGE) // len(line))
        self.steps.append(PlanFile(path=f"{folder}/{self.texts.word()}.csv", text=self.texts.across(huge)))
        first = self._does(*look.uses, *self._crowd()) if self.height == 0 else look
        steps: list[PlanStep] = [self._turn(first, self._says())]
        suffixes = self.rng.sample(LEFT_OUT, len(LEFT_OUT))
        for place in (f"{folder}/{self.texts.word()}", folder):
            paths = [f"{place}/{self.texts.word()}.{suffixes.pop()}" for _ in range(4)]
            paths += [f"{place}/{name}{self.rng.choice(LIKE_FOLDERS)}" for name in self.rng.sample(FOLDERS, 4)]
            self.steps += [PlanFile(path=path, text=self.texts.lines(2)) for path in (*paths[:3], *paths[4:])]
            steps.append(PlanChange(path=paths[0], action="delete"))
            steps.append(PlanChange(path=paths[3], action="new", text=self.texts.lines(2)))
            steps.append(self._turn(look, self._says()))
        named = ToolUse(kind="move", target=paths[3], content=f"{folder}/{self.texts.word()}.md")
        return [[*steps, self._turn(look, self._does(named), look, self._says())]]

    def _sought(self) -> list[Unit]:
        """Tools that search are asked for a number and for names, before and behind what changes."""
        files, turns = search_turns(self.texts)
        self.steps += files
        if self.height > 1:
            del turns[1]
        return [self._made_of(made) for made in turns]

    def _left(self) -> list[Unit]:
        """A command goes to a folder and works, another one goes there and fails; then it is asked where the next one runs.

        Tools read one of two files of the same name, of which the other is in the folder.
        """
        folder, name = self.texts.word(), f"{self.texts.word()}.md"
        paths = name, f"{folder}/{name}"
        self.steps += [PlanFile(path=path, text=self.texts.lines(3)) for path in paths]
        where, look = ToolUse(kind="where", target=""), ToolUse(kind="read", target=name)
        goes = [ToolUse(kind="go", target=folder, exit=status) for status in (0, 1)]
        back = ToolUse(kind="cat", target=name, inside=True)
        replies = map(self._does, (goes[0], where, look, goes[1], where, look, back))
        return [[self._turn(*replies, self._says())]]

    def _crowd(self) -> list[ToolUse]:
        """A folder with many files, and a list of it."""
        folder = f"{self.rng.choice(FOLDERS)}/{self.texts.word()}"
        for number in range(self.rng.randrange(*CROWD)):
            path = f"{folder}/{self.rng.choice(NOUNS)}-{number:03}.txt"
            self.steps.append(PlanFile(path=path, text=f"{self.texts.number()}\n"))
        return [ToolUse(kind="list", target=folder)]

    def _of_size(self, size: int) -> str:
        text = self.texts.lines(size // 40 + 2)[: size - 1].rstrip("\n")
        return f"{text}{'x' * (size - 1 - len(text))}\n"

    def _written(self) -> list[Unit]:
        """The agent writes files: long, over one that is there, twice, with other blanks, data; an update replaces one.

        Some have names of what is there for a while only.
        """
        path = self.texts.path()
        text = self.rng.choice((f"{self.texts.number()}", self.texts.lines(self.rng.randrange(2, 20))))
        made = ToolUse(kind="write", target=path, content=text)
        plainest = self._dealt(PLAINEST) if self.height else PLAINEST
        names = [form.format(self.texts.word()) for form in self.rng.sample(CLEARED, len(CLEARED))]
        names += [self.texts.path() for _ in plainest[len(names) :]]
        plain = [ToolUse(kind="write", target=name, content=one) for name, one in zip(names, plainest, strict=False)]
        long = ToolUse(
            kind="write",
            target=self.texts.path(),
            content=self.texts.across(self.texts.prose(self.rng.randrange(*WRITTEN[self.height]))),
        )
        before = self._file(self.rng.randrange(12, 30))
        self._aside(before)
        emptied = ToolUse(kind="write", target=self._file(self.rng.randrange(3, 9)).path)
        over = ToolUse(kind="write", target=before.path, content=self.texts.lines(self.rng.randrange(2, 6)))
        look = ToolUse(kind="read", target=path)
        shown = ToolUse(kind="cat", target=over.target)
        laid = self._file(self.rng.randrange(3, 6))
        blanks = ToolUse(kind="write", target=laid.path, content=self.rng.choice(LAID)(laid.text))
        first = self._turn(
            self._does(made, long, emptied, blanks),
            self._does(over, made, *plain),
            self._does(look, shown),
            self._says(),
        )
        units: list[Unit] = [[first]]
        change = PlanChange(path=path, action="new", text=self.texts.lines(self.rng.randrange(2, 20)))
        gone = PlanChange(path=path, action="delete")
        units += [[step, self._turn(self._does(look), self._says())] for step in (change, gone)]
        return units

    def _called(self) -> list[Unit]:
        """Files whose names have at their ends what is often put around a name are read, shown, and one is edited."""
        files = [PlanFile(path=path, text=self.texts.lines(3)) for path in self.texts.framed_paths()]
        self.steps += files
        looks = [ToolUse(kind="read", target=file.path) for file in files]
        first = files[0]
        old = first.text.split("\n")[1]
        change = ToolUse(kind="edit", target=first.path, wanted=(old,), content=self.texts.sentence())
        show = ToolUse(kind="cat", target=files[-1].path)
        later = ToolUse(kind="newer", target=first.path, content=files[1].path)
        return [[self._turn(self._does(*looks, show), self._does(change), self._does(later), self._says())]]

    def _odd(self) -> list[Unit]:
        """Every class of characters in a prompt, a reply, an answer, a file that is read, one that is written, and names."""
        shown, written = self.texts.odd_paths()
        file = PlanFile(path=shown, text=self._odd_text())
        self.steps.append(file)
        look, show = (ToolUse(kind=kind, target=file.path) for kind in ("read", "cat"))
        made = ToolUse(kind="write", target=written, content=self._odd_text())
        again = ToolUse(kind="cat", target=made.target)
        lines = file.text.split("\n")
        marked = [line for line in lines if lines.count(line) == 1 and len(line) > LEAST and "\\n" in line]
        old = self.rng.choice(marked or lines[:1])
        edit = ToolUse(kind="edit", target=file.path, wanted=(old,), content=self._between_words(PATTERNS))
        printed = ToolUse(kind="print", target=self.texts.sentence(), content=self.texts.signs())
        question = f"{self.texts.message()}\n{self.texts.odd()}\n{self.texts.tags()}\n{self.texts.sentence()}?"
        answer = PlayedReply(text=f"{self.texts.sentence()}\n{self.texts.odd()}\n{self.texts.sentence()}.")
        told = self._does(made).model_copy(update={"text": f"{self.texts.sentence()}:\n{self.texts.odd()}"})
        lists = (ToolUse(kind="list", target=path.rpartition("/")[0]) for path in (shown, written))
        replies = self._does(look, show, printed), told, self._does(again, *lists), answer
        turn = PlanTurn(question=question, replies=replies)
        return [[turn], [self._turn(self._does(edit), self._does(again), self._says())]]

    def _edited(self) -> list[Unit]:
        """A line of a file that was read is replaced, another taken out, an update edited, then all of it replaced.

        In between, a line is to be replaced that is not there, but for a number, and a block that is, but for its middle.
        """
        file = self._file(self.rng.randrange(8, 20), self.rng.choice(ENDS_OF_FILES))
        self._aside(file)
        old, out = self.rng.sample(file.text.split("\n")[1:-2], 2)
        at = self.rng.randrange(5)
        block = "\n".join(file.text.split("\n")[at : at + 3])
        several = ToolUse(kind="edit", target=file.path, wanted=(block,), content=self._indented())
        look, show = (ToolUse(kind=kind, target=file.path) for kind in ("read", "cat"))
        new = f"{self.texts.sentence()} {self._between_words(PATTERNS)}"
        change = ToolUse(kind="edit", target=file.path, wanted=(old,), content=new)
        gone = ToolUse(kind="edit", target=file.path, wanted=(f"{out}\n",))
        other, kept = self.texts.sentence(), self.texts.sentence()
        update = PlanChange(path=file.path, action="new", text=f"{self.texts.lines(3)}{other}\n{kept}\n")
        rows = "".join(f"{number} | {line}\n" for number, line in enumerate(self.texts.lines(2).splitlines(), 1))
        later = ToolUse(kind="edit", target=file.path, wanted=(f"{other}\n",), content=rows)
        put = ToolUse(kind="put", target=file.path, content=self.texts.lines(self.rng.randrange(3, 9)))
        like = NUMBER.sub(str(self.texts.number()), kept)
        first, middle, last = update.text.split("\n")[:3]
        block = "\n".join((first, NUMBER.sub(str(self.texts.number()), middle), last))
        misses = [
            ToolUse(kind="edit", target=file.path, wanted=(one,), content=self.texts.sentence(), missed=True)
            for one in (like, block)
        ]
        turns = ((look, change, show, look), (gone,), (several, look), (later, look), (*misses, look), (put, look))
        units: list[Unit] = [[self._turn(*map(self._does, turn), self._says())] for turn in turns]
        return [*units[:3], [update, *units[3]], *units[4:]]

    def _edited_at_once(self) -> list[Unit]:
        """Two lines of one file are replaced by two calls of one reply, and a third one grows by two that are equal.

        A last call of that reply is to replace in another file what is not in it. Then one of a line's words is replaced
        everywhere in the file.
        """
        file = self._file(self.rng.randrange(8, 20), self.rng.choice(ENDS_OF_FILES))
        *lines, grown = self.rng.sample(file.text.split("\n")[1:-2], 3)
        edits = [ToolUse(kind="edit", target=file.path, wanted=(old,), content=self.texts.sentence()) for old in lines]
        more = ToolUse(kind="edit", target=file.path, wanted=(grown,), content=f"{grown} {self.texts.word()}")
        edits += [more, more]
        self.rng.shuffle(edits)
        other = self._file(3).path
        edits.append(ToolUse(kind="edit", target=other, wanted=(self.texts.sentence(),), content="x", missed=True))
        looks = [ToolUse(kind="read", target=path) for path in (file.path, other)]
        word = self.rng.choice([word for word in grown.split() if word.isalpha()])
        all_over = ToolUse(
            kind="edit", target=file.path, wanted=(word,), content=self.rng.choice((f"{word} {word}", "")), every=True
        )
        replies = edits, looks, (all_over,), looks[:1]
        return [[self._turn(*(self._does(*uses) for uses in replies), self._says())]]

    def _edited_plainly(self) -> list[Unit]:
        """Of a text with typographic signs a line is replaced, as if its signs were plain: that is refused, or done there."""
        said = [(self.texts.sentence(), self.texts.sentence()) for _ in range(5)]
        lines = [f"\u201c{one}\u201d \u2013 it\u2019s\u00a0{other}\u2026" for one, other in said]
        file = PlanFile(path=self.texts.path(), text="\n".join((*lines, "")))
        self.steps.append(file)
        one, other = said[self.rng.randrange(5)]
        look = ToolUse(kind="read", target=file.path)
        plain = f'"{one}" - it\'s {other}\u2026'
        change = ToolUse(kind="edit", target=file.path, wanted=(plain,), content=self.texts.sentence(), missed=True)
        return [[self._turn(*map(self._does, (look, change, look)), self._says())]]

    def _cut_out(self) -> list[Unit]:
        """Of a file that was read a line is taken out without its end, the end of another, and the beginning of a third."""
        file = self._file(self.rng.randrange(6, 12))
        whole, behind, before = self.rng.sample(file.text.split("\n")[1:-1], 3)
        cuts = (whole, _cuts(behind)[1], _cuts(before)[2])
        edits = [self._does(ToolUse(kind="edit", target=file.path, wanted=(old,))) for old in cuts]
        look = self._does(ToolUse(kind="read", target=file.path))
        self.rng.shuffle(edits)
        return [[self._turn(look, *edits, look, self._says())]]

    def _edited_large(self) -> list[Unit]:
        """Two lines, and many at once, are replaced in a file that is larger than what is often read; its end is shown.

        By its first thousands of bytes it is ASCII.
        """
        rest = self.texts.across(self.texts.lines(LARGE - PLAINLY))
        file = PlanFile(path=self.texts.path(), text=f"{self.texts.lines(PLAINLY)}{rest}")
        self.steps.append(file)
        lines = file.text.split("\n")
        block = "\n".join(lines[600 : 600 + BLOCK])
        edits = [
            ToolUse(kind="edit", target=file.path, wanted=(old,), content=new)
            for old, new in (
                (lines[3], self.texts.sentence()),
                (lines[-3], self.texts.sentence()),
                (block, self.texts.lines(BLOCK)),
            )
        ]
        show = ToolUse(kind="cat", target=file.path, starts=(LARGE - 5,), page=6)
        return [[self._turn(*map(self._does, edits), self._does(show), self._says())]]

    def _written_large(self) -> list[Unit]:
        """A file is written that is larger than what a pipe takes at once."""
        text = self._long_text()
        write = ToolUse(kind="write", target=self.texts.path(), content=text)
        return [[self._turn(self._does(write).model_copy(update={"piece": 2_000}), self._says())]]

    def _indented(self) -> str:
        """Lines of which some are deeper, and one is empty, as in programs."""
        lines = (f"{self.rng.choice(INDENTS)}{self.texts.sentence()}" for _ in range(self.rng.randrange(2, 6)))
        return "\n".join((*lines, "", self.texts.sentence()))

    def _between_words(self, signs: Sequence[str]) -> str:
        return " ".join(f"{sign} {self.rng.choice(NOUNS)}" for sign in signs)

    def _odd_text(self) -> str:
        """A file's text with every class of characters, and with blanks at the ends of lines."""
        lines = [
            *self.texts.odd().split("\n"),
            *self.texts.tags().split("\n"),
            *self.texts.secrets().split("\n"),
            f"\t{self.texts.sentence()}",
            f"{self.texts.sentence()}  ",
            "",
            "   ",
        ]
        lines.append(f"    {self.texts.sentence()}\t")
        self.rng.shuffle(lines)
        return "\n".join((self.texts.sentence(), *lines, self.texts.sentence())) + self.rng.choice(ENDINGS)

    def _paged(self) -> list[Unit]:
        """A file of many lines is read, read by pages, and shown in part by commands."""
        count, size = self.rng.choice(PAGED), self.rng.choice((100, 150, 200, 211))
        file = PlanFile(path=self.texts.path(), text=self.texts.across(self.texts.short_lines(count)))
        self.steps.append(file)
        first = 1 if self.height == 0 else self.rng.choice((1, 1, count // 2))
        starts = tuple(range(first, count, size))[: 3 - self.height // 2]
        pages = ToolUse(kind="pages", target=file.path, starts=starts, page=size)
        parts = ToolUse(kind="cat", target=file.path, starts=(count - 90, count - 50), page=40)
        once = [ToolUse(kind="pages", target=file.path, starts=(at,), page=30) for at in (1, 31, 61)]
        again = once[self.rng.randrange(3)]
        looks = [self._does(pages), self._does(parts), self._does(*once), self._does(again)]
        if self.height == 0:
            looks.append(self._does(ToolUse(kind="read", target=file.path, whole=True)))
        self.rng.shuffle(looks)
        old = file.text.split("\n")[
            self.rng.randrange(20)
        ]  # of a page: what is behind it stays, some lines further down
        change = self._does(ToolUse(kind="edit", target=file.path, wanted=(old,), content=self.texts.lines(3)))
        return [[self._turn(*looks, change, self._does(again), self._says())]]

    def _many(self) -> list[Unit]:
        """A turn of many steps."""
        file = self._file(60)
        looks = [
            self._does(ToolUse(kind="cat", target=file.path, starts=(2 * at + 1,), page=2))
            for at in range(self.rng.randrange(*STEPS))
        ]
        return [[self._turn(*looks, self._says())]]

    def _halting(self) -> list[Unit]:
        """A reply in whose middle nothing comes for a while, and a command that takes one; in the first plan a long one."""
        file = self._file(self.rng.randrange(3, 20))
        reply = PlayedReply(text=self.texts.prose(400), pause=PAUSE)
        slow = self._does(ToolUse(kind="cat", target=file.path, delay=PAUSE if self.number else LASTS))
        return [[self._turn(slow, reply)]]

    def _failures(self) -> list[Unit]:
        """Files that begin with what programs say when they fail, are read, shown, written, and printed by a command."""
        said = self.texts.errors(4)
        first, *texts = (f"{one}\n{self.texts.lines(3)}" for one in said)
        plain = next(one for one in said if "/" not in one)  # a guard takes that for a path
        files = [PlanFile(path=self.texts.path(), text=text) for text in texts]
        self.steps += files
        made = ToolUse(kind="write", target=self.texts.path(), content=first)
        printed = ToolUse(kind="print", target=self.texts.sentence(), content=plain.split("\n")[0])
        looks = [ToolUse(kind=kind, target=file.path) for file in files for kind in ("read", "cat")]
        self.rng.shuffle(looks)
        again = ToolUse(kind="read", target=made.target)
        return [[self._turn(self._does(made, *looks), self._does(again, printed), self._says())]]

    def _dropped(self) -> list[Unit]:
        """The agent removes a file, and gives one that it has edited a new name, and looks; then the first comes back."""
        out, moved = (self._file(self.rng.randrange(3, 20)) for _ in range(2))
        old = self.rng.choice(moved.text.split("\n")[:-1])
        edit = ToolUse(kind="edit", target=moved.path, wanted=(old,), content=self.texts.sentence())
        new = f"{moved.path.rpartition('.')[0]}-{self.rng.choice(NOUNS)}.md"
        looks = [ToolUse(kind="read", target=file.path) for file in (out, moved)]
        drop, move = ToolUse(kind="drop", target=out.path), ToolUse(kind="move", target=moved.path, content=new)
        lists = [ToolUse(kind="list", target=path.rpartition("/")[0]) for path in (out.path, new)]
        show = ToolUse(kind="read", target=new)
        change = PlanChange(path=out.path, action="new", text=self.texts.lines(self.rng.randrange(3, 20)))
        return [
            [
                self._turn(
                    *map(self._does, (*looks, edit)), self._does(drop, move), self._does(show, looks[0]), self._says()
                )
            ],
            [self._turn(self._does(*lists), self._does(*looks, show), self._says())],
            [change, self._turn(self._does(looks[0], show), self._says())],
        ]

    def _usual(self) -> list[Unit]:
        """Files that lead programs lie at the top of the workspace; the agent writes others that some of them would change."""
        self.steps += [PlanFile(path=path, text=text) for path, text in USUAL.items()]
        written = [
            ToolUse(
                kind="write", target=f"{self._place(suffix)}.{suffix}",
                content=text.format(self.texts.word()) + self.rng.choice(ENDINGS[:3]),
            )
            for suffix, text in TAKEN.items()
        ]  # fmt: skip
        edited = self.rng.choice([use for use in written if use.content.count("\n") > 1])
        old = next(line for line in edited.content.split("\n") if line.strip() and edited.content.count(line) == 1)
        change = ToolUse(kind="edit", target=edited.target, wanted=(old,), content=f"  {old}\n\n{self.texts.word()}")
        looks = [ToolUse(kind=self.rng.choice(("read", "cat")), target=use.target) for use in written]
        looks += [ToolUse(kind="read", target=path) for path in self.rng.sample([*USUAL], 3)]
        places = [posixpath.dirname(use.target) for use in written if "[" in use.target or use.target.startswith(".")]
        lists = [ToolUse(kind="list", target=place) for place in places]
        first = self._turn(
            self._does(*written[::2]), self._does(*written[1::2]), self._does(*looks, *lists), self._says()
        )
        return [[first], [self._turn(self._does(change), self._does(*looks[:4], *lists), self._says())]]

    def _place(self, suffix: str) -> str:
        """Where a written file goes: those of a service into its folder."""
        name = self.texts.word()
        return {"yml": f".github/workflows/{name}", "ts": f"src/[{name}]/page"}.get(suffix, name)

    def _kinds(self) -> list[Unit]:
        """Files of many kinds, each with what such a file has and some program may take for more than a text, are read."""
        files = [PlanFile(path=self.texts.named(name), text=self.texts.kind(lines)) for name, lines in KINDS.items()]
        self.steps += files
        looks = [ToolUse(kind="read", target=file.path) for file in files]
        self.rng.shuffle(looks)
        return [[self._turn(self._does(*looks[::2]), self._does(*looks[1::2]), self._says())]]

    def _missing(self) -> list[Unit]:
        """Files are asked for that are not there, beside some with nearly that name, or of that name elsewhere.

        Beside them, two files whose names are alike are there, and a tool is called that is not.
        """
        file = self._file(self.rng.randrange(3, 12))
        twin = PlanFile(path=self.texts.twin(file.path), text=self.texts.lines(self.rng.randrange(3, 12)))
        self.steps.append(twin)
        stray = ToolUse(kind="stray", target=f"{self.rng.choice(TOOLS)}_v2", content=file.path)
        others = [one for _ in range(3) for one in [self.texts.similar(file.path)] if one != twin.path]
        others.append(f"{self.texts.word()}/{file.path.rpartition('/')[2]}")
        empty = PlanFile(path=self.texts.path(), text="")
        self.steps.append(empty)
        uses = [ToolUse(kind="read", target=path) for path in dict.fromkeys((*others, empty.path))]
        there = [ToolUse(kind="read", target=one.path) for one in (file, twin)]
        return [[self._turn(self._does(*uses), self._does(stray, *there), self._says())]]

    def _wordless(self) -> list[Unit]:
        """A reply says something and calls a tool, and the last one says nothing; then all is well again.

        In the first plan the model thinks before it says nothing at all, in the others it says nothing in some way.
        """
        look = ToolUse(kind="read", target=self._file(self.rng.randrange(3, 12)).path)
        before = PlayedReply(text=self.texts.prose(self.rng.choice((30, 300))), uses=(look,))
        if self.number:
            last = PlayedReply(text=self.rng.choice(WORDLESS), thought=self._thought())
        else:
            last = PlayedReply(thought=self.texts.prose(120))
        turn = PlanTurn(question=f"{self.texts.message()} What follows?", replies=(before, last), wordless=True)
        return [[turn], [self._turn(self._says())]]

    def _deleted(self) -> list[Unit]:
        """A file is read, deleted by an update, and asked for again."""
        file = self._file(self.rng.randrange(3, 40))
        look = ToolUse(kind="read", target=file.path)
        gone = PlanChange(path=file.path, action="delete")
        return [[self._turn(self._does(look), self._says())], [gone, self._turn(self._does(look), self._says())]]

    def _brought(self) -> list[Unit]:
        """An update brings a file in a new folder, the agent reads it; it is replaced, and goes."""
        path = f"{self.texts.word()}/{self.texts.path()}"
        size = self.rng.randrange(2, 30)
        new = [PlanChange(path=path, action="new", text=self.texts.lines(size)) for _ in range(2)]
        look = ToolUse(kind="read", target=path)
        steps = (*new, PlanChange(path=path, action="delete"))
        return [[change, self._turn(self._does(look), self._says())] for change in steps]

    def _inserted(self) -> list[Unit]:
        """The main session gets messages at its beginning, in the middle, at the end, and loses some."""
        units: list[Unit] = []
        for action, at in (
            ("insert", self.rng.uniform(0.1, 0.7)),
            ("append", 1.0),
            ("delete", self.rng.uniform(0.2, 0.8)),
        ):
            new = (
                () if action == "delete" else tuple(self.talks.message("user") for _ in range(self.rng.randrange(1, 4)))
            )
            if action == "append":
                new = (*new, self.talks.message("user", self.texts.prose(self.rng.randrange(*BROUGHT))))
            change = PlanChange.model_validate(
                {"session": MAIN, "action": action, "messages": new, "at": at, "count": self.rng.randrange(1, 4)}
            )
            units.append([change, self._turn(self._says())])
        self.rng.shuffle(units)
        first = PlanChange(session=MAIN, action="insert", at=0.0, messages=(self.talks.message("user"),))
        units.append([first, self._turn(self._says())])
        return [*units, self._behind_its_like(), self._corrected(), *self._put_back(), *self._wished()]

    def _wished(self) -> list[Unit]:
        """Somebody wishes something for good; then the wish is taken back, and its message is gone."""
        wish = self.talks.message("user", f"{self.rng.choice(WISHES)} {self.texts.sentence()}.")
        put = PlanChange(session=MAIN, action="insert", at=self.rng.uniform(0.5, 0.9), messages=(wish,))
        gone = PlanChange(session=MAIN, action="delete", behind=wish.id)
        return [[put, self._turn(self._says())], [gone, self._turn(self._says())]]

    def _corrected(self) -> Unit:
        """A message of the main session is replaced by another one, so that there are as many as before."""
        at, new = self.rng.uniform(0.2, 0.6), (self.talks.message("user"),)
        gone = PlanChange(session=MAIN, action="delete", at=at)
        return [gone, PlanChange(session=MAIN, action="insert", at=at, messages=new), self._turn(self._says())]

    def _put_back(self) -> list[Unit]:
        """A message of the main session is replaced by another one, and then by one that says what it said at first.

        In another, only who says it changes; of two that say the same, the first goes.
        """
        said = [one for one in self._given() if one.role == "user" and one.text and not one.speaker]
        back, turned = self.rng.sample(said[1:-1], 2)
        twice = next((one for one in said if one.text in [two.text for two in said if two is not one]), None)
        new = self.talks.message("user")
        again = back.model_copy(update={"id": f"{back.id}b"})
        other = turned.model_copy(update={"id": f"{turned.id}b", "role": "assistant"})
        units = [self._instead(back, new), self._instead(new, again), self._instead(turned, other)]
        gone = [PlanChange(session=MAIN, action="delete", behind=one.id, at=0.5) for one in (twice,) if one is not None]
        return [units[0], units[1], [*units[2][:-1], *gone, units[2][-1]]]

    def _instead(self, old: Message, new: Message) -> Unit:
        """One message in the place of another."""
        put = PlanChange(session=MAIN, action="insert", at=1.0, behind=old.id, messages=(new,))
        return [put, PlanChange(session=MAIN, action="delete", at=0.5, behind=old.id), self._turn(self._says())]

    def _given(self) -> Sequence[Message]:
        """The past of the main session."""
        return next(one.messages for one in self.steps if isinstance(one, PlanSeed) and one.session == MAIN)

    def _behind_its_like(self) -> Unit:
        """The main session gets a message behind the second of two that say the same."""
        said, found = set[tuple[str, str]](), list[str]()
        for message in self._given():
            words = (message.role, message.text)
            if words in said and message.text and not message.tool_calls:
                found.append(message.id)
            said.add(words)
        new = (self.talks.message("user"),)
        change = PlanChange(session=MAIN, action="insert", behind=self.rng.choice(found), messages=new)
        return [change, self._turn(self._says())]

    def _talk(self) -> list[Unit]:
        """A history is read, grows, and is read again."""
        name = self.histories[0]
        units: list[Unit] = [[self._turn(self._does(self._reads(name)), self._says())]]
        for action, at in (("append", 1.0), ("insert", self.rng.random())):
            new = tuple(self.talks.talk(self.rng.randrange(1, 5)))
            change = PlanChange.model_validate({"session": name, "action": action, "messages": new, "at": at})
            units.append([change, self._turn(self._does(self._reads(name)), self._says())])
        return units

    def _talk_begun(self) -> list[Unit]:
        """A history begins, with a long message and one with line ends of another system, and is read."""
        name = self.texts.word()
        long = self.talks.message("user", self.texts.across(self.texts.prose(self.rng.randrange(*BROUGHT))))
        ended = self.talks.message("assistant", "\r\n".join(self.texts.sentence() for _ in range(3)))
        new = (*self.talks.talk(self.rng.randrange(2, 12)), long, ended)
        change = PlanChange(session=name, action="new", messages=new)
        return [[change, self._turn(self._does(self._reads(name)), self._says())]]

    def _talks_at_once(self) -> list[Unit]:
        """Histories with names alike begin, and the main session and all of them grow at once."""
        names = self.texts.alike()
        begun = [
            PlanChange(session=one, action="new", messages=tuple(self.talks.talk(self.rng.randrange(2, 6))))
            for one in names
        ]
        grown = [
            PlanChange(session=one, action="append", at=1.0, messages=tuple(self.talks.talk(self.rng.randrange(1, 4))))
            for one in (*names, MAIN)
        ]
        look = self._does(*map(self._reads, names))
        return [[*begun, self._turn(look, self._says())], [*grown, self._turn(look, self._says())]]

    def _talk_deleted(self) -> list[Unit]:
        """A history loses messages, or all of them."""
        name = self.rng.choice(self.histories)
        whole = self.rng.random() < 0.2 and name != self.histories[0]
        count = 10_000 if whole else self.rng.randrange(2, 6)
        change = PlanChange(session=name, action="delete", at=self.rng.uniform(0, 0.8), count=count)
        return [[change, self._turn(self._does(self._reads(name)), self._says())]]

    def _restarted(self) -> list[Unit]:
        """Closed and opened again from its checkpoint while updates are on their way: all is there, what is new as well."""
        name = self.histories[-1]
        look = self._does(*map(self._reads, self.histories))
        late = self._news(name)[: self.rng.randrange(3)]
        return [
            [*self._news(name), self._turn(self._says())],
            [*late, PlanIncident(happens="restart"), self._turn(look, self._says())],
            [self._turn(self._says())],
        ]

    def _news(self, name: str) -> list[PlanStep]:
        """A history and the main session grow."""
        found: list[PlanStep] = []
        for session in (MAIN, name):
            said = tuple(self.talks.talk(self.rng.randrange(1, 4)))
            found.append(PlanChange(session=session, action="append", at=1.0, messages=said))
        self.rng.shuffle(found)
        return found

    def _failing(self) -> list[Unit]:
        """One or two requests of a turn fail; the next are answered. In the first plan it is a limit of requests."""
        look = ToolUse(kind="read", target=self._file(self.rng.randrange(3, 20)).path)
        kind = self.rng.choice(PASSING) if self.number else "429"
        fault = PlanFault(fault=kind, at=self.rng.choice(((1,), (2,), (1, 2), (2, 3), (1, 2, 3))))
        return self._mended(fault, look)

    def _unreadable(self) -> list[Unit]:
        """Once or twice comes what nobody can read in the place of a reply."""
        fault = PlanFault(fault=self.rng.choice(UNREADABLE), at=self.rng.choice(((1,), (2,), (1, 2))))
        look = ToolUse(kind="read", target=self._file(self.rng.randrange(3, 20)).path)
        return self._mended(fault, look)

    def _mended(self, fault: PlanFault, look: ToolUse) -> list[Unit]:
        """A turn with a reading in which requests fail for a time, and one behind it."""
        return [[fault, self._turn(self._does(look), self._says())], [self._turn(self._says())]]

    def _again(self) -> list[Unit]:
        """The requests that have results fail at the server, and what was done is not done again, nor undone."""
        file, other = (self._file(self.rng.randrange(3, 12)) for _ in range(2))
        add = ToolUse(kind="add", target=file.path, content=self.texts.sentence())
        made = ToolUse(kind="write", target=other.path, content=self.texts.lines(3))
        looks = [ToolUse(kind="cat", target=file.path), ToolUse(kind="read", target=other.path)]
        faults = [PlanFault(fault=self.rng.choice(SERVER), at=(at,)) for at in (2, 4)]
        turn = self._turn(self._does(add, made), self._does(*looks), self._says())
        return [[*faults, turn], [self._turn(self._says())]]

    def _broken(self) -> list[Unit]:
        """Replies break off: one with a call, within it or behind, and when that was asked for again, the answer."""
        units: list[Unit] = []
        for kind, first in zip(BREAKING, BROKEN_CALLS, strict=True):
            file = self._file(self.rng.randrange(3, 20))
            look = ToolUse(kind="read", target=file.path)
            add = ToolUse(kind="add", target=file.path, content=self.texts.sentence())
            faults = [PlanFault(fault=first, at=(1,)), PlanFault(fault=kind, at=(3,))]
            units.append([*faults, self._turn(self._does(add), self._does(look), self._says())])
        return [*units, [self._turn(self._says())]]

    def _failed(self) -> list[Unit]:
        """Every request of a turn fails, and in another all behind a call; the next turns are well again.

        In the first plan that one has no further attempt, so that what comes back of it is of the request that was answered.
        """
        look = self._does(ToolUse(kind="read", target=self._file(self.rng.randrange(3, 20)).path))
        begun = look.model_copy(update={"text": self.texts.prose(200)})
        first = PlanFault(fault=self.rng.choice(FOR_GOOD))
        later = PlanFault(fault=self.rng.choice(FOR_GOOD if self.number else REFUSED), after=1)
        well = self._turn(self._says())  # in the same process, so that what it has reported in all is known
        return [
            [first, self._turn(self._says())],
            [self._turn(self._says())],
            [well, later, self._turn(begun, self._says())],
            [self._turn(self._says())],
        ]

    def _held(self, happens: IncidentKind) -> list[Unit]:
        file = self._file(self.rng.randrange(3, 20))
        write = ToolUse(kind="write", target=file.path, content=self.texts.lines(3))
        at = self.rng.choice((1, 2, 2))
        replies = [self._does(write), self._says()]
        replies[at - 1] = replies[at - 1].model_copy(update={"hang": True})
        brought = PlanChange(path=self.texts.path(), action="new", text=self.texts.lines(self.rng.randrange(2, 30)))
        told = PlanChange(session=MAIN, action="append", at=1.0, messages=(self.talks.message("user"),))
        changed = PlanChange(path=file.path, action="new", text=self.texts.lines(5))
        after = self._does(
            *(ToolUse(kind=kind, target=path) for path in (brought.path, file.path) for kind in ("read", "cat"))
        )
        again = [PlanIncident(happens="restart")] if self.rng.random() < 0.5 else []
        name = self.histories[-1]
        grown = PlanChange(session=name, action="append", at=1.0, messages=tuple(self.talks.talk(2)))
        edit = ToolUse(
            kind="edit", target=file.path, wanted=(changed.text.split("\n")[1],), content=self.texts.sentence()
        )
        asks = [ToolUse(kind="list", target=file.path.rpartition("/")[0]), self._reads(name), edit]
        return [
            [brought, told, PlanIncident(happens=happens, request=at), self._turn(*replies)],
            [changed, grown, *again, self._turn(after, self._does(*asks), self._does(after.uses[2]), self._says())],
        ]

    def _killed(self) -> list[Unit]:
        return self._held("kill")

    def _cancelled(self) -> list[Unit]:
        """A turn is cancelled, in the second plan twice; its prompt comes again, word for word."""
        first, after = self._held("cancel")
        *_, turn = first
        if not self.number or not isinstance(turn, PlanTurn):
            return [first, after]
        held = PlanIncident(happens="cancel", request=1)
        stopped = turn.model_copy(update={"replies": (PlayedReply(text=self.texts.sentence(), hang=True),)})
        asked = turn.model_copy(update={"replies": (self._says(),)})
        return [first, [held, stopped], [asked], after]

    def _paused(self) -> list[Unit]:
        """The processes stand still for a moment in the middle of a turn."""
        look = ToolUse(kind="read", target=self._file(self.rng.randrange(3, 20)).path)
        return [[PlanIncident(happens="pause", request=1), self._turn(self._does(look), self._says())]]

    def _reads(self, name: str) -> ToolUse:
        return ToolUse(kind="history", target=name)


def _cuts(line: str) -> tuple[str, str, str]:
    """What may be taken out of a sentence: all of it, its end or its beginning; each has its number and stands alone."""
    found = NUMBER.search(line)
    begin, end = found.span() if found else (1, len(line))
    return line, line[begin - 1 :], line[:end]
