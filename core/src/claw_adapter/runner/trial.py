"""One trial while it is under way: its world, its conversation, its checkpoint; laid out, opened anew, closed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from claw_adapter.drivers import reaper
from claw_adapter.drivers.waiting import timeout, to_thread
from claw_adapter.endpoint import ModelEndpoint, RoundMeter
from claw_adapter.environment import EnvironmentContext
from claw_adapter.errors import AdapterError, ClawError, DeadlineExceeded, HarnessError
from claw_adapter.folders import remove_tree
from claw_adapter.harness import Conversation, Harness
from claw_adapter.protocol import (
    Checkpoint,
    Failure,
    Gold,
    Isolation,
    Metered,
    RoundRecord,
    Scenario,
    SessionChange,
    TrialSpec,
    TrialStart,
)
from claw_adapter.protocol.journal import MachineUse
from claw_adapter.redaction import Redactor
from claw_adapter.runner.bounds import Bounds, Watched
from claw_adapter.runner.context import Address, RunnerContext
from claw_adapter.runner.environments import TrialEnvironment, refuse_mcp
from claw_adapter.runner.headroom import Headroom
from claw_adapter.runner.incident import Incident
from claw_adapter.runner.overlays import OverlayStack
from claw_adapter.runner.world import TrialWorld
from claw_adapter.runs.checkpoints import Saved, load_checkpoint
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import Journal
from claw_adapter.runs.store import Store
from claw_adapter.sandbox import checks_open
from claw_adapter.scenario import load_gold
from claw_adapter.workspace import Snapshotter

__all__ = ["LATE_SECONDS", "Services", "Trial"]

CLOSE_SECONDS = 15.0
SWEEP_SECONDS = 2.0
LATE_SECONDS = 5.0
"""How much longer than its deadline an adapter may take to come back before the runner stops waiting."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Services:
    """What the trials of a run share."""

    folder: RunFolder
    store: Store
    endpoint: ModelEndpoint
    marker: str
    """Beginning of the mark that every child of this run carries."""
    headroom: Headroom
    bounds: Bounds
    hidden: tuple[Path, ...] = ()
    """Scenario folders: no harness process may see them, wherever they are installed."""
    redactor: Redactor = field(default_factory=Redactor)
    """Removes the run's keys from what is kept."""
    leave: Callable[[Path], Awaitable[None]] | None = None
    """Has a file removed when the run has ended, in whatever way."""
    last_feedback: bool = True
    """Whether the feedback on the last round is delivered, too."""
    incidents: Mapping[str, Sequence[Incident]] = field(default_factory=dict)
    """What is to happen in a trial, by its id."""
    on_round: Callable[[TrialSpec, RoundRecord, int], None] = lambda _trial, _record, _total: None
    on_end: Callable[[TrialSpec, Failure | None], None] = lambda _trial, _error: None


