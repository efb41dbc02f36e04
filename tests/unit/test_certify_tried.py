"""What of a harness's tools was tried: tools, parameters and choices."""

import json
from types import SimpleNamespace

from claw_adapter.certify.tried import ToolsTried

EDITS = {
    "type": "array",
    "items": {"type": "object", "properties": {"old": {"type": "string"}, "every": {"type": "boolean"}}},
}
SCHEMA = {
    "path": {"type": "string"},
    "mode": {"enum": ["plain", "long"]},
    "sort": {"enum": ["name", "size"]},
    "only": {"enum": ["one"]},
    "quiet": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
    "place": {"type": "object", "properties": {"line": {"type": "integer"}}},
    "edits": EDITS,
}


def tool(name, properties):
    return {"function": {"name": name, "parameters": {"type": "object", "properties": properties}}}


def exchange(*calls, tools=()):
    made = [{"function": {"name": name, "arguments": given}} for name, given in calls]
    return SimpleNamespace(tools=tools, reply={"tool_calls": made} if made else None)


def tried(*calls):
    found = ToolsTried()
    offered = (tool("list", SCHEMA), tool("other", {"x": {}}), {"function": {"name": "bare"}})
    found.take(
        [exchange(tools=offered), exchange(*((name, json.dumps(given)) for name, given in calls), tools=offered)]
    )
    return found


def test_what_is_never_called_is_named_without_its_parameters():
    found = tried(("other", {"x": 0}), ("stranger", {}))
    assert found.never_called == ("bare", "list")
    assert found.never_given == {}


def test_parameters_without_a_value_are_named_and_choices_of_the_others():
    found = tried(
        ("list", {"path": "a", "mode": "long", "quiet": False, "sort": None, "edits": [{"old": "a"}]}),
        ("other", {"x": ""}),
    )
    assert found.never_given == {
        "list": ("edits[].every", "mode=plain", "only", "place", "quiet=true", "sort"),
        "other": ("x",),
    }
    assert found.never_called == ("bare",)


def test_all_that_was_given_over_several_replies_counts():
    edits = [{"old": "a", "every": True}]
    found = tried(
        ("list", {"path": "a", "mode": "long", "quiet": True, "sort": "name", "only": "one"}),
        ("list", {"mode": "plain", "sort": "size", "place": {"line": 3}, "edits": edits}),
    )
    assert found.never_given == {}


def test_arguments_that_cannot_be_read_give_nothing():
    found = ToolsTried()
    found.take(
        [exchange(("other", "{"), ("list", "[]"), tools=(tool("other", {"x": {}}), tool("list", {}))), exchange()]
    )
    assert (found.never_called, found.never_given) == ((), {"other": ("x",)})
