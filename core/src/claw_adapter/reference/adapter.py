"""The adapter of the reference harness: as a child over a line protocol (default), over ACP, or inside the runner's process."""

from __future__ import annotations

import asyncio
import concurrent.futures
import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, get_args

from claw_adapter import __version__
from claw_adapter.crashpoints import crashpoint
from claw_adapter.drivers import Completed, LineChild
from claw_adapter.errors import (
    AdapterError,
    ClawError,
    DeadlineExceeded,
    EmptyAnswer,
    HarnessCrash,
    HarnessStartError,
)
from claw_adapter.harness import (
    Capabilities,
    Checkpoint,
    Conversation,
    Event,
    Failure,
    Harness,
    Message,
    Probe,
    ReportedUsage,
    Session,
    SessionChange,
    SubAgent,
    Support,
    Timing,
    TrialContext,
    TurnResult,
)
from claw_adapter.protocol.limits import Clip, Drop
from claw_adapter.reference import agent, serve
from claw_adapter.reference.child import child_command, model_failure

__all__ = ["ReferenceHarness"]

Emit = Callable[[dict[str, Any]], None]
Mode = Literal["child", "acp", "in-process"]


class ReferenceHarness(Harness):
    """A readable tool loop. `mode` is ``child``, ``acp`` or ``in-process``; the last has no isolation of its own."""

    name: ClassVar[str] = "reference"

    def __init__(self, mode: Mode = "child") -> None:
        if mode not in get_args(Mode):
            what = f"mode {mode!r} is neither {' nor '.join(map(repr, get_args(Mode)))}"
            raise AdapterError(what, where="harness reference, option 'mode'")
        self.mode: Mode = mode
        self.runs_inside = mode == "in-process"

    def capabilities(self) -> Capabilities:
        """Everything, natively."""
        full = Support.full()
        printed = () if self.runs_inside else (Clip(of="command", characters=serve.OUTPUT_CHARACTERS),)
        return Capabilities(
            turns=full, resume_after_restart=full, seed_main=full, seed_history="native", update_workspace=full,
            update_session=full, cancel=full, stream_events=full, usage="per_turn", endpoint_override=("openai-chat",),
            concurrent=full, isolation_of_state=full, deterministic_replay=full,
            overlay_skills=full, sub_agent=SubAgent(tool="task", task="task"),
            mcp=Support.not_implemented("its tools are built in"),
            losses=(Clip(of="file", characters=agent.READ_LIMIT), *printed, Drop(what="history_tools")),
            notes=("histories: native, read with the tool session_history",),
        )  # fmt: skip

    def probe(self) -> Probe:
        """Always there: it is part of the package. As an ACP agent it needs the extra ``acp``."""
        if self.mode == "acp":
            from claw_adapter.drivers.acp import REMEDY, available

            if not available():
                return Probe(ready=False, reason="the ACP driver needs agent-client-protocol", remedy=REMEDY)
        return Probe(ready=True, versions={"reference": __version__, "python": sys.version.split()[0]})

    async def open(self, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        """Open over the checkpoint's sessions, or those of the context."""
        sessions = checkpoint.sessions if checkpoint else (ctx.main, *ctx.histories)
        if self.mode == "in-process":
            if ctx.isolation > 1:
                raise AdapterError(
                    "in-process mode cannot be isolated",
                    where="harness reference, option 'mode'",
                    remedy="Run it with --isolation 0 or 1, or use mode 'child'.",
                )
            return _InProcess(ctx, sessions)
        if self.mode == "acp":
            from claw_adapter.reference import acp

            return await acp.start(ctx, sessions)
        return await _Child.start(ctx, sessions)


class _Reference(Conversation):
    """What both modes share: turning the agent's reply into a `TurnResult`."""

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        started = time.monotonic()
        events: list[Event] = []

        def emit(record: dict[str, Any]) -> None:
            events.append(Event(at=time.monotonic() - started, **record))
            crashpoint("tool-running")

        reply: dict[str, Any] = {}
        try:
            reply = await self.ask(prompt, emit, deadline)
            error = _failure(reply)
        except ClawError as fault:
            error = Failure.of(fault)
            if isinstance(fault, DeadlineExceeded):
                await self.close()
        total = time.monotonic() - started
        used = reply.get("usage")
        return TurnResult(
            text="" if error else reply["text"],
            error=error,
            events=tuple(events),
            usage=ReportedUsage(kind="per_turn", **used) if used else None,
            timing=Timing(total=total, own=max(total - float(reply.get("seconds", total)), 0.0)),
        )

    @abstractmethod
    async def ask(self, prompt: str, emit: Emit, deadline: float) -> dict[str, Any]:
        """One turn of the agent: ``text``, ``usage`` and ``seconds``, or ``failure``."""


def _failure(reply: dict[str, Any]) -> Failure | None:
    if failed := reply.get("failure"):
        return Failure.of(model_failure(failed["status"], failed["message"]))
    if not reply.get("text", "").strip():
        return Failure.of(EmptyAnswer("the model ended its turn without an answer", remedy="Look at the transcript."))
    return None


class _Exported:
    """The sessions as they were told piece by piece (`agent.Agent.news`): what was told before is not read again."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        self._ids: dict[str, set[str]] = {}
        """By session, those of the messages that were told."""

    def take(self, news: Sequence[dict[str, Any]]) -> Checkpoint:
        """The sessions with what is new in them."""
        found = {told["id"]: self._session(told["id"], told.pop("kept"), told) for told in news}
        self._sessions = found
        return Checkpoint(sessions=tuple(found.values()))

    def _session(self, name: str, kept: int, told: dict[str, Any]) -> Session:
        if not kept:
            session = Session.model_validate(told)
            self._ids[name] = {message.id for message in session.messages}
            return session
        before, ids = self._sessions[name], self._ids[name]
        new = [Message.model_validate(message) for message in told["messages"]]
        messages = (*before.messages[:kept], *new)
        ids.update(message.id for message in new)
        if len(ids) != len(messages):
            return before.with_messages(messages)  # which says what is wrong
        return before.model_copy(update={"messages": messages}) if new else before


class _Child(_Reference):
    """The agent as a process of its own, behind JSON lines."""

    def __init__(self, child: LineChild) -> None:
        self._child = child
        self._exported = _Exported()
        self._closed = False

    @classmethod
    async def start(cls, ctx: TrialContext, sessions: Sequence[Session]) -> _Child:
        argv, files = child_command("lines")
        child = await ctx.lines(argv, env={"CLAW_KEY": ctx.endpoint.key}, readable=files)
        settings = {
            "workspace": str(ctx.inside(ctx.workspace)),
            "url": ctx.endpoint.openai,
            "model": ctx.endpoint.model,
        }
        try:
            await child.call("open", {**settings, "sessions": _plain(sessions)}, ctx.deadline)
        except HarnessCrash as crash:
            await child.close(0)
            remedy = f"See whether `{' '.join(argv[:2])} -c 0` works here, inside the trial's isolation."
            raise HarnessStartError(f"it did not come up: {crash.what}", where=crash.where, remedy=remedy) from crash
        except BaseException:
            await child.close(0)
            raise
        return cls(child)

    async def ask(self, prompt: str, emit: Emit, deadline: float) -> dict[str, Any]:
        reply: dict[str, Any] = await self._child.call("send", {"prompt": prompt}, deadline, on_event=emit)
        return reply

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        await self._child.call("sync", {"sessions": _plain(c.after for c in changes if c.after)}, 30.0)

    async def checkpoint(self) -> Checkpoint:
        reply = await self._child.call("export", {}, 30.0)
        return self._exported.take(reply["sessions"])

    async def cancel(self) -> None:
        await self._child.call("cancel", {}, 10.0)

    async def close(self) -> None:
        if not self._closed:
            self._closed = True
            await self._child.close(0)


class _InProcess(_Reference):
    """The agent in a thread of the runner: for measuring the runner, not for untrusted models."""

    def __init__(self, ctx: TrialContext, sessions: Sequence[Session]) -> None:
        shell = _Shell(ctx, asyncio.get_running_loop())
        self._agent = agent.Agent(ctx.workspace, ctx.endpoint.openai, ctx.endpoint.key, ctx.endpoint.model, shell)
        self._agent.sessions = _plain(sessions)
        self._exported = _Exported()

    async def ask(self, prompt: str, emit: Emit, deadline: float) -> dict[str, Any]:
        self._agent.timeout = deadline
        number = self._agent.accept()  # here, since its thread may begin after a cancel()
        try:
            async with asyncio.timeout(deadline):
                return await asyncio.to_thread(self._agent.turn, prompt, emit, number)
        except TimeoutError:
            self._agent.cancel()
            raise DeadlineExceeded(f"no answer within {deadline:g} s", where="harness reference") from None
        except agent.ModelFailure as failure:
            return {"failure": {"status": failure.status, "message": str(failure)}}

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        self._agent.replace(_plain(c.after for c in changes if c.after))

    async def checkpoint(self) -> Checkpoint:
        return self._exported.take(self._agent.news())

    async def cancel(self) -> None:
        self._agent.cancel()

    async def close(self) -> None:
        self._agent.cancel()


class _Shell:
    """Commands of the agent's thread, run by the loop in the trial's isolation."""

    def __init__(self, ctx: TrialContext, loop: asyncio.AbstractEventLoop) -> None:
        self._ctx, self._loop = ctx, loop
        self._running: concurrent.futures.Future[Completed] | None = None

    def __call__(self, command: str) -> tuple[int, str]:
        work = self._ctx.run(["/bin/sh", "-c", command], 120.0)
        self._running = running = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            done = running.result()
        except concurrent.futures.CancelledError:
            return 137, "stopped"
        finally:
            self._running = None
        return done.exit.code or done.exit.signal or 0, done.stdout.text + done.stderr.text

    def stop(self) -> None:
        """End the command under way."""
        if (running := self._running) is not None:
            running.cancel()


def _plain(sessions: Any) -> list[dict[str, Any]]:
    return [session.model_dump(mode="json") for session in sessions]
