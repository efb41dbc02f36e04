"""What a sub-agent is told, and what of that which it says comes back: of a tool that is declared for it."""

from __future__ import annotations

from claw_adapter.audit.book import Book
from claw_adapter.audit.results import LEAST, flat_of, split_lines
from claw_adapter.audit.turns import RequestTurn
from claw_adapter.audit.units import RequestUnit, arguments_of
from claw_adapter.protocol import Capabilities
from claw_adapter.protocol.limits import Clip

__all__ = ["judge_helped"]


def judge_helped(turn: RequestTurn, declared: Capabilities, book: Book) -> set[str]:
    """A task begins a conversation that has all of it, and the last that is said there is the result of its call.

    Returns:
        The ids of the calls that were looked at.
    """
    tool, judged = declared.sub_agent, set[str]()
    if tool is None:
        return judged
    clipped = min(
        (one.characters for one in declared.losses if isinstance(one, Clip) and one.of == "result"), default=0
    )
    for call, result in (one for step in turn.steps for one in step.offered if one[0].tool == tool.tool):
        task = str(arguments_of(call).get(tool.task) or "")
        if result is not None and task.strip():
            _judge_one(turn, call, task, flat_of(result.text), book, clipped=clipped)
            judged.add(call.call)
    return judged


def _judge_one(turn: RequestTurn, call: RequestUnit, task: str, result: str, book: Book, *, clipped: int) -> None:
    told = [talk for talk in turn.beside if any(task.strip() in unit.text for unit in turn.units[talk.first])]
    if not told:
        what = f"no conversation beside this one begins with the task {task.strip()[:60]!r} that {call.tool} was given"
        book.find("M17", "task-missing", what, owner="harness")
        return
    said = told[-1].open
    if said is None or said.calls or (clipped and len(said.text) > clipped):
        return
    lines = [line.strip() for line in split_lines(said.text) if len(line.strip()) >= LEAST]
    if lost := next((line for line in lines if line not in result), ""):
        what = f"the other agent ends with {lost[:60]!r}, and the result of {call.tool} is {result.strip()[:60]!r}"
        number = told[-1].last
        book.find("M17", "report-missing", f"{what} (request {number})", owner="harness", request=number)
