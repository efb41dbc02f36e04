"""Mutants whose defect is in the adapter: it does something once too often, too seldom, or not at all."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import Sequence
from typing import ClassVar

from claw_adapter.errors import AdapterError, HarnessError
from claw_adapter.harness import Checkpoint, Conversation, Failure, Message, SessionChange, TrialContext, TurnResult
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.testing import PlantedConversation
from mutants.base import Child, Mutant, wrapped


class NeverCloses(PlantedConversation):
    async def close(self) -> None:
        return None


class ClosesTheLivingOnly(PlantedConversation):
    async def close(self) -> None:
        await self.inner.checkpoint()
        await self.inner.close()


class LogsItsKey(PlantedConversation):
    async def send(self, prompt: str, deadline: float) -> TurnResult:
        self.ctx.log.info("asking with key %s", self.ctx.endpoint.key)
        return await super().send(prompt, deadline)


class IgnoresTheDeadline(PlantedConversation):
    async def send(self, prompt: str, deadline: float) -> TurnResult:
        return await super().send(prompt, deadline * 20)


class LeavesWhatTheDeadlineCutOff(PlantedConversation):
    async def send(self, prompt: str, deadline: float) -> TurnResult:
        close, self.inner.close = self.inner.close, _nothing  # type: ignore[method-assign]
        try:
            return await super().send(prompt, deadline)
        finally:
            self.inner.close = close  # type: ignore[method-assign]


async def _nothing() -> None:
    return None


class CancelsNothing(PlantedConversation):
    async def cancel(self) -> None:
        return None


class ComesBackAfterACancel(PlantedConversation):
    """A prompt that is cancelled before its first request comes back by itself, `after` some seconds."""

    hesitates = 0.5
    after = 0.3
    ghost: asyncio.Task[TurnResult] | None = None

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        self.cancelled = asyncio.Event()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.hesitates):
                await self.cancelled.wait()
        if not self.cancelled.is_set():
            return await self.inner.send(prompt, deadline - self.hesitates)
        self.ghost = asyncio.create_task(self._comes_back(prompt, deadline))
        return TurnResult(error=Failure.of(HarnessError("cancelled")))

    async def _comes_back(self, prompt: str, deadline: float) -> TurnResult:
        await asyncio.sleep(self.after)
        return await self.inner.send(prompt, deadline)

    async def cancel(self) -> None:
        self.cancelled.set()
        await self.inner.cancel()

    async def close(self) -> None:
        if self.ghost is not None:
            self.ghost.cancel()
        await super().close()


class OverstatesItself(PlantedConversation):
    def spoil(self, turn: TurnResult) -> TurnResult:
        return turn.model_copy(update={"timing": turn.timing.model_copy(update={"own": turn.timing.total})})


class KeepsAllOutput(PlantedConversation):
    def spoil(self, turn: TurnResult) -> TurnResult:
        self.kept = bytearray(b"x") * (150_000_000 if turn.events else 1)
        return turn


class AnswersForTheDead(PlantedConversation):
    def spoil(self, turn: TurnResult) -> TurnResult:
        dead = turn.error is not None and turn.error.kind == "HarnessCrash"
        return TurnResult(text="(see above)", timing=turn.timing) if dead else turn


class CallsAFailureFinal(PlantedConversation):
    def spoil(self, turn: TurnResult) -> TurnResult:
        if turn.error is None:
            return turn
        return turn.model_copy(update={"error": Failure.of(AdapterError(turn.error.what))})


class SaysItAgain(PlantedConversation):
    """A prompt that failed is sent once more, before the next."""

    failed = ""

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        again, self.failed = self.failed, ""
        if again:
            await self.inner.send(again, deadline)
        turn = await self.inner.send(prompt, deadline)
        self.failed = prompt if turn.error else ""
        return turn


class StaleAfterResume(Child):
    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        if checkpoint is not None:
            main = checkpoint.sessions[0]
            kept = main.with_messages(main.messages[:-2])
            checkpoint = checkpoint.model_copy(update={"sessions": (kept, *checkpoint.sessions[1:])})
        return await super().open(ctx, checkpoint)


class PastTwice(Child):
    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        again = [message.model_copy(update={"id": f"{message.id}-again"}) for message in ctx.main.messages]
        ctx.main = ctx.main.with_messages([*ctx.main.messages, *again])
        return await super().open(ctx, checkpoint)


class OneBlock(Child):
    """The past as one text of the user."""

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        text = "\n".join(f"{message.role}: {message.text}" for message in ctx.main.messages)
        ctx.main = ctx.main.with_messages([Message(id="past", role="user", text=text)] if text else [])
        return await super().open(ctx, checkpoint)


class EverySecondUpdate(PlantedConversation):
    number = 0

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        self.number += 1
        if self.number % 2:
            await super().sync(changes)


class RawMissingProgram(Child):
    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        try:
            return await super().open(ctx, checkpoint)
        except Exception as error:
            raise FileNotFoundError(str(error)) from error


class OpensOnce(ReferenceHarness):
    opened = False

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        if self.opened:
            raise AdapterError("it is open already")
        self.opened = True
        return await super().open(ctx, checkpoint)


class ChangingKeys(ReferenceHarness):
    opened = 0

    def session_key(self, session_id: str) -> str:
        return f"{session_id}-{self.opened}"

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        self.opened += 1
        return await super().open(ctx, checkpoint)


class AnotherContract(ReferenceHarness):
    api = "claw/0"


class WorksWhenMade(ReferenceHarness):
    def __init__(self) -> None:
        super().__init__()
        tempfile.TemporaryFile().close()


class HidesThatItWorksInside(ReferenceHarness):
    def __init__(self) -> None:
        super().__init__(mode="in-process")
        self.runs_inside = False

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        ctx.isolation = 0
        return await super().open(ctx, checkpoint)


class ForgetsTheFirst(Child):
    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        ctx.main = ctx.main.with_messages(ctx.main.messages[1:])
        return await super().open(ctx, checkpoint)


class PlainPast(Child):
    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        plain = [m.model_copy(update={"text": m.text.encode("ascii", "ignore").decode()}) for m in ctx.main.messages]
        ctx.main = ctx.main.with_messages(plain)
        return await super().open(ctx, checkpoint)


class TidiesThePast(Child):
    """What the assistant said first is left out, so that the user begins."""

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        messages = list(ctx.main.messages)
        while messages and messages[0].role == "assistant":
            messages.pop(0)
        ctx.main = ctx.main.with_messages(messages)
        return await super().open(ctx, checkpoint)


class LatestOnly(PlantedConversation):
    """The harness object remembers one conversation, the latest, and speaks to that."""

    latest: ClassVar[dict[int, Conversation]] = {}

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        self.latest[0] = self.inner
        await asyncio.sleep(0.2)
        return await self.latest[0].send(prompt, deadline)


class ClosesAll(PlantedConversation):
    alive: ClassVar[list[Conversation]] = []

    def __init__(self, inner: Conversation, ctx: TrialContext) -> None:
        super().__init__(inner, ctx)
        self.alive.append(inner)

    async def close(self) -> None:
        while self.alive:
            with contextlib.suppress(Exception):
                await self.alive.pop().close()
        await self.inner.close()


class SharesTheFirst(PlantedConversation):
    """Every conversation of a harness object is the first one that is open."""

    first: ClassVar[list[Conversation]] = []

    def __init__(self, inner: Conversation, ctx: TrialContext) -> None:
        super().__init__(inner, ctx)
        self.first.append(inner)

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        return await self.first[0].send(prompt, deadline)

    async def close(self) -> None:
        self.first.remove(self.inner)
        await self.inner.close()


def habit(name: str, run: str, trips: str, kind: type, *, inside: bool = False, quick: bool = False) -> Mutant:
    """A mutant of the adapter."""
    make = wrapped(kind, inside=inside) if issubclass(kind, PlantedConversation) else kind
    return Mutant(name, make, tuple(run.split()), frozenset(trips.split()), child=not inside, quick=quick)


NO_RETRY = ("agent", "RETRIES = 2\n", "RETRIES = 0\n")

HABITS = (
    habit("never closes", "LIFE-012 LIFE-013 PROC-003", "LIFE-012 PROC-003", NeverCloses),
    habit("cannot close what has died", "LIFE-012 LIFE-013", "LIFE-013", ClosesTheLivingOnly),
    habit("secret in its log", "LIFE-014 SEC-005", "LIFE-014", LogsItsKey, quick=True),
    habit("a raw error for a missing program", "LIFE-010 LIFE-011", "LIFE-010 LIFE-011", RawMissingProgram, quick=True),
    habit("opens once", "LIFE-001 LIFE-007", "LIFE-007", OpensOnce),
    habit("session keys change", "LIFE-001 LIFE-005", "LIFE-005", ChangingKeys),
    habit("ignores the deadline", "TURN-008 TURN-009 FAULT-005", "TURN-008 TURN-009 FAULT-005", IgnoresTheDeadline),
    habit("leaks a grandchild at the deadline", "TURN-008 TURN-009", "TURN-008", LeavesWhatTheDeadlineCutOff),
    habit("cancels nothing", "TURN-009 TURN-013", "TURN-013", CancelsNothing),
    habit("comes back after a cancel", "TURN-013 TURN-017", "TURN-017", ComesBackAfterACancel),
    habit("overstates its own time", "TURN-003 TURN-012", "TURN-012", OverstatesItself),
    habit("stale session after resume", "PLAN-002", "PLAN-002", StaleAfterResume),
    habit("sends history twice", "PLAN-002", "PLAN-002", PastTwice),
    habit("the past as one block", "SEED-008 PLAN-002", "SEED-008 PLAN-002", OneBlock),
    habit("drops every second update", "PLAN-002", "PLAN-002", EverySecondUpdate),
    habit("made for another contract", "LIFE-001 LIFE-002", "LIFE-001", AnotherContract),
    habit("works when it is made", "LIFE-001 LIFE-002", "LIFE-002", WorksWhenMade),
    Mutant("hides that it works inside us", HidesThatItWorksInside, ("LIFE-001", "LIFE-006"), frozenset({"LIFE-006"})),
    habit("forgets the first message", "SEED-005 SEED-007", "SEED-005", ForgetsTheFirst),
    habit("a past without letters outside ASCII", "PLAN-002", "PLAN-002", PlainPast),
    habit("tidies the past", "PLAN-002", "PLAN-002", TidiesThePast),
    habit("keeps all output", "PROC-001", "PROC-001", KeepsAllOutput),
    habit("answers for the dead", "FAULT-013", "FAULT-013", AnswersForTheDead, quick=True),
    Mutant(
        "calls a passing failure final",
        wrapped(CallsAFailureFinal, NO_RETRY),
        ("FAULT-012",),
        frozenset({"FAULT-012"}),
        child=True,
    ),
    habit("says a failed prompt again", "FAULT-014", "FAULT-014", SaysItAgain, inside=True),
    habit("speaks to the latest conversation", "CONC-001", "CONC-001", LatestOnly, inside=True, quick=True),
    habit("close ends all conversations", "CONC", "CONC-003", ClosesAll),
    habit(
        "shares state between conversations",
        "CONC-001",
        "CONC-001",
        SharesTheFirst,
        quick=True,
    ),
)
