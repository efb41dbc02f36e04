"""Run an untrusted command at an isolation level, and say which level it was."""

from claw_adapter.sandbox.check import own_places, run_check
from claw_adapter.sandbox.confinement import Confinement, ResourceLimits
from claw_adapter.sandbox.kept import with_bytecode
from claw_adapter.sandbox.levels import Availability, IsolationLevel, checks_open, detect, require
from claw_adapter.sandbox.relay import connect_unix, listen_unix
from claw_adapter.sandbox.watching import CheckLimits
from claw_adapter.sandbox.wrap import wrap

__all__ = [
    "Availability",
    "CheckLimits",
    "Confinement",
    "IsolationLevel",
    "ResourceLimits",
    "checks_open",
    "connect_unix",
    "detect",
    "listen_unix",
    "own_places",
    "require",
    "run_check",
    "with_bytecode",
    "wrap",
]
