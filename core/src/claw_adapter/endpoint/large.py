"""Large requests: parsed, counted and written down by helper processes, so that a trial that sends one delays no other.

A thread would not do: parsing holds the interpreter. A helper hands the request back in small pieces for the same reason.
Helpers are started when first needed and end with us, at the end of their standard input.
"""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import struct
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.prefixes import MeasuredRequest
from claw_adapter.errors import InternalError
from claw_adapter.machine import machine_error
from claw_adapter.model import ModelRequest
from claw_adapter.runs.transcript import Transcript

__all__ = ["HEAD", "Helpers", "Large"]

HEAD: Final = struct.Struct(">BQ")
"""What stands before each piece of an answer: its kind (0 an error, 1 values, 2 the last of them, 3 a part of a long text,
4 its end) and its length."""
MOST: Final = 2
"""Helpers at a time; each takes about 100 MB, and as much as it works on."""
_SLICE: Final = 1024 * 1024
_NOT_PASSED: Final = frozenset({"authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"})
_ENVIRONMENT: Final = (
    "PATH", "LANG", "LC_ALL", "TMPDIR", "PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX", "CLAW_TRIAL",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Large:
    """A large request, with what a helper has found out about it; its parts are written already."""

    request: ModelRequest
    measured: MeasuredRequest


class Helpers:
    """The helper processes of an endpoint."""

    def __init__(self) -> None:
        self._idle: list[Process] = []
        self._all: set[Process] = set()
        self._turns = asyncio.Semaphore(MOST)

    async def read(self, dialect: str, headers: Mapping[str, str], body: bytearray, transcript: Transcript) -> Large:
        """Have a body read, and its parts written into the transcript; `body` is empty afterwards.

        Raises:
            BadRequest: it is none of this dialect.
            InternalError: the helper has died, or the transcript cannot be written.
        """
        async with self._turns, self._helper() as helper:
            kept = {name: value for name, value in headers.items() if name.lower() not in _NOT_PASSED}
            await _send(helper, {"op": "read", "dialect": dialect, "headers": kept, "size": len(body)}, body)
            body.clear()
            request, measured = await _loaded(helper)
            new = transcript.unknown(measured.parts)
            if new:
                path, keys = str(transcript.path), transcript.redactor.keys
                await _send(helper, {"op": "write", "path": path, "new": sorted(new), "keys": keys})
                await _loaded(helper)
                transcript.learn(new)
        return Large(request, measured)

    async def stop(self) -> None:
        """End the helpers."""
        for helper in list(self._all):
            self._end(helper)
            await helper.wait()

    @asynccontextmanager
    async def _helper(self) -> AsyncIterator[Process]:
        """One that is idle, or a new one; one that was left in the middle of something is ended."""
        helper = self._idle.pop() if self._idle else await self._start()
        try:
            yield helper
        except BadRequest:
            self._idle.append(helper)
            raise
        except (OSError, asyncio.IncompleteReadError) as error:
            self._end(helper)
            if machine_error(error) is not None:
                raise
            raise InternalError(f"the helper that reads large requests has ended: {error!r}") from error
        except BaseException:
            self._end(helper)
            raise
        self._idle.append(helper)

    async def _start(self) -> Process:
        import claw_adapter

        env = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        env["PYTHONPATH"] = str(Path(claw_adapter.__file__).parents[1])
        argv = (sys.executable, "-P", "-m", "claw_adapter.endpoint.large_helper")
        helper = await asyncio.create_subprocess_exec(*argv, stdin=PIPE, stdout=PIPE, env=env, limit=_SLICE)
        self._all.add(helper)
        return helper

    def _end(self, helper: Process) -> None:
        self._all.discard(helper)
        if helper in self._idle:
            self._idle.remove(helper)
        if helper.returncode is None:
            helper.kill()


class _Feed:
    """The file that an unpickler reads from: one piece after the other."""

    def __init__(self) -> None:
        self._data = memoryview(b"")
        self._at = 0

    def set(self, data: bytes) -> None:
        self._data, self._at = memoryview(data), 0

    @property
    def ended(self) -> bool:
        return self._at >= len(self._data)

    def read(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        self._at += len(found)
        return bytes(found)

    def readline(self) -> bytes:
        raise EOFError("no protocol that we speak has lines")


class _Unpickler(pickle.Unpickler):
    """Reads what a helper, a process of ours, has written."""

    def __init__(self, feed: _Feed) -> None:
        super().__init__(feed)
        self.texts: list[str] = []

    def persistent_load(self, number: int) -> str:
        """A text that has come before."""
        return self.texts[number]


async def _send(helper: Process, order: dict[str, Any], body: bytearray | None = None) -> None:
    assert helper.stdin is not None  # noqa: S101  # it was started with one
    helper.stdin.write(json.dumps(order).encode() + b"\n")
    view = memoryview(body or b"")
    try:
        for at in range(0, len(view), _SLICE):
            helper.stdin.write(bytes(view[at : at + _SLICE]))
            await helper.stdin.drain()
    finally:
        view.release()
    await helper.stdin.drain()


async def _loaded(helper: Process) -> Any:
    """What a helper answers with, piece by piece; what comes last counts, and refers to all before it."""
    assert helper.stdout is not None  # noqa: S101  # it was started with one
    feed, found, text = _Feed(), None, list[str]()
    unpickler = _Unpickler(feed)
    while True:
        kind, size = HEAD.unpack(await helper.stdout.readexactly(HEAD.size))
        data = await helper.stdout.readexactly(size)
        if kind == 0:
            error = json.loads(data)
            raise BadRequest(error["what"]) if error["kind"] == "BadRequest" else OSError(error["errno"], error["what"])
        if kind == 3:
            text.append(data.decode())
        elif kind == 4:
            unpickler.texts.append("".join(text))
            text.clear()
        else:
            feed.set(data)
            while not feed.ended:
                found = unpickler.load()
        if kind == 2:
            return found
        await asyncio.sleep(0)
