"""Commands, and calls of many kinds in one reply."""

from __future__ import annotations

import shlex
from typing import Final

from claw_adapter.certify.plans.drawing import Drawing, Unit
from claw_adapter.certify.plans.plan import PlanChange, PlanFile
from claw_adapter.certify.plans.texts import FOLDERS, NOUNS
from claw_adapter.endpoint.models.played import ToolUse

__all__ = ["added", "batch", "dropped", "failures", "inside", "left", "programs"]

SLOW: Final = 0.4
"""Seconds that a slow command takes, while others of its reply are done."""


def added(drawing: Drawing) -> list[Unit]:
    """A command adds a line to a file, twice in one reply and once in the next; one that shows another fails then.

    Behind that, and before it is read again, another line of it is replaced.
    """
    file = drawing.file(drawing.rng.randrange(3, 12))
    add = ToolUse(kind="add", target=file.path, content=drawing.texts.sentence())
    lines = drawing.texts.lines(drawing.rng.randrange(3, 12)).splitlines(keepends=True)
    at = drawing.rng.randrange(len(lines))
    other = PlanFile(path=drawing.texts.path(), text="".join((*lines[: at + 1], *lines[at:])))  # one of them twice
    drawing.steps.append(other)
    show, fails = (ToolUse(kind="cat", target=one.path, exit=status) for one, status in ((file, 0), (other, 3)))
    look = ToolUse(kind="read", target=file.path)
    old = file.text.split("\n")[0]
    change = ToolUse(kind="edit", target=file.path, wanted=(old,), content=drawing.texts.sentence())
    replies = (look, show, fails), (add, add), (add,), (change,), (look, show)
    return [[drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())]]


def inside(drawing: Drawing) -> list[Unit]:
    """A command goes to a folder and shows a file of another system, whose last line does not end; then others follow."""
    folder = f"{drawing.rng.choice(FOLDERS)}/{drawing.rng.choice(NOUNS)}"
    inside = PlanFile(path=f"{folder}/{drawing.texts.word()}.md", text=drawing.crlf().rstrip("\r\n"))
    drawing.steps.append(inside)
    other, new = drawing.file(drawing.rng.randrange(3, 9)), f"{drawing.texts.word()}.txt"
    goes = ToolUse(kind="cat", target=inside.path, inside=True)
    made = ToolUse(kind="write", target=new, content=drawing.texts.lines(3))
    looks = [ToolUse(kind="read", target=path) for path in (other.path, inside.path, new)]
    back = ToolUse(kind="cat", target=new, inside=True)  # some shells stay where they were left
    replies = (goes,), (looks[0], made), looks[1:], (back,)
    return [[drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())]]


def programs(drawing: Drawing) -> list[Unit]:
    """A program writes a file that is shown before and behind it; a folder is made, and a file in it some turns later.

    A command counts what is in the workspace while it runs; others say by their status alone how they have ended.
    """
    made, folder, text = (
        drawing.file(drawing.rng.randrange(3, 9)),
        drawing.texts.folder(),
        drawing.texts.lines(3).rstrip("\n"),
    )
    script = PlanFile(
        path=f"{drawing.texts.word()}.sh", text=f"printf '%s\\n' {shlex.quote(text)} > {shlex.quote(made.path)}\n"
    )
    drawing.steps.append(script)
    show, look = (ToolUse(kind=kind, target=made.path) for kind in ("cat", "read"))
    program = ToolUse(kind="program", target=made.path, content=text, needs=(script.path,))
    filled = ToolUse(
        kind="put",
        target=f"{folder}/{drawing.texts.word()}.csv",
        content=drawing.texts.sentence(),
        needs=(f"{folder}/",),
    )
    empty = ToolUse(kind="folder", target=folder)
    replies = (show,), (program,), (show, look), (empty,)
    first = drawing.turn(*(drawing.does(*uses) for uses in replies), drawing.says())
    looks = [ToolUse(kind="read", target=filled.target), ToolUse(kind="count", target="")]
    ends = [PlanFile(path=f"{drawing.texts.word()}.sh", text=f"exit {status}\n") for status in (0, 3)]
    drawing.steps += ends
    looks += [ToolUse(kind="status", target=one.path) for one in ends]
    return [[first], [drawing.turn(drawing.does(filled), drawing.does(*looks), drawing.says())]]


