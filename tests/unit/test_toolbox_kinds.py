"""What tools are for, in a word, and what an audit takes a call for: by that, or else by the name of its tool."""

import pytest

from claw_adapter.audit import purpose
from claw_adapter.model import Tool
from claw_adapter.toolbox.box import toolbox
from claw_adapter.toolbox.kinds import kinds_of


def tool(name, about, *required, **optional):
    properties = {key: {"type": "string"} for key in required} | optional
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


TOOLS = (
    tool("inspect_document", "Shows a file of the workspace.", "path"),
    tool("store", "Writes a text into a file, in place of what was there.", "path", "content"),
    tool("add_note", "Adds a text to a file.", "path", "content"),
    tool("swap", "Puts a text in the place of another one.", "path", "old_string", "new_string"),
    tool("terminal", "Runs a command in a shell.", "command"),
    tool("inventory", "Lists the files of a folder.", "directory"),
    tool("list_folder", "Show what is in a folder.", "path"),
    tool("locate", "Finds a text in files.", "text", path={"type": "string"}),
    tool("head", "Shows the first lines of a file.", "path"),
    tool("fs_search", "Search files for a plain text.", "text", path={"type": "string"}),
    tool("weather", "The weather of a town.", "town"),
)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("inspect_document", {"read"}), ("store", {"write"}), ("add_note", set()), ("swap", {"replace"}),
        ("terminal", {"run"}), ("head", set()), ("list_folder", {"list"}), ("inventory", {"list"}), ("locate", {"search"}),
        ("fs_search", {"search"}), ("weather", set()), ("nobody", set()),
    ],
)  # fmt: skip
def test_what_a_tool_is_for(name, kinds):
    assert kinds_of(name, TOOLS) == kinds


def test_the_kinds_of_the_same_tools_are_found_once():
    assert kinds_of("store", TOOLS) is kinds_of("store", list(TOOLS))


@pytest.mark.parametrize(
    ("name", "reads", "runs", "leaves", "writes"),
    [
        ("inspect_document", True, False, True, False),
        ("store", False, False, False, True),
        ("terminal", False, True, False, False),
        ("add_note", False, False, False, False),
        ("open_lid", True, False, True, False),
        ("edit_list", False, True, True, False),
    ],
)
def test_what_a_call_is_taken_for(name, reads, runs, leaves, writes):
    """The last two are not offered: their names decide."""
    found = purpose.reads, purpose.runs, purpose.leaves, purpose.writes
    assert tuple(one(name, TOOLS) for one in found) == (reads, runs, leaves, writes)


@pytest.mark.parametrize(
    ("about", "of_it", "told"),
    [
        ("Run a command.", "Milliseconds it may take", {"timeout": 2000}),
        ("Run a command; timeout in milliseconds.", "", {"timeout": 2000}),
        ("Run a command; timeout in milliseconds.", "In seconds", {"timeout": 2}),
        ("Run a command. It may take some seconds.", "", {}),
        ("Run a command; timeout in seconds (not milliseconds).", "", {}),
    ],
)
def test_how_long_a_call_may_last_is_told_in_the_unit_that_is_named_beside_it(about, of_it, told):
    properties = {"command": {"type": "string"}, "timeout": {"type": "integer", "description": of_it}}
    shell = Tool("run", about, {"type": "object", "properties": properties, "required": ["command"]})
    (found,) = toolbox([shell]).run
    assert {at[-1]: one for at, one in found.known.lasting(2).items()} == told
