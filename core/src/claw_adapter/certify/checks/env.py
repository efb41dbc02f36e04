"""ENV: what stands beside the workspace: tools of MCP servers, for harnesses that are declared to take such."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from claw_adapter.certify.check import check
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.environment import Attached, Printed, Surroundings
from claw_adapter.errors import Owner
from claw_adapter.folders import scratch
from claw_adapter.model import tool_in
from claw_adapter.programs import ServerTool, ToolResult, ToolServer
from claw_adapter.protocol import SubAgent
from claw_adapter.protocol.limits import Drop

LOOKS, ORDERS = (f"look_up_one_entry_of_the_ledger_by_its_name_and_also_its_{one}" for one in ("edition", "place"))
"""The tools, which a client is told of one at a time; with a name before theirs, many providers take no names as long."""
ASKED: Mapping[str, Mapping[str, Any]] = {
    LOOKS: {
        "limits": {"type": "object", "properties": {"first": {"type": "integer"}, "exact": {"type": "boolean"}}},
        "edition": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "shelf": {"type": "string"},
        "kinds": {"type": "object", "additionalProperties": True},
    },
    ORDERS: {
        "after": {"type": "integer"},
        "note": {"type": "string"},
        "labels": {"type": "array", "items": {"type": "string"}},
        "all": {"type": "boolean"},
        "more": {"type": "object"},
        "place": {"type": ["string", "null"]},
    },
}
"""What each may be given besides the name of an entry."""
TOLD: Mapping[str, Mapping[str, Any]] = {
    LOOKS: {
        "limits": {"first": 12, "exact": False},
        "edition": "3.10",
        "shelf": "0047",
        "kinds": {"bound": "full", "loose": 0},
    },
    ORDERS: {"after": 0, "note": "", "labels": [], "all": False, "more": {}, "place": "null"},
}
"""What each is given besides, which nobody can take for nothing, nor for a number or a null."""
COUNTS: Final = "count_entries"
"""A tool of both servers, which is called by this name alone with neither."""
LEDGER, ARCHIVE = "ledger", "archive"
LATER: Final = Drop(what="later_tools")
STRUCTURED: Final = Drop(what="structured")
DATA: Final = "data"
"""The entry that is given as data, beside a text that has none of it."""
LINES = 40
"""Lines of the longest text."""


class _Tool(ServerTool):
    """One that takes whatever comes: it is written down, and looked at behind it."""

    def fault(self, arguments: object) -> str:
        del arguments
        return ""


class _Ledger:
    """What the tools give, by entry, and what they were given."""

    def __init__(self, entries: Mapping[str, Sequence[Mapping[str, Any]]], missing: str, data: str) -> None:
        self.entries, self.missing, self.data = entries, missing, data
        self.heard: list[tuple[str, Any]] = []

    async def __call__(self, name: str, arguments: object) -> ToolResult:
        self.heard.append((name, arguments))
        found = self.entries.get(str(arguments.get("entry"))) if isinstance(arguments, dict) else None
        if found is None:  # with data that say nothing of why
            return ToolResult([_text(self.missing)], failed=True, structured={"rows": []})
        data = {"rows": [{"says": self.data}]} if found is self.entries.get(DATA) else None
        return ToolResult(found, failed=False, structured=data)


def _text(text: str) -> Mapping[str, Any]:
    return {"type": "text", "text": text}


def _tool(name: str, description: str, *, entry: str) -> ServerTool:
    asked = {"entry": {"type": "string", "description": entry}, **ASKED.get(name, {})}
    return _Tool(name, description, {"type": "object", "properties": asked, "required": ["entry"]})


@check(
    "ENV-001", level="gold", must="M17",
    catches="Of what a tool of an MCP server gives, only the first part reaches the model, or no data (`structuredContent`), "
    "no error, or no long text; arguments reach the server in part, as text, or texts as what they look like; tools of a "
    "second page of the list are not offered, or one of two with names that are alike and long, or of two of two servers that "
    "have one name.",
    remedy="Pass every part of a result's content on, the data beside it, and the words of errors that have data as well; and "
    "arguments as the model has written them, zeros, empty ones and texts of digits included; ask for the list of tools until "
    'it has no `nextCursor`. Or declare `Drop(what="later_tools")`, `Drop(what="structured")`.',
)  # fmt: skip
async def server_tools(kit: Kit) -> None:
    """Two tools, told of one by one; results of several parts, data, an error; arguments of all types, empty ones too.

    A third one is called as one of a second server is, which gives something else. Only if `mcp` is declared.
    """
    if not kit.bench.capabilities.mcp:
        kit.note("its adapter declares that it takes no MCP servers: none was given to it")
        return
    parts_of = ("first", "second", "third", "alone", "ordered", "archived", "refused", "told", DATA)
    texts = {name: kit.canary(name) for name in parts_of}
    texts["long"] = "\n".join(kit.canary(f"line {number}") for number in range(LINES))
    odd = f'{texts["told"]} "quoted" naïve ß 漢字\nsecond line'
    entries = {name: [_text(texts[name])] for name in ("long", "ordered")}
    shown = {"uri": "ledger://entry/second", "mimeType": "text/plain", "text": texts["second"]}
    parts = [_text(texts["first"]), {"type": "resource", "resource": shown}, _text(texts["third"])]
    entries |= {"parts": parts, odd: [_text(texts["alone"])]}
    entries[DATA] = [_text("1 row was found.")]
    ledger = _Ledger(entries, f"there is no such entry: {texts['refused']}", texts[DATA])
    archive = _Ledger({"ordered": [_text(texts["archived"])]}, "there is no such entry", "")
    about = {name: kit.canary(name) for name in (LOOKS, ORDERS, LEDGER, ARCHIVE, "entry")}
    tools = [_tool(name, about[name], entry=about["entry"]) for name in (LOOKS, ORDERS)]
    mine, other = (_tool(COUNTS, about[name], entry=about["entry"]) for name in (LEDGER, ARCHIVE))
    one_page = LATER in kit.bench.capabilities.losses
    page = None if one_page else 1
    servers = ToolServer(LEDGER, [*tools, mine], ledger, page=page), ToolServer(ARCHIVE, [other], archive, page=page)
    if one_page:
        kit.note("its adapter declares that tools beyond the first page of a list are not offered: all are on one")
    wanted = {"parts": [texts[one] for one in ("first", "second", "third")], "long": texts["long"].split("\n")}
    wanted |= {odd: [texts["alone"]], "nowhere": [texts["refused"]]}
    if STRUCTURED in kit.bench.capabilities.losses:
        kit.note("its adapter declares that data beside a text are not shown: none was looked for")
    else:
        wanted[DATA] = [texts[DATA]]
    with scratch() as folder:
        async with contextlib.AsyncExitStack() as stopping:
            given = Attached()
            for number, server in enumerate(servers):
                place = folder / str(number)
                place.mkdir()
                one = await server.start(place)
                stopping.push_async_callback(server.stop)
                given = replace(given, readable=(*given.readable, *one.readable), mcp=(*given.mcp, *one.mcp))
            t = await stopping.enter_async_context(kit.trial(environment=Surroundings(given, _executes_nothing)))
            names = await _offered(kit, t, about)
            await _called(kit, t, ledger, names, wanted, [texts["ordered"], texts["archived"]])


async def _offered(kit: Kit, t: KitTrial, about: Mapping[str, str]) -> Mapping[str, str]:
    """What the model is told of the tools; their names there, by what is said of each."""
    hello = (await kit.send(t, f"Are you there, {kit.canary('hello')}?", say("Yes."))).answered()
    offered = [tool for request in hello.requests for tool in filter(None, map(tool_in, request.tools))]
    names = {  # by its description, since a name may be cut
        one: next((tool.name for tool in offered if said in tool.description), "")
        for one, said in about.items()
        if one != "entry"
    }
    shown = sorted({tool.name for tool in offered})[:20]
    for one, name in names.items():
        what = f"its tool {COUNTS if one in (LEDGER, ARCHIVE) else one}"
        kit.expect(name, f"an MCP server was given to it, and {what} is not offered: {shown}", owner=Owner.HARNESS)
    alike = next((one for one in names.values() if [*names.values()].count(one) > 1), "")
    kit.expect(not alike, f"two tools of MCP servers are offered under one name: {alike}", owner=Owner.HARNESS)
    told = "".join(f"{tool.description}{json.dumps(tool.schema)}" for tool in offered)
    lost = [one for one in about.values() if one not in told]
    kit.expect(not lost, f"the model is not told {lost[:1]}, which a server says of a tool", owner=Owner.HARNESS)
    return names


async def _called(
    kit: Kit,
    t: KitTrial,
    ledger: _Ledger,
    names: Mapping[str, str],
    wanted: Mapping[str, Sequence[str]],
    counted: Sequence[str],
) -> None:
    """Call by call, then two by one reply, and the tools that are called alike by another one."""
    looks, orders = (SubAgent(tool=names[one], task="entry", arguments=dict(TOLD[one])) for one in (LOOKS, ORDERS))
    uses = [ToolUse(kind="delegate", target=entry, tool=looks) for entry in wanted]
    both = ToolUse(kind="delegate", target="ordered", tool=orders), uses[0]
    alike = [
        ToolUse(kind="delegate", target="ordered", tool=SubAgent(tool=names[one], task="entry"))
        for one in (LEDGER, ARCHIVE)
    ]
    calls = [*(PlayedReply(uses=(use,)) for use in uses), PlayedReply(uses=both), PlayedReply(uses=tuple(alike))]
    turn = (await kit.send(t, f"Look these up for {kit.canary()}.", *calls, say("That is all."))).answered()
    given = [*wanted.values(), [counted[0]], wanted[uses[0].target], *([one] for one in counted)]
    for use, lines, deed in zip((*uses, *both, *alike), given, turn.deeds, strict=True):
        places = [deed.text.find(line) for line in lines]
        lost = [line for line, place in zip(lines, places, strict=True) if place < 0]
        what = f"of {len(lines)} lines that the server's tool has given for {use.target[:20]!r} the model"
        kit.expect(
            not lost, f"{what} was not given {lost[:2]}; it was given {deed.text.strip()[:80]!r}", owner=Owner.HARNESS
        )
        kit.expect(places == sorted(places), f"{what} was given some in another order", owner=Owner.HARNESS)
    asked = [(LOOKS, {"entry": entry, **TOLD[LOOKS]}) for entry in wanted]
    asked += [(ORDERS, {"entry": "ordered", **TOLD[ORDERS]}), asked[0], (COUNTS, {"entry": "ordered"})]
    heard, due = map(_shown, ledger.heard), sorted(map(_shown, asked))
    kit.expect(
        sorted(one for one in heard if one in due) == due,
        f"the server was called with {_shown(ledger.heard)[:500]}, and the model has written {_shown(asked)[:500]}",
        owner=Owner.HARNESS,
    )


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


async def _executes_nothing(line: str) -> Printed:
    return Printed(f"no such command: {line.partition(' ')[0]}", status=127)
