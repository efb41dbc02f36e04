"""The endpoint's web server: TCP on loopback and a Unix socket, one key per trial.

It runs in a process of its own (claw_adapter.endpoint.__main__); tests may start it inside theirs.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from aiohttp import web
from pydantic import JsonValue

from claw_adapter.endpoint.answering import Answering
from claw_adapter.endpoint.connections import Connections
from claw_adapter.endpoint.dialects import DIALECTS, Dialect
from claw_adapter.endpoint.dialects.anthropic import models as anthropic_models
from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.gate import Gate
from claw_adapter.endpoint.intake import LARGE, Intake, RequestRefused, Room
from claw_adapter.endpoint.large import Helpers, Large
from claw_adapter.endpoint.models import build
from claw_adapter.endpoint.pending import Pending
from claw_adapter.endpoint.proxy_routes import ProxyRoute
from claw_adapter.endpoint.records import DATA_SOCKET, RoundMeter
from claw_adapter.endpoint.trial import EndpointTrial
from claw_adapter.errors import InternalError, MachineError
from claw_adapter.keys import key_of
from claw_adapter.machine import machine_error
from claw_adapter.model import Model, ModelRequest
from claw_adapter.overlay import Front
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.unix_sockets import bind_unix

__all__ = ["EndpointServer"]

IDLE_SECONDS: Final = 75.0
"""How long a connection may stay without a complete head of a request."""
GRACE_SECONDS: Final = 5.0
"""How long `end_round` lets requests finish that are still being answered."""


@dataclass(frozen=True, slots=True)
class Door:
    """What a key opens: a trial's model, or a route that leads to it through overlays."""

    trial: EndpointTrial
    route: ProxyRoute | None = None


class EndpointServer:
    """Answers harnesses; an async context manager.

    Args:
        folder: where the Unix socket is made.
        key_envs: environment variables that hold provider keys; their values are redacted in everything recorded.
        grace: seconds that `end_round` waits for requests still being answered.
        make: makes the model of a trial; the certification kit brings its own.
        idle: seconds after which a connection without a request is closed.
    """

    def __init__(
        self,
        folder: Path,
        *,
        key_envs: Sequence[str] = (),
        grace: float = GRACE_SECONDS,
        make: Callable[[ModelSpec, str], Model] = build,
        idle: float = IDLE_SECONDS,
    ) -> None:
        self.socket = folder / DATA_SOCKET
        self.url = ""
        self._key_envs = key_envs
        self._grace = grace
        self._make = make
        self._idle = idle
        self._watch: asyncio.Task[None] | None = None
        self.intake = Intake()
        self.helpers = Helpers()
        self.gate = Gate()
        self._trials: dict[str, EndpointTrial] = {}
        self._doors: dict[str, Door] = {}
        self._runner: web.AppRunner | None = None
        self.on_shortage: Callable[[MachineError], None] | None = None
        """Told once when the machine is short of something, whatever trial that meets."""

    def report(self, error: BaseException | None) -> bool:
        """Pass on what came of a shortage of the machine; whether it was one."""
        if (short := machine_error(error)) is None:
            return False
        if self.on_shortage is not None:
            tell, self.on_shortage = self.on_shortage, None
            tell(short)
        return True

    async def start(self) -> None:
        """Listen. `url` is known afterwards."""
        connections = Connections(self._idle)
        app = web.Application(middlewares=[connections.mark])
        for dialect in DIALECTS:
            handler = Handler(self, dialect)
            app.router.add_post(dialect.path, handler.handle)
            if dialect.count_path:
                app.router.add_post(dialect.count_path, handler.count)
        app.router.add_get("/v1/models", self._models)
        app.router.add_route("*", "/{path:.*}", self._unknown)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0, keepalive_timeout=self._idle
        )
        await self._runner.setup()
        self._watch = asyncio.create_task(connections.watch(self._runner))
        tcp = socket.create_server(("127.0.0.1", 0), backlog=512)
        tcp.setblocking(False)
        for sock in (tcp, bind_unix(self.socket, 0o600)):
            await web.SockSite(self._runner, sock, backlog=512).start()
        self.url = f"http://127.0.0.1:{tcp.getsockname()[1]}"

    async def stop(self) -> None:
        """Stop listening, close all trials, remove the socket."""
        for name in list(self._trials):
            await self.close_trial(name)
        if self._watch is not None:
            self._watch.cancel()
        await self.helpers.stop()
        await self.gate.close()
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        self.socket.unlink(missing_ok=True)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def open_trial(self, trial: str, model: ModelSpec, transcript: Path) -> str:
        """Admit a trial and return its key; a trial of that name that is still open is closed first.

        Raises:
            EndpointError: the model cannot be built.
            OSError: the transcript cannot be written.
        """
        await self.close_trial(trial)
        opened = EndpointTrial(trial, model, transcript, map(key_of, self._key_envs), self._make, self.gate)
        self._trials[trial] = opened
        self._doors[opened.key] = Door(opened)
        return opened.key

    def open_route(self, trial: str, front: Front) -> str:
        """Open a proxy route to an overlay, before those opened earlier; returns the key of its entry.

        Raises:
            KitError: there is no such trial.
        """
        opened = self._trial(trial)
        route = opened.open_route(front)
        self._doors[route.key] = Door(opened, route)
        return route.key

    async def close_routes(self, trial: str) -> None:
        """Close all proxy routes of a trial; their keys expire."""
        opened = self._trials.get(trial)
        if opened is not None:
            self._doors = {
                key: entry for key, entry in self._doors.items() if entry.trial is not opened or entry.route is None
            }
            await opened.close_routes()

    async def settle(self, trial: str, seconds: float) -> None:
        """Wait, at most so long, until no overlay's own request of the trial is being answered."""
        await self._trial(trial).settle(seconds)

    async def begin_round(
        self, trial: str, round_id: str, answer_key: AnswerKey | None = None, attempt: int = 1
    ) -> None:
        """Requests of the trial belong to this round from now on.

        Raises:
            KitError: there is no such trial.
        """
        self._trial(trial).begin_round(round_id, answer_key, attempt)

    async def requested(self, trial: str, number: int, seconds: float) -> bool:
        """Wait, at most so long, until the round under way has had so many requests; whether it has.

        Raises:
            KitError: there is no such trial.
        """
        return await self._trial(trial).requested(number, seconds)

    async def end_round(self, trial: str) -> RoundMeter:
        """End the round and sum it up, after a bounded wait for requests still being answered.

        Raises:
            KitError: there is no such trial.
        """
        return await self._trial(trial).end_round(self._grace)

    async def close_trial(self, trial: str) -> None:
        """Let the trial's key expire; a trial that is not open is no error."""
        opened = self._trials.pop(trial, None)
        if opened is not None:
            self._doors = {key: entry for key, entry in self._doors.items() if entry.trial is not opened}
            await opened.close()

    def admit(self, request: web.BaseRequest) -> Door | None:
        """The trial, and the way into it, whose key a request carries."""
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        bearer = token.strip() if scheme.lower() == "bearer" else ""
        for key in (bearer, request.headers.get("x-api-key", ""), request.headers.get("api-key", "")):
            if key in self._doors:
                return self._doors[key]
        return None

    def _trial(self, name: str) -> EndpointTrial:
        try:
            return self._trials[name]
        except KeyError:
            raise InternalError(
                f"no trial {name!r} is open at the endpoint", remedy="open it with open_trial first"
            ) from None

    async def _models(self, request: web.Request) -> web.Response:
        entry = self.admit(request)
        if entry is None:
            return refused(DIALECTS[0])
        if request.headers.get("anthropic-version"):
            return web.json_response(anthropic_models(entry.trial.spec.name))
        model: dict[str, JsonValue] = {
            "id": entry.trial.spec.name,
            "object": "model",
            "created": 0,
            "owned_by": "claw-adapter",
        }
        return web.json_response({"object": "list", "data": [model]})

    async def _unknown(self, request: web.Request) -> web.Response:
        known = ", ".join(f"POST {dialect.path}" for dialect in DIALECTS)
        what = f"{request.method} {request.path} is not served here; supported: {known}, GET /v1/models"
        return web.json_response(DIALECTS[0].error(404, what, "not_found"), status=404)


