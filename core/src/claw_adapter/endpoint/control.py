"""The control channel between runner and endpoint: JSON lines over a Unix socket that only the runner can use.

The first line of a connection is ``{"token": …}``; then come calls ``{"id": n, "op": name, …}``, answered in any order by
``{"id": n, "result": …}`` or ``{"id": n, "error": {what, where, remedy, kind}}``. An error with the id null answers no
call: the machine is short of something that the endpoint cannot do without.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import Field, JsonValue, TypeAdapter

from claw_adapter.endpoint.records import CONTROL_SOCKET
from claw_adapter.errors import ClawError, MachineError
from claw_adapter.machine import machine_error
from claw_adapter.overlay import Front
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.stopping import Spent, StopRules
from claw_adapter.unix_sockets import bind_unix

if TYPE_CHECKING:
    from claw_adapter.endpoint.server import EndpointServer

__all__ = [
    "MAX_LINE",
    "BeginRound",
    "CloseRoutes",
    "CloseTrial",
    "ControlServer",
    "EndRound",
    "Limit",
    "OpenRoute",
    "OpenTrial",
    "Order",
    "Requested",
    "Settle",
    "Watch",
]

MAX_LINE: Final = 256 * 1024 * 1024
WATCH_SECONDS: Final = 20.0

_log = logging.getLogger(__name__)


class _TrialOrder(Record):
    """What all orders about a trial have; the id is that of the call, given when it is sent."""

    id: int = 0
    trial: str


class OpenTrial(_TrialOrder):
    """Admit a trial; the result is its key."""

    op: Literal["open_trial"] = "open_trial"
    model: ModelSpec
    transcript: Path


class BeginRound(_TrialOrder):
    """Begin a round."""

    op: Literal["begin_round"] = "begin_round"
    round: str
    answer_key: AnswerKey | None = None
    attempt: int = 1


class EndRound(_TrialOrder):
    """End a round; the result is its `RoundMeter`."""

    op: Literal["end_round"] = "end_round"


class Requested(_TrialOrder):
    """Wait, at most so long, until the round under way has had so many requests; the result is whether it has."""

    op: Literal["requested"] = "requested"
    number: int
    seconds: float


class CloseTrial(_TrialOrder):
    """Let a trial's key expire."""

    op: Literal["close_trial"] = "close_trial"


class Limit(Record):
    """Keep to these rules from now on; `spent` is what the run has spent before."""

    op: Literal["limit"] = "limit"
    id: int = 0
    rules: StopRules
    spent: Spent


class Watch(Record):
    """Wait a while for the run to stand otherwise than in this version; the result is its `Standing`."""

    op: Literal["watch"] = "watch"
    id: int = 0
    version: int


class OpenRoute(_TrialOrder):
    """Open a proxy route to an overlay, before those opened earlier; the result is the key of its entry."""

    op: Literal["open_route"] = "open_route"
    front: Front


class CloseRoutes(_TrialOrder):
    """Close all proxy routes of a trial."""

    op: Literal["close_routes"] = "close_routes"


class Settle(_TrialOrder):
    """Wait until no overlay's own request is being answered."""

    op: Literal["settle"] = "settle"
    seconds: float


Order = Annotated[
    OpenTrial | BeginRound | EndRound | Requested | CloseTrial | Limit | Watch | OpenRoute | CloseRoutes | Settle,
    Field(discriminator="op"),
]
_ORDER: TypeAdapter[Order] = TypeAdapter(Order)


class ControlServer:
    """Serves the control channel of an `EndpointServer` in `folder`."""

    def __init__(self, server: EndpointServer, folder: Path, token: str) -> None:
        self._endpoint = server
        self._path = folder / CONTROL_SOCKET
        self._token = token
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        server.on_shortage = self.tell

    def tell(self, short: MachineError) -> None:
        """Tell the runner what the machine is short of; nothing that was being answered is to blame."""
        for writer in self._writers:
            writer.write(_line({"id": None, "error": _reason(short)}))

    async def start(self) -> None:
        """Listen; the socket is for the owner only."""
        sock = bind_unix(self._path, 0o600)
        self._server = await asyncio.start_unix_server(self._connected, sock=sock, limit=MAX_LINE)

    async def stop(self) -> None:
        """Stop listening, end connections, remove the socket."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._path.unlink(missing_ok=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if await self._trusted(reader):
                self._writers.add(writer)
                while line := await reader.readline():
                    task = asyncio.create_task(self._serve(line, writer.write))
                    self._tasks.add(task)
                    task.add_done_callback(self._tasks.discard)
        except (OSError, ValueError):  # gone, or a line beyond all measure
            _log.warning("control connection ended", exc_info=True)
        finally:
            self._writers.discard(writer)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    async def _trusted(self, reader: asyncio.StreamReader) -> bool:
        try:
            hello = json.loads(await reader.readline())
            token = hello["token"]
        except (ValueError, KeyError, TypeError):
            return False
        return isinstance(token, str) and hmac.compare_digest(token.encode(), self._token.encode())

    async def _serve(self, line: bytes, write: Callable[[bytes], None]) -> None:
        number: JsonValue = None
        try:
            order = _ORDER.validate_json(line)
            number = order.id
            answer: dict[str, JsonValue] = {"id": number, "result": await self._obey(order)}
        except Exception as error:  # noqa: BLE001  # whatever it is, the runner waits to be told
            told = machine_error(error) or error
            answer = {"id": number if number is not None else _number(line), "error": _reason(told)}
        write(_line(answer))

    async def _obey(self, order: Order) -> JsonValue:
        match order:
            case OpenTrial():
                return await self._endpoint.open_trial(order.trial, order.model, order.transcript)
            case BeginRound():
                await self._endpoint.begin_round(order.trial, order.round, order.answer_key, order.attempt)
            case EndRound():
                meter = await self._endpoint.end_round(order.trial)
                result: JsonValue = meter.model_dump(mode="json")
                return result
            case Requested():
                return await self._endpoint.requested(order.trial, order.number, order.seconds)
            case CloseTrial():
                await self._endpoint.close_trial(order.trial)
            case OpenRoute():
                return self._endpoint.open_route(order.trial, order.front)
            case CloseRoutes():
                await self._endpoint.close_routes(order.trial)
            case Limit():
                self._endpoint.gate.limit(order.rules, order.spent)
            case Watch():
                found = await self._endpoint.gate.standing(order.version, WATCH_SECONDS)
                standing: JsonValue = found.model_dump(mode="json")
                return standing
            case Settle():
                await self._endpoint.settle(order.trial, order.seconds)
        return None


def _reason(error: Exception) -> JsonValue:
    if isinstance(error, ClawError):
        return {"kind": type(error).__name__, "what": error.what, "where": error.where, "remedy": error.remedy}
    return {"kind": "InternalError", "what": str(error), "where": "", "remedy": ""}


def _line(answer: dict[str, JsonValue]) -> bytes:
    return json.dumps(answer, separators=(",", ":")).encode() + b"\n"


def _number(line: bytes) -> JsonValue:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    number: JsonValue = value.get("id") if isinstance(value, dict) else None
    return number
