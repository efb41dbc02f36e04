"""A list of what is to do, as tools of several programs take it."""

import pytest

from claw_adapter.endpoint.reader.errands import Attempt
from claw_adapter.endpoint.reader.todos import note_todos
from claw_adapter.model import Tool
from claw_adapter.toolbox.box import toolbox

ENTRIES = ("Buy 17 red apples", "Call all 23 owners")
STATES = {"type": "string", "enum": ["pending", "in_progress", "completed"]}
TEXT = {"type": "string"}


def listed(key, properties, **more):
    """A tool's schema that takes objects with these properties, all of them needed."""
    items = {"type": "object", "properties": properties, "required": [*properties]}
    return {"type": "object", "properties": {key: {"type": "array", "items": items}, **more}, "required": [key]}


def given(name, schema):
    attempt = next(note_todos(ENTRIES, toolbox([Tool(name, "Keep a list of tasks.", schema)])), None)
    return attempt.arguments if isinstance(attempt, Attempt) else None


@pytest.mark.parametrize(
    ("schema", "first"),
    [
        (listed("todos", {"content": TEXT, "status": STATES}), {"content": ENTRIES[0], "status": "pending"}),
        (
            listed("todos", {"content": TEXT, "activeForm": TEXT, "status": STATES}),
            {"content": ENTRIES[0], "activeForm": ENTRIES[0], "status": "pending"},
        ),
        (
            listed("todos", {"id": TEXT, "content": TEXT, "status": STATES}),
            {"id": "1", "content": ENTRIES[0], "status": "pending"},
        ),
        (
            listed(
                "plan",
                {"step": TEXT, "status": {**TEXT, "description": "One of: pending, in_progress, completed"}},
                explanation=TEXT,
            ),
            {"step": ENTRIES[0], "status": "pending"},
        ),
        (listed("tasks", {"text": TEXT, "done": {"type": "boolean"}}), {"text": ENTRIES[0], "done": False}),
    ],
)
def test_objects_with_a_state(schema, first):
    (key,) = schema["required"]
    made = given("update", schema)[key]
    assert made[0] == first
    assert len(made) == 2


def test_one_text_and_what_is_no_such_list():
    text = {"type": "object", "properties": {"todos": TEXT}, "required": ["todos"]}
    assert given("todo_write", text) == {"todos": f"- [ ] {ENTRIES[0]}\n- [ ] {ENTRIES[1]}"}
    assert given("edit_files", listed("edits", {"path": TEXT, "old": TEXT, "new": TEXT})) is None
    kinds = {"type": "string", "enum": ["insert", "delete"]}
    assert given("edit_files", listed("edits", {"text": TEXT, "kind": kinds})) is None
