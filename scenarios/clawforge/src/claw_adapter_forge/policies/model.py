"""An offline policy as a model: it calls a harness's shell, or says one command where there are no tools."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator

from claw_adapter.errors import AdapterError
from claw_adapter.model import CallDelta, Delta, Model, ModelRequest, TurnId
from claw_adapter.protocol.answer_key import AnswerKey
from claw_adapter_forge.policies.chat import next_reply
from claw_adapter_forge.policies.offline import POLICIES

__all__ = ["PolicyModel"]


class PolicyModel(Model):
    """Answers from what a request shows; it knows neither task nor world.

    Args:
        name: one of `claw_adapter_forge.policies.offline.POLICIES`.

    Raises:
        AdapterError: there is no such policy.
    """

    def __init__(self, name: str) -> None:
        if name not in POLICIES:
            where, known = "model policy, option 'name'", ", ".join(POLICIES)
            raise AdapterError(f"there is no policy {name!r}", where=where, remedy=f"There are: {known}.")
        self._policy = name
        self._turn = TurnId("")
        self._calls = 0

    def begin(self, turn: TurnId, brief: AnswerKey | None) -> None:
        """Ids of calls are named after the turn."""
        del brief
        self._turn = turn

    async def answer(self, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """The policy's next command, as a call of the shell tool or as text; its last word when the request is done."""
        reply = next_reply(self._policy, request.messages, request.tool_json)
        if reply.name:
            self._calls += 1
            call = CallDelta(0, self._turn.name("call", self._calls), reply.name, json.dumps(reply.arguments))
            yield Delta(calls=(call,))
            yield Delta(finish="tool_calls")
            return
        yield Delta(text=reply.text)
        yield Delta(finish="stop")
