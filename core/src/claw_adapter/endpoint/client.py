"""The runner's side of the endpoint: start its process, tell it about trials and rounds, stop it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn, Self, TypeVar

from claw_adapter.drivers.calls import LineCalls
from claw_adapter.endpoint.control import (
    MAX_LINE,
    BeginRound,
    CloseRoutes,
    CloseTrial,
    EndRound,
    Limit,
    OpenRoute,
    OpenTrial,
    Order,
    Requested,
    Settle,
    Watch,
)
from claw_adapter.endpoint.records import CONTROL_SOCKET, DATA_SOCKET, RoundMeter, Standing
from claw_adapter.errors import (
    ClawError,
    DeadlineExceeded,
    EndpointError,
    HarnessProtocolError,
    InternalError,
    MachineError,
)
from claw_adapter.keys import key_of
from claw_adapter.machine import machine_error, machine_said
from claw_adapter.overlay import Front
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.protocol.stopping import Spent, StopRules
from claw_adapter.unix_sockets import address

__all__ = ["ModelEndpoint"]

START_SECONDS: Final = 120.0
"""It takes half a second; a machine with much else to do can need a minute."""
STOP_SECONDS: Final = 5.0
CALL_SECONDS: Final = 60.0
UNASKED: Final = b'{"id":null,'
"""How a line begins that answers no call: what the machine is short of."""

_ENVIRONMENT: Final = (
    "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX",
)  # fmt: skip
"""What the endpoint's process gets of our environment; keys come over a pipe."""


