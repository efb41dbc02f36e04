"""One conversation under certification: everything that is done to the adapter goes through here, bounded and recorded."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from claw_adapter.certify.context import KitContext
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.director import Director, Request
from claw_adapter.certify.script import say
from claw_adapter.certify.turn import Turn, excerpt, owner_of
from claw_adapter.certify.watch import LivingProcess, files_below, processes
from claw_adapter.certify.world import KitWorld, marker_of, message
from claw_adapter.drivers import reaper
from claw_adapter.endpoint import RoundMeter
from claw_adapter.endpoint.models.played import PlayedReply
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import ClawError, Owner
from claw_adapter.harness import Conversation, Harness
from claw_adapter.protocol import Checkpoint, Failure, SessionChange, TurnResult
from claw_adapter.runner.overlays import OverlayStack

__all__ = ["CLOSE_SECONDS", "LATE_SECONDS", "Closed", "KitTrial", "Left"]

CLOSE_SECONDS: Final = 15.0
LATE_SECONDS: Final = 5.0
CALL_SECONDS: Final = 90.0
GONE_SECONDS: Final = 1.0
"""How long a process that close() has killed may take to disappear."""
PAUSE_SECONDS: Final = 0.02
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Closed:
    """What closing a conversation was like."""

    seconds: float
    survivors: tuple[LivingProcess, ...]
    """Processes of the trial that were still there."""
    error: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """What is there of a conversation of one turn when it is closed.

    Attributes:
        trial: its name.
        word: what was said in it and nowhere else.
        turn: its turn.
        key: the endpoint's key that it was given.
        visible: what is kept of it or can be seen by others, place → text.
        closed: how closing went.
        beside: what lies beside workspace and state directory.
        outside: paths elsewhere that name the trial.
        temporary: what lies in our folder for temporary files.
    """

    trial: str
    word: str
    turn: Turn
    key: str
    visible: Mapping[str, str]
    closed: Closed
    beside: list[str]
    outside: list[str]
    temporary: list[str]


@dataclass(slots=True)
class KitTrial:
    """A conversation with its endpoint, workspace and state directory; made by `Kit.trial` and `Kit.shared`.

    Attributes:
        name: the trial's name; evidence lies under it.
        folder: holds ``workspace`` and ``state``, nothing else.
    """

    name: str
    folder: Path
    harness: Harness
    world: KitWorld
    ctx: KitContext
    director: Director
    server: EndpointServer
    transcript: Path
    deadline: float
    conversation: Conversation | None = None
    overlays: OverlayStack | None = None
    """What stands between it and the model; each waits for `open`."""
    closed: Closed | None = None
    spoilt: bool = False
    """A turn has failed, or it is closed: nothing must be sent into it any more."""
    returned: int = 0
    """How many requests the model had seen when the latest `send` of the adapter returned."""
    log: list[dict[str, Any]] = field(default_factory=list)
    """What happened, as evidence."""
    _numbers: dict[str, int] = field(default_factory=dict)

    @property
    def marker(self) -> str:
        """The mark that every process of this trial carries."""
        return self.ctx.marker

    async def open(self, checkpoint: Checkpoint | None = None) -> None:
        """Open the conversation.

        Raises:
            CheckFinding: it did not come up, or the adapter raised.
        """
        started = time.monotonic()
        try:
            if self.overlays is not None:
                saved = checkpoint.overlays if checkpoint is not None else {}
                self.ctx.endpoint = await self.overlays.open(self.ctx.endpoint, saved)
            self.conversation = await self._bounded(
                "open()", lambda: self.harness.open(self.ctx, checkpoint), self.ctx.deadline + LATE_SECONDS
            )
        except ClawError as error:
            failure = Failure.of(error)
            self._note("open", seconds=time.monotonic() - started, error=failure.model_dump(mode="json"))
            raise CheckFinding(
                f"open() failed: {failure.kind}: {failure.what}",
                remedy=failure.remedy,
                owner=owner_of(failure),
                usual=False,
            ) from error
        self._note("open", seconds=time.monotonic() - started, restored=checkpoint is not None)

    async def send(
        self,
        prompt: str,
        *replies: PlayedReply,
        check: str = "",
        marker: str | None = None,
        deadline: float | None = None,
    ) -> Turn:
        """Say `prompt`; the model plays `replies` (default: it says "Done.").

        Args:
            prompt: the prompt; a canary in it tells the turn's requests from side requests.
            replies: what the model says and does, in order.
            check: id of the check, by which the turn is found in the evidence.
            marker: what tells the turn's requests; the default is the prompt's first canary, else the prompt.
            deadline: seconds for `send`.

        Raises:
            CheckFinding: `send` did not come back in time, or raised something that is no `ClawError`.
        """
        round_id = self._round(check)
        first, limit = len(self.director.requests), deadline or self.deadline
        self.director.play(replies or [say("Done.")], marker if marker is not None else marker_of(prompt))
        await self.server.begin_round(self.name, round_id)
        deeds = self.director.deeds
        started, raised, meter = time.monotonic(), "", RoundMeter()
        try:
            result = await self._bounded("send()", lambda: self._live.send(prompt, limit), limit + LATE_SECONDS)
        except ClawError as error:
            result, raised = TurnResult(error=Failure.of(error)), type(error).__name__
        except CheckFinding:
            self.spoilt = True
            raise
        finally:
            seconds, self.returned = time.monotonic() - started, len(self.director.requests)
            meter = await self.server.end_round(self.name)
        turn = Turn(prompt, round_id, result, seconds, self.director.requests[first:], deeds, meter, raised)
        self.spoilt = self.spoilt or result.error is not None
        self._note(
            "turn", round=round_id, prompt=excerpt(prompt, 2000), seconds=seconds, result=result.model_dump(mode="json"),
            raised=raised, metered=meter.metered.model_dump(mode="json"),
        )  # fmt: skip
        return turn

    async def checkpoint(self) -> Checkpoint:
        """The conversation's checkpoint.

        Raises:
            CheckFinding: it failed, or holds no session.
        """
        made = await self._demand("checkpoint()", self._live.checkpoint)
        self._note(
            "checkpoint", sessions={s.id: len(s.messages) for s in made.sessions},
            files={name: len(data) for name, data in made.files.items()},
        )  # fmt: skip
        if not made.sessions:
            raise CheckFinding(
                "the checkpoint has no session", remedy="checkpoint() returns the sessions, main first (M23)."
            )
        if self.overlays is not None:
            made = made.model_copy(update={"overlays": await self._demand("the overlays", self.overlays.checkpoint)})
        return made

    async def told(self, text: str) -> None:
        """An update adds a message of the user to the main session, between two turns.

        Raises:
            CheckFinding: `checkpoint` or `sync` failed.
        """
        main = (await self.checkpoint()).sessions[0]
        said = message(f"told-{len(main.messages)}", "user", text, number=len(main.messages))
        after = main.model_copy(update={"messages": (*main.messages, said)})
        change = SessionChange(session=main.id, action="append", before=main, after=after)
        await self._demand("sync()", lambda: self._live.sync([change]))
        self._note("sync", session=main.id, told=text)

    async def cancel(self) -> None:
        """Stop the turn under way.

        Raises:
            CheckFinding: it failed.
        """
        await self._demand("cancel()", self._live.cancel, CLOSE_SECONDS)

    async def close(self) -> Closed:
        """Close the conversation and look at what is left; never raises."""
        if self.closed is not None:
            return self.closed
        started, error = time.monotonic(), ""
        if self.conversation is not None:
            try:
                async with asyncio.timeout(CLOSE_SECONDS + LATE_SECONDS):
                    await self.conversation.close()
            except Exception as fault:  # noqa: BLE001 - whatever it is, it is evidence
                error = f"{type(fault).__name__}: {fault}"
        self.spoilt = True
        seconds = time.monotonic() - started
        if self.overlays is not None:
            await self.overlays.close()
        left = await asyncio.to_thread(_lingering, self.marker)
        self._note("close", seconds=seconds, error=error, left=[asdict(item) for item in left])
        self._note("files", workspace=files_below(self.ctx.workspace), state=files_below(self.ctx.state_dir))
        self._note("commands", argv=[list(argv) for argv in self.ctx.commands])
        if left:
            await asyncio.to_thread(reaper.sweep, self.marker)
        await self.server.close_trial(self.name)
        self.closed = Closed(seconds, tuple(left), error)
        return self.closed

    def requests(self, round_id: str = "") -> list[Request]:
        """The requests the model has seen, those of one round or all; scheduled faults are not among them."""
        return [item for item in self.director.requests if round_id in ("", item.round)]

    def processes(self) -> list[LivingProcess]:
        """The trial's living processes."""
        return processes(self.marker)

    def files(self) -> dict[str, int]:
        """Path below `folder` → size of every file of the trial."""
        return files_below(self.folder)

    async def requested(self, seconds: float = 30.0) -> bool:
        """Wait until a request of the turn under way has come; False if none did."""
        await asyncio.sleep(0)  # a `send` that was just made a task gets to start its turn
        try:
            async with asyncio.timeout(seconds):
                await self.director.arrived.wait()
        except TimeoutError:
            return False
        return True

    @property
    def _live(self) -> Conversation:
        if self.conversation is None:
            raise CheckFinding("the conversation is not open", owner=Owner.INTERNAL)
        return self.conversation

    def _round(self, check: str) -> str:
        name = check or "turn"
        self._numbers[name] = self._numbers.get(name, 0) + 1
        return f"{name}.{self._numbers[name]}"

    def _note(self, kind: str, **more: Any) -> None:
        self.log.append({"kind": kind, **more})

    async def _demand(self, what: str, call: Callable[[], Awaitable[Answer]], seconds: float = CALL_SECONDS) -> Answer:
        try:
            return await self._bounded(what, call, seconds)
        except ClawError as error:
            failure = Failure.of(error)
            raise CheckFinding(
                f"{what} failed: {failure.kind}: {failure.what}",
                remedy=failure.remedy,
                owner=owner_of(failure),
                usual=False,
            ) from error

    async def _bounded(self, what: str, call: Callable[[], Awaitable[Answer]], seconds: float) -> Answer:
        """Await a call of the adapter; `ClawError` passes, everything else becomes a finding."""
        try:
            async with asyncio.timeout(seconds) as limit:
                return await call()
        except (ClawError, CheckFinding):
            raise
        except TimeoutError as error:
            if not limit.expired():
                raise _broke(what, error) from error
            raise CheckFinding(
                f"{what} did not come back within {seconds:g} s",
                remedy="Keep the deadline: end what hangs, offspring included, and return DeadlineExceeded (M16).",
            ) from None
        except Exception as error:
            raise _broke(what, error) from error


def _lingering(marker: str) -> list[LivingProcess]:
    """Processes that are still there; what has been killed is given the time to be gone."""
    end = time.monotonic() + GONE_SECONDS
    while (left := processes(marker)) and time.monotonic() < end:
        time.sleep(PAUSE_SECONDS)
    return left


def _broke(what: str, error: Exception) -> CheckFinding:
    return CheckFinding(
        f"{what} raised {type(error).__name__}: {error}",
        remedy="Only errors of the ClawError tree may leave the adapter; failures of a turn are TurnResult.error (M15, M29).",
        usual=False,
        broken=not isinstance(error, NotImplementedError),
    )
