"""The real OpenClaw as a child: one process per command, one more for the gateway in hybrid mode, all in the sandbox."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from claw_adapter.drivers import environment as allowed
from claw_adapter.drivers.ports import free_port
from claw_adapter.drivers.reaper import MARKER
from claw_adapter.errors import HarnessNotFound, HarnessStartError
from claw_adapter.frameworks import Installed, locate
from claw_adapter.sandbox import Confinement, IsolationLevel, connect_unix, wrap
from claw_adapter_forge.real.layout import configuration, environment
from claw_adapter_forge.surfaces.grammar import Output
from claw_adapter_forge.world.state import World

__all__ = ["Program", "installed"]

COMMAND_SECONDS = 120.0
START_SECONDS = 120.0
ANSWER_SECONDS = 5.0
"""Limits on a machine that has a processor for every process that wants one; see `_patience`."""
TIMED_OUT = 124
INSIDE_PORT = 18789


class Program:
    """The real program in `folder`; a context manager. With `gateway` its gateway runs as long.

    Commands and gateway have no network but each other: the gateway's port is carried over a Unix socket between their
    namespaces (isolation 2), or is a free port of this machine (isolation 1). Every process carries `marker`, if there is one.
    """

    def __init__(self, world: World, folder: Path, *, gateway: bool, isolation: int = 2, marker: str = "") -> None:
        self.there = installed()
        self._marked = {MARKER: marker} if marker else {}
        self.gateway = gateway
        self.state = folder / "state"
        self.config = self.state / "openclaw.json"
        self._level = IsolationLevel(isolation)
        self._inside = self._level >= IsolationLevel.NAMESPACE
        self._port = INSIDE_PORT if self._inside else free_port()
        self._socket = self.state / "gateway.sock"
        self._child: subprocess.Popen[bytes] | None = None
        (self.state / "tmp").mkdir(parents=True)
        self.config.touch(mode=0o600)
        self.config.write_text(json.dumps(configuration(world, self._port), indent=1, ensure_ascii=False), "utf-8")

    def __enter__(self) -> Program:  # noqa: PYI034  # nobody derives from it
        if self.gateway:
            self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def settings(self) -> dict[str, Any]:
        """The configuration file as it stands."""
        read: dict[str, Any] = json.loads(self.config.read_text("utf-8"))
        return read

    def run(self, words: Sequence[str]) -> Output:
        """Run one command; `words` begin behind ``openclaw``. What outlives two minutes ends with status 124.

        On a busy machine these are longer.
        """
        argv, env = self._wrapped(words, serves=False)
        child = subprocess.Popen(
            argv,
            env=env,
            cwd=self.state,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            said, complained = child.communicate(timeout=_patience(COMMAND_SECONDS))
            code = child.returncode
        except subprocess.TimeoutExpired:
            _end(child)
            said, complained = child.communicate()
            code = TIMED_OUT
        return Output(said.decode("utf-8", "replace").strip(), complained.decode("utf-8", "replace").strip(), code)

    def close(self) -> None:
        """End the gateway."""
        child, self._child = self._child, None
        if child is not None:
            _end(child)
            child.wait()

    def _wrapped(self, words: Sequence[str], *, serves: bool) -> tuple[tuple[str, ...], dict[str, str]]:
        argv = (str(self.there.node), str(self.there.modules / "openclaw" / "openclaw.mjs"), *words)
        env = allowed(extra={**environment(self.state, self.config), "HOME": str(self.state)})
        carried = self._inside and self.gateway
        wrapped, inside = wrap(argv, env, self._confinement(carried=carried, serves=serves))
        return wrapped, {**inside, **self._marked}

    def _confinement(self, *, carried: bool, serves: bool) -> Confinement:
        asks = carried and not serves
        return Confinement(
            level=self._level,
            home=self.state,
            writable=(self.state,),
            readable=tuple(path.absolute() for path in self.there.readable),
            # its locks are there, and gateway and commands must see the same ones
            tmp=self.state / "tmp",
            network="endpoint" if asks else "none",
            endpoint_socket=self._socket if asks else None,
            endpoint_port=self._port if asks else None,
            reverse=(self._port, self._socket) if carried and serves else None,
        )

    def _start(self) -> None:
        argv, env = self._wrapped(("gateway", "run", "--port", str(self._port)), serves=True)
        log = self.state / "gateway.out"
        with log.open("wb") as out:
            self._child = subprocess.Popen(
                argv,
                env=env,
                cwd=self.state,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        begun = time.monotonic()
        while not self._healthy():
            if self._child.poll() is not None or time.monotonic() - begun > _patience(START_SECONDS):
                self.close()
                raise HarnessStartError(
                    f"OpenClaw's gateway does not come up: {log.read_text('utf-8', 'replace')[-1000:]}", where=str(log)
                )
            time.sleep(0.2)

    def _healthy(self) -> bool:
        """Whether the gateway says that it is ready."""
        link = http.client.HTTPConnection("127.0.0.1", self._port)
        try:
            link.sock = self._connected()
            link.sock.settimeout(_patience(ANSWER_SECONDS))
            link.request("GET", "/readyz")
            return link.getresponse().status == http.client.OK
        except (OSError, http.client.HTTPException):
            return False
        finally:
            link.close()

    def _connected(self) -> socket.socket:
        if self._inside:
            return connect_unix(self._socket)
        return socket.create_connection(("127.0.0.1", self._port), timeout=ANSWER_SECONDS)


def _patience(seconds: float) -> float:
    """A limit, times how many processes want each processor: a start of 25 seconds of computing takes minutes then."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def installed() -> Installed:
    """Where the real program is.

    Raises:
        HarnessNotFound: it is not installed here.
    """
    there = locate("openclaw")
    if there is None or not shutil.which(str(there.node)):
        remedy = "pip install claw-adapter-openclaw, then: claw frameworks install openclaw"
        raise HarnessNotFound("OpenClaw is not installed", where="real and hybrid modes", remedy=remedy)
    return there


def _end(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
