"""What a check gets: the harness under test, conversations with it, and the means to say what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.context import Trick
from claw_adapter.certify.demand import ISOLATED, CheckFinding, Demand, Unverified
from claw_adapter.certify.director import Request
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.certify.script import say
from claw_adapter.certify.standard import StandardPast
from claw_adapter.certify.trial import KitTrial, Left
from claw_adapter.certify.turn import Turn
from claw_adapter.certify.watch import files_below, logged, traces_outside
from claw_adapter.certify.world import canary
from claw_adapter.endpoint.models.played import PlayedReply
from claw_adapter.environment import Surroundings
from claw_adapter.errors import Owner
from claw_adapter.harness import Harness
from claw_adapter.protocol import Capabilities, Checkpoint, Probe, Session

__all__ = ["Kit"]


@dataclass(slots=True)
class Kit:
    """One check's view of the bench.

    Attributes:
        check: what the check under way demands.
        anew: no conversation that another check has used is taken.
        warnings: shown in the report, never a failure.
        notes: measured values and the like, kept as evidence.
        trials: names of the trials used.
        rounds: (trial, round) of every turn made, in order.
        claimed: whether the adapter says that it can do what the check needs.
        inherited: a conversation was taken that another check had used before.
    """

    bench: Bench
    check: Demand
    anew: bool = False
    claimed: bool = True
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    trials: list[str] = field(default_factory=list)
    rounds: list[tuple[str, str]] = field(default_factory=list)
    inherited: bool = False

    @property
    def harness(self) -> Harness:
        """The adapter under test."""
        return self.bench.harness

    @property
    def capabilities(self) -> Capabilities:
        """What it declares."""
        return self.bench.capabilities

    @property
    def past(self) -> StandardPast:
        """The past that the shared conversation starts with."""
        return self.bench.past

    @property
    def probe(self) -> Probe:
        """What it found on this machine."""
        return self.bench.probe

    def canary(self, label: str = "") -> str:
        """Words that stand nowhere else, drawn: the same for this check and label under one nonce."""
        return canary(self.bench.nonce, self.check.id, label)

    def plans(self, keep: Path | None = None) -> PlanRunner:
        """What plays sessions through the harness as the bench has it; their runs are left in `keep`, if anywhere."""
        bench = self.bench
        return PlanRunner(
            self.harness, options=bench.options, overlays=bench.overlays, isolation=bench.isolation,
            deadline=bench.deadline, keep=keep, beside=bench.root.parent, tried=bench.tried,
        )  # fmt: skip

    async def shared(self) -> KitTrial:
        """The conversation that checks share: standard past and files, fit for turns that succeed.

        A turn that fails spoils it; the next check then gets a new one. What may fail on purpose belongs into `trial`.
        """
        trial = await self.bench.shared()
        if trial.name not in self.trials:
            self.trials.append(trial.name)
        return trial

    async def closed(self) -> Left:
        """What a conversation of one turn has left that is closed; made once for all checks that look at it.

        It was at isolation 1 or less, where nothing but good manners keeps a harness in. A check that fails by what another
        one has made is judged again by one of its own.

        Raises:
            CheckFinding: it does not come up.
        """
        if self.bench.left is not None and not self.anew:
            self.inherited = True
            self.trials.append(self.bench.left.trial)
            return self.bench.left
        began, word = time.time() - 1, self.canary("closed")
        async with self.trial(isolation=min(self.bench.isolation, 1), opened=False) as t:
            with logged() as lines:
                await t.open()
                turn = await self.send(t, f"Hello, {word}.", say("Hello."))
                kept = ""
                with contextlib.suppress(CheckFinding):  # which others find
                    made = await t.checkpoint()
                    kept = made.model_dump_json() + "".join(data.decode("latin-1") for data in made.files.values())
                commands = [item.command for item in t.processes()]
                closed = await t.close()
            marks = [t.ctx.trial, str(t.folder), t.ctx.endpoint.key]
            outside = traces_outside(marks, began, (self.bench.root, self.bench.evidence))
            self.bench.left = Left(
                trial=t.name,
                word=word,
                turn=turn,
                key=t.ctx.endpoint.key,
                visible={
                    "a command line": "\n".join([*commands, *(" ".join(argv) for argv in t.ctx.commands)]),
                    "the log": "\n".join(lines),
                    "the turn's result": turn.result.model_dump_json(),
                    "the checkpoint": kept,
                },
                closed=closed,
                beside=sorted({path.split("/")[0] for path in t.files()} - {"workspace", "state"}),
                outside=[str(path) for path in outside],
                temporary=sorted(files_below(self.bench.temporary)),
            )
        return self.bench.left

    @contextlib.asynccontextmanager
    async def trial(
        self,
        *,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        files: Mapping[str, str] | None = None,
        faults: Sequence[Mapping[str, JsonValue]] = (),
        isolation: int | None = None,
        trick: Trick = "",
        workspace: Path | None = None,
        checkpoint: Checkpoint | None = None,
        opened: bool = True,
        harness: Harness | None = None,
        environment: Surroundings | None = None,
    ) -> AsyncIterator[KitTrial]:
        """A conversation of its own, closed at the end; costs one start of the harness.

        Args:
            main: the main session; empty when None.
            histories: history sessions; as files or native, as the harness declares.
            files: the base tree of the workspace, path → text.
            faults: a fault schedule, as `ModelSpec.options["faults"]`; `Fail` in a turn's script is simpler.
            isolation: the level; None means that of the certification.
            trick: hide or kill the harness's programs.
            workspace: an existing workspace to work in, for reopening.
            checkpoint: open from it.
            opened: False leaves `open` to the check (``await t.open()``).
            harness: another instance of the adapter.
            environment: what stands beside the workspace.

        Raises:
            CheckFinding: it does not come up.
        """
        made = await self.bench.trial(
            main=main, histories=histories, files=files, faults=faults, isolation=isolation, trick=trick,
            workspace=workspace, checkpoint=checkpoint, opened=opened, harness=harness, environment=environment,
            name=self.check.id.lower(),
        )  # fmt: skip
        async with self._dropped(made):
            yield made

    @contextlib.asynccontextmanager
    async def plain(self, *, first: bool = False) -> AsyncIterator[KitTrial]:
        """A conversation without a past, with `past.file` in its workspace, that may have served another check before.

        What is fit for another prompt at the end is left to the next check, for a start may take a harness twenty seconds. So
        nothing said in it is this check's alone, and a check that fails in it is judged again in one of its own.

        Args:
            first: nothing has been said in it yet.

        Raises:
            CheckFinding: it does not come up.
        """
        made = self.bench.take() if not first and not self.anew else None
        self.inherited = self.inherited or made is not None
        made = made or await self.bench.trial(files=self.past.plain(), name=self.check.id.lower())
        async with self._left(made):
            yield made

    @contextlib.asynccontextmanager
    async def _left(self, trial: KitTrial) -> AsyncIterator[None]:
        """At the end the trial is left to the next check, or dropped if this one fails."""
        self.trials.append(trial.name)
        try:
            yield
        except BaseException:
            await self.bench.drop(trial)
            raise
        await self.bench.leave(trial)

    @contextlib.asynccontextmanager
    async def reopened(
        self, trial: KitTrial, checkpoint: Checkpoint, *, plain: bool = False
    ) -> AsyncIterator[KitTrial]:
        """Close a trial and open its checkpoint in a fresh state directory, over the same workspace.

        Args:
            trial: what is reopened.
            checkpoint: where it goes on.
            plain: it came from `plain`, and what becomes of it is left to the next check as well.
        """
        await trial.close()
        made = await self.bench.trial(
            main=trial.world.main, histories=tuple(trial.world.histories.values()), workspace=trial.ctx.workspace,
            checkpoint=checkpoint, name=self.check.id.lower(),
        )  # fmt: skip
        async with self._left(made) if plain else self._dropped(made):
            yield made

    @contextlib.asynccontextmanager
    async def _dropped(self, trial: KitTrial) -> AsyncIterator[None]:
        self.trials.append(trial.name)
        try:
            yield
        finally:
            await self.bench.drop(trial)

    async def send(
        self,
        trial: KitTrial,
        prompt: str,
        *replies: PlayedReply,
        marker: str | None = None,
        deadline: float | None = None,
    ) -> Turn:
        """`KitTrial.send`, noted as this check's evidence. Use this one in checks."""
        turn = await trial.send(prompt, *replies, check=self.check.id, marker=marker, deadline=deadline)
        self.rounds.append((trial.name, turn.round))
        return turn

    async def cancelled(self, trial: KitTrial, sending: asyncio.Task[Turn]) -> Turn:
        """Cancel the turn under way, and demand that it comes back within ten seconds."""
        return await self.came_back(sending, trial.cancel(), 10.0, "cancel()")

    async def came_back(self, sending: asyncio.Task[Turn], act: Awaitable[None], seconds: float, what: str) -> Turn:
        """Do something to the turn under way, `what` in words, and demand that it then comes back within so many seconds."""
        try:
            await act
            await asyncio.wait({sending}, timeout=seconds)
            self.expect(sending.done(), f"{seconds:g} s after {what} the turn is still under way")
        finally:
            if not sending.done():
                sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
        return sending.result()

    def expect(
        self, condition: object, what: str, *, remedy: str = "", owner: Owner = Owner.ADAPTER, broken: bool = False
    ) -> None:
        """Demand something.

        Raises:
            CheckFinding: `condition` is false; `what` says what was seen instead, `remedy` (default: the check's) what to
                change.
        """
        if not condition:
            raise CheckFinding(what, remedy=remedy or self.check.remedy, owner=owner, broken=broken)

    def reached(self, requests: Sequence[Request], text: str, what: str, **more: str) -> None:
        """Demand that a text stands in at least one of these requests.

        Raises:
            CheckFinding: it does not; `what` names it for the author.
        """
        self.expect(
            any(text in request.text for request in requests),
            f"{what} ({text!r}) is in none of the {len(requests)} model requests of this turn",
            **more,  # type: ignore[arg-type]  # remedy only
        )

    def absent(self, requests: Sequence[Request], text: str, what: str) -> None:
        """Demand that a text stands in none of these requests.

        Raises:
            CheckFinding: it does.
        """
        self.expect(
            not any(text in request.text for request in requests),
            f"{what} ({text!r}) is in a model request of this turn",
        )

    def isolated(self) -> None:
        """The check means nothing below isolation `ISOLATED`.

        Raises:
            Unverified: the certification runs below it.
        """
        if self.bench.isolation < ISOLATED:
            raise Unverified(f"needs isolation {ISOLATED}, this certification runs at {self.bench.isolation}")

    def warn(self, text: str) -> None:
        """Something the author should know; no failure."""
        self.warnings.append(text)

    def note(self, text: str) -> None:
        """A measured value, kept as evidence."""
        self.notes.append(text)
