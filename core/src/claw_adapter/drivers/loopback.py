"""Connections that cannot leave this machine: no other host, no name server, no hosts file."""

from __future__ import annotations

import os
import socket as sockets
from collections.abc import Awaitable
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from claw_adapter.errors import AdapterError

__all__ = ["connector", "loopback"]

SOCKET_PATH_BYTES: Final = 107
NAME_BYTES: Final = 80
_DESCRIPTORS: Final = Path("/proc/self/fd")


class _Localhost(AbstractResolver):
    """Knows one name: a hosts file or a name server has no say in where ``localhost`` is."""

    async def resolve(self, host: str, port: int = 0, family: int = sockets.AF_UNSPEC) -> list[ResolveResult]:
        """The loopback addresses, for ``localhost`` only."""
        if host != "localhost":
            raise OSError(f"{host} is not this machine")
        known = ((sockets.AF_INET, "127.0.0.1"), (sockets.AF_INET6, "::1"))
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=0, flags=sockets.AI_NUMERICHOST)
            for kind, address in known
            if family in (kind, sockets.AF_UNSPEC)
        ]

    async def close(self) -> None:
        """Nothing to close."""


def loopback(url: str) -> URL:
    """The parsed address of a server on this machine, without a path.

    Raises:
        AdapterError: any other host, scheme or form.
    """
    try:
        parsed = URL(url)
        host = parsed.host or ""
        inside = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        inside = False
    if not inside or parsed.scheme != "http" or parsed.path not in ("", "/") or parsed.user is not None:
        raise AdapterError(
            "a harness's server must be on this machine",
            where=url,
            remedy="Give http://127.0.0.1:PORT, http://[::1]:PORT or http://localhost:PORT, without a path.",
        )
    return parsed


def connector(socket: Path | None) -> aiohttp.BaseConnector:
    """Every request on a connection of its own: a kept one may be dead, and a request must not be sent twice.

    Raises:
        AdapterError: the path of the socket is longer than the system allows, and there is no way around that here.
        OSError: the path is so long, and its folder is not there.
    """
    if socket is None:
        return aiohttp.TCPConnector(resolver=_Localhost(), force_close=True)
    if len(os.fsencode(socket)) <= SOCKET_PATH_BYTES:
        return aiohttp.UnixConnector(path=str(socket), force_close=True)
    if not _DESCRIPTORS.is_dir() or len(os.fsencode(socket.name)) > NAME_BYTES:
        raise AdapterError(
            f"a socket path of more than {SOCKET_PATH_BYTES} bytes", where=str(socket), remedy="Shorten it."
        )
    return _FarConnector(socket)


class _FarConnector(aiohttp.UnixConnector):
    """Connects to a socket whose path is too long for the system: a descriptor of its folder stands for the rest."""

    def __init__(self, socket: Path) -> None:
        self._folder = os.open(socket.parent, os.O_RDONLY | os.O_DIRECTORY)
        super().__init__(path=str(_DESCRIPTORS / str(self._folder) / socket.name), force_close=True)

    def close(self, *, abort_ssl: bool = False) -> Awaitable[None]:
        """Close the connections and the descriptor; may be called twice."""
        folder, self._folder = self._folder, -1
        if folder >= 0:
            os.close(folder)
        return super().close(abort_ssl=abort_ssl)
