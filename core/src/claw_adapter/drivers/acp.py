"""An agent that speaks the Agent Client Protocol over its standard streams.

The child is any process of ours (`TrialContext.spawn` with ``lines=True``), so that isolation and clean-up are the same as
everywhere. The protocol's own library is the extra ``claw-adapter[acp]``; it is imported when the first agent is driven.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import ValidationError

from claw_adapter.drivers.acp_permission import Permission, answering
from claw_adapter.drivers.acp_pipe import AcpPipe
from claw_adapter.drivers.acp_turn import AcpTurn, TurnRecord
from claw_adapter.drivers.errors import RemoteError
from claw_adapter.drivers.mcp import McpServer, acp_servers
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.waiting import shielded
from claw_adapter.errors import (
    AdapterError,
    ClawError,
    DeadlineExceeded,
    EmptyAnswer,
    EndpointFilteredError,
    HarnessError,
    HarnessProtocolError,
    HarnessStartError,
)
from claw_adapter.protocol import ReportedUsage
from claw_adapter.protocol.turn import UsageKind

if TYPE_CHECKING:
    from acp.schema import PromptResponse, Usage

__all__ = ["AcpAgent", "AcpChild", "AcpRefusal", "AcpTurn", "Permission", "available"]

T = TypeVar("T")

VERSION: Final = 1
PACKAGE: Final = "acp"
REMEDY: Final = "Install the extra: pip install 'claw-adapter[acp]'"
STEP_SECONDS: Final = 30.0
"""Most that anything but a turn may take, unless the caller says otherwise."""


class AcpRefusal(RemoteError):
    """The agent answered a request with an error; `kind` is its JSON-RPC code, `data` what it added."""

    def __init__(self, what: str, *, kind: str, data: Any, where: str) -> None:
        super().__init__(what, kind=kind, where=where)
        self.data = data


@dataclass(frozen=True, slots=True)
class AcpAgent:
    """What an agent says of itself when the connection is made."""

    name: str = ""
    version: str = ""
    loads: bool = False
    """It knows ``session/load``."""
    resumes: bool = False
    """It knows ``session/resume``."""
    meta: Mapping[str, Any] = field(default_factory=dict)
    """``_meta`` of its capabilities."""


def available() -> bool:
    """Whether the protocol's library is installed; imports nothing."""
    return importlib.util.find_spec(PACKAGE) is not None


