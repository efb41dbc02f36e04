"""What is known about each harness program, and how it is installed into an environment of its own."""

from claw_adapter.frameworks.binary import find_binary, instruction, reported_version
from claw_adapter.frameworks.commands import ask
from claw_adapter.frameworks.description import AcpCommand, Framework
from claw_adapter.frameworks.errors import FrameworkUnknown, InstallFailed
from claw_adapter.frameworks.health import HealthFinding, doctor, fault
from claw_adapter.frameworks.home import claw_home
from claw_adapter.frameworks.installer import environments, install, locate, remove
from claw_adapter.frameworks.progress import Phase
from claw_adapter.frameworks.record import Installed
from claw_adapter.frameworks.release import remarks
from claw_adapter.frameworks.sources import describe, frameworks

__all__ = [
    "AcpCommand",
    "Framework",
    "FrameworkUnknown",
    "HealthFinding",
    "InstallFailed",
    "Installed",
    "Phase",
    "ask",
    "claw_home",
    "describe",
    "doctor",
    "environments",
    "fault",
    "find_binary",
    "frameworks",
    "install",
    "instruction",
    "locate",
    "remarks",
    "remove",
    "reported_version",
]
