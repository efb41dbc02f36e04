"""Programs on PATH, and tools of an MCP server, whose work is done in the runner: how a harness acts in an environment."""

from claw_adapter.programs.mcp import ServerTool, ToolResult, ToolServer
from claw_adapter.programs.server import ProgramServer, Ran

__all__ = ["ProgramServer", "Ran", "ServerTool", "ToolResult", "ToolServer"]
