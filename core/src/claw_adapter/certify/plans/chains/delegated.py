"""Work that another agent is given by a tool, in a conversation of its own."""

from __future__ import annotations

from claw_adapter.certify.plans.drawing import Drawing
from claw_adapter.certify.plans.plan import PlanFile, PlanStep
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse

__all__ = ["delegated"]

MARKS = ("Report:", "Result:", "Summary:", "Final answer:", "#", "---", "<report>", "```", "-", "1.")
"""What a line of a report may begin with that some programs look for."""
REMARKED = 120
"""Characters that the other agent says before it looks at anything."""


def delegated(drawing: Drawing) -> list[PlanStep]:
    """Another agent is to read a file: one, another one in the same words, one when a line was replaced, and two at once.

    What each says at last has several lines, of which one looks as if the report began with it. These turns are left out
    where no tool for that is declared.
    """
    texts = drawing.texts
    path, lines = texts.path(), [texts.sentence() for _ in range(5)]
    edit = ToolUse(kind="edit", target=path, wanted=(lines[2],), content=texts.sentence())
    task, *others = (f"{texts.sentence()}\n{texts.sentence()}" for _ in range(4))
    again, changed, *both = (drawing.does(_given(drawing, one, path)) for one in (task, *others))
    turns = [
        drawing.turn(drawing.does(_given(drawing, task, path)), drawing.says()),
        drawing.turn(again, drawing.does(edit), changed, drawing.says()),
        drawing.turn(drawing.does(*(use for reply in both for use in reply.uses)), drawing.says()),
    ]
    return [PlanFile(path=path, text="".join(f"{line}\n" for line in lines)), *turns]


def _given(drawing: Drawing, task: str, path: str) -> ToolUse:
    """A task; the other agent says something first, looks at a file, and reports."""
    texts = drawing.texts
    read = ToolUse(kind="read", target=path, whole=True)
    report = [
        texts.sentence(),
        f"{drawing.rng.choice(MARKS)} {texts.sentence()}",
        "",
        f"    {texts.sentence()}",
        texts.sentence(),
    ]
    said = PlayedReply(text=texts.prose(REMARKED), uses=(read,)), PlayedReply(text="\n".join(report))
    return ToolUse(kind="delegate", target=task, replies=said)