def batch(drawing: Drawing) -> list[Unit]:
    """A dozen calls at once, of files and a history, a slow one among them, one after another answered."""
    uses = [
        ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 12)).path)
        for _ in range(drawing.rng.randrange(10, 13))
    ]
    uses += [drawing.reads(name) for name in drawing.histories[-1:]]
    drawing.rng.shuffle(uses)
    slow = ToolUse(kind="cat", target=drawing.file(drawing.rng.randrange(3, 20)).path, delay=SLOW)
    uses.insert(drawing.rng.randrange(len(uses)), slow)
    return [[drawing.turn(drawing.does(*uses), drawing.says())]]


def left(drawing: Drawing) -> list[Unit]:
    """A command goes to a folder and works, another one goes there and fails; then it is asked where the next one runs.

    Tools read one of two files of the same name, of which the other is in the folder.
    """
    folder, name = drawing.texts.word(), f"{drawing.texts.word()}.md"
    paths = name, f"{folder}/{name}"
    drawing.steps += [PlanFile(path=path, text=drawing.texts.lines(3)) for path in paths]
    where, look = ToolUse(kind="where", target=""), ToolUse(kind="read", target=name)
    goes = [ToolUse(kind="go", target=folder, exit=status) for status in (0, 1)]
    back = ToolUse(kind="cat", target=name, inside=True)
    replies = map(drawing.does, (goes[0], where, look, goes[1], where, look, back))
    return [[drawing.turn(*replies, drawing.says())]]


def failures(drawing: Drawing) -> list[Unit]:
    """Files that begin with what programs say when they fail, are read, shown, written, and printed by a command."""
    said = drawing.texts.errors(4)
    first, *texts = (f"{one}\n{drawing.texts.lines(3)}" for one in said)
    plain = next(one for one in said if "/" not in one)  # a guard takes that for a path
    files = [PlanFile(path=drawing.texts.path(), text=text) for text in texts]
    drawing.steps += files
    made = ToolUse(kind="write", target=drawing.texts.path(), content=first)
    printed = ToolUse(kind="print", target=drawing.texts.sentence(), content=plain.split("\n")[0])
    looks = [ToolUse(kind=kind, target=file.path) for file in files for kind in ("read", "cat")]
    drawing.rng.shuffle(looks)
    again = ToolUse(kind="read", target=made.target)
    return [[drawing.turn(drawing.does(made, *looks), drawing.does(again, printed), drawing.says())]]


def dropped(drawing: Drawing) -> list[Unit]:
    """The agent removes a file, and gives one that it has edited a new name, and looks; then the first comes back."""
    out, moved = (drawing.file(drawing.rng.randrange(3, 20)) for _ in range(2))
    old = drawing.rng.choice(moved.text.split("\n")[:-1])
    edit = ToolUse(kind="edit", target=moved.path, wanted=(old,), content=drawing.texts.sentence())
    new = f"{moved.path.rpartition('.')[0]}-{drawing.rng.choice(NOUNS)}.md"
    looks = [ToolUse(kind="read", target=file.path) for file in (out, moved)]
    drop, move = ToolUse(kind="drop", target=out.path), ToolUse(kind="move", target=moved.path, content=new)
    lists = [ToolUse(kind="list", target=path.rpartition("/")[0]) for path in (out.path, new)]
    show = ToolUse(kind="read", target=new)
    change = PlanChange(path=out.path, action="new", text=drawing.texts.lines(drawing.rng.randrange(3, 20)))
    return [
        [
            drawing.turn(
                *map(drawing.does, (*looks, edit)),
                drawing.does(drop, move),
                drawing.does(show, looks[0]),
                drawing.says(),
            )
        ],
        [drawing.turn(drawing.does(*lists), drawing.does(*looks, show), drawing.says())],
        [change, drawing.turn(drawing.does(looks[0], show), drawing.says())],
    ]
