"""Agents with odd tools, driven in process: what the reader must be able to use, and what it must not be taken in by."""

from __future__ import annotations

import contextlib
import io
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from claw_adapter.endpoint.models.reader import ReaderModel
from claw_adapter.protocol.answer_key import AnswerKey, Locator, Seen
from claw_adapter.protocol.gold import RoundEvidence
from support.tool_agents import reader, reply_of

Json = dict[str, Any]
COUNTS = ["day,gate,crates", *(f"2031-03-{1 + n // 9:02},{n % 9},{n * 7919 % 1000}" for n in range(150))]
COUNTS[117] = "2031-03-14,0,counted anew 4417 crates"
FILES = {
    "notes/week.md": "# The week\n\nSome words that do not matter.\n\nGate four opens at 05:20 on Mondays\n",
    "data/counts.csv": "\n".join(COUNTS) + "\n",
    "post/frist.txt": "Guten Tag,\n\ndie Frist läuft bis zum 14. Mai, schreibt Jörg.\n",
}
FRAGMENTS = (
    Locator(id="week", path="notes/week.md", text="Gate four opens at 05:20 on Mondays"),
    Locator(id="count", path="data/counts.csv", text=COUNTS[117]),
    Locator(id="post", path="post/frist.txt", text="die Frist läuft bis zum 14. Mai"),
)
REPORT = '{\n  "opens": "05:20",\n  "by": "Jörg \\"J\\"",\n  "path": "a\\\\b"\n}\n'
NOTE = "# Note\n\nIt's `4417` crates: $5 100%, as they were counted on that day.\n"
WRITTEN = {"out/report.json": REPORT, "out/note.md": NOTE}
PROMPT = "Write the report and the note."
TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}


class Refused(Exception):
    """What a tool says instead of doing it."""


def text(said: str, **more: Any) -> Json:
    """A text that is described."""
    return {**TEXT, "description": said, **more}


def takes(properties: Json, *needed: str, **more: Any) -> Json:
    """An object; where nothing is said, all of it is needed."""
    return {"type": "object", "properties": properties, "required": list(needed or properties), **more}


@dataclass
class World:
    """A workspace, and what its agent remembers."""

    root: Path
    state: Json = field(default_factory=dict)
    harmed: list[str] = field(default_factory=list)

    def at(self, path: str) -> Path:
        """A place; relative ones lie in the workspace."""
        if not path or len(path) > 200 or "\n" in path:
            raise Refused("nothing there")
        return self.root / path

    def get(self, path: str) -> str:
        """A file's text."""
        if not self.at(path).is_file():
            raise Refused("nothing there")
        return self.at(path).read_text("utf-8")

    def put(self, path: str, content: str) -> str:
        """Write a file."""
        if self.at(path).is_dir():
            raise Refused("not a file")
        self.at(path).parent.mkdir(parents=True, exist_ok=True)
        self.at(path).write_text(content, "utf-8")
        return "well"

    def python(self, code: str) -> str:
        """What code prints."""
        out, before = io.StringIO(), Path.cwd()
        os.chdir(self.root)
        try:
            with contextlib.redirect_stdout(out):
                exec(code, {})  # the reader's own code, in a folder of the test
        except Exception as error:  # as an interpreter does
            return f"{out.getvalue()}Traceback: {error!r}"
        finally:
            os.chdir(before)
        return out.getvalue()


Does = Callable[[World, Json], str]


@dataclass(frozen=True)
class Tool:
    """A tool: its name, what it says of itself, its schema, and what it does."""

    name: str
    said: str
    schema: Json
    does: Does


def reads(name: str = "read_file", path: str = "path", shows: Callable[[str], str] = lambda shown: shown) -> Tool:
    """A plain tool that reads."""
    return Tool(name, "Reads a file.", takes({path: text("path of the file")}), lambda w, a: shows(w.get(a[path])))


def writes(name: str = "write_file", path: str = "path", content: str = "content") -> Tool:
    """A plain tool that writes."""
    schema = takes({path: text("path of the file"), content: text("the text")})
    return Tool(name, "Writes a file.", schema, lambda w, a: w.put(a[path], a[content]))