@dataclass(slots=True)
class Trial:
    """One trial; `claw_adapter.runner.loop` takes it to its end."""

    spec: TrialSpec
    scenario: Scenario
    harness: Harness
    services: Services
    gold: Gold = field(init=False)
    world: TrialWorld = field(init=False)
    journal: Journal = field(init=False)
    context: RunnerContext | None = field(init=False, default=None)
    conversation: Conversation | None = field(init=False, default=None)
    saved: Saved | None = field(init=False, default=None)
    """The last checkpoint."""
    pending: list[SessionChange] = field(init=False, default_factory=list)
    """Session changes that the last checkpoint does not have yet."""
    overlays: OverlayStack | None = field(init=False, default=None)
    """None before they are made, and where there are none."""
    spent: Metered | None = field(init=False, default=None)
    """What overlays asked of the model for themselves since the last record."""
    environment: TrialEnvironment | None = field(init=False, default=None)
    key: str = field(init=False, default="")
    base: str = field(init=False, default="")
    first_state: str = field(init=False, default="")
    versions: dict[str, str] = field(init=False, default_factory=dict)
    """Of harness and overlays."""
    watched: Watched = field(init=False)
    used: MachineUse | None = field(init=False, default=None)
    """What the harness has used of the machine, known when it is closed."""

    @property
    def live(self) -> Path:
        """Folder of what only lives while the trial is under way."""
        return self.services.folder.live / self.spec.id

    @property
    def incidents(self) -> Sequence[Incident]:
        """What is to happen in this trial."""
        return self.services.incidents.get(self.spec.id, ())

    @property
    def checkpoint(self) -> Checkpoint | None:
        """The last checkpoint; None before the first."""
        return self.saved.checkpoint if self.saved else None

    @property
    def last_state(self) -> str:
        """The environment's state after the last finished round, or its first one; empty without an environment."""
        change = self.journal.rounds[-1].environment if self.journal.rounds else None
        return change.after if change else self.first_state

    @property
    def last_snapshot(self) -> str:
        """Snapshot after the last finished round, or of the base tree before the first."""
        return self.journal.rounds[-1].snapshot if self.journal.rounds else self.base

    async def prepare(self) -> None:
        """Lay out the world as the journal says it was left, and open the endpoint for it.

        Raises:
            ClawError: it cannot be begun.
        """
        probe = self.harness.probe()
        if not probe.ready:
            raise AdapterError(f"harness {self.spec.harness.name!r} is not ready: {probe.reason}", remedy=probe.remedy)
        self.gold = load_gold(self.scenario)
        if self.spec.overlays:
            self.overlays = OverlayStack(
                self.spec,
                self.services.endpoint,
                folder=self.live / "overlays",
                artefacts=self.services.folder.trial(self.spec.id) / "artefacts",
                marker=f"{self.services.marker}/{self.spec.id}",
                hidden=self.services.hidden,
            )
        await to_thread(remove_tree, self.live)
        workspace = self.live / "workspace"
        workspace.mkdir(parents=True)
        self.watched = self.services.bounds.add(self.spec.id, self.spec.settings, (workspace, self.live / "state"))
        snapshots = Snapshotter(self.services.store)
        self.world = TrialWorld(self.scenario, workspace, snapshots, self.harness.capabilities().seed_history)
        await to_thread(self.world.lay_out)
        await self._open_environment()
        self.base = await to_thread(snapshots.take, workspace)
        self.key = await self.services.endpoint.open_trial(
            self.spec.id, self.spec.model, self.services.folder.transcript(self.spec.id)
        )
        self.versions = {**probe.versions, **(self.overlays.versions if self.overlays else {})}
        last = ""
        for record in self.journal.rounds:
            self.pending += self.world.replay(self.scenario.rounds[record.index].updates)
            if record.checkpoint is not None:
                last, self.pending = record.checkpoint, []
        if last:
            checkpoint = await to_thread(load_checkpoint, self.services.store, last)
            self.saved = Saved(checkpoint, last)
            self.world.adopt(checkpoint.sessions[0])
        if self.journal.rounds:
            await self.reset(self.last_snapshot, self.last_state)

    async def _open_environment(self) -> None:
        """Open what the scenario names; what it puts into the workspace is there from the beginning."""
        named = self.scenario.manifest.environment
        if named is None:
            return
        self.environment = TrialEnvironment(named, self.services.store, self.spec.settings.deadline)
        ctx = EnvironmentContext(
            trial=self.spec.id,
            scenario=self.scenario.root,
            workspace=self.world.workspace,
            private=self.harness.capabilities().memory_files,
            folder=self.live / "environment",
            seed=self.spec.seed,
            isolation=self.spec.settings.isolation,
            marker=f"{self.services.marker}/environments/{self.spec.id}",
            log=logging.getLogger(f"claw_adapter.trial.{self.spec.id}"),
        )
        await self.environment.open(ctx, attach=self.harness.executes)
        refuse_mcp(self.environment.surroundings.attached, self.harness)
        self.first_state = await self.environment.snapshot()

    async def reset(self, snapshot: str, state: str) -> None:
        """Put workspace and environment back; no harness is at work."""
        await to_thread(self.world.snapshots.restore, snapshot, self.world.workspace)
        if self.environment is not None:
            await self.environment.restore(state)

    def record_start(self) -> None:
        """Write the journal's first record, once: when the harness runs and has said what it is, or has failed to come up."""
        if self.journal.start is not None:
            return
        capabilities = self.harness.capabilities()
        checks = self.spec.settings.isolation
        level = None if not self.harness.executes else 0 if self.harness.runs_inside else checks
        record = TrialStart(
            trial=self.spec.id,
            scenario=self.scenario.id,
            scenario_digest=self.scenario.digest,
            harness=self.spec.harness.label,
            versions=self.versions,
            model=self.spec.model.name,
            overlays=tuple(overlay.label for overlay in self.spec.overlays),
            seed=self.spec.seed,
            repeat=self.spec.repeat,
            isolation=Isolation(harness=level, check=checks, check_open=checks_open(checks)),
            snapshot=self.base,
            notes=capabilities.described,
            memory_files=capabilities.memory_files,
            capabilities=capabilities,
        )
        self.journal.append(record)

    async def open(self) -> Conversation:
        """The conversation; after a failure a new one on a fresh state directory, opened from the last checkpoint.

        Raises:
            ClawError: the harness does not come up.
        """
        if self.conversation is not None:
            return self.conversation
        state = self.live / "state"
        await to_thread(remove_tree, state)
        state.mkdir(parents=True)
        self.context = RunnerContext(
            self.spec,
            workspace=self.world.workspace,
            state_dir=state,
            main=self.world.main(self.harness),
            histories=self.world.histories(),
            address=Address(self.services.endpoint.url, self.services.endpoint.socket),
            key=self.key,
            marker=f"{self.services.marker}/{self.spec.id}",
            hidden=self.services.hidden,
            leave=self.services.leave,
            environment=self.environment.surroundings if self.environment else None,
            executes=self.harness.executes,
            named=not self.harness.runs_inside,
        )
        if self.overlays is not None:
            saved = self.checkpoint.overlays if self.checkpoint else {}
            self.context.endpoint = await self.overlays.open(self.context.endpoint, saved)
        late = self.late("the harness did not come up")
        await to_thread(self.watched.begins)
        began = time.monotonic()
        async with timeout(self.spec.settings.deadline + LATE_SECONDS, late):
            self.conversation = await self.harness.open(self.context, self.checkpoint)
        self.watched.openings.append(time.monotonic() - began)
        self.versions |= self.conversation.versions
        self.record_start()
        if self.checkpoint is not None and self.pending:
            await self.sync(self.conversation, self.pending)
        return self.conversation

    async def sync(self, conversation: Conversation, changes: Sequence[SessionChange]) -> None:
        """Bring changes into the harness's own store.

        Raises:
            ClawError: it fails.
            DeadlineExceeded: it takes longer than a turn may.
        """
        async with timeout(self.spec.settings.deadline, self.late("sync() did not come back")):
            await conversation.sync(changes)

    def late(self, what: str) -> Callable[[], ClawError]:
        """The error of a harness that is silent where it opens, takes changes in or says what it knows."""
        where, seconds = f"harness {self.spec.harness.label}", self.spec.settings.deadline
        return lambda: DeadlineExceeded(f"{what} within {seconds:g} s", where=where)

    async def drop(self) -> Failure | None:
        """Throw the conversation away; `open` makes a new one. Returns what keeps the old one from being gone.

        Whatever close() has failed to end is killed: it must not work on beside its successor.
        """
        conversation, self.conversation = self.conversation, None
        if conversation is not None:
            try:
                async with asyncio.timeout(CLOSE_SECONDS):
                    await conversation.close()
            except Exception:
                log.exception("closing %s of trial %s", type(conversation).__name__, self.spec.id)
        if self.overlays is not None:
            await self.overlays.close()
        nothing = self.overlays is None and (self.context is None or not self.context.started)
        if nothing or not (
            left := await to_thread(reaper.sweep, f"{self.services.marker}/{self.spec.id}", SWEEP_SECONDS)
        ):
            return None
        where = f"harness {self.spec.harness.label}"
        return Failure.of(HarnessError(f"processes still there after being killed: {left}", where=where))

    def note(self, meter: RoundMeter) -> None:
        """Keep what overlays have spent for the next record."""
        if meter.overlay is not None:
            self.spent = self.spent.plus(meter.overlay) if self.spent else meter.overlay

    def take_spent(self) -> Metered | None:
        """What overlays have spent since this was last asked."""
        spent, self.spent = self.spent, None
        return spent

    def keep(self, saved: Saved) -> None:
        """Go on from this checkpoint after whatever comes."""
        self.saved, self.pending = saved, []
        self.world.adopt(saved.checkpoint.sessions[0])

    async def closed(self, error: Failure | None) -> Failure | None:
        """Close everything, even when that is cancelled; returns `error`, or the first that comes of closing."""
        return await asyncio.shield(self._close(error))

    async def _close(self, error: Failure | None) -> Failure | None:
        for step in (self._let_go, self._leave_environment, self._sum_up, self._leave_endpoint, self._clear):
            try:
                found = await step()
            except Exception as fault:
                log.exception("closing trial %s", self.spec.id)
                found = Failure.of(fault)
            error = error or found
        return error

    async def _let_go(self) -> Failure | None:
        failure = await self.drop()
        if self.base:
            self.used = await to_thread(self.watched.used)
        return failure

    async def _leave_environment(self) -> None:
        if self.environment is not None:
            await self.environment.close()
            await to_thread(reaper.sweep, f"{self.services.marker}/environments/{self.spec.id}", SWEEP_SECONDS)

    async def _sum_up(self) -> None:
        if self.key and self.overlays is not None:
            self.note(await self.services.endpoint.end_round(self.spec.id))

    async def _leave_endpoint(self) -> None:
        if self.key:
            await self.services.endpoint.close_trial(self.spec.id)

    async def _clear(self) -> None:
        self.services.bounds.remove(self.spec.id)
        await to_thread(remove_tree, self.live)
