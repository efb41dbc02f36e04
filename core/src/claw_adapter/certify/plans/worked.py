"""A plan in a scenario of others: its sessions, files, prompts and updates, and in each turn work with every tool.

Drawn sessions have what somebody thought of; a scenario has what a benchmark has. The reader only reads and writes whole
files, so here the model does what agents do besides: it lists, searches, edits, runs commands, copies, moves and removes.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Iterator, Sequence
from random import Random
from typing import Final

from claw_adapter.certify.plans.plan import (
    MAIN,
    PlanChange,
    PlanEncoding,
    PlanFault,
    PlanFile,
    PlanIncident,
    PlanSeed,
    PlanStep,
    PlanTurn,
    SessionPlan,
)
from claw_adapter.certify.plans.shells import Shells
from claw_adapter.certify.plans.texts import Texts
from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import CommandEffect, PlayedReply, ToolUse
from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Round, Scenario, Session, Update, UpdateAction
from claw_adapter.scenario.world import World, apply_action, first_world

__all__ = ["worked_plan"]

ROUNDS: Final = 16
"""Turns, those with updates among them."""
FEW: Final = 4_000
"""Characters of a file that commands copy, join and show whole."""
LARGE: Final = 20_000
"""Characters of a file that is only read by parts."""
MOST: Final = 300_000
"""Bytes of a file that is taken along."""
LEAST: Final = 12
"""Characters of a line that an edit replaces, at least."""
NEW: Final = 3
"""Paths at which there may be notes."""
TEXTS: Final = 5
"""Texts that files have by turns."""
RESTARTED: Final = 0.2
FAILING: Final = 0.25
FAULTS: Final[tuple[FaultKind, ...]] = ("429", "500", "503", "cut", "gateway")
NUMBER: Final = re.compile(r"\d+")


def worked_plan(scenario: Scenario, nonce: str, number: int) -> SessionPlan:
    """The plan `number` of a nonce, in this scenario: always the same for the same three."""
    return _Working(scenario, nonce, number).plan()


class _Working:
    def __init__(self, scenario: Scenario, nonce: str, number: int) -> None:
        self.scenario, self.nonce, self.number = scenario, nonce, number
        self.rng = Random(f"{nonce}/{number}/{scenario.id}")
        self.texts = Texts(self.rng)
        self.brought: list[str] = []
        """What updates have brought before the next turn."""
        world = first_world(scenario)
        self.sessions = dict(world.sessions)
        self.steps: list[PlanStep] = [*self._seeds()]
        self.other: dict[str, bytes] = {}
        """Files that no command copies or moves: those at the top, long ones, and what is no plain text."""
        few: dict[str, str] = {}
        for path, data in sorted(world.files.items()):
            if len(data) > MOST:
                continue
            text, encoding = _decoded(data)
            mode = (scenario.workspace / path).stat().st_mode
            self.steps.append(PlanFile(path=path, text=text, encoding=encoding, executable=bool(mode & 0o100)))
            if _plain(path, data):
                few[path] = text
            else:
                self.other[path] = data
        pool = self.rng.sample([*few.values()], min(TEXTS, len(few))) or [self.texts.lines(5)]
        new = [
            f"{path.rpartition('/')[0]}/{self.texts.word()}.md" for path in self.rng.sample([*few], min(NEW, len(few)))
        ]
        self.shells = Shells(self.texts, f"{nonce}/worked", number / 2, few, pool, new=new)

    def plan(self) -> SessionPlan:
        """All of it."""
        for at in self._chosen():
            self.steps += [*self._before(self.scenario.rounds[at]), self._turn(self.scenario.rounds[at])]
        return SessionPlan(
            nonce=self.nonce, number=self.number, level="gold", name=f"{self.scenario.id}-{self.number}",
            model=self.texts.model(), clock=self.scenario.manifest.clock, steps=tuple(self.steps),
            within=self.scenario.id,
        )  # fmt: skip

    def _seeds(self) -> Iterator[PlanSeed]:
        main, *histories = self.scenario.sessions
        yield PlanSeed(session=MAIN, messages=main.messages)
        for one in histories:
            yield PlanSeed(session=one.id, messages=one.messages, title=one.title, channel=one.channel)

    def _chosen(self) -> Sequence[int]:
        """The places of the rounds that are played: those with updates, and others."""
        every = range(len(self.scenario.rounds))
        updated = [at for at in every if self.scenario.rounds[at].updates]
        others = [at for at in every if at not in updated]
        return sorted((*updated, *self.rng.sample(others, min(len(others), max(0, ROUNDS - len(updated))))))

    # before a turn

    def _before(self, item: Round) -> Iterator[PlanStep]:
        """Its updates; perhaps a restart, or requests that fail."""
        self.brought = []
        for update in self.scenario.expand(item.updates):
            for action in update.actions:
                with contextlib.suppress(ScenarioError):  # what the agent has moved away cannot be changed
                    yield from self._changed(update, action)
        if self.rng.random() < RESTARTED:
            yield PlanIncident(happens="restart")
        elif self.rng.random() < FAILING:
            yield PlanFault(fault=self.rng.choice(FAULTS), at=self.rng.choice(((1,), (2,), (3,))))

    def _changed(self, update: Update, action: UpdateAction) -> Iterator[PlanChange]:
        here = {path: text.encode() for path, text in self.shells.files.items()}
        before = World({**self.other, **here}, self.sessions)
        after = apply_action(self.scenario, before, update, action)
        if action.session is not None:
            old, new = self.sessions.get(action.session), after.sessions[action.session]
            self.sessions[action.session] = new
            name = MAIN if action.session == self.scenario.main.id else action.session
            yield from _said(name, action, old, new)
        elif action.workspace is not None:
            yield self._placed(action.workspace, after.files.get(action.workspace))

    def _placed(self, path: str, data: bytes | None) -> PlanChange:
        """A file is other than before, or gone."""
        self.shells.files.pop(path, None)
        self.other.pop(path, None)
        if data is None:
            return PlanChange(path=path, action="delete")
        text, encoding = _decoded(data)
        self.brought.append(path)
        if _plain(path, data):
            self.shells.add(path, text)
        else:
            self.other[path] = data
        return PlanChange(path=path, action="new", text=text, encoding=encoding)

    # the turn

    def _turn(self, item: Round) -> PlanTurn:
        uses = [self._around(), *self.shells.worked(self.rng.randrange(1, 3)), *self._in_long()]
        replies = [
            PlayedReply(text=self.texts.sentence() if self.rng.random() < 0.5 else "", uses=tuple(one))
            for one in uses
            if one
        ]
        said = PlayedReply(text=self.texts.prose(self.rng.choice((40, 300))))
        return PlanTurn(question=item.question, options=tuple(item.options.values()), replies=(*replies, said))

    def _around(self) -> list[ToolUse]:
        """What is looked at first: what updates have brought, a folder, another file, a history, words in several files."""
        rng = self.rng
        uses = [self._shown(path) for path in self.brought[:3]]
        paths = [*self.shells.files, *self.other]
        uses.append(ToolUse(kind="list", target=rng.choice(paths).rpartition("/")[0]))
        uses.append(self._shown(rng.choice(sorted(self.other) or paths)))
        if rng.random() < 0.5:
            uses.append(
                ToolUse(
                    kind="history", target=rng.choice([one for one in self.sessions if one != self.scenario.main.id])
                )
            )
        if len(self.shells.files) > 1:
            uses.append(self._searched())
        rng.shuffle(uses)
        return list({(use.kind, use.target): use for use in uses}.values())

    def _shown(self, path: str) -> ToolUse:
        """A file is read, or, where it is long, some of its lines are shown."""
        text = self._text(path)
        if text is None or len(text) <= LARGE:
            return ToolUse(kind="read", target=path)
        count = text.count("\n")
        page = min(40, count)
        first = self.rng.randrange(1, max(2, count - page))
        return ToolUse(kind="cat", target=path, starts=(first,), page=page)

    def _text(self, path: str) -> str | None:
        """What a file has, where that is text."""
        if path in self.shells.files:
            return self.shells.files[path]
        text, encoding = _decoded(self.other.get(path, b""))
        return text if encoding == "utf-8" else None

    def _searched(self) -> ToolUse:
        """A word is looked for in two files, and in one that is not there."""
        one, other = self.rng.sample([*self.shells.files], 2)
        word = self.shells.word(one)
        lines = [
            f"{path}:{line}\n"
            for path in (one, other)
            for line in self.shells.files[path].split("\n")[:-1]
            if word in line
        ]
        missing = f"{one}.old"
        return ToolUse(
            kind="run", target=f"grep {word} {shlex.join((one, other, missing))}",
            effect=CommandEffect(
                given={one: self.shells.files[one], other: self.shells.files[other], missing: None}, prints="".join(lines)
            ),
        )  # fmt: skip

    def _in_long(self) -> list[list[ToolUse]]:
        """At times a line of a longer file is replaced, and what is there is shown."""
        texts = {path: text for path in sorted(self.other) if "/" in path and (text := self._text(path))}
        if not texts or self.rng.random() < 0.5:
            return []
        path = self.rng.choice([*texts])
        lines = texts[path].split("\n")
        able = [at for at, line in enumerate(lines) if len(line) >= LEAST and "\r" not in line]
        for at in self.rng.sample(able, min(20, len(able))):
            old = lines[at]
            new = NUMBER.sub(str(self.texts.number()), old, count=1)
            if new != old and texts[path].count(old) == 1:
                self.other[path] = texts[path].replace(old, new).encode()
                edit = ToolUse(kind="edit", target=path, wanted=(old,), content=new)
                return [[edit], [ToolUse(kind="cat", target=path, starts=(max(1, at - 5),), page=12)]]
        return []


def _said(name: str, action: UpdateAction, old: Session | None, new: Session) -> Iterator[PlanChange]:
    """What an action does to a session."""
    before = old.messages if old is not None else ()
    known = {one.id for one in before}
    came = tuple(one for one in new.messages if one.id not in known)
    if action.action == "delete":
        for first, last in sorted(action.ranges, reverse=True):
            yield PlanChange(session=name, action="delete", behind=before[first - 1].id, count=last - first + 1)
    elif old is None:
        yield PlanChange(session=name, action="new", messages=came)
    elif action.action == "insert":
        behind = before[action.after - 1].id if action.after else ""
        yield PlanChange(session=name, action="insert", messages=came, behind=behind)
    else:
        yield PlanChange(session=name, action="append", messages=came, at=1.0)


def _decoded(data: bytes) -> tuple[str, PlanEncoding]:
    try:
        return data.decode(), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _plain(path: str, data: bytes) -> bool:
    """Whether a file has lines with which commands do what is known of them: short, ended, of letters that all shells take."""
    text, encoding = _decoded(data)
    lines = text.split("\n")
    return (
        "/" in path
        and encoding == "utf-8"
        and 0 < len(text) <= FEW
        and text.splitlines() == lines[:-1]
        and not lines[-1]
        and not {"\\", "\0", "\t"} & {*text}
    )
