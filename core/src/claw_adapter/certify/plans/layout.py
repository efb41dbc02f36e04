"""A plan as what the runner takes: a scenario's folder, the model's script with its faults, the incidents."""

from __future__ import annotations

import fnmatch
import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from claw_adapter.certify.plans.plan import (
    MAIN,
    PlanChange,
    PlanEncoding,
    PlanFault,
    PlanFile,
    PlanIncident,
    PlanSeed,
    PlanTurn,
    SessionPlan,
    gap,
)
from claw_adapter.certify.plans.texts import Texts
from claw_adapter.certify.stack import overlay_specs
from claw_adapter.endpoint.models.played import ASIDE, CommandEffect, PlayedReply, PlayedRound, ToolUse
from claw_adapter.protocol import HarnessSpec, Message, ModelSpec, RunSettings, Scenario, SubAgent, TrialSpec
from claw_adapter.runner.incident import Incident
from claw_adapter.runs.plan import Plan, slug

__all__ = ["LaidPlan", "lay_out", "run_folder", "run_plan"]

MOST_REQUESTS = 100
"""More requests than a round makes, all its attempts together."""
SUMMARY = 4
"""Lines of what the model says where it is asked for a summary."""
PLAIN = 20
"""Characters of a line from which on no other one holds it."""
UNSCORED = "nothing is asked that could be wrong"


@dataclass(slots=True)
class LaidPlan:
    """What became of a plan."""

    rounds: list[dict[str, Any]] = field(default_factory=list)
    answers: dict[str, Any] = field(default_factory=dict)
    updates: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    script: list[PlayedRound] = field(default_factory=list)
    faults: list[dict[str, Any]] = field(default_factory=list)
    incidents: list[Incident] = field(default_factory=list)
    disturbed: set[str] = field(default_factory=set)
    """Rounds in which an incident may cost an attempt."""
    held: set[str] = field(default_factory=set)
    """Rounds in which the first attempt gets no answer."""
    faulty: set[str] = field(default_factory=set)
    """Rounds in which some requests fail."""
    failing: set[str] = field(default_factory=set)
    """Rounds in which every request fails, or every one behind the first."""
    wordless: set[str] = field(default_factory=set)
    """Rounds whose final reply has no words."""
    windowed: bool = False
    """Whether harnesses are told the model's window."""


