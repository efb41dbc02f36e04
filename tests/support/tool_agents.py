"""Agents with tools of any schema, for tests of the reader: they obey it to the letter and refuse in their own words."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claw_adapter.endpoint.dialects.openai_chat import OpenAIChat
from claw_adapter.endpoint.models.reader import ReaderModel
from claw_adapter.endpoint.neutral import Collector
from claw_adapter.model import TurnId
from claw_adapter.protocol import ModelSpec
from claw_adapter.protocol.answer_key import AnswerKey

Json = dict[str, Any]
KINDS = {"string": str, "integer": (int, float), "number": (int, float), "boolean": bool, "array": list, "object": dict}


@dataclass(frozen=True)
class Does:
    """What a tool does: ``read``, ``write`` or ``run``, and which of its parameters say with what."""

    kind: str
    target: str
    content: str = ""
    absolute: bool = False
    """It refuses relative paths."""
    pretends: bool = False
    """It says that it has written, and has not."""


async def reply_of(model: ReaderModel, body: Json) -> Any:
    """What the reader replies to a request of an agent, whole."""
    collector = Collector()
    async for delta in model.answer(OpenAIChat().parse(json.loads(json.dumps(body)))):
        collector.add(delta)
    return collector.reply()


@dataclass
class ToolAgent:
    """A loop around the reader. A tool without an entry in `does` is refused, and counted in `wrong`."""

    workspace: Path
    tools: list[Json]
    does: dict[str, Does]
    refusal: Callable[[str], str] = lambda why: f"That will not do: {why}"
    wrong: list[str] = field(default_factory=list)
    history: list[Json] = field(default_factory=list)

    async def turn(self, model: ReaderModel, prompt: str) -> str:
        """One turn, of at most 60 requests."""
        self.history.append({"role": "user", "content": prompt})
        for _ in range(60):
            body = {"model": "any", "messages": self.history, "tools": self.tools}
            reply = await reply_of(model, body)
            self.history.append(reply.message())
            if not reply.calls:
                return reply.text
            for call in reply.calls:
                said = self.run(call.name, json.loads(call.arguments))
                self.history.append({"role": "tool", "tool_call_id": call.id, "content": said})
        raise AssertionError("the reader never came to an end")

    def run(self, name: str, arguments: Json) -> str:
        """The result of a call."""
        schema = next(tool["function"] for tool in self.tools if tool["function"]["name"] == name).get("parameters", {})
        why = violation(schema, arguments)
        if why is None and name not in self.does:
            why = "nothing to see"
        if why is None and self.does[name].absolute and not arguments[self.does[name].target].startswith("/"):
            why = "the place has to be named from the root on"
        if why is not None:
            self.wrong.append(f"{name}: {why}")
            return self.refusal(why)
        return self._done(self.does[name], arguments)

    def _done(self, does: Does, arguments: Json) -> str:
        target = arguments[does.target]
        if does.kind == "run":
            command = target[-1] if isinstance(target, list) else target
            done = subprocess.run(
                ["/bin/sh", "-c", command], cwd=self.workspace, capture_output=True, text=True, check=False
            )
            return done.stdout + done.stderr
        path = self.workspace / target
        if does.kind == "read":
            return path.read_text() if path.is_file() else self.refusal(f"nothing at {target}")
        if not does.pretends:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(arguments[does.content])
        return "All well."


def violation(schema: Json, arguments: Json) -> str | None:
    """What of the schema the arguments break."""
    known = schema.get("properties", {})
    for name in schema.get("required", []):
        if name not in arguments:
            return f"{name} is wanting"
    for name, value in arguments.items():
        if name not in known:
            return f"{name} is unknown"
        kind = known[name].get("type")
        if isinstance(kind, str) and not isinstance(value, KINDS[kind]):
            return f"{name} is no {kind}"
        if "enum" in known[name] and value not in known[name]["enum"]:
            return f"{name} is none of the choices"
    return None


def reader(told: AnswerKey) -> ReaderModel:
    """The careful reader, told about one round."""
    model = ReaderModel(ModelSpec(name="reader", kind="reader"), "t")
    model.begin(TurnId("t", told.round, 1), told)
    return model
