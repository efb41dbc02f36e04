"""What can go wrong before a harness program is there."""

from __future__ import annotations

from claw_adapter.errors import HarnessNotFound, PluginError

__all__ = ["FrameworkUnknown", "InstallFailed"]


class FrameworkUnknown(PluginError):
    """No installed plugin describes a framework of that name, or its description is wrong."""


class InstallFailed(HarnessNotFound):
    """An installation did not come to its end; nothing that looks installed is left."""