class AcpChild:
    """The client's side of one agent; use `connect`. After a deadline or a fault it is only good for `close`."""

    def __init__(self, process: Process, permission: Permission, meaning: UsageKind) -> None:
        from acp import connect_to_agent

        self.agent = AcpAgent()
        self._meaning: UsageKind = meaning
        self._turns: dict[str, TurnRecord] = {}
        self._pipe = AcpPipe(process, self._notice)
        self._wire = connect_to_agent(answering(permission, self._note), self._pipe)

    @classmethod
    async def connect(
        cls,
        process: Process,
        *,
        permission: Permission = "allow",
        meaning: UsageKind = "per_turn",
        deadline: float = STEP_SECONDS,
    ) -> AcpChild:
        """Shake hands with an agent that was started with ``lines=True``; a failure ends its process.

        Args:
            process: the agent.
            permission: how its requests for permission are answered.
            meaning: what the usage in its answers counts; the protocol leaves it open. With ``none`` it is not taken.
            deadline: seconds.

        Raises:
            AdapterError: the extra is not installed.
            HarnessStartError: it ended, was silent, or speaks another version; the end of its output is in the message.
        """
        if not available():
            await process.stop(0)
            raise AdapterError("the ACP driver needs the package agent-client-protocol", remedy=REMEDY)
        child = cls(process, permission, meaning)
        try:
            await child._greet(deadline)
        except ClawError as error:
            await child.close(0)
            remedy = (
                error.remedy or "Run the agent's command in a terminal: it has to wait for JSON-RPC on standard input."
            )
            where = error.where or process.argv[0]
            raise HarnessStartError(f"no ACP agent: {error.what}", where=where, remedy=remedy) from error
        except BaseException:
            await child.close(0)
            raise
        return child

    async def new_session(
        self, folder: Path, deadline: float = STEP_SECONDS, mcp: Iterable[McpServer] = (), **meta: Any
    ) -> str:
        """Begin a session that works in `folder` with MCP servers that the agent starts; returns its id.

        Raises:
            RemoteError: the agent refused.
            HarnessCrash, HarnessProtocolError, DeadlineExceeded: it is unusable from now on.
        """
        make = self._wire.new_session
        made = await self._call(
            "session/new", lambda: make(str(folder), mcp_servers=acp_servers(mcp), **meta), deadline
        )
        return str(made.session_id)

    async def load_session(self, session: str, folder: Path, deadline: float = STEP_SECONDS, **meta: Any) -> None:
        """Go on with a session that the agent has; what it replays is not kept. Raises as `new_session`."""
        await self._call(
            "session/load", lambda: self._wire.load_session(cwd=str(folder), session_id=session, **meta), deadline
        )

    async def resume_session(
        self, session: str, folder: Path, deadline: float = STEP_SECONDS, mcp: Iterable[McpServer] = (), **meta: Any
    ) -> None:
        """Go on with a session that the agent has, without a replay. Raises as `new_session`."""
        resume = self._wire.resume_session
        await self._call(
            "session/resume", lambda: resume(session, str(folder), mcp_servers=acp_servers(mcp), **meta), deadline
        )

    async def authenticate(self, method: str, deadline: float = STEP_SECONDS) -> None:
        """Choose one of the agent's ways to authenticate. Raises as `new_session`."""
        await self._call("authenticate", lambda: self._wire.authenticate(method), deadline)

    async def extension(self, method: str, params: dict[str, Any], deadline: float = STEP_SECONDS) -> dict[str, Any]:
        """Call a method outside the protocol (``_`` is put before its name). Raises as `new_session`."""
        answer = await self._call(method, lambda: self._wire.ext_method(method, params), deadline)
        return answer if isinstance(answer, dict) else {}

    async def prompt(self, session: str, text: str | Sequence[str], deadline: float) -> AcpTurn:
        """Say `text`, or one in several pieces, and wait for the end of the turn; what goes wrong is in the turn's `error`.

        An end without text is `EmptyAnswer`. After `DeadlineExceeded` the agent is still in mid turn: close it.
        """
        from acp.schema import TextContentBlock

        if session in self._turns:
            raise AdapterError(f"a turn is under way in session {session!r}", where="session/prompt")
        record = self._turns[session] = TurnRecord()
        blocks = [TextContentBlock(type="text", text=one) for one in ([text] if isinstance(text, str) else text)]
        try:
            answer = await self._call("session/prompt", lambda: self._wire.prompt(session, [*blocks]), deadline)
        except ClawError as error:
            return AcpTurn(error=error, events=record.events(), usage=self._counted(record))
        finally:
            del self._turns[session]
        return self._ended(answer, record)

    async def cancel(self, session: str) -> None:
        """Ask the agent to end the turn under way; `prompt` then returns with its end, an error."""
        await self._call("session/cancel", lambda: self._wire.cancel(session), STEP_SECONDS)

    async def close(self, grace: float = 2.0) -> int:
        """End the agent (end of input first, then `Process.stop`); returns how many processes could not be ended."""
        process = self._pipe.process
        try:
            process.close_stdin()
            if grace > 0:
                await process.ended(grace / 2)
        finally:  # one who cancels, too, wants it ended
            left = await shielded(self._stop(grace / 2))
        return left

    async def _stop(self, grace: float) -> int:
        left = await self._pipe.process.stop(grace)
        await self._wire.close()
        return left

    async def _greet(self, deadline: float) -> None:
        from acp.schema import Implementation

        from claw_adapter import __version__

        us = Implementation(name="claw-adapter", version=__version__)
        said = await self._call("initialize", lambda: self._wire.initialize(VERSION, client_info=us), deadline)
        if said.protocol_version != VERSION:
            raise HarnessProtocolError(f"it speaks version {said.protocol_version} of ACP, not {VERSION}")
        can, who = said.agent_capabilities, said.agent_info
        with self.reading("initialize"):
            self.agent = AcpAgent(
                name=str(who.name) if who else "",
                version=str(who.version) if who else "",
                loads=bool(can and can.load_session),
                resumes=bool(can and can.session_capabilities and can.session_capabilities.resume is not None),
                meta=dict((can.field_meta if can else None) or {}),
            )

    @contextlib.contextmanager
    def reading(self, method: str) -> Iterator[None]:
        """What an answer of this method is taken apart in.

        Raises:
            HarnessProtocolError: it is not made as the protocol, or the extension, says.
        """
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise self._against(method, error) from None

    def _against(self, method: str, error: Exception) -> HarnessProtocolError:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else f"{type(error).__name__}: {error}"
        return HarnessProtocolError(f"{method}: an answer against the protocol: {why}", where=self._pipe.where)

    async def _call(self, method: str, call: Callable[[], Awaitable[T]], deadline: float) -> T:
        from acp import RequestError

        if self._pipe.fault is not None:
            raise self._pipe.fault.with_traceback(None)
        try:
            async with asyncio.timeout(deadline):
                return await call()
        except TimeoutError:
            late = DeadlineExceeded(f"{method}: no answer within {deadline:g} s", where=self._pipe.where)
            self._pipe.fail(late)
            raise late from None
        except RequestError as error:
            what = f"{method}: {error}{_more(error.data)}"
            raise AcpRefusal(what, kind=str(error.code), data=error.data, where=self._pipe.where) from None
        except ValidationError as error:
            raise self._against(method, error) from None
        except ConnectionError:
            gone = self._pipe.fault or HarnessError("the connection is closed", where=self._pipe.where)
            raise gone.with_traceback(None) from None

    def _ended(self, answer: PromptResponse, record: TurnRecord) -> AcpTurn:
        reply, usage = record.reply, self._counted(record, answer.usage)
        error = _unanswered(answer.stop_reason, reply, self._pipe.where)
        return AcpTurn(reply, error, answer.stop_reason, record.events(), usage, answer.field_meta or {})

    def _counted(self, record: TurnRecord, counted: Usage | None = None) -> ReportedUsage | None:
        if self._meaning == "none" or counted is None:
            return None if self._meaning == "none" else record.occupancy
        return ReportedUsage(
            kind=self._meaning,
            input=counted.input_tokens,
            output=counted.output_tokens,
            cached=counted.cached_read_tokens or 0,
        )

    def _note(self, session: str, name: str, text: str) -> None:
        if record := self._turns.get(session):
            record.note(name, text)

    def _notice(self, method: str, params: Any) -> None:
        """Take a ``session/update`` of a turn under way; everything else, and what we do not know, is left."""
        record = self._turns.get(str(params.get("sessionId"))) if isinstance(params, dict) else None
        if method != "session/update" or record is None:
            return
        from acp.schema import AgentMessageChunk, SessionNotification, ToolCallProgress, ToolCallStart, UsageUpdate

        try:
            update = SessionNotification.model_validate(params).update
        except ValidationError as error:
            record.note("unknown update", error.errors()[0]["msg"])
            return
        if isinstance(update, AgentMessageChunk):
            record.say(update)
        elif isinstance(update, ToolCallStart | ToolCallProgress):
            record.call(update)
        elif isinstance(update, UsageUpdate):
            record.occupancy = ReportedUsage(kind="last_request", input=update.used)


def _unanswered(stop: str, reply: str, where: str) -> ClawError | None:
    """Why a turn that ended brought no answer; None if it did."""
    if stop == "cancelled":
        return HarnessError("the turn was cancelled", where=where)
    if stop == "refusal":
        return EndpointFilteredError(reply.strip() or "the model refused to go on", where=where)
    if stop == "max_turn_requests":
        remedy = "Raise the agent's limit of model requests in one turn."
        return EmptyAnswer("the model still called tools after the last request allowed", where=where, remedy=remedy)
    if not reply.strip():
        return EmptyAnswer(f"the agent ended its turn ({stop}) without an answer", where=where)
    return None


def _more(data: Any) -> str:
    if data is None:
        return ""
    text = data.get("details") if isinstance(data, dict) else None
    return f": {text if isinstance(text, str) else data}"[:2000]
