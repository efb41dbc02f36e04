"""What all checks of one certification share: the endpoint, the lifeline, the folder, and one conversation."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from pydantic import JsonValue

from claw_adapter.certify.context import KitContext, Trick
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.digests import code_times, program_digests
from claw_adapter.certify.director import Director
from claw_adapter.certify.disguise import Disguise
from claw_adapter.certify.offspring import adopting
from claw_adapter.certify.plans.layout import run_folder
from claw_adapter.certify.stack import kit_overlays, overlay_specs
from claw_adapter.certify.standard import StandardPast
from claw_adapter.certify.trial import KitTrial, Left
from claw_adapter.certify.tried import ToolsTried
from claw_adapter.certify.world import KitWorld, canary
from claw_adapter.drivers import Lifeline, reaper
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.environment import Surroundings
from claw_adapter.folders import opened, remove_tree
from claw_adapter.harness import Harness
from claw_adapter.model import Model
from claw_adapter.notation import render_named
from claw_adapter.protocol import Capabilities, ModelSpec, Probe, Session
from claw_adapter.runner.context import told_workspace
from claw_adapter.runner.overlays import make_overlays
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.sandbox import detect

__all__ = ["Bench"]

DEADLINE: Final = 90.0


class Bench:
    """An async context manager.

    Args:
        harness: the adapter under test.
        out: where evidence goes; a temporary folder when None.
        isolation: the level for harness processes; None means the highest this machine has (1 for what works inside us).
        deadline: seconds that a turn or an opening may take.
        options: what the adapter was made with, for the record.
        overlays: what stands between harness and model in every conversation, by plugin name; the first nearest to the model.
        nonce: what plans are drawn from; a fresh one when empty.
        shrinking: how many runs may be made to cut a plan that shows a bug.
    """

    def __init__(
        self,
        harness: Harness,
        *,
        out: Path | None = None,
        isolation: int | None = None,
        deadline: float = DEADLINE,
        options: Mapping[str, JsonValue] | None = None,
        overlays: Sequence[str] = (),
        nonce: str = "",
        shrinking: int = 30,
    ) -> None:
        self.shrinking = shrinking
        self.interrupted = False
        """Whether somebody has broken off what went on behind a finding: that is kept, and nothing more is asked."""
        self.nonce = nonce or secrets.token_hex(4)
        self.harness = harness
        self.disguise = Disguise(self.nonce, harness.name)
        self.past = StandardPast(self.nonce)
        self.options = dict(options or {})
        self.overlays = tuple(overlays)
        self.capabilities: Capabilities = harness.capabilities()
        self.probe: Probe = harness.probe()
        self.available = int(detect().level)
        inside = 1 if harness.runs_inside else self.available
        self.isolation = inside if isolation is None else isolation
        self.deadline = deadline
        self.trials: list[KitTrial] = []
        self.tried = ToolsTried()
        self.programs: dict[str, str] = {}
        """Digests of the programs that were started."""
        self.before: frozenset[int] = frozenset()
        """Processes that were there before us."""
        self._out = out
        self._number = 0
        self._own = secrets.token_hex(3)
        """What tells our trials from those of another certification on this machine at the same time."""
        self.left: Left | None = None
        """What the conversation of `Kit.closed` has left."""
        self._shared: KitTrial | None = None
        self._spare: KitTrial | None = None
        self._failed: list[CheckFinding] = []
        self._models: dict[str, Director] = {}
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.began = time.time()
        self._code = code_times(type(self.harness).__module__)
        self.before = frozenset(reaper.table())
        self._stack.enter_context(adopting())
        self.root = Path(tempfile.mkdtemp()).resolve()
        self.live = run_folder(self.root, self.nonce) / "live"
        self._stack.enter_context(opened(self.root))  # by which other certifications see whose it is
        self._stack.callback(remove_tree, self.root)
        self.evidence = (self._out or self.root) / "evidence"
        self.lifeline = await self._stack.enter_async_context(Lifeline())
        self.server = EndpointServer(self.root, grace=0.2, make=self._model)
        await self._stack.enter_async_context(self.server)
        self._stack.push_async_callback(self._close_all)
        self.temporary = self.live / "tmp"
        self.temporary.mkdir(parents=True)
        tempfile.tempdir, before = str(self.temporary), tempfile.tempdir
        self._stack.callback(setattr, tempfile, "tempdir", before)
        return self

    async def __aexit__(self, *reason: object) -> None:
        await self._stack.aclose()

    @property
    def label(self) -> str:
        """What is certified, as it is typed."""
        return render_named(self.harness.name, self.options, self.overlays)

    @property
    def versions(self) -> dict[str, str]:
        """What the probes have found, of overlays as well."""
        found = dict(self.probe.versions)
        for overlay in make_overlays(overlay_specs(self.overlays)):
            found |= overlay.probe().versions
        return found

    @property
    def keeps(self) -> bool:
        """Whether the evidence stays."""
        return self._out is not None

    def rewritten(self) -> list[str]:
        """Files of the adapter's own package that have come, gone or been written since the bench was opened."""
        now = code_times(type(self.harness).__module__)
        return sorted(name for name in {*self._code, *now} if self._code.get(name) != now.get(name))

    @property
    def level(self) -> int:
        """The isolation to put on record: 0 for what works inside this process."""
        return 0 if self.harness.runs_inside else self.isolation

    def _model(self, spec: ModelSpec, trial: str) -> Model:
        del spec
        return self._models[trial]

    async def _close_all(self) -> None:
        for trial in self.trials:
            await trial.close()
            self.save(trial)

    async def shared(self) -> KitTrial:
        """The conversation that checks share; a new one when a check has spoilt it.

        It has the standard main session, histories and files (certify/standard.py), and one turn behind it.

        Raises:
            CheckFinding: it does not come up. That is found once and told to everyone who asks.
        """
        if self._shared is not None and not self._shared.spoilt:
            return self._shared
        if self._shared is not None:
            await self.drop(self._shared)
            self._shared = None
        if len(self._failed) >= 2:
            raise self._failed[-1]
        try:
            trial = await self.trial(
                main=self.past.main, histories=self.past.histories, files=self.past.files, name="shared"
            )
            self._shared = trial
            word = canary(self.nonce, "opening")
            (await trial.send(f"Good morning. Today's word is {word}.", check="opening")).answered()
        except CheckFinding as finding:
            finding.trial = finding.trial or self.trials[-1].name
            self._failed.append(finding)
            raise
        self._failed.clear()
        return trial

    async def trial(
        self,
        *,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        files: Mapping[str, str] | None = None,
        faults: Sequence[Mapping[str, JsonValue]] = (),
        isolation: int | None = None,
        name: str = "own",
        trick: Trick = "",
        workspace: Path | None = None,
        opened: bool = True,
        harness: Harness | None = None,
        checkpoint: Any = None,
        environment: Surroundings | None = None,
    ) -> KitTrial:
        """A conversation of its own; see `Kit.trial`."""
        self._number += 1
        trial_id = f"{name}-{self._number}-{self._own}"
        scenario, told = self.disguise.trial()
        folder = self.live / told
        where = workspace or folder / "workspace"
        where.mkdir(parents=True, exist_ok=True)
        tested = harness or self.harness
        sources = self.root / "sources" / trial_id
        world = KitWorld(
            where, sources, self.capabilities.seed_history, main or Session(id="main"), {s.id: s for s in histories}
        )
        if workspace is None:
            world.lay_out(files or {})
        model = ModelSpec(
            name=self.disguise.model, kind="scripted", options={"faults": [dict(rule) for rule in faults]}
        )
        level = self.isolation if isolation is None else isolation
        self._models[trial_id] = director = Director(str(told_workspace(tested, level, where)))
        transcript = self.evidence / trial_id / "transcript.jsonl"
        key = await self.server.open_trial(trial_id, model, transcript)
        ctx = KitContext(
            folder, self.server, main=world.main, histories=world.native, key=key, model=self.disguise.model,
            isolation=level, deadline=self.deadline, scenario=scenario, workspace=where,
            named=not tested.runs_inside, environment=environment,
            marker=f"{self.lifeline.marker}/{told}",
        )  # fmt: skip
        ctx.trick = trick
        made = KitTrial(trial_id, folder, tested, world, ctx, director, self.server, transcript, self.deadline)
        if self.overlays:
            place = self.live.parent / "overlays" / told
            made.overlays = kit_overlays(
                self.overlays, ctx, self.server, trial_id, model, (place / "live", place / "kept")
            )
        self.trials.append(made)
        if opened:
            try:
                await made.open(checkpoint)
            except BaseException as error:
                await self.drop(made)
                if isinstance(error, CheckFinding):
                    error.trial = trial_id
                raise
        return made

    def take(self) -> KitTrial | None:
        """The plain conversation that a check has left for the next one, if there is one."""
        spare, self._spare = self._spare, None
        return spare

    async def leave(self, trial: KitTrial) -> None:
        """Keep a plain conversation for the next check that wants one; drop it if it is spoilt."""
        if trial.spoilt:
            await self.drop(trial)
            return
        before, self._spare = self._spare, trial
        if before is not None:
            await self.drop(before)

    async def drop(self, trial: KitTrial) -> None:
        """Close a trial, keep its evidence, and remove what it left, but not the workspace that another one goes on in."""
        await trial.close()
        self.save(trial)
        self.programs |= await asyncio.to_thread(program_digests, trial.ctx.commands, self.root)
        if trial in self.trials:
            self.trials.remove(trial)
        goes_on = any(other.ctx.workspace == trial.ctx.workspace for other in self.trials)
        await asyncio.to_thread(remove_tree, trial.ctx.state_dir if goes_on else trial.folder)
        for place in (self.root / "sources" / trial.name, self.live.parent / "overlays" / trial.ctx.trial):
            shutil.rmtree(place, ignore_errors=True)

    def save(self, trial: KitTrial) -> None:
        """Write what happened in a trial into its evidence folder."""
        folder = self.evidence / trial.name
        folder.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(item, ensure_ascii=False, default=str) for item in trial.log]
        text = "\n".join(lines).replace(trial.ctx.endpoint.key, "[key removed]")
        (folder / "events.jsonl").write_text(text + "\n", "utf-8", "backslashreplace")
        if trial.transcript.is_file():
            self.tried.take(read_transcript(trial.transcript))
