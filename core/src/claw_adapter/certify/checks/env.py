"""ENV: what stands beside the workspace: tools of MCP servers, for harnesses that are declared to take such."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from claw_adapter.certify.check import check
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.environment import Printed, Surroundings
from claw_adapter.errors import Owner
from claw_adapter.folders import scratch
from claw_adapter.model import tool_in
from claw_adapter.programs import Ran, ServerTool, ToolServer
from claw_adapter.protocol import SubAgent

TOOL = "look_up_entry"
ASKED: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "entry": {"type": "string", "description": "Name of the entry"},
        "limits": {"type": "object", "properties": {"first": {"type": "integer"}, "exact": {"type": "boolean"}}},
    },
    "required": ["entry"],
}
TOLD: Mapping[str, Any] = {"limits": {"first": 12, "exact": False}}
"""What each call is given besides."""
LINES = 40
"""Lines of the longest text."""


class _Ledger(ToolServer):
    """A server with one tool; its answers have several parts."""

    def __init__(self, name: str, entries: Mapping[str, Sequence[Mapping[str, Any]]], missing: str) -> None:
        super().__init__(name, [ServerTool(TOOL, "Look an entry of the ledger up, by its name.", ASKED)], self._nothing)
        self.entries, self.missing = entries, missing
        self.heard: list[Any] = []
        """The arguments of its calls."""

    async def _nothing(self, _name: str, _arguments: dict[str, Any]) -> Ran:
        return Ran()

    async def _execute_tool(self, name: object, arguments: Any) -> dict[str, Any]:
        del name
        self.heard.append(arguments)
        found = self.entries.get(str(arguments.get("entry"))) if isinstance(arguments, dict) else None
        parts = found or [{"type": "text", "text": self.missing}]
        return {"result": {"content": list(parts), "isError": found is None}}


@check(
    "ENV-001", level="gold", must="M17",
    catches="Of what a tool of an MCP server gives, only the first part reaches the model, or no error, or no long text; "
    "arguments reach the server in part, or as text.",
    remedy="Pass every part of a result's content on, those of errors too, and arguments as the model has written them.",
)  # fmt: skip
async def server_tools(kit: Kit) -> None:
    """Results of several parts, a long one, an error; arguments with signs, numbers and objects. Only if `mcp` is declared."""
    if not kit.bench.capabilities.mcp:
        kit.note("its adapter declares that it takes no MCP servers: none was given to it")
        return
    texts = {name: kit.canary(name) for name in ("first", "second", "third", "alone", "refused", "told")}
    long = "\n".join(kit.canary(f"line {number}") for number in range(LINES))
    odd = f'{texts["told"]} "quoted" naïve ß 漢字\nsecond line'
    entries = {
        "parts": [{"type": "text", "text": texts[name]} for name in ("first", "second", "third")],
        "long": [{"type": "text", "text": long}],
        odd: [{"type": "text", "text": texts["alone"]}],
    }
    server = _Ledger("ledger", entries, f"there is no such entry: {texts['refused']}")
    with scratch() as folder:
        surroundings = Surroundings(await server.start(folder), _executes_nothing)
        try:
            async with kit.trial(environment=surroundings) as t:
                await _called(kit, t, server, texts, long, odd)
        finally:
            await server.stop()


async def _called(kit: Kit, t: KitTrial, server: _Ledger, texts: Mapping[str, str], long: str, odd: str) -> None:
    hello = (await kit.send(t, f"Are you there, {kit.canary('hello')}?", say("Yes."))).answered()
    names = [tool.name for request in hello.requests for tool in filter(None, map(tool_in, request.tools))]
    name = next((one for one in names if TOOL in one), "")
    kit.expect(name, f"an MCP server was given to it, and its tool {TOOL} is not offered: {sorted(set(names))[:20]}")
    wanted = {"parts": [texts[one] for one in ("first", "second", "third")], "long": long.split("\n")}
    wanted |= {odd: [texts["alone"]], "nowhere": [texts["refused"]]}
    tool = SubAgent(tool=name, task="entry", arguments=dict(TOLD))
    calls = [PlayedReply(uses=(ToolUse(kind="delegate", target=entry, tool=tool),)) for entry in wanted]
    turn = (await kit.send(t, f"Look these up for {kit.canary()}.", *calls, say("That is all."))).answered()
    for (entry, lines), deed in zip(wanted.items(), turn.deeds, strict=True):
        lost = [line for line in lines if line not in deed.text]
        what = f"of {len(lines)} lines that the server's tool has given for {entry[:20]!r} the model was not given {lost[:2]}"
        kit.expect(not lost, f"{what}; it was given {deed.text.strip()[:80]!r}", owner=Owner.HARNESS)
    asked = [{"entry": entry, **TOLD} for entry in wanted]
    heard = [one for one in server.heard if one in asked]
    told = f"the server was called with {json.dumps(server.heard, ensure_ascii=False)[:300]}"
    kit.expect(
        heard == asked,
        f"{told}, and the model has written {json.dumps(asked, ensure_ascii=False)[:300]}",
        owner=Owner.HARNESS,
    )


async def _executes_nothing(line: str) -> Printed:
    return Printed(f"no such command: {line.partition(' ')[0]}", status=127)
