"""The server behind programs on PATH.

Protocol: a client connects to a Unix socket, sends one line of JSON (``token``, ``argv``, ``cwd``) and is sent one
(``stdout``, ``stderr``, ``status``). Commands are executed one at a time, in the order in which they arrive.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shlex
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from claw_adapter.environment import Attached
from claw_adapter.unix_sockets import bind_unix

__all__ = ["MAX_REQUEST", "NOT_A_CLIENT", "ProgramServer", "Ran", "client_script", "interpreter"]

MAX_REQUEST: Final = 256 * 1024
"""Bytes of one request."""
NOT_A_CLIENT: Final = 77
"""Exit status of a command without the token."""
INTERNAL: Final = 70
"""Exit status of a command that could not be executed for a fault of ours."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program has printed, and its exit status."""

    stdout: str = ""
    stderr: str = ""
    status: int = 0


class ProgramServer:
    """Serves programs until `stop`.

    Args:
        names: of the programs.
        execute: what a command line does, given its words, the program's name first.
    """

    def __init__(self, names: Iterable[str], execute: Callable[[list[str]], Awaitable[Ran]]) -> None:
        self._names = tuple(names)
        self._execute = execute
        self._token = secrets.token_hex(16)
        self._one_at_a_time = asyncio.Lock()
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._fault: Exception | None = None

    async def start(self, folder: Path) -> Attached:
        """Write the programs into `folder` (``bin``, ``lib``) and listen there; returns what makes them found.

        Raises:
            OSError: the folder cannot be written.
        """
        attached = self._install(folder)
        sock = bind_unix(self._socket(folder), 0o600)
        self._server = await asyncio.start_unix_server(self._serve, sock=sock, limit=MAX_REQUEST)
        return attached

    async def stop(self) -> None:
        """End the connections; returns when the command under way has ended."""
        if self._server is None:
            return
        self._server.close()
        for writer in tuple(self._writers):
            writer.close()
        async with self._one_at_a_time:
            self._server = None

    async def settle(self) -> Exception | None:
        """Wait for the command under way; call it before the state is looked at.

        Returns what `execute` has raised since this was last asked, if anything: the client was told status 70.
        """
        async with self._one_at_a_time:
            fault, self._fault = self._fault, None
        return fault

    def _socket(self, folder: Path) -> Path:
        return folder / "lib" / "server.sock"

    def _install(self, folder: Path) -> Attached:
        programs = folder / "bin"
        programs.mkdir(parents=True, exist_ok=True)
        client = self._write_client(folder)
        for name in self._names:
            script = programs / name
            script.write_text(client_script(interpreter(), str(client), name), encoding="utf-8")
            script.chmod(0o755)
        return Attached(path=(programs,), readable=(client.parent,))

    def _write_client(self, folder: Path) -> Path:
        """The client's file; its folder holds all that it needs."""
        library = folder / "lib"
        library.mkdir(parents=True, exist_ok=True)
        client = library / "client.py"
        shutil.copyfile(Path(__file__).with_name("client.py"), client)
        address = library / "client.json"
        address.write_text(json.dumps({"socket": str(self._socket(folder)), "token": self._token}), encoding="utf-8")
        address.chmod(0o600)
        return client

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            ran = await self._answer(await reader.readline())
            writer.write(json.dumps(asdict(ran), ensure_ascii=False).encode("utf-8", "replace") + b"\n")
            await writer.drain()
        except (ConnectionError, ValueError, asyncio.LimitOverrunError):
            pass  # the client went away or sent more than a request may have: nothing was executed
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> Ran:
        words, known = self._read(line)
        if not words or words[0] not in self._names:
            return Ran(stderr="malformed request", status=2)
        if not known:
            return Ran(stderr="not a client of this server", status=NOT_A_CLIENT)
        async with self._one_at_a_time:
            try:
                return await self._execute(words)
            except Exception as fault:  # noqa: BLE001 - returned by `settle`
                self._fault = fault
                return Ran(stderr="internal error", status=INTERNAL)

    def _read(self, line: bytes) -> tuple[list[str], bool]:
        """The words of a request, none if it is malformed, and whether it has the token."""
        try:
            request: Mapping[str, Any] = json.loads(line)
            words = [str(word) for word in request["argv"]]
            return words, secrets.compare_digest(str(request["token"]).encode(), self._token.encode())
        except (ValueError, KeyError, TypeError):
            return [], False


def interpreter() -> str:
    """The interpreter itself, which a sandbox shows, and not a virtual environment's link to it."""
    return os.path.realpath(sys.executable)


def client_script(python: str, client: str, program: str) -> str:
    """The shell script that stands for `program`: `python` runs the file `client`."""
    start = " ".join(map(shlex.quote, (python, "-I", "-S", client, program)))
    return f'#!/bin/sh\nexec {start} "$@"\n'
