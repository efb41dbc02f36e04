"""Carry connections between 127.0.0.1 inside a network namespace and a Unix socket in a bound folder.

Standard library only; runs inside the sandbox: ``python -I -S relay.py [PORT SOCKET] [--reverse PORT SOCKET] -- argv``.
``PORT SOCKET``: what connects to 127.0.0.1:PORT reaches the socket. ``--reverse``: what connects to the socket reaches
127.0.0.1:PORT. Then it runs the command with its own input and outputs untouched and ends with its exit status
(128 + number for a signal). `connect_unix` and `listen_unix` serve both sides: paths of any length work.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

CHUNK = 64 * 1024
LONGEST_ADDRESS = 100
CONNECT_SECONDS = 10.0
FINISH_SECONDS = 0.5
REVERSE = "reverse"
Connect = Callable[[], socket.socket]


@contextlib.contextmanager
def _address(path: Path) -> Iterator[str]:
    """Yield a short address for a socket path: the kernel takes 107 bytes, a folder's descriptor stands for the rest."""
    if len(os.fsencode(path)) < LONGEST_ADDRESS:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def listen_unix(path: Path, backlog: int = 128) -> socket.socket:
    """Listen on a Unix socket, replacing one a dead process left; only our user may connect.

    The path appears when the socket is ready, so whoever waits for the file can connect at once.
    """
    listener = socket.socket(socket.AF_UNIX)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with _address(new) as address:
        listener.bind(address)
    new.chmod(0o600)
    listener.listen(backlog)
    new.replace(path)
    return listener


def connect_unix(path: Path) -> socket.socket:
    """Connect to a Unix socket."""
    sock = socket.socket(socket.AF_UNIX)
    try:
        with _address(path) as address:
            sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock


def _pump(source: socket.socket, sink: socket.socket) -> None:
    """Move bytes as they come; hand on the end of one direction and leave the other open."""
    with contextlib.suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def _serve(near: socket.socket, connect: Connect) -> None:
    with near:
        try:
            far = connect()
        except OSError as error:
            sys.stderr.write(f"relay: {error}\n")
            return
        with far:
            back = threading.Thread(target=_pump, args=(far, near), daemon=True)
            back.start()
            _pump(near, far)
            back.join()


def _accept(listener: socket.socket, connect: Connect, name: str) -> None:
    while True:
        near, _ = listener.accept()
        threading.Thread(target=_serve, args=(near, connect), daemon=True, name=name).start()


def forward(listener: socket.socket, connect: Connect, name: str = "forward") -> None:
    """Carry every connection of a listener to what `connect` returns, in the background, until the process ends."""
    threading.Thread(target=_accept, args=(listener, connect, name), daemon=True).start()


def _finish() -> None:
    """Deliver the last words of a server inside that has ended: its connections end by themselves, in no time."""
    end = time.monotonic() + FINISH_SECONDS
    for thread in threading.enumerate():
        if thread.name == REVERSE:
            thread.join(max(0.0, end - time.monotonic()))


def _to_port(port: int) -> socket.socket:
    """Connect to a port inside; a server that is still coming up is waited for."""
    end = time.monotonic() + CONNECT_SECONDS
    while True:
        try:
            sock = socket.create_connection(("127.0.0.1", port))
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock


def _run(argv: list[str]) -> int:
    """Run the command in our process group: a signal to the group reaches it directly, so we only outlast it."""
    try:
        child = subprocess.Popen(argv)
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        return 127
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    status = child.wait()
    _finish()
    return 128 - status if status < 0 else status


def main(arguments: list[str]) -> int:
    """Open the routes, run the command, return its exit status."""
    at = arguments.index("--")
    routes = arguments[:at]
    while routes:
        if routes[0] == "--reverse":
            port, path = int(routes[1]), Path(routes[2])
            forward(listen_unix(path), functools.partial(_to_port, port), REVERSE)
            routes = routes[3:]
        else:
            port, path = int(routes[0]), Path(routes[1])
            listener = socket.create_server(("127.0.0.1", port), backlog=128)
            forward(listener, functools.partial(connect_unix, path))
            routes = routes[2:]
    return _run(arguments[at + 1 :])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
