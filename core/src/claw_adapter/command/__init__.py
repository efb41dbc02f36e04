"""Adapters as data: a command-line agent is described by the attributes of one class (`CommandHarness`)."""

from claw_adapter.command.adapter import CommandHarness
from claw_adapter.command.answers import Json, JsonUsage, LastLine, Reported, Stored, Text
from claw_adapter.command.conversation import refuse_argument
from claw_adapter.command.description import CommandOptions, Terminal
from claw_adapter.command.program import Version, find_installed, find_program, probe_installed
from claw_adapter.command.store import JsonStore

__all__ = [
    "CommandHarness",
    "CommandOptions",
    "Json",
    "JsonStore",
    "JsonUsage",
    "LastLine",
    "Reported",
    "Stored",
    "Terminal",
    "Text",
    "Version",
    "find_installed",
    "find_program",
    "probe_installed",
    "refuse_argument",
]
