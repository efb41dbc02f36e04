"""Agents of the bare loop: anything that answers a conversation with one command.

The offline policies are agents that read the conversation's text and nothing else; a model behind an endpoint is another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from claw_adapter_forge.policies.chat import spoken
from claw_adapter_forge.policies.offline import POLICIES, decide

__all__ = ["Agent", "PolicyAgent", "Turn", "command_of", "policy_agent"]

_FENCE = re.compile(r"```[a-z]*\n(.*?)```", re.DOTALL)


class Turn(NamedTuple):
    """One message: `role` is ``user`` or ``assistant``."""

    role: str
    text: str


class Agent(Protocol):
    """Answers with the text of its next message; raises `EndpointError` when its provider fails."""

    name: str

    def reply(self, turns: Sequence[Turn]) -> str:
        """The next message."""


def command_of(text: str) -> str:
    """The command in a model's message: a JSON object's ``command``, else the first line (of the first code block)."""
    stripped = text.strip()
    if stripped.startswith("{"):
        try:
            data = json.loads(stripped)
        except ValueError:
            data = None
        if isinstance(data, dict) and isinstance(data.get("command"), str):
            return str(data["command"]).strip()
    block = _FENCE.search(stripped)
    lines = [line.strip() for line in (block[1] if block else stripped).splitlines() if line.strip()]
    return lines[0].removeprefix("$ ").strip() if lines else ""


class PolicyAgent:
    """An offline policy: a pure function of the conversation's text."""

    def __init__(self, policy: str) -> None:
        self.name = policy

    def reply(self, turns: Sequence[Turn]) -> str:
        """The policy's next command."""
        request = turns[0].text if turns else ""
        history = spoken([{"role": t.role, "content": t.text} for t in turns])
        return decide(self.name, request, history)


def policy_agent(name: str) -> PolicyAgent:
    """The agent of that policy.

    Raises:
        KeyError: there is no such policy.
    """
    if name not in POLICIES:
        raise KeyError(name)
    return PolicyAgent(name)
