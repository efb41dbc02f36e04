"""What a check gets: the harness under test, conversations with it, and the means to say what is wrong."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.context import Trick
from claw_adapter.certify.demand import CheckFinding, Demand, Unverified
from claw_adapter.certify.director import Request
from claw_adapter.certify.script import Step
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.turn import Turn
from claw_adapter.certify.world import canary
from claw_adapter.errors import Owner
from claw_adapter.harness import Harness
from claw_adapter.protocol import Capabilities, Checkpoint, Probe, Session

__all__ = ["Kit"]


@dataclass(slots=True)
class Kit:
    """One check's view of the bench.

    Attributes:
        check: what the check under way demands.
        warnings: shown in the report, never a failure.
        notes: measured values and the like, kept as evidence.
        trials: names of the trials used.
        rounds: (trial, round) of every turn made, in order.
    """

    bench: Bench
    check: Demand
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    trials: list[str] = field(default_factory=list)
    rounds: list[tuple[str, str]] = field(default_factory=list)

    @property
    def harness(self) -> Harness:
        """The adapter under test."""
        return self.bench.harness

    @property
    def capabilities(self) -> Capabilities:
        """What it declares."""
        return self.bench.capabilities

    @property
    def probe(self) -> Probe:
        """What it found on this machine."""
        return self.bench.probe

    def canary(self, label: str = "") -> str:
        """Words that stand nowhere else; the same for this check and label in every run."""
        return canary(self.check.id, label)

    async def shared(self) -> KitTrial:
        """The conversation that checks share: standard past and files, fit for turns that succeed.

        A turn that fails spoils it; the next check then gets a new one. What may fail on purpose belongs into `trial`.
        """
        trial = await self.bench.shared()
        if trial.name not in self.trials:
            self.trials.append(trial.name)
        return trial

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

        Raises:
            CheckFinding: it does not come up.
        """
        made = await self.bench.trial(
            main=main, histories=histories, files=files, faults=faults, isolation=isolation, trick=trick,
            workspace=workspace, checkpoint=checkpoint, opened=opened, harness=harness, name=self.check.id.lower(),
        )  # fmt: skip
        self.trials.append(made.name)
        try:
            yield made
        finally:
            await self.bench.drop(made)

    @contextlib.asynccontextmanager
    async def reopened(self, trial: KitTrial, checkpoint: Checkpoint) -> AsyncIterator[KitTrial]:
        """Close a trial and open its checkpoint in a fresh state directory, over the same workspace."""
        await trial.close()
        async with self.trial(
            main=trial.world.main,
            histories=tuple(trial.world.histories.values()),
            workspace=trial.ctx.workspace,
            checkpoint=checkpoint,
        ) as fresh:
            yield fresh

    async def send(
        self, trial: KitTrial, prompt: str, *steps: Step, marker: str | None = None, deadline: float | None = None
    ) -> Turn:
        """`KitTrial.send`, noted as this check's evidence. Use this one in checks."""
        turn = await trial.send(prompt, *steps, check=self.check.id, marker=marker, deadline=deadline)
        self.rounds.append((trial.name, turn.round))
        return turn

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
        """The check means nothing below isolation 2.

        Raises:
            Unverified: the certification runs below it.
        """
        if self.bench.isolation < 2:
            raise Unverified(f"needs isolation 2, this certification runs at {self.bench.isolation}")

    def warn(self, text: str) -> None:
        """Something the author should know; no failure."""
        self.warnings.append(text)

    def note(self, text: str) -> None:
        """A measured value, kept as evidence."""
        self.notes.append(text)
