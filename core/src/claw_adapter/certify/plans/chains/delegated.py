"""Work that another agent is given by a tool, in a conversation of its own."""

from __future__ import annotations

from collections.abc import Iterable

from claw_adapter.certify.plans.drawing import Drawing
from claw_adapter.certify.plans.plan import PlanFile, PlanStep
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse

__all__ = ["delegated"]

MARKS = ("Report:", "Result:", "Summary:", "Final answer:", "#", "---", "<report>", "```", "-", "1.")
"""What a line of a report may begin with that some programs look for."""
AT_LENGTH = 9_000
"""Characters of the longest of them."""
REMARKED = 120
"""Characters that the other agent says before it looks at anything."""
SHOWN = 250
"""Lines of the longest file that it looks at, of some 60 characters each."""


def delegated(drawing: Drawing) -> list[PlanStep]:
    """Another agent is to read a file: one, another one in the same words, one when a line was replaced, and two at once.

    What each says at last has several lines, some of which look as if the report began there. Then one changes files, by
    a command and by a tool, one reads a long file, and one that is read again behind it, and one goes to a folder and
    exports a name. These turns are left out where no tool for that is declared.
    """
    texts, path = drawing.texts, drawing.texts.path()
    lines = [texts.sentence() for _ in range(5)]
    edit = ToolUse(kind="edit", target=path, wanted=(lines[2],), content=texts.sentence())
    read, again = _look(path), _task(drawing)
    same = [drawing.does(_given(drawing, again, read)) for _ in range(2)]
    changed = drawing.does(_given(drawing, _task(drawing), read))
    both = (_given(drawing, _task(drawing), read, size=size) for size in (0, AT_LENGTH))
    turns = [
        drawing.turn(same[0], drawing.says()),
        drawing.turn(same[1], drawing.does(edit), changed, drawing.says()),
        drawing.turn(drawing.does(*both), drawing.says()),
    ]
    more = *_changes(drawing), *_reads_long(drawing), *_goes(drawing)  # which come with files
    return [PlanFile(path=path, text="".join(f"{line}\n" for line in lines)), *turns, *more]


def _changes(drawing: Drawing) -> list[PlanStep]:
    """One adds, writes and removes by commands, and writes by a tool; all of that is so for who has asked for it.

    Then two at once add a line each.
    """
    texts = drawing.texts
    kept, gone = (PlanFile(path=texts.path(), text=texts.lines(3)) for _ in range(2))
    add = ToolUse(kind="add", target=kept.path, content=texts.sentence())
    put = ToolUse(kind="put", target=f"{texts.word()}.txt", content=texts.sentence())
    write = ToolUse(kind="write", target=texts.path(), content=texts.lines(2))
    works = [add, put, ToolUse(kind="drop", target=gone.path), write, _look(kept.path)]
    looks = [_look(one.target) for one in (add, put, write)]
    replies = drawing.does(_given(drawing, _task(drawing), *works)), drawing.does(*looks), drawing.says()
    more = (ToolUse(kind="add", target=kept.path, content=texts.sentence()) for _ in range(2))
    both = drawing.does(*(_given(drawing, _task(drawing), one) for one in more))
    return [kept, gone, drawing.turn(*replies), drawing.turn(both, drawing.does(looks[0]), drawing.says())]


def _reads_long(drawing: Drawing) -> list[PlanStep]:
    """One reads a long file and another one, which the model has not read: it reads that then, whole as well."""
    texts = drawing.texts
    long, other = (PlanFile(path=texts.path(), text=texts.lines(lines)) for lines in (SHOWN, 5))
    reads = [_look(one.path) for one in (long, other)]
    replies = drawing.does(_given(drawing, _task(drawing), *reads)), drawing.does(reads[1]), drawing.says()
    return [long, other, drawing.turn(*replies)]


def _goes(drawing: Drawing) -> list[PlanStep]:
    """One goes to a folder and gives a name another value, and a function another text, beside one that is asked for all three.

    So is who has called them.
    """
    file = PlanFile(path=f"{drawing.texts.word()}/{drawing.texts.path()}", text=drawing.texts.lines(3))
    mine, theirs = (drawing.texts.number() for _ in range(2))
    name = f"NAME_{mine}"
    says = f"say_{mine}"  # a function
    own, others = (
        [f"export {name}={value}", f"{says}() {{ echo {value}; }}; export -f {says} 2> /dev/null; true"]
        for value in (mine, theirs)
    )
    values = (f"printf '%s\\n' \"[${name}]\"", f"{says} 2> /dev/null; true")
    asks = ToolUse(kind="where", target=""), *_runs(values)
    goes = ToolUse(kind="go", target=file.path.partition("/")[0])
    both = (_given(drawing, _task(drawing), *works, *asks) for works in ((goes, *_runs(others)), (_look(file.path),)))
    replies = *map(drawing.does, _runs(own)), drawing.does(*both), drawing.does(*asks), drawing.says()
    return [file, drawing.turn(*replies)]


def _runs(commands: Iterable[str]) -> list[ToolUse]:
    return [ToolUse(kind="run", target=command) for command in commands]


def _look(path: str) -> ToolUse:
    return ToolUse(kind="read", target=path, whole=True)


def _task(drawing: Drawing) -> str:
    return f"{drawing.texts.sentence()}\n{drawing.texts.sentence()}"


def _given(drawing: Drawing, task: str, *works: ToolUse, size: int = 0) -> ToolUse:
    """A task; the other agent says something first, does its work call by call, and reports, at some `size` more."""
    texts = drawing.texts
    report = [
        texts.sentence(),
        *filter(None, [texts.prose(size)]),
        *(f"{mark} {texts.sentence()}" for mark in MARKS),
        "",
        f"    {texts.sentence()}",
        texts.sentence(),
    ]
    said = [PlayedReply(text=texts.prose(REMARKED) if at == 0 else "", uses=(one,)) for at, one in enumerate(works)]
    return ToolUse(kind="delegate", target=task, replies=(*said, PlayedReply(text="\n".join(report))))
