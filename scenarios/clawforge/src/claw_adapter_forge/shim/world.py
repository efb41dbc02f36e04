"""The server of one episode.

Protocol: a client connects, sends one line of JSON (``token``, ``argv``, ``cwd``) and is sent one back (``stdout``, ``stderr``,
``exit``). Commands are executed one at a time in the order they arrive. After the budget every command is answered with exit
status 75 and the world does not move.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from claw_adapter_forge.runner.episode import HORIZON, Episode
from claw_adapter_forge.runner.loop import record_of
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.shim.files import FileMirror
from claw_adapter_forge.shim.install import install_clients
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["MAX_REQUEST", "ShimWorld"]

MAX_REQUEST = 256 * 1024
"""Bytes of one request line."""

NATIVE = "[files edited outside the commands]"


class ShimWorld:
    """An episode behind a socket: an async context manager.

    `folder` gets ``bin/`` (clients), ``lib/`` and ``files/`` (the world's files). `log` has one entry per command: its number,
    words, exit status, lines for what it changed, and seconds since the start. `private` are glob patterns of files that a
    harness keeps in its working directory for itself: they are none of the world's.
    """

    def __init__(
        self,
        task: ForgeTask,
        folder: Path,
        horizon: int = HORIZON,
        *,
        blank: bool = False,
        private: Sequence[str] = (),
    ) -> None:
        self.episode = Episode(task, "mock", horizon)
        self.folder = folder
        self.log: list[dict[str, Any]] = []
        self._blank = blank
        self._token = secrets.token_hex(16)
        self._files = FileMirror(folder / "files", private)
        self._lock = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        # a socket's path may have a hundred characters or so, a run folder's may have more
        self._short = Path(tempfile.mkdtemp(prefix="forge-"))
        self.socket = self._short / "world.sock"
        self._started = time.monotonic()

    @property
    def bin(self) -> Path:
        """The folder to put first on PATH."""
        return self.folder / "bin"

    @property
    def token(self) -> str:
        """What a client must show."""
        return self._token

    @property
    def shown(self) -> tuple[Path, ...]:
        """What a confined program must be able to read to be a client."""
        return self.bin, self.folder / "lib", self.socket

    @property
    def files(self) -> Path:
        """The world's files as a directory."""
        return self._files.root

    def environment(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """An environment in which the clients are found first."""
        values = dict(os.environ if base is None else base)
        values["PATH"] = f"{self.bin}{os.pathsep}{values.get('PATH', os.defpath)}"
        return values

    async def __aenter__(self) -> Self:
        install_clients(self.bin, str(self.socket), self._token)
        self._files.show(self.episode.world)
        # Not serving yet, it waits for nothing, so that a cancellation cannot come before we hold it.
        path, limit = str(self.socket), MAX_REQUEST
        self._server = await asyncio.start_unix_server(self._serve, path=path, limit=limit, start_serving=False)
        try:
            self.socket.chmod(0o600)
            await self._server.start_serving()
        except BaseException:
            self._server.close()
            shutil.rmtree(self._short, ignore_errors=True)
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
            for writer in tuple(self._writers):
                writer.close()
            await self._server.wait_closed()
        async with self._lock:
            self._absorb()
        shutil.rmtree(self._short, ignore_errors=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            answer = await self._answer(await reader.readline())
            writer.write(json.dumps(answer, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
        except (ConnectionError, ValueError, asyncio.LimitOverrunError):
            pass  # the client went away or sent more than a request may have: nothing was executed
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
            words = [str(w) for w in request["argv"]]
            known = secrets.compare_digest(str(request["token"]), self._token)
        except (ValueError, KeyError, TypeError):
            return {"stdout": "", "stderr": "malformed request", "exit": 2}
        if not known or not words:
            return {"stdout": "", "stderr": "not a client of this world", "exit": 77}
        async with self._lock:
            return self._execute(words)

    def _absorb(self) -> None:
        """Take over edits of the directory: they cost no step, and count like any change."""
        if self.episode.exhausted:
            self._files.show(self.episode.world)
            return
        changes = self._files.absorb(self.episode.world)
        if changes:
            self.episode.note(NATIVE, changes)
            self._write_down([NATIVE], 0, [c.line() for c in changes])

    def _execute(self, words: list[str]) -> dict[str, Any]:
        self._absorb()
        done = self.episode.step_words(words)
        self._files.show(self.episode.world)
        self._write_down(words, done.output.code, [c.line() for c in done.changes])
        if self._blank:
            return {"stdout": "", "stderr": "", "exit": done.output.code}
        return {"stdout": done.output.stdout, "stderr": done.output.stderr, "exit": done.output.code}

    def _write_down(self, words: list[str], code: int, changes: list[str]) -> None:
        entry = {
            "seq": len(self.log) + 1,
            "argv": words,
            "exit": code,
            "changes": changes,
            "seconds": round(time.monotonic() - self._started, 4),
        }
        self.log.append(entry)

    def record(self, agent: str, ended: str = "stopped", trial: int = 0, **more: object) -> RunRecord:
        """The record of the episode; call it after the context is left, so that late edits are in."""
        if self.episode.exhausted:
            ended = "budget"
        return record_of(self.episode, agent, "shim", ended, trial, **{"harness": "shell", **more})