def trap(name: str, said: str, schema: Json) -> Tool:
    """A tool that must not be called."""

    def does(world: World, _arguments: Json) -> str:
        world.harmed.append(name)
        return "Done."

    return Tool(name, said, schema, does)


Later = Callable[[World], tuple[Tool, ...]]
View = Callable[[list[Json]], list[Json]]


async def played(
    tools: tuple[Tool, ...],
    root: Path,
    later: Later = lambda _: (),
    view: View = lambda history: history,
    there: dict[str, str] | None = None,
    nudge: str = "",
) -> tuple[World, Seen, str]:
    """One round of an agent: three files are to be read, two to be written.

    Args:
        tools: that it offers.
        root: its workspace.
        later: tools that it offers besides by and by.
        view: what of its conversation it sends.
        there: further files of the workspace.
        nudge: what it says to an answer in words; then only what a tool puts into ``world.state["answer"]`` ends the turn.
    """
    world = World(root)
    for path, content in {**FILES, **(there or {})}.items():
        world.put(path, content)
    needs = RoundEvidence(needs=("week", "count", "post"), answer="Written.", hasty_answer="Perhaps.")
    told = AnswerKey(
        round="q", type="exec_check", asked=(PROMPT,), fragments=FRAGMENTS, evidence=needs, workspace=str(root), oracle=WRITTEN,
        hasty=dict.fromkeys(WRITTEN, "nothing is known\n"),
        texts={path: (text,) for path, text in {**FILES, **(there or {})}.items()},
    )  # fmt: skip
    model = reader(told)
    said = await _turn(model, tools, world, later, view, nudge)
    world.harmed += [path for path, content in FILES.items() if world.get(path) != content]
    seen = model.seen()
    assert seen is not None
    return world, seen, said


async def _turn(
    model: ReaderModel, tools: tuple[Tool, ...], world: World, later: Later, view: View, nudge: str = ""
) -> str:
    history: list[Json] = [{"role": "user", "content": PROMPT}]
    for _ in range(60):
        known = {tool.name: tool for tool in (*tools, *later(world))}
        offered = [
            {"type": "function", "function": {"name": tool.name, "description": tool.said, "parameters": tool.schema}}
            for tool in known.values()
        ]
        reply = await reply_of(model, {"model": "any", "messages": view(history), "tools": offered})
        history.append(reply.message())
        if not reply.calls and not nudge:
            return reply.text
        if not reply.calls:
            history.append({"role": "user", "content": nudge})
        for call in reply.calls:
            history.append(
                {"role": "tool", "tool_call_id": call.id, "content": _result(known, world, call.name, call.arguments)}
            )
        if "answer" in world.state:
            return str(world.state["answer"])
    raise AssertionError("the reader never came to an end")


def _result(tools: dict[str, Tool], world: World, name: str, arguments: str) -> str:
    given = json.loads(arguments)
    try:
        if why := breaks(tools[name].schema, given, tools[name].schema):
            raise Refused(why)
        return tools[name].does(world, given)
    except Refused as refused:
        return f"No: {refused}"


KINDS = {"string": str, "integer": int, "boolean": bool, "array": list, "object": dict}


def breaks(schema: Json, value: Any, root: Json) -> str:
    """What of a schema a value breaks, empty if nothing."""
    if "$ref" in schema:
        return breaks(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], value, root)
    if "oneOf" in schema and all(breaks(one, value, root) for one in schema["oneOf"]):
        return "none of the choices"
    if "const" in schema and value != schema["const"]:
        return f"not {schema['const']}"
    if "enum" in schema and value not in schema["enum"]:
        return "not in the list"
    if "type" in schema and not isinstance(value, KINDS[schema["type"]]):
        return f"no {schema['type']}"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        return "too long"
    if isinstance(value, list):
        return next((why for one in value if (why := breaks(schema.get("items", {}), one, root))), "")
    if not isinstance(value, dict) or "properties" not in schema:
        return ""
    if missing := [name for name in schema.get("required", []) if name not in value]:
        return f"{missing[0]} is wanting"
    places = [(schema["properties"].get(name, {"const": {}}), one) for name, one in value.items()]
    return next((why for place, one in places if (why := breaks(place, one, root))), "")