def lay_out(
    plan: SessionPlan, root: Path, reading: Callable[[str], ToolUse | None], sub_agent: SubAgent | None = None
) -> LaidPlan:
    """Write the scenario of a plan into a folder.

    Args:
        plan: what is to happen; steps that ask for what an earlier one would have brought are left out.
        root: the folder, empty.
        reading: how a history is read through the harness, by its id; None where it cannot be.
        sub_agent: its tool for having another agent work, if it has one.
    """
    for folder in ("workspace", "sessions", "updates", "gold/checks"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    return _Layout(plan, root, reading, sub_agent).made()


class _Layout:
    def __init__(
        self, plan: SessionPlan, root: Path, reading: Callable[[str], ToolUse | None], sub_agent: SubAgent | None
    ) -> None:
        self.plan, self.root, self.reading, self.sub_agent = plan, root, reading, sub_agent
        self.laid = LaidPlan(windowed=plan.window is not None)
        self.given: dict[str, list[Message]] = {MAIN: []}
        """The messages of each session that were given, as they are now."""
        self.files: dict[str, str | None] = {}
        """The files that were written or given, with their texts; None once they are deleted."""
        self.placed: set[str] = set()
        """Those of them that the scenario has."""
        self.pending: list[PlanChange | PlanFault | PlanIncident] = []
        self.faulty = False
        """Whether requests of the turn fail: who does not ask again does nothing of it."""
        self.doubtful: set[str] = set()
        """Files that were made in such turns, of which perhaps not even the folder is there."""

    def made(self) -> LaidPlan:
        seeds = {step.session: step for step in self.plan.steps if isinstance(step, PlanSeed)}
        self.given |= {name: list(seed.messages) for name, seed in seeds.items()}
        for step in self.plan.steps:
            if isinstance(step, PlanFile):
                path = self.root / "workspace" / step.path
                self._write(path, step.text, step.encoding)
                path.chmod(0o755 if step.executable else 0o644)
                self.placed.add(step.path)
                self.files[step.path] = step.text
        for name, messages in self.given.items():
            self._write(self.root / "sessions" / f"{name}.jsonl", _lines(messages))
        for step in self.plan.steps:
            if isinstance(step, PlanTurn):
                if self.sub_agent is not None or not step.delegates:
                    self._turn(step)
            elif not isinstance(step, PlanSeed | PlanFile):
                self.pending.append(step)
        histories = [
            {"id": name, "channel": seed.channel, "title": seed.title} for name, seed in seeds.items() if name != MAIN
        ]
        about = {
            "schema": "scenario/1", "id": self.plan.name, "title": self.plan.name.replace("-", " "),
            "clock": self.plan.clock.isoformat(), "main": {"id": MAIN}, "histories": histories,
        }  # fmt: skip
        for file, data in (
            ("scenario", about), ("rounds", {"rounds": self.laid.rounds}), ("gold/answers", {"rounds": self.laid.answers}),
        ):  # fmt: skip
            self._write(self.root / f"{file}.yaml", json.dumps(data, ensure_ascii=False))
        return self.laid

    @staticmethod
    def _write(path: Path, text: str, encoding: PlanEncoding = "utf-8") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(encoding))

    def _turn(self, turn: PlanTurn) -> None:
        name = f"r{len(self.laid.rounds) + 1}"
        item: dict[str, Any] = {"id": name, "question": turn.question, "updates": self._before(name)}
        if turn.options:
            options = {chr(ord("A") + at): text for at, text in enumerate(turn.options)}
            item |= {"type": "multi_choice", "options": options}
            feedback = {
                "correct": turn.feedback,
                "incorrect": turn.feedback,
                "options": dict.fromkeys(options, turn.feedback),
            }
            self.laid.answers[name] = {"answer": ["A"], "feedback": feedback}
        else:
            item |= {"type": "exec_check"}
            self.laid.answers[name] = {"unscorable": UNSCORED}
        self.laid.rounds.append(item)
        self.faulty = name in self.laid.faulty | self.laid.failing
        stopped = any(one.round == name and one.kind in ("kill", "cancel") for one in self.laid.incidents)
        replies = tuple(self._reply(reply, held=stopped) for reply in turn.replies)
        if turn.wordless:
            self.laid.wordless.add(name)
            replies = (*replies[:-1], replies[-1].model_copy(update={"text": turn.replies[-1].text}))
        if any(reply.hang for reply in replies):
            self.laid.held.add(name)
        sums = self.plan.window is not None
        aside = Texts(Random(f"{self.plan.nonce}/{self.plan.number}/{name}")).lines(SUMMARY) if sums else ASIDE
        self.laid.script.append(
            PlayedRound(round=name, mark=_mark(turn.question), replies=replies, aside=aside, sums=sums)
        )

    def _before(self, name: str) -> list[str]:
        """What was to happen before a turn, and in it; returns the ids of its updates."""
        actions: list[dict[str, Any]] = []
        folder = self.root / "updates" / f"U{len(self.laid.updates) + 1}"
        for step in self.pending:
            match step:
                case PlanChange():
                    if action := self._change(step, folder, len(actions)):
                        actions.append(action)
                case PlanFault():
                    every = [*range(step.after + 1, step.after + MOST_REQUESTS)] if step.after else "every 1"
                    at: Any = list(step.at) or every
                    self.laid.faults.append({"at": at, "round": name, "kind": step.fault, **_wait(step.fault)})
                    (self.laid.faulty if step.at else self.laid.failing).add(name)
                case PlanIncident():
                    self.laid.incidents.append(Incident(kind=step.happens, round=name, request=step.request))
                    self.laid.disturbed.add(name)
        self.pending = []
        if not actions:
            return []
        self._write(folder / "update.yaml", json.dumps({"actions": actions}, ensure_ascii=False))
        self.laid.updates[folder.name] = actions
        return [folder.name]

    def _change(self, step: PlanChange, folder: Path, number: int) -> dict[str, Any] | None:
        if step.path:
            return self._file_change(step, folder / f"file{number}")
        given = self.given.get(step.session)
        if given is None and step.action == "new":
            given = self.given[step.session] = []
        if given is None:
            return None
        source = f"said{number}.jsonl"
        if step.action == "delete":
            return _delete(step, given)
        self._write(folder / source, _lines(step.messages))
        action: dict[str, Any] = {"session": step.session, "action": step.action, "source": source}
        at = len(given)
        if step.action == "insert":
            place = next((n for n, one in enumerate(given, 1) if one.id == step.behind), int(step.at * len(given)))
            at = gap(given, place)
            while at < len(given) and given[at].tool_calls:
                at = gap(given, at + 1)
            action["after"] = at
        elif step.session == MAIN and self.laid.rounds:
            return action  # behind what was said since: no part of what positions count
        given[at:at] = step.messages
        return action

    def _file_change(self, step: PlanChange, source: Path) -> dict[str, Any] | None:
        self.doubtful.discard(step.path)
        if step.action != "delete":
            self._write(source, step.text, step.encoding)
            self.files[step.path] = step.text
            self.placed.add(step.path)
            return {"workspace": step.path, "action": "new", "source": source.name}
        if step.path not in self.placed:
            return None
        self.placed.discard(step.path)
        self.files[step.path] = None
        return {"workspace": step.path, "action": "delete"}

    def _reply(self, reply: PlayedReply, *, held: bool) -> PlayedReply:
        """With histories named as the harness knows them, without what is not there; held only if something ends that."""
        uses = [found for use in reply.uses for found in [self._use(use)] if found is not None]
        text = reply.text or ("Here it is." if not uses else "")
        return reply.model_copy(update={"uses": tuple(uses), "text": text, "hang": reply.hang and held})

    def _use(self, use: ToolUse) -> ToolUse | None:
        """A purpose with what is to come back, None where what it needs is not there; what it makes of the files is kept."""
        text = self.files.get(use.target)
        missed = use.missed and use.target in self.files  # perhaps no more
        once = (
            missed
            if text is None
            else use.kind != "edit" or use.every or (text.count(use.wanted[0]) == 1) != use.missed
        )
        if any(self.files.get(name) is None for name in use.needs):
            return None
        effect = use.effect or CommandEffect()
        if any(self.files.get(path) != known for path, known in effect.given.items()):
            return None
        untold = use.over or use.kind in ("patch", "begin")  # of these perhaps no tool can be told
        leaves = {} if untold else effect.leaves
        self.files |= leaves
        self.placed -= {path for path, text in leaves.items() if text is None}
        match use.kind:
            case "history" | "read" | "search" | "find":
                return self._asked(use)
            case "pages" | "cat" | "status" | "edit" | "edits" | "insert" | "drop" | "move" | "append" if not once:
                return None
            case "delegate":
                replies = tuple(self._reply(reply, held=False) for reply in use.replies)
                use = use.model_copy(update={"tool": self.sub_agent, "replies": replies})
            case "folder":
                self.files[f"{use.target}/"] = ""
            case "put" | "add" | "program" if use.target in self.doubtful:
                return None
            case "write" | "put" | "add" | "program":
                self.doubtful -= {use.target}
                self.doubtful |= {use.target} if self.faulty and text is None else set()
                use = use.model_copy(update={"alike": use.kind == "write" and _alike(text, use.content)})
                end = "" if use.kind == "write" else "\n"
                self.files[use.target] = f"{(text or '') if use.kind == 'add' else ''}{use.content}{end}"
            case "append":
                self.files[use.target] = f"{text}{use.content}"
            case "edit" if not use.missed:
                self.files[use.target] = (text or "").replace(use.wanted[0], use.content)
            case "drop" | "move":
                self.files |= {use.target: None, **({use.content: text} if use.kind == "move" else {})}
                self.placed.discard(use.target)
            case _:
                pass
        return use

    def _asked(self, use: ToolUse) -> ToolUse | None:
        """A purpose that changes nothing, with what is to come back; None where it is about a session that is not there."""
        there = {path: text for path, text in self.files.items() if text is not None}
        match use.kind:
            case "history":
                found = self.reading(use.target) if use.target in self.given else None
                said = tuple(message.text for message in self.given.get(use.target, ()))
                return found.model_copy(update={"wanted": said}) if found is not None else None
            case "search":
                sought = _expression(use)
                wanted = [posixpath.basename(path) for path, text in there.items() if sought and sought.search(text)]
            case "find":
                inside = [path for path in there if not use.target or path.startswith(f"{use.target}/")]
                wanted = fnmatch.filter(map(posixpath.basename, inside), posixpath.basename(use.content))
            case _:  # what was never there is asked for once
                wanted = [there[use.target]] if use.target in there else []
        return use.model_copy(update={"wanted": tuple(wanted)})


