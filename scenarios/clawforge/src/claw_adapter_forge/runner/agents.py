"""Agents of the bare loop: anything that answers a conversation with one command.

The offline policies are agents that read the conversation's text and nothing else; a model behind an endpoint is another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from claw_adapter.errors import EndpointError
from claw_adapter_forge.policies.chat import spoken
from claw_adapter_forge.policies.offline import POLICIES, decide
from claw_adapter_forge.surfaces.grammar import UsageError
from claw_adapter_forge.surfaces.words import split_words

__all__ = ["STOP_WORDS", "ContextOverflow", "EpisodeAgent", "PolicyAgent", "Turn", "command_of", "policy_agent"]

_FENCE = re.compile(r"```[a-z]*\n(.*?)```", re.DOTALL)
_THOUGHTS = re.compile(r"<(think|thinking)>.*?(</\1>|\Z)", re.DOTALL)
STOP_WORDS = frozenset({"done", "exit", "quit"})
"""The runner's words, by which an agent ends an episode."""


class ContextOverflow(EndpointError):
    """The conversation is longer than the model takes."""


class Turn(NamedTuple):
    """One message: `role` is ``user`` or ``assistant``."""

    role: str
    text: str


class EpisodeAgent(Protocol):
    """Answers with the text of its next message; raises `EndpointError` when its provider fails."""

    name: str

    def reply(self, turns: Sequence[Turn]) -> str:
        """The next message."""


def command_of(text: str) -> str:
    """The command in a model's message, thoughts aside: a JSON object's ``command``, else the first line (of a code block).

    A quote that the line leaves open takes in the lines up to its end. Backticks around the line, and the full stop behind
    a stop word, are not part of the command.
    """
    stripped = _THOUGHTS.sub("", text).strip()
    if stripped.startswith("{"):
        try:
            data = json.loads(stripped)
        except ValueError:
            data = None
        if isinstance(data, dict) and isinstance(data.get("command"), str):
            return str(data["command"]).strip()
    block = _FENCE.search(stripped)
    line = _first(block[1] if block else stripped).strip().removeprefix("$ ").strip()
    if len(line) > 1 and line[0] == line[-1] == "`":
        line = line.strip("`").strip()
    word = line.rstrip(".!").lower()
    return word if word in STOP_WORDS else line


def _first(text: str) -> str:
    """The first line that says something, with those that its open quote takes in; by itself if the quote never ends."""
    lines = text.strip().splitlines()
    for end in range(1, len(lines) + 1):
        whole = "\n".join(lines[:end])
        try:
            split_words(whole.strip().strip("`"))
        except UsageError:
            continue
        return whole
    return lines[0] if lines else ""


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
