"""A server of the Model Context Protocol, as the one who starts it must know it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["McpServer", "acp_servers"]


@dataclass(frozen=True, slots=True)
class McpServer:
    """A server over standard streams. The harness starts it, inside its own isolation."""

    name: str
    """Letters, digits and ``-``: harnesses make it part of the names of its tools."""
    command: tuple[str, ...]
    """Program, by its absolute path, and arguments."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Environment variables, beside those that the harness gives it."""


def acp_servers(servers: Iterable[McpServer]) -> list[Any]:
    """The same servers as the Agent Client Protocol has them; its library must be installed."""
    from acp.schema import EnvVariable, McpServerStdio

    return [
        McpServerStdio(
            name=server.name,
            command=server.command[0],
            args=list(server.command[1:]),
            env=[EnvVariable(name=name, value=value) for name, value in server.env.items()],
        )
        for server in servers
    ]