def _expression(use: ToolUse) -> re.Pattern[str] | None:
    """What a search looks for; None where it is to be a regular expression, and is none."""
    try:
        return re.compile(use.content if use.pattern else re.escape(use.content), re.IGNORECASE if use.any_case else 0)
    except re.error:
        return None


def _delete(step: PlanChange, given: list[Message]) -> dict[str, Any] | None:
    """Delete all of a session, or some messages, calls with all their results, that stand before no call; else nothing.

    Where that cannot be from the place drawn, it is from the next where it can.
    """
    size = len(given)
    first = next((at for at, one in enumerate(given) if one.id == step.behind), int(step.at * size))
    starts = [0] if step.count >= size else [(first + more) % size for more in range(size)]
    for first in (gap(given, start) for start in starts):
        last = gap(given, first + min(step.count, size))
        before_call = any(one.tool_calls for one in given[last : last + 1])
        if first < last <= size and not before_call and any(len(one.text) >= PLAIN for one in given[first:last]):
            break
    else:
        return None
    del given[first:last]
    return {"session": step.session, "action": "delete", "ranges": [[first + 1, last]]}


def _alike(text: str | None, content: str) -> bool:
    """Whether a file with this text is taken for one with that content: it has its words, or all of its lines."""
    if text in (None, content):
        return False
    lines = ({line.strip() for line in one.splitlines()} for one in (content, text))
    return text.split() == content.split() or set.issubset(*lines)


