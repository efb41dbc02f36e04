"""An ACP agent as people have them, for tests: it asks the model, uses tools, and cannot be given a past.

The reference agent without its extension. ``session/new`` begins a session that knows nothing, as often as it is asked; each
session counts its tool calls from one, so that ids come again.
"""

from __future__ import annotations

import importlib.util
import sys
from typing import Any


def load(name: str, path: str) -> Any:
    """A module of the reference harness, from its file."""
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


serve, agent = load("serve", sys.argv[1]), load("agent", sys.argv[2])


class Plain(serve.Acp):
    """Keeps its sessions apart."""

    begun = 0
    calls = 0

    def _initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        super()._initialize(params)
        return {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": {"name": "plain", "version": "2.5"}}

    def _new(self, params: dict[str, Any]) -> dict[str, Any]:
        self.begun, self.calls = self.begun + 1, 0
        self.agent.sessions = [{"id": f"s{self.begun}", "messages": []}]
        return {"sessionId": self.agent.main["id"]}

    def _tell(self, session: str, update: dict[str, Any]) -> None:
        if "toolCallId" in update:
            self.calls += update["sessionUpdate"] == "tool_call"
            update = {**update, "toolCallId": str(self.calls)}
        super()._tell(session, update)


if __name__ == "__main__":
    Plain(agent).run()
