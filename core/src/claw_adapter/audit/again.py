"""The calls of a run, done once more: what commands print here, and what a turn leaves, against what was there.

Beside the ledger, which starts nothing, and only where somebody asks for it. A command is run in the sandbox, where its harness
has run it: in the workspace as it was when the turn began, with what the calls before it have written. What differs is no
violation, for another machine has other programs; it is a place to look at.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import tempfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from claw_adapter.audit.course import AuditStep, Steps, effect_of
from claw_adapter.audit.ledger import TrialFacts, calls_of
from claw_adapter.audit.listings import names_in
from claw_adapter.audit.purpose import command_of, leaves, seeks
from claw_adapter.audit.records import CallOtherwise, CallsAgain
from claw_adapter.audit.results import LEAST, flat_of
from claw_adapter.audit.searches import is_due, search_in
from claw_adapter.audit.units import arguments_of
from claw_adapter.audit.untouched import files_in
from claw_adapter.folders import remove_tree
from claw_adapter.patterns import WORKING_FOLDER, key_of, takes_patterns_in
from claw_adapter.protocol import RoundRecord
from claw_adapter.protocol.limits import Clip
from claw_adapter.runs.store import Store
from claw_adapter.sandbox import IsolationLevel, run_check
from claw_adapter.workspace.restore import Restorer
from claw_adapter.workspace.snapshot import Snapshotter
from claw_adapter.workspace.tree import Entry, Tree, difference, excluder, read_tree

__all__ = ["calls_again"]

DEADLINE: Final = 20.0
"""Seconds that a command may take here."""
MARK: Final = "claw-shell-state-7f3a"
PLACE: Final = re.compile(r"[^\s'\":=]*/workspace(?=[/\s'\":,;)]|$)")
"""Where a workspace is: each trial, and each run here, has another place."""
TOLD: Final = "/agent/workspace"
"""Where a harness is told that it is, at isolation 2."""
BLANKS: Final = re.compile(r"\s+")
SECONDS: Final = re.compile(r"\d+\.\d+")
NO_PROGRAM: Final = (126, 127)
"""How a shell ends that has not found a program, or may not run it."""
MOST: Final = 20
"""Files that have what is looked for, up to which a result is to name them all."""
HERE: Final = "\0"
"""Stands for the workspace in what is kept of a shell from one turn to the next."""
OWN: Final = frozenset({
    "HOME", "PWD", "OLDPWD", "SHLVL", "TMPDIR", "LANG", "LC_ALL", "TZ", "COLUMNS", "PYTHONHASHSEED", "_",
})  # fmt: skip
"""Names that a shell exports which are no work of a command before it."""
OTHER: Final = {"TZ": "Asia/Kolkata", "PYTHONHASHSEED": "11", "COLUMNS": "60"}
"""The environment of a second run, in another place: what differs by that says nothing of a harness."""
NAME: Final = re.compile(r"[A-Za-z_]\w*")
"""Of a variable; functions that are exported have others."""
UNKNOWN: Final = "after a call of unknown effect"
VARIES: Final = "they print something else each time"
MISSING: Final = "they need a program that is not here"
LATE: Final = "they take too long"
CUT: Final = "a declared cut is shorter"


@dataclass(frozen=True, slots=True)
class _Way:
    """How a harness may run commands: in a shell of its own each, or in one that stays as they leave it."""

    shell: str
    stays: bool


@dataclass(slots=True)
class _Told:
    """What a command has printed here, the lines of its two outputs."""

    out: list[str] = field(default_factory=list)
    err: list[str] = field(default_factory=list)
    """Without what the shell itself says, which each shell says in its own way."""
    status: int = 0
    """With which it has ended here."""
    why_not: str = ""
    """Why nothing can be said of it."""


@dataclass(slots=True)
class _Turn:
    """What the calls of a turn print, by their numbers, and leave; None behind one of unknown effect."""

    told: dict[int, _Told] = field(default_factory=dict)
    tree: Tree | None = None
    written: set[str] = field(default_factory=set)
    """Files that tools were to change, which may have refused it."""

    def differs(self, other: _Turn, at: int) -> bool:
        """Whether a command prints something else in another run of the same turn."""
        one, two = self.told[at], other.told[at]
        return (one.out, one.err) != (two.out, two.err)


@dataclass(slots=True)
class _Outcome:
    """One way through all the calls of a trial."""

    same: int = 0
    turns: int = 0
    matched: int = 0
    """Lines that are in results."""
    otherwise: list[CallOtherwise] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)
    printed: set[str] = field(default_factory=set)
    """Lines of commands so far by which they are known."""
    framed: dict[tuple[str, str], dict[bool, CallOtherwise]] = field(default_factory=dict)
    """By tool, what results say besides of commands: the first that have worked, and that have not."""


async def calls_again(facts: TrialFacts, store: Store, level: IsolationLevel) -> CallsAgain:
    """Run the commands of a trial once more, in the ways in which harnesses run them, and take the one that explains most.

    Args:
        facts: of the trial.
        store: of the run, with the files of each snapshot.
        level: how far they are shut off.

    Raises:
        SandboxError: that level cannot be had here.
        MachineError: nothing is left of disk or memory.
    """
    every = [(record, steps) for record, steps in calls_of(facts) if record.before and record.snapshot and steps]
    worked = [(record, steps) for record, steps in every if record.error is None]
    count = sum(_command(step) is not None for _, steps in worked for step in steps)
    shells = [shell for shell in ("/bin/bash", "/bin/sh") if Path(shell).exists()]
    found = list[_Outcome]()
    for way in (_Way(shell, stays) for shell in shells for stays in (False, True)):
        found.append(await _Again(facts, store, level, way).through(worked))
        if not (found[-1].otherwise or MISSING in found[-1].left):  # what is not there may be in a shell that stays
            break
    best = max(found, key=lambda one: (one.matched, -len(one.otherwise)))
    return CallsAgain(
        trial=facts.spec.id, harness=facts.harness, commands=count, same=best.same, turns=best.turns,
        otherwise=(*best.otherwise, *_unsaid(best), *_searched(facts, worked)), left=dict(best.left),
    )  # fmt: skip


def _command(step: AuditStep) -> str | None:
    """What a call of a tool that runs commands is to run."""
    call, _, exchange = step
    return command_of(call.tool, arguments_of(call), exchange.tools)


def _cuts(facts: TrialFacts) -> list[int]:
    """From how many characters on what a command prints is declared to be cut."""
    losses = facts.capabilities.losses
    return [loss.characters for loss in losses if isinstance(loss, Clip) and loss.of in ("command", "result")]


def _searched(facts: TrialFacts, worked: Sequence[tuple[RoundRecord, Steps]]) -> Iterator[CallOtherwise]:
    """Searches that do not name each file that had what was looked for all the turn, in whatever way commands are run."""
    for record, step in ((record, step) for record, steps in worked for step in steps if not _cuts(facts)):
        call, result, exchange = step
        tool, before = call.tool, facts.files(record.before)
        if not seeks(tool, exchange.tools):
            continue
        patterns = takes_patterns_in(tool, exchange.tools)
        search = search_in(arguments_of(call), before, f"/{facts.spec.id}/workspace", patterns=patterns)
        if search is None or search.narrow or search.folder in before:
            continue
        after = facts.files(record.snapshot)
        there = [path for path, text in before.items() if after.get(path) == text and is_due(search, path, [text])]
        lost = [path for path in there if not names_in(PurePosixPath(path).name, result.text, ())]
        if lost and len(there) <= MOST:
            more = f" and {len(lost) - 1} more" if lost[1:] else ""
            what = f"a search for {search.text!r} does not name {lost[0]}{more}, where it stands: {result.text.strip()[:80]!r}"
            yield CallOtherwise(what=what, round=record.round, request=exchange.number)


@dataclass(slots=True)
class _Again:
    """Goes through the commands of a trial in one way."""

    facts: TrialFacts
    store: Store
    level: IsolationLevel
    way: _Way
    state: str = ""
    """What brings a shell to where the one before was."""

    async def through(self, worked: Sequence[tuple[RoundRecord, Steps]]) -> _Outcome:
        outcome = _Outcome()
        at_once = asyncio.Semaphore(1 if self.way.stays else os.cpu_count() or 1)

        async def one(record: RoundRecord, steps: Steps) -> tuple[str, _Turn]:
            async with at_once:  # in the order of the turns, where one goes on from another
                return self.state, await self._turn(record, steps, {})

        turns = await asyncio.gather(*(one(*turn) for turn in worked))
        for (record, steps), (state, first) in zip(worked, turns, strict=True):
            after = self.state
            wrong = [at for at, told in first.told.items() if not told.why_not and _lacks(told, steps[at])]
            left = self._left(record, first)
            if wrong or left:
                self.state = state
                second = await self._turn(record, steps, OTHER)
                for at in (at for at in wrong if first.differs(second, at)):
                    first.told[at].why_not = VARIES
                left = _same_again(left, first.tree or {}, second.tree or {}, self.facts.trees(record.snapshot))
            self.state = after
            for at, told in first.told.items():
                self._judge(told, steps[at], record, outcome)
            if first.tree is not None:
                outcome.turns += 1
                self._judge_left(left, first.tree, record, outcome)
        return outcome

    def _left(self, record: RoundRecord, turn: _Turn) -> list[str]:
        """Files that are not as the turn has left them, but for those that a tool has refused to change."""
        if turn.tree is None:
            return []
        private, before = excluder(self.facts.capabilities.memory_files), self.facts.trees(record.before)
        after = self.facts.trees(record.snapshot)
        found = difference(files_in(after), files_in(turn.tree))
        refused = {path for path in turn.written if after.get(path) == before.get(path)}
        others = [path for path in (*found.changed, *found.added, *found.removed) if path not in refused]
        return [path for path in others if not (private and private(path))]

    def _judge_left(self, left: Sequence[str], tree: Tree, record: RoundRecord, outcome: _Outcome) -> None:
        if left:
            here, there = (_described(one.get(left[0])) for one in (tree, self.facts.trees(record.snapshot)))
            more = f" and {len(left) - 1} more" if left[1:] else ""
            what = f"its calls leave {left[0]}{more} otherwise here: {here}; there, {there}"
            outcome.otherwise.append(CallOtherwise(what=what, round=record.round))

    def _judge(self, told: _Told, step: AuditStep, record: RoundRecord, outcome: _Outcome) -> None:
        command, lost = _command(step) or "", _lacks(told, step)
        own = {line for line in (*told.out, *told.err) if len(line) >= LEAST}
        foreign = _foreign(outcome.printed, told, step)
        outcome.printed |= own
        if told.why_not:
            outcome.left[told.why_not] += 1
        elif foreign:
            what = f"{command[:200]!r} does not print {foreign[:60]!r} here, as one before did, and its result has it"
            outcome.otherwise.append(CallOtherwise(what=what, round=record.round, request=step[2].number))
        elif lost is None:
            outcome.same += 1
            outcome.matched += len(told.out) + len(told.err)
            what = f"{command[:200]!r} ends with status {told.status} here"
            at = CallOtherwise(what=what, round=record.round, request=step[2].number)
            outcome.framed.setdefault((step[0].tool, _frame(told, step)), {}).setdefault(told.status == 0, at)
        elif any(len("\n".join((*told.out, *told.err))) > most for most in _cuts(self.facts)):
            outcome.left[CUT] += 1
        else:
            result = " ".join(step[1].text.split())
            what = f"{command[:200]!r} prints {lost[:60]!r} here, and its result has not: {result[:80]!r}"
            outcome.otherwise.append(CallOtherwise(what=what, round=record.round, request=step[2].number))

    async def _turn(self, record: RoundRecord, steps: Steps, env: Mapping[str, str]) -> _Turn:
        root = Path(tempfile.mkdtemp(prefix="claw-again-")).resolve()
        try:
            workspace = root / ("a" if not env else "another") / "workspace"
            workspace.parent.mkdir()
            Restorer(self.store, None).restore(self.facts.trees(record.before), workspace)
            found, known = _Turn(), True
            for at, step in enumerate(steps):
                command = _command(step)
                if command is None:
                    known = known and self._changed(step, workspace, found.written)
                elif known:
                    found.told[at] = await self._run(command, step, workspace, env)
                    known = not found.told[at].why_not
                else:
                    found.told[at] = _Told(why_not=UNKNOWN)
            if known:
                store = Store(root / "store")
                found.tree = read_tree(store, Snapshotter(store).take(workspace))
            return found
        finally:
            remove_tree(root)

    @staticmethod
    def _changed(step: AuditStep, workspace: Path, written: set[str]) -> bool:
        """Do to the files here what a call does to them; False where nobody knows what that is."""
        call, _, exchange = step
        tool = call.tool
        if leaves(tool, exchange.tools):
            return True
        effect = effect_of(tool, arguments_of(call), exchange.tools, "/workspace", {})
        if effect is None or ".." in Path(effect.path).parts:
            return False
        path = workspace / effect.path
        before = path.read_bytes().decode("utf-8", "surrogateescape") if path.is_file() else None
        text = effect.on(before, strict=False)
        if text is None or path.is_dir() or not path.resolve().is_relative_to(workspace):
            return False
        written.add(effect.path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        return True

    async def _run(self, command: str, step: AuditStep, workspace: Path, env: Mapping[str, str]) -> _Told:
        folders = [str(value) for name, value in arguments_of(step[0]).items() if key_of(name) in WORKING_FOLDER]
        words = [self.state.replace(HERE, str(workspace))]
        words += [f"cd {shlex.quote(PLACE.sub('.', folders[0]))}"] if folders else []
        if self.way.stays:
            words.insert(0, f"trap 'r=$?; echo; echo {MARK}; pwd; env -0 | od -An -v -tx1; exit $r' EXIT")
        own = re.compile(rf"/[^\s'\":=]*/{re.escape(self.facts.spec.id)}/workspace|{TOLD}")
        inner = "\n".join((*words, own.sub(lambda _: str(workspace), command)))
        missing = list[str]()
        done = await run_check(
            f"exec {self.way.shell} -c {shlex.quote(inner)}", workspace=workspace, level=self.level, deadline=DEADLINE,
            env=env, missing=missing,
        )  # fmt: skip
        printed, _, state = done.stdout.text.partition(f"\n{MARK}\n")
        if self.way.stays and state:
            where, _, names = state.partition("\n")
            self.state = f"cd {shlex.quote(where)}\n{_exported(names)}".replace(str(workspace), HERE)
        if done.timed_out or done.over:
            return _Told(why_not=LATE)
        if missing or done.exit.code in NO_PROGRAM:
            return _Told(why_not=MISSING)
        errors = [
            line for line in _lines(done.stderr.text) if not line.startswith((f"{self.way.shell}:", "sh:", "bash:"))
        ]
        return _Told(_lines(printed), errors, done.exit.code or 0)


def _unsaid(outcome: _Outcome) -> Iterator[CallOtherwise]:
    """Commands that have failed here, whose results say so no more than those of commands that have worked."""
    for (_, said), first in outcome.framed.items():
        if len(first) > 1:
            beside = f", besides {said[:60]!r}," if said else ""
            what = f"{first[False].what}, and its result says nothing{beside} that results of commands that work do not say"
            yield first[False].model_copy(update={"what": what})


def _frame(told: _Told, step: AuditStep) -> str:
    """What a result says of a command beside what that prints, whatever time it took."""
    shown = _plain(flat_of(step[1].text))
    for line in (*told.out, *told.err):
        shown = shown.replace(line, "", 1)
    return SECONDS.sub("#", _plain(shown))


def _same_again(paths: Sequence[str], first: Tree, second: Tree, there: Tree) -> list[str]:
    """Those that two runs of the same calls leave alike, and that lie where both leave the same names.

    Also one that both leave with as many bytes, such as a log with times, and of which there is or was much more.
    """
    found = difference(first, second)
    varied = {folder for path in (*found.changed, *found.added, *found.removed) for folder in _folders(path)}
    others = [
        path
        for path in paths
        if first.get(path) == second.get(path) or _much_more(*(t.get(path) for t in (first, second, there)))
    ]
    return [path for path in others if not varied & _folders(path)]


def _much_more(first: Entry | None, second: Entry | None, there: Entry | None) -> bool:
    """Whether one of two sizes, of which the first is that of both runs, is more than half as much again as the other."""
    if first is None or second is None or there is None or first.size != second.size:
        return False
    small, large = sorted((first.size, there.size))
    return large > 1.5 * small


def _folders(path: str) -> set[str]:
    """The folder of a file and the one around it, but for the workspace itself."""
    return {*map(str, PurePosixPath(path).parents[:2])} - {"."}


def _described(entry: Entry | None) -> str:
    """An entry of a tree in words."""
    if entry is None:
        return "nothing"
    kind = "an executable file" if entry.executable else "a file"
    return f"a link to {entry.target}" if entry.kind == "link" else f"{kind} of {entry.size:,} bytes"


def _exported(names: str) -> str:
    """What exports names again, in hexadecimal as ``env -0`` prints them, but those that every shell here has by itself."""
    every = (one.partition("=") for one in bytes.fromhex(names).decode("utf-8", "surrogateescape").split("\0"))
    kept = ((name, value) for name, _, value in every if NAME.fullmatch(name) and name not in OWN)
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in kept)


def _plain(text: str) -> str:
    return BLANKS.sub(" ", PLACE.sub(".", text)).strip()


def _lines(text: str) -> list[str]:
    return [line for one in text.splitlines() if (line := _plain(one))]


def _foreign(printed: Collection[str], told: _Told, step: AuditStep) -> str:
    """A line of a result that other commands have printed, and this one does not."""
    shown = set(_lines(flat_of(step[1].text)))
    return min(shown & {*printed} - {*told.out, *told.err}, default="")


def _lacks(told: _Told, step: AuditStep) -> str | None:
    """The first line that a command prints here and that is not in its result in its place; None if there is none.

    How the two outputs are put together nobody knows.
    """
    shown = _plain(flat_of(step[1].text))
    for lines in (told.out, told.err):
        at = 0
        for line in lines:
            place = shown.find(line, at)
            if place < 0:
                return line
            at = place + len(line)
    return None
