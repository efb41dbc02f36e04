"""``tasks``: the board."""

from __future__ import annotations

from claw_adapter_forge.surfaces.grammar import Args, Flag, Refused, UsageError, Verb
from claw_adapter_forge.world.records import Task
from claw_adapter_forge.world.state import World

__all__ = ["VERBS"]

_RANK = {"high": 0, "medium": 1, "low": 2}
_PRIORITY = Flag("priority", "how urgent", "choice", choices=("high", "medium", "low"))


def _row(task: Task) -> str:
    mark = "✓" if task.status == "done" else "○"
    due = f" (due {task.due})" if task.due else ""
    note = f"\n      note: {task.note}" if task.note else ""
    return f"  [{task.id}] {mark} [{task.priority}] {task.title}{due}{note}"


def _list(world: World, args: Args) -> str:
    status, priority = args.text("status"), args.text("priority")
    rows = [
        t
        for t in world.rows("tasks", Task)
        if (status in ("all", t.status)) and (not priority or t.priority == priority)
    ]
    rows.sort(key=lambda t: (t.due or "9999", _RANK[t.priority]))
    return "\n".join(["Tasks:", *map(_row, rows)]) if rows else "No tasks found."


def _add(world: World, args: Args) -> str:
    title = args.text("title").strip()
    if not title:
        raise UsageError("--title must not be empty")
    key = world.new_id("tasks")
    due, note = args.text("due"), args.text("note")
    world.put("tasks", Task(key, title, due, "pending", args.text("priority"), args.number("duration"), note))
    return f"Task created: [{key}] {title}"


def _find(world: World, args: Args) -> Task:
    key, title = args.text("id"), args.text("title")
    for task in world.rows("tasks", Task):
        if (task.id == key) if key else (task.title == title):
            return task
    raise Refused(f"Task not found: {key or title}")


def _complete(world: World, args: Args) -> str:
    task = _find(world, args)
    if task.status == "done":
        return f"Task {task.id} is done already: {task.title}"
    world.edit("tasks", task, status="done")
    return f"Task {task.id} marked as done: {task.title}"


def _delete(world: World, args: Args) -> str:
    task = _find(world, args)
    world.remove("tasks", task.id)
    return f"Task {task.id} deleted."


def _update(world: World, args: Args) -> str:
    task = _find(world, args)
    changes = {n: args.text(n) for n in ("title", "due", "priority", "note") if args.given(n)}
    if not changes:
        raise UsageError("nothing to update: give --title, --due, --priority or --note")
    if "title" in changes and not changes["title"].strip():
        raise UsageError("--title must not be empty")
    world.edit("tasks", task, **changes)
    return f"Task {task.id} updated."


def _search(world: World, args: Args) -> str:
    query = args.text("query")
    rows = [t for t in world.rows("tasks", Task) if query.lower() in t.title.lower()]
    head = f"Tasks matching '{query}':"
    return "\n".join([head, *(f"  [{t.id}] {t.title} ({t.status})" for t in rows)]) if rows else "No tasks found."


_ID = Flag("id", "the task's id", required=True)

VERBS = (
    Verb(
        ("tasks", "list"),
        "List tasks with their notes, by due date.",
        _list,
        (Flag("status", "which", "choice", choices=("pending", "done", "all"), default="pending"), _PRIORITY),
    ),
    Verb(
        ("tasks", "add"),
        "Put a task on the board.",
        _add,
        (
            Flag("title", "what is to be done", required=True),
            Flag("due", "day it is due", "date"),
            Flag("priority", "how urgent", "choice", choices=("high", "medium", "low"), default="medium"),
            Flag("duration", "minutes it takes", "number"),
            Flag("note", "free text kept with the task"),
        ),
        mutates=True,
    ),
    Verb(
        ("tasks", "complete"),
        "Mark a task as done.",
        _complete,
        (Flag("id", "the task's id"), Flag("title", "its exact title")),
        mutates=True,
        one_of=("id", "title"),
        only_one=True,
    ),
    Verb(("tasks", "delete"), "Remove a task.", _delete, (_ID,), mutates=True),
    Verb(
        ("tasks", "update"),
        "Change fields of a task.",
        _update,
        (_ID, Flag("title", "new title"), Flag("due", "new day", "date"), _PRIORITY, Flag("note", "new note")),
        mutates=True,
    ),
    Verb(
        ("tasks", "search"), "Find tasks by their title.", _search, (Flag("query", "part of the title", required=True),)
    ),
)