def refused(dialect: Dialect) -> web.Response:
    """The answer to a key that belongs to no trial."""
    what = "this key belongs to no open trial; use the key of the trial's endpoint"
    return web.json_response(dialect.error(401, what, "invalid_api_key"), status=401)


class Handler:
    """Handles the requests of one dialect."""

    def __init__(self, server: EndpointServer, dialect: Dialect) -> None:
        self._server = server
        self._dialect = dialect

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Admit, read and answer one request."""
        try:
            return await self._handle(request)
        except Exception as error:
            self._server.report(error)
            raise

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        entry = self._server.admit(request)
        if entry is None:
            return refused(self._dialect)
        trial = entry.trial
        async with Room(self._server.intake, trial.name) as room:
            asked = await self._read(request, entry, room)
            if isinstance(asked, web.Response):
                return asked
            if isinstance(asked, Large):
                pending = trial.begin(asked.request, self._dialect.name, entry.route, asked.measured)
            else:
                pending = trial.begin(asked, self._dialect.name, entry.route)
            task = asyncio.create_task(self._answer(request, trial, pending))
            trial.track(pending, task)
            return await task

    async def count(self, request: web.Request) -> web.StreamResponse:
        """Say how many tokens a request would have: ours (cl100k), not the vendor's; no request of the turn."""
        entry = self._server.admit(request)
        if entry is None:
            return refused(self._dialect)
        async with Room(self._server.intake, entry.trial.name) as room:
            asked = await self._read(request, entry, room)
        if isinstance(asked, web.Response):
            return asked
        measured = asked.measured if isinstance(asked, Large) else entry.trial.known.measured(asked)
        return web.json_response(self._dialect.tokens(measured.size.text + measured.size.tools))

    async def _read(self, request: web.Request, entry: Door, room: Room) -> ModelRequest | Large | web.Response:
        """The request, or the answer to one that cannot be read."""
        trial = entry.trial
        try:
            body = await self._server.intake.receive(request, room)
            if (value := trial.known.bodies.read(body, LARGE)) is not None:
                return self._dialect.parse(value, request.headers, trial.known)
            return await self._server.helpers.read(self._dialect.name, request.headers, body, trial.transcript)
        except BadRequest as error:
            return self._unread(entry, 400, error.what, "invalid_request")
        except RequestRefused as error:
            return self._unread(entry, error.status, error.what, error.code)
        except InternalError as error:
            trial.fail(error)
            return web.json_response(self._dialect.error(500, error.what), status=500)

    def _unread(self, entry: Door, status: int, what: str, code: str) -> web.Response:
        """The answer to a request that is not taken; what is left of it is not read."""
        entry.trial.malformed(what, entry.route)
        headers = {"Retry-After": "1"} if status == 429 else None
        answer = web.json_response(self._dialect.error(status, what, code), status=status, headers=headers)
        if status != 400:
            answer.force_close()
        return answer

    async def _answer(self, request: web.Request, trial: EndpointTrial, pending: Pending) -> web.StreamResponse:
        try:
            return await Answering(self._dialect, trial, pending).answer(request)
        finally:
            trial.finish(pending)
