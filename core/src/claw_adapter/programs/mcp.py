"""Tools for harnesses that take MCP servers; like programs, they are executed in the runner.

The server that a harness starts hands every message to `ToolServer` and writes back what it is answered. What is spoken is
JSON-RPC with the methods of a server that has tools and nothing else (Model Context Protocol, 2025-06-18).
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from claw_adapter.environment import Attached, McpServer
from claw_adapter.programs.server import ProgramServer, Ran, interpreter

__all__ = ["ServerTool", "ToolResult", "ToolServer"]

VERSIONS: Final = ("2025-06-18", "2025-11-25", "2024-11-05")
"""Versions of the protocol that are alike for tools; the first is offered to a client of another one."""
NOT_JSON: Final = -32700
NO_METHOD: Final = -32601
BAD_PARAMS: Final = -32602
TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,), "object": (dict,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives, where that is more than what a program prints: the parts as the protocol has them."""

    parts: Sequence[Mapping[str, Any]]
    failed: bool = False
    structured: Mapping[str, Any] | None = None
    """Data beside the parts (`structuredContent`)."""


Call = Callable[[str, dict[str, Any]], Awaitable[Ran | ToolResult]]


@dataclass(frozen=True, slots=True)
class ServerTool:
    """What a model is told of a tool."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of its arguments, an object's."""

    def fault(self, arguments: object) -> str:
        """What keeps arguments from being handed to the tool: one is missing, unknown or of another type; empty if nothing."""
        if not isinstance(arguments, dict):
            return "the arguments are not an object"
        declared = self.parameters.get("properties", {})
        for name in self.parameters.get("required", ()):
            if name not in arguments:
                return f"argument {name!r} is missing"
        for name, value in arguments.items():
            if name not in declared and not self.parameters.get("additionalProperties"):
                return f"there is no argument {name!r}"
            kind = declared.get(name, {}).get("type")
            if isinstance(kind, str) and not _is(value, kind):
                return f"argument {name!r} is not of type {kind}"
        return ""


class ToolServer(ProgramServer):
    """An MCP server with tools until `stop`; for `start` and `settle` see `ProgramServer`.

    Args:
        name: of the server; harnesses put it into the names of its tools.
        tools: what it offers.
        call: what a call does, given the tool's name and arguments, of which `ServerTool.fault` has nothing to say. Both
            streams of a `Ran` that it returns are the tool's result, a failure if the status is not 0.
        page: how many tools a client is told of at a time; all without.
    """

    def __init__(self, name: str, tools: Iterable[ServerTool], call: Call, *, page: int | None = None) -> None:
        super().__init__([name], self._hear)
        self._name = name
        self._tools = {tool.name: tool for tool in tools}
        self._call, self._page = call, page

    def _install(self, folder: Path) -> Attached:
        client = self._write_client(folder)
        command = (interpreter(), "-I", "-S", str(client), "--mcp", self._name)
        return Attached(readable=(client.parent,), mcp=(McpServer(self._name, command),))

    async def _hear(self, words: list[str]) -> Ran:
        """Answer a message; a notification gets nothing."""
        try:
            message = json.loads(" ".join(words[1:]))
        except (ValueError, RecursionError):
            return _say(None, _error(NOT_JSON, "not JSON"))
        if not isinstance(message, dict) or message.get("id") is None:
            return Ran()
        params = message.get("params")
        return _say(message["id"], await self._answer_to(str(message.get("method")), params))

    async def _answer_to(self, method: str, params: object) -> dict[str, Any]:
        given = params if isinstance(params, dict) else {}
        if method == "initialize":
            asked = given.get("protocolVersion")
            version = asked if asked in VERSIONS else VERSIONS[0]
            about = {"name": self._name, "version": "1"}
            return _result(protocolVersion=version, capabilities={"tools": {}}, serverInfo=about)
        if method == "tools/list":
            return self._listed(given.get("cursor"))
        if method == "tools/call":
            return await self._execute_tool(given.get("name"), given.get("arguments", {}))
        return _result() if method == "ping" else _error(NO_METHOD, f"no method {method!r}")

    def _listed(self, cursor: object) -> dict[str, Any]:
        tools = list(self._tools.values())
        first = 0 if cursor is None else int(cursor) if isinstance(cursor, str) and cursor.isdecimal() else len(tools)
        if first and first >= len(tools):
            return _error(BAD_PARAMS, f"no cursor {cursor!r}")
        last = len(tools) if self._page is None else first + self._page
        shown = [{"name": t.name, "description": t.description, "inputSchema": t.parameters} for t in tools[first:last]]
        return _result(tools=shown, **({"nextCursor": str(last)} if last < len(tools) else {}))

    async def _execute_tool(self, name: object, arguments: Any) -> dict[str, Any]:
        tool = self._tools.get(name) if isinstance(name, str) else None
        if tool is None:
            return _error(BAD_PARAMS, f"no tool {name!r}")
        fault = tool.fault(arguments)
        ran = Ran(stderr=fault, status=2) if fault else await self._call(tool.name, arguments)
        if isinstance(ran, ToolResult):
            data = {} if ran.structured is None else {"structuredContent": dict(ran.structured)}
            return _result(content=list(ran.parts), isError=ran.failed, **data)
        text = "\n".join(filter(None, (ran.stdout, ran.stderr)))
        return _result(content=[{"type": "text", "text": text}], isError=ran.status != 0)


def _is(value: object, kind: str) -> bool:
    if kind not in TYPES:
        return True
    return isinstance(value, TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _say(number: object, answer: Mapping[str, Any]) -> Ran:
    return Ran(stdout=json.dumps({"jsonrpc": "2.0", "id": number, **answer}))


def _result(**fields: Any) -> dict[str, Any]:
    return {"result": fields}


def _error(code: int, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