class ModelEndpoint:
    """The endpoint of a run; an async context manager. Use `start` to get one."""

    def __init__(self, folder: Path, process: Process, url: str) -> None:
        self.url = url
        self.socket = folder / DATA_SOCKET
        self._folder = folder
        self._process = process
        self._writer: asyncio.StreamWriter | None = None
        self._listener: asyncio.Task[None] | None = None
        self._calls = LineCalls(self._write, str(folder / "endpoint.log"))
        self._short: asyncio.Future[MachineError] = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls, folder: Path, *, key_envs: Sequence[str] = (), marker: str = "") -> Self:
        """Start the endpoint's process.

        Args:
            folder: gets ``data.sock``, ``control.sock`` and ``endpoint.log``; made if need be.
            key_envs: names of environment variables with provider keys, which the process is given over a pipe.
            marker: value of CLAW_TRIAL in its environment, by which a sweep after a crash finds it.

        Raises:
            EndpointError: it did not come up; the end of its log is in the message.
            MachineError: for want of memory, descriptors, processes or space.
        """
        folder = folder.absolute()
        folder.mkdir(parents=True, exist_ok=True)
        log = folder / "endpoint.log"
        token = secrets.token_urlsafe(32)
        with log.open("ab") as errors:
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", "-m", "claw_adapter.endpoint", str(folder),
                    stdin=PIPE, stdout=PIPE, stderr=errors,
                    env=_environment(marker), cwd=folder, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise machine_error(error, starting=True) or error from error
        try:
            async with asyncio.timeout(START_SECONDS):
                port = await _handshake(process, token, {name: key_of(name) for name in key_envs})
                endpoint = cls(folder, process, f"http://127.0.0.1:{port}")
                await endpoint._connect(token)
        except (TimeoutError, OSError, ValueError, KeyError) as error:
            await _end(process)
            last = _last(log)
            if (short := machine_error(error) or machine_said(last)) is not None:
                raise short from error
            why = f"no word from it within {START_SECONDS:g} s" if isinstance(error, TimeoutError) else repr(error)
            raise EndpointError(f"the model endpoint did not start: {why}\n{last}", where=str(log)) from error
        except BaseException:
            await _end(process)
            raise
        return endpoint

    async def open_trial(self, trial: str, model: ModelSpec, transcript: Path) -> str:
        """Admit a trial; returns the key that its harness must use.

        Raises:
            EndpointError: the model cannot be built, or the endpoint has died.
        """
        path = transcript.absolute()
        return str(await self._call(OpenTrial(trial=trial, model=model, transcript=path)))

    async def begin_round(
        self, trial: str, round_id: str, answer_key: AnswerKey | None = None, attempt: int = 1
    ) -> None:
        """The trial's requests belong to this round from now on; the answer key is for the reader's eyes only."""
        await self._call(BeginRound(trial=trial, round=round_id, answer_key=answer_key, attempt=attempt))

    async def end_round(self, trial: str) -> RoundMeter:
        """End the round, after a bounded wait for requests still being answered."""
        return RoundMeter.model_validate(await self._call(EndRound(trial=trial)))

    async def requested(self, trial: str, number: int, seconds: float) -> bool:
        """Wait, at most so long, until the round under way has had so many requests; whether it has."""
        return bool(await self._call(Requested(trial=trial, number=number, seconds=min(seconds, CALL_SECONDS / 2))))

    async def close_trial(self, trial: str) -> None:
        """Let the trial's key expire."""
        await self._call(CloseTrial(trial=trial))

    async def limit(self, rules: StopRules, spent: Spent) -> None:
        """Have the run keep to these rules; `spent` is what it has spent before."""
        await self._call(Limit(rules=rules, spent=spent))

    async def watch(self, version: int) -> Standing:
        """How the run stands, at once if that is not what it was in this version, else after a while."""
        return Standing.model_validate(await self._call(Watch(version=version)))

    async def open_route(self, trial: str, front: Front) -> str:
        """Open a proxy route to an overlay; returns the key that whatever is in front of it must use."""
        return str(await self._call(OpenRoute(trial=trial, front=front)))

    async def close_routes(self, trial: str) -> None:
        """Close all proxy routes of a trial."""
        await self._call(CloseRoutes(trial=trial))

    async def settle(self, trial: str, seconds: float) -> None:
        """Wait, at most so long, until no overlay's own request is being answered."""
        await self._call(Settle(trial=trial, seconds=min(seconds, CALL_SECONDS / 2)))

    async def shortage(self) -> NoReturn:
        """Wait until the process says that the machine is short of something; it may never do so.

        Raises:
            MachineError: what it is short of.
        """
        raise await asyncio.shield(self._short)

    async def stop(self) -> None:
        """End the process; safe to call again."""
        if self._listener is not None:
            self._listener.cancel()
            await asyncio.gather(self._listener, return_exceptions=True)
            self._listener = None
        if self._writer is not None:
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()
            self._writer = None
        await _end(self._process)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def _connect(self, token: str) -> None:
        with address(self._folder / CONTROL_SOCKET) as short:
            reader, self._writer = await asyncio.open_unix_connection(short, limit=MAX_LINE)
        self._write(json.dumps({"token": token}).encode() + b"\n")
        self._listener = asyncio.create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                if not line.startswith(UNASKED):
                    self._calls.take(line)
                elif not self._short.done():
                    self._short.set_result(_error(json.loads(line)["error"], MachineError))
        finally:
            self._calls.fail(self._died())

    def _write(self, line: bytes) -> None:
        """Write without waiting: every call waits for its answer anyway."""
        if self._writer is None:
            raise self._died()
        self._writer.write(line)

    async def _call(self, order: Order) -> Any:  # JSON
        try:
            answer = await self._calls.call(order.model_dump(mode="json"), CALL_SECONDS)
        except (DeadlineExceeded, HarnessProtocolError) as error:
            raise self._died() from error
        if "error" in answer:
            raise _error(answer["error"], _KINDS.get(answer["error"]["kind"], EndpointError))
        if self._short.done():
            raise self._short.result()
        return answer["result"]

    def _died(self) -> ClawError:
        if (short := machine_said(_last(self._folder / "endpoint.log"))) is not None:
            return short
        remedy = "resume the run with the same command; the reason should be in the log"
        return EndpointError("the model endpoint has stopped", where=str(self._folder / "endpoint.log"), remedy=remedy)


_KINDS: Final[dict[str, type[ClawError]]] = {"InternalError": InternalError, "MachineError": MachineError}
E = TypeVar("E", bound=ClawError)


def _error(reason: dict[str, str], kind: type[E]) -> E:
    """An error as it came over the channel."""
    return kind(reason["what"], where=reason["where"], remedy=reason["remedy"])


def _last(log: Path) -> str:
    """The end of a log; nothing where it cannot be read."""
    try:
        return log.read_text("utf-8", "replace")[-2000:]
    except OSError:
        return ""


def _environment(marker: str) -> dict[str, str]:
    import claw_adapter

    env = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    own = str(Path(claw_adapter.__file__).parents[1])
    env["PYTHONPATH"] = os.pathsep.join(
        filter(None, (own, os.environ.get("PYTHONPATH")))
    )  # plugins' models are there too
    if marker:
        env["CLAW_TRIAL"] = marker
    return env


async def _handshake(process: Process, token: str, keys: Mapping[str, str]) -> int:
    """Give the token and the keys, wait for the port. Standard input stays open: it is the lifeline."""
    if process.stdin is None or process.stdout is None:
        raise ValueError("no pipes")
    process.stdin.write(json.dumps({"token": token, "keys": dict(keys)}).encode() + b"\n")
    await process.stdin.drain()
    return int(json.loads(await process.stdout.readline())["port"])


async def _end(process: Process) -> None:
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
