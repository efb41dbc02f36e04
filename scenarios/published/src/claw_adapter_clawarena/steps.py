"""What each file of each update does to the sessions as they stand, and what is wrong with that.

The published runner overwrites a session with the file of an update that was written as its continuation. Read strictly, such
a file is merged as docs/spec/scenario-1.md says: its header is dropped, messages that are there already are skipped, the
rest is appended, and a file that would land beside the histories goes to the history it is named after. ``compat`` keeps
what the published runner does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from claw_adapter.errors import ScenarioError
from claw_adapter.finding import Finding
from claw_adapter.protocol import Message
from claw_adapter.reading import parse_json
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.manifest import log_target
from claw_adapter_clawarena.records import PublishedScenario, PublishedUpdate, UpdateFile
from claw_adapter_clawarena.rules import finding
from claw_adapter_clawarena.stores import store_of
from claw_adapter_clawarena.stores.base import read_text

__all__ = ["Mode", "Plan", "Step", "plan"]

Mode = Literal["strict", "clawarena-1.0"]
Content = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Step:
    """One file of an update of sessions.

    Attributes:
        update: id of the update.
        file: the file, as the manifest has it.
        session: the session it belongs to.
        before: number of messages of the session before it.
        messages: what it brings, repeated ones included.
        fresh: what it brings that was not there; the answer to a new message is new, though its id or text be known.
        repeated: how many of its messages have the id (or, in formats without ids, the content) of one that was there.
        exists: whether the session was there.
        misplaced: whether its target is not where the harness keeps histories.
    """

    update: str
    file: UpdateFile
    session: str
    before: int
    messages: tuple[Message, ...]
    fresh: tuple[Message, ...]
    repeated: int
    exists: bool
    misplaced: bool

    @property
    def overwrites(self) -> bool:
        """Whether the published runner throws away what the session held."""
        return self.exists and not self.misplaced and self.file.action in (None, "new")


@dataclass
class Plan:
    """The sessions of a scenario before any update, and the steps of its updates of sessions, by update."""

    main: tuple[Message, ...] = ()
    histories: dict[str, tuple[Message, ...]] = field(default_factory=dict)
    steps: dict[str, list[Step]] = field(default_factory=dict)
    brought: dict[str, str] = field(default_factory=dict)
    """Sessions that an update creates, with the channel given for them."""


def plan(scenario: PublishedScenario, mode: Mode, found: list[Finding], where: Callable[..., str]) -> Plan:
    """Follow the updates in the order of the rounds, those that no round applies last.

    Args:
        scenario: the scenario.
        mode: which meaning the state between updates follows.
        found: takes what is wrong.
        where: ``file:line`` of a field of the manifest.
    """
    made = Plan()
    place = scenario.place
    layout = LAYOUTS[place.layout]
    if place.main is not None:
        made.main = _read(place.main, layout.main_format, found, "PUB-006")
    for path in place.histories:
        made.histories[path.stem] = _read(path, layout.history_format, found, "PUB-007")
    follower = _Follower(scenario, mode, found, where, made, dict(made.histories))
    for _, update in scenario.applied():
        follower.follow(update)
    for update in scenario.unreferenced():
        follower.follow(update)
    return made


def _read(path: Path, form: str, found: list[Finding], rule: str) -> tuple[Message, ...]:
    if not path.is_file():
        found.append(finding(rule, f"there is no session file {path.name}", f"{path}:1"))
        return ()
    try:
        session = store_of(form).read_file(path)  # type: ignore[arg-type]  # a layout's format
    except (ScenarioError, ValueError) as error:
        what, at = (error.what, error.where) if isinstance(error, ScenarioError) else (str(error), f"{path}:1")
        found.append(finding("PUB-014", what.splitlines()[0], at))
        return ()
    return session.messages


@dataclass
class _Follower:
    scenario: PublishedScenario
    mode: Mode
    found: list[Finding]
    where: Callable[..., str]
    made: Plan
    state: dict[str, tuple[Message, ...]]

    def follow(self, update: PublishedUpdate) -> None:
        if update.kind == "session" and update.id not in self.made.steps:
            self.made.steps[update.id] = [self._step(update, file) for file in update.files]

    def _step(self, update: PublishedUpdate, file: UpdateFile) -> Step:
        layout = LAYOUTS[self.scenario.place.layout]
        target = log_target(file, layout.name)
        session = (target or Path(file.target)).stem
        messages = _read(file.source, layout.history_format, self.found, "PUB-008")
        if layout.name != "openclaw":  # formats without ids: positions of the file would be those of the base
            messages = tuple(m.model_copy(update={"id": f"{update.id}-m{n}"}) for n, m in enumerate(messages, start=1))
        there = self.state.get(session, ())
        fresh, repeated = self._fresh(update, file, there, messages)
        exists = session in self.state
        step = Step(update.id, file, session, len(there), messages, fresh, repeated, exists, target is None)
        self._notes(step)
        self._apply(step)
        return step

    def _fresh(
        self, update: PublishedUpdate, file: UpdateFile, there: Sequence[Message], messages: Sequence[Message]
    ) -> tuple[tuple[Message, ...], int]:
        """What is new of `messages`, and how many look like a repetition."""
        known = {m.id: _content(m) for m in there}
        contents: set[Content] = set() if self.scenario.place.layout == "openclaw" else set(known.values())
        fresh: list[Message] = []
        repeated = 0
        for number, one in enumerate(messages, start=1):
            content = _content(one)
            if content in contents or known.get(one.id) == content:
                repeated += 1
                if one.role == "assistant" and number > 1 and fresh[-1:] == [messages[number - 2]]:
                    name = f"{update.id}-m{number}" if one.id in known else one.id  # several "[Ack]" share their id
                    fresh.append(one.model_copy(update={"id": name}))
                continue
            if one.id in known:
                what = f"{self.scenario.id}: message {one.id!r} is there already, with other content"
                self.found.append(finding("PUB-015", what, f"{file.source}:1"))
                continue
            fresh.append(one)
        return tuple(fresh), repeated

    def _apply(self, step: Step) -> None:
        if not step.exists:
            self.made.brought.setdefault(step.session, step.file.channel)
        if self.mode == "strict" or not step.exists or step.file.action == "append":
            self.state[step.session] = (*self.state.get(step.session, ()), *step.fresh)
        elif step.overwrites:
            self.state[step.session] = step.messages

    def _notes(self, step: Step) -> None:
        name, at = self.scenario.id, self.where(*step.file.entry)
        update = f"{name}: {step.update}"
        if step.overwrites and step.file.action == "new":
            self.found.append(finding("PUB-016", f"{update} makes {step.session!r} new, which exists", at))
        elif step.overwrites:
            what = f"{update} overwrites {step.session!r} and its {step.before} messages with {len(step.messages)}"
            self.found.append(finding("PUB-101", what, at))
        if step.misplaced:
            what = f"{update} puts {step.file.target!r} into the workspace, where no history is looked for"
            self.found.append(finding("PUB-102", what, at))
        if step.exists and (line := _header(step.file.source, self.scenario.place.layout)):
            what = f"{update} brings a header of its own for {step.session!r}"
            self.found.append(finding("PUB-103", what, f"{step.file.source}:{line}"))
        if step.repeated:
            what = f"{update} repeats {step.repeated} messages of {step.session!r}"
            self.found.append(finding("PUB-104", what, f"{step.file.source}:1"))


def _content(message: Message) -> Content:
    calls = tuple((call.name, repr(sorted(call.arguments.items()))) for call in message.tool_calls)
    return message.role, message.text, calls


def _header(path: Path, layout: str) -> int:
    """The line of a session header in a file; 0 for none. Only OpenClaw's sessions have one that is not content."""
    if layout != "openclaw" or not path.is_file():
        return 0
    lines = read_text(path).split("\n")
    return next(
        (n for n, line in enumerate(lines, start=1) if line.startswith('{"type":"session"') or _is_header(line)), 0
    )


def _is_header(line: str) -> bool:

    try:
        record: Mapping[str, object] = parse_json(line) if line.strip() else {}
    except ValueError:
        return False
    return isinstance(record, dict) and record.get("type") == "session"
