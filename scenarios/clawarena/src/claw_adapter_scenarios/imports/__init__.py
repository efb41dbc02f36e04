"""Mail and chats from elsewhere as sessions of a spec: exports are read into messages, messages are written as prose."""

from __future__ import annotations

from claw_adapter_scenarios.imports.exports import Said, read_export
from claw_adapter_scenarios.imports.session import bring_in

__all__ = ["Said", "bring_in", "read_export"]
