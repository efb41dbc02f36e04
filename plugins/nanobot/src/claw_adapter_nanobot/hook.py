"""What NanoBot tells of a turn while it goes on; runs in its own interpreter, with the standard library and NanoBot only."""
# ruff: noqa: ARG002  # NanoBot's hooks have one signature for all

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

SHOWN = 20_000
"""Characters of a tool call's arguments and of a result that go into an event."""
Emit = Callable[[dict[str, Any]], None]


def events_of(emit: Emit) -> Any:
    """NanoBot's hook for one turn: every tool call and result as it happens, and what the model's replies looked like."""
    from nanobot.agent.hook import AgentHook

    class Events(AgentHook):  # type: ignore[misc]  # NanoBot is not there where types are checked
        def __init__(self) -> None:
            super().__init__()
            self.status: int | None = None
            self.kind = ""
            self.finish = ""
            self.answered: set[str] = set()

        async def before_execute_tools(self, context: Any) -> None:
            for call in context.tool_calls:
                arguments = call.arguments if isinstance(call.arguments, dict) else {"raw": str(call.arguments)}
                emit({"kind": "tool_call", "id": call.id, "name": call.name, "arguments": _plain(arguments)})

        async def after_execute_tool(self, context: Any, tool_call: Any, tool: Any, params: Any, result: Any) -> None:
            self._result(tool_call, result, failed=False)

        async def on_execute_tool_error(self, context: Any, tool_call: Any, tool: Any, params: Any, error: Any) -> None:
            self._result(tool_call, error, failed=True)

        def _result(self, tool_call: Any, result: Any, *, failed: bool) -> None:
            self.answered.add(tool_call.id)
            text = _text(result)[:SHOWN]
            emit({"kind": "tool_result", "id": tool_call.id, "name": tool_call.name, "text": text, "is_error": failed})

        async def after_iteration(self, context: Any) -> None:
            response = context.response
            self.finish = str(getattr(response, "finish_reason", "") or "")
            self.status = getattr(response, "error_status_code", None)
            self.kind = str(getattr(response, "error_kind", "") or "")
            for call, result in zip(context.tool_calls, context.tool_results, strict=False):
                if call.id not in self.answered:  # refused before it was tried: no such tool, wrong arguments
                    self._result(call, result, failed=True)
            said = str(getattr(response, "content", "") or "")
            if context.tool_calls and said.strip():
                emit({"kind": "text", "text": said})
            if self.finish == "length":
                emit(
                    {"kind": "note", "text": "the reply ran into the length limit; NanoBot asks for the rest by itself"}
                )

    return Events()


def _text(result: Any) -> str:
    """What the model is shown of a tool's result; images by their kind."""
    if isinstance(result, list):
        return "\n".join(str(part.get("text", part.get("type"))) for part in result if isinstance(part, dict))
    return str(result)


def _plain(value: Any) -> Any:
    """The same value as JSON can hold it; over-long ones are cut."""
    text = json.dumps(value, default=str)
    return json.loads(text) if len(text) <= SHOWN else {"raw": text[:SHOWN]}


def watch_compaction(find_note: Callable[[], Emit | None]) -> None:
    """Say among a turn's events when NanoBot summarises what was said; its own stream does not tell."""
    from nanobot.events import ContextCompactionEvent, EventSink

    original = EventSink.emit

    async def emit(sink: Any, event: Any) -> None:
        if isinstance(event, ContextCompactionEvent) and (note := find_note()) is not None:
            note({"kind": "note", "name": "compaction", "text": f"NanoBot summarises the session: {event.phase}"})
        await original(sink, event)

    EventSink.emit = emit
