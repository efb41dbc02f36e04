"""The endpoint's process: ``python -m claw_adapter.endpoint FOLDER``, started by `ModelEndpoint` only.

Standard input brings one line, ``{"token": …, "keys": {VARIABLE: KEY}}``, and is a lifeline from then on: at its end, which
also comes when the runner is killed, the process removes its sockets and ends. Standard output carries one line,
``{"port": …}``, once it listens. Provider keys are in this process's memory only, which no other process of this user may read.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, NoReturn

from claw_adapter import keys
from claw_adapter.redaction import RedactingFormatter, Redactor

LAST_SECONDS: Final = 1.0
"""Time for an orderly end after the lifeline is cut; then the process just ends."""


def main() -> NoReturn:
    """Serve until the lifeline is cut."""
    gc.disable()  # until it serves: of what is imported and read now, nothing is ever given back
    keys.close_to_others()
    for number in (signal.SIGINT, signal.SIGHUP):  # the runner decides when this process ends
        signal.signal(number, signal.SIG_IGN)
    folder = Path(sys.argv[1])
    hello = json.loads(_first_line())
    keys.keep(hello["keys"])
    _log_without(hello["keys"].values())
    asyncio.run(_serve(folder, tuple(hello["keys"]), hello["token"]))
    logging.shutdown()
    os._exit(0)  # all is closed, and a run would wait longer for the interpreter to take itself apart


def _log_without(secrets: Iterable[str]) -> None:
    """Log to standard error, which is a file of the run folder."""
    handler = logging.StreamHandler()
    handler.setFormatter(RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", Redactor(secrets)))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _first_line() -> bytes:
    """The first line of standard input, read byte by byte so that nothing beyond it is buffered away."""
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 1)
        if not byte:
            sys.exit(0)
        line += byte
    return line


async def _serve(folder: Path, key_envs: tuple[str, ...], token: str) -> None:
    from claw_adapter.endpoint.control import ControlServer
    from claw_adapter.endpoint.records import CONTROL_SOCKET, DATA_SOCKET
    from claw_adapter.endpoint.server import EndpointServer
    from claw_adapter.tokens.cl100k import count

    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    sockets = [folder / CONTROL_SOCKET, folder / DATA_SOCKET]

    def cut() -> None:
        with contextlib.suppress(RuntimeError):  # the loop may have ended by itself
            loop.call_soon_threadsafe(ended.set)

    watch = threading.Thread(target=_watch, args=(os.getppid(), cut, sockets), daemon=True)
    count("the vocabulary is loaded now, not in the first request")
    server = EndpointServer(folder, key_envs=key_envs)
    control = ControlServer(server, folder, token)
    loop.set_exception_handler(lambda loop, context: _unhandled(loop, context, server.report))
    await server.start()
    await control.start()
    watch.start()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    gc.freeze()  # what is here now stays: looking through it again and again would hold up every trial
    gc.enable()
    sys.stdout.write(json.dumps({"port": int(server.url.rpartition(":")[2])}) + "\n")
    sys.stdout.flush()
    await ended.wait()
    await control.stop()
    await server.stop()


def _unhandled(
    loop: asyncio.AbstractEventLoop, context: dict[str, Any], report: Callable[[BaseException | None], bool]
) -> None:
    """What no request meets, such as a connection that cannot be accepted for want of descriptors, is passed on too."""
    if not report(context.get("exception")):
        loop.default_exception_handler(context)


def _watch(parent: int, cut: Callable[[], None], sockets: list[Path]) -> None:
    """Wait for the end of standard input, or for another parent; then end the process, if need be by force."""
    while os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], 0.5)
        if ready and not os.read(0, 4096):
            break
    cut()
    threading.Event().wait(LAST_SECONDS)
    for path in sockets:
        path.unlink(missing_ok=True)
    os._exit(0)


if __name__ == "__main__":
    main()
