"""How to talk to a child process: start, read, ask, and end it without a trace."""

from claw_adapter.drivers.capture import Captured, Limits
from claw_adapter.drivers.command import PIPE, Command, Completed, ExitStatus, environment
from claw_adapter.drivers.errors import CommandInvalid, LineTooLong, ProgramNotFound, ProgramNotStarted, RemoteError
from claw_adapter.drivers.launch import start
from claw_adapter.drivers.lifeline import Lifeline
from claw_adapter.drivers.lines import EventSink, LineChild
from claw_adapter.drivers.process import Process
from claw_adapter.drivers.run import Watch, run

__all__ = [
    "PIPE",
    "Captured",
    "Command",
    "CommandInvalid",
    "Completed",
    "EventSink",
    "ExitStatus",
    "Lifeline",
    "Limits",
    "LineChild",
    "LineTooLong",
    "Process",
    "ProgramNotFound",
    "ProgramNotStarted",
    "RemoteError",
    "Watch",
    "environment",
    "run",
    "start",
]