def _wait(fault: str) -> Mapping[str, float]:
    return {"retry_after": 0} if fault in ("429", "529") else {}


def _mark(question: str) -> str:
    """The longest line of a question, a plain one if it can be, without blanks at its ends: it tells the turn's requests."""
    lines = [line.strip() for line in question.splitlines()]
    return max(lines, key=lambda line: (line.isascii() and len(line) >= PLAIN, len(line)))


def _lines(messages: Sequence[Message]) -> str:
    return "".join(f"{message.model_dump_json(exclude_defaults=True)}\n" for message in messages)


def run_folder(base: Path, nonce: str) -> Path:
    """The path of a run folder below a folder: ``runs/NAME-DIGEST``, as `claw run` calls one that is given no name."""
    rng = Random(f"{nonce}/run")
    return base / "runs" / f"{Texts(rng).word()}-{rng.randrange(16**8):08x}"


def run_plan(
    plans: Sequence[SessionPlan],
    laid: Mapping[str, LaidPlan],
    scenarios: Mapping[str, Scenario],
    harness: HarnessSpec,
    settings: RunSettings,
    overlays: Sequence[str] = (),
) -> Plan:
    """What the runner is asked to do: each plan is a trial of one run."""
    stack = overlay_specs(overlays)
    trials = []
    for plan in plans:
        here = laid[plan.name]
        model = ModelSpec(
            name=plan.model, kind="scripted", script=tuple(one.model_dump(mode="json") for one in here.script),
            options={"faults": list(here.faults)}, window=plan.window,
        )  # fmt: skip
        words = (plan.name, harness.name, plan.model, "s0")
        trials.append(
            TrialSpec(
                id="--".join(map(slug, words)),
                scenario=plan.name,
                harness=harness,
                model=model,
                overlays=stack,
                settings=settings,
            )
        )
    return Plan(
        trials=tuple(trials),
        scenarios={name: scenario.digest for name, scenario in scenarios.items()},
        rounds={name: len(scenario.rounds) for name, scenario in scenarios.items()},
        sources=tuple(str(scenario.root) for scenario in scenarios.values()),
    )
