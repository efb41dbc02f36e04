"""Forge's tasks through the runner: a harness of ours that plays an offline policy, and what came of a run."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from claw_adapter import plugins
from claw_adapter.environment import EnvironmentContext
from claw_adapter.harness import Capabilities, Checkpoint, Conversation, Event, Harness, Probe, Session, TrialContext
from claw_adapter.protocol import Message, RoundRecord, TurnResult
from claw_adapter.runs.load import load_run
from claw_adapter.runs.store import Store
from claw_adapter.sandbox import detect
from claw_adapter_forge.environment import ForgeEnvironment
from claw_adapter_forge.episodes.snapshots import Snapshot, snapshot_of
from claw_adapter_forge.families import families
from claw_adapter_forge.policies.offline import DONE, POLICIES, decide
from claw_adapter_forge.scenario_folders import scenario_of
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.tasks.spec import ForgeTask
from support.running import experiment, run_experiment

ISOLATION = int(detect().level)
PLAYERS = [{"name": "player", "label": policy, "options": {"policy": policy}} for policy in POLICIES]


class Player(Harness):
    """Plays a policy, or types `lines`, through the environment alone; `faults` are raised once, after so many commands."""

    name = "player"
    executes = False
    faults: ClassVar[dict[tuple[str, int], BaseException]] = {}
    """(scenario, number of commands before it) → what is raised."""

    def __init__(self, policy: str = "careful", lines: tuple[str, ...] = ()) -> None:
        self.policy, self.lines = policy, tuple(lines)

    def capabilities(self) -> Capabilities:
        return Capabilities(seed_history="none")

    def probe(self) -> Probe:
        return Probe(ready=True, versions={"player": "1"})

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        return Playing(ctx, self)


class Playing(Conversation):
    def __init__(self, ctx: TrialContext, player: Player) -> None:
        self.ctx, self.player = ctx, player
        self.messages: list[Message] = []

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        typed: list[tuple[str, str]] = []
        events = []
        while (line := self._next(prompt, typed)) != DONE:
            if fault := Player.faults.pop((self.ctx.scenario, len(typed)), None):
                raise fault
            printed = await self.ctx.environment.execute(line)
            await asyncio.sleep(0)
            typed.append((line, printed.text))
            call = {"kind": "tool_call", "id": str(len(typed)), "name": "command", "arguments": {"command": line}}
            events.append(Event.model_validate(call))
            if printed.over:
                break
        self.messages = [
            Message(id="m1", role="user", text=prompt), Message(id="m2", role="assistant", text="The request is done.")
        ]  # fmt: skip
        return TurnResult(text="The request is done.", events=tuple(events))

    def _next(self, prompt: str, typed: list[tuple[str, str]]) -> str:
        if lines := self.player.lines:
            return lines[len(typed)] if len(typed) < len(lines) else DONE
        return decide(self.player.policy, prompt, typed)

    async def checkpoint(self) -> Checkpoint:
        return Checkpoint(sessions=(Session(id="main", messages=tuple(self.messages)),))

    async def close(self) -> None:
        pass


@pytest.fixture
def player(monkeypatch):
    """`Player` under its name, as if a plugin had brought it."""
    known, made = plugins.provides, {"harness": Player}
    monkeypatch.setattr(plugins, "provides", lambda name, *kinds: made if name == "player" else known(name, *kinds))
    monkeypatch.setattr(Player, "faults", {})


class Played:
    """One trial: its round, and the state it left."""

    def __init__(self, root: Path, spec: Any, record: RoundRecord) -> None:
        self.spec, self.record = spec, record
        self.after: Snapshot = snapshot_of(Store(root / "store").get(record.environment.after))

    @property
    def task(self) -> str:
        return self.spec.scenario

    @property
    def harness(self) -> str:
        return self.spec.harness.label

    @property
    def commands(self) -> list[str]:
        return [e.line for e in self.after.executions]

    @property
    def detail(self) -> Any:
        return self.record.score.detail


async def played(root: Path, source: str, *harnesses: Any, jobs: int = 2, **more: Any) -> list[Played]:
    """Run tasks through harnesses (the player with each policy, unless others are named); what came of each trial."""
    settings = {"isolation": 0, "deadline": 120, **more.pop("settings", {})}
    asked = {"harnesses": list(harnesses) or PLAYERS, "models": ["reader"], "settings": settings, **more}
    await run_experiment(root, experiment(source, **asked), jobs=jobs)
    return outcomes(root)


def outcomes(root: Path) -> list[Played]:
    """What came of each trial of a run folder."""
    data = load_run(root)
    return [Played(root, trial.spec, record) for trial in data.trials for record in trial.rounds]


@asynccontextmanager
async def opened(
    task: ForgeTask, folder: Path, *, attach: bool = False, private: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[ForgeEnvironment]:
    """The environment of a task, without a run; its workspace is ``folder/workspace``."""
    made = ForgeEnvironment(**options)
    scenario = scenario_of(task, {"mode": "multi", **options})
    (folder / "workspace").mkdir(parents=True, exist_ok=True)
    (folder / "environment").mkdir()
    ctx = EnvironmentContext(
        trial=folder.name, scenario=scenario.root, workspace=folder / "workspace", private=private,
        folder=folder / "environment", seed=0, isolation=ISOLATION, marker=f"forge-test/{folder.name}",
        log=logging.getLogger(__name__),
    )  # fmt: skip
    try:
        await made.open(ctx)
        if attach:
            await made.attach()
        yield made
    finally:
        await made.close()


def policy_of(one: Played) -> str:
    """The policy that was the model of a trial."""
    return one.spec.model.name.removeprefix("policy-")


def same_commands(one: Played, other: Sequence[str]) -> bool:
    """Whether a trial's commands are these, however a shell has quoted them."""
    return [split_words(line) for line in one.commands] == [split_words(line) for line in other]


SCRIPTS_ALONE = """
import sys, json
from importlib import import_module
from types import SimpleNamespace
for name in ("families", "tasks", "generator", "evaluation", "proof"):
    sys.modules["claw_adapter_forge." + name] = None
from claw_adapter_forge.policies import router
known = [SimpleNamespace(asks=a, expert=getattr(import_module(m), n)) for a, m, n in json.loads(sys.stdin.readline())]
router.plugged = lambda: known
"""
"""Begins a program that has of the families nothing but the words by which requests are known, and the scripts."""


def known_scripts() -> str:
    """What such a program reads first: a line of JSON."""
    return json.dumps([(f.asks, f.expert.__module__, f.expert.__name__) for f in families()]) + "\n"
