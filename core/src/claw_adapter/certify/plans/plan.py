"""A plan: what a session begins with, and what happens in it, as a list of steps of which any may be left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, PositiveInt

from claw_adapter.certify.demand import Level
from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.protocol import Message
from claw_adapter.protocol.base import Record
from claw_adapter.protocol.update import Action
from claw_adapter.runner.incident import IncidentKind

__all__ = [
    "MAIN",
    "PlanChange",
    "PlanEncoding",
    "PlanFault",
    "PlanFile",
    "PlanIncident",
    "PlanSeed",
    "PlanStep",
    "PlanTurn",
    "SessionPlan",
    "gap",
    "said_in",
    "step_text",
]

MAIN = "main"
PlanEncoding = Literal["utf-8", "latin-1"]
"""How a text becomes bytes; with the second it may be any bytes."""


class PlanSeed(Record):
    """The past of the main session, or a history."""

    kind: Literal["seed"] = "seed"
    session: str
    messages: tuple[Message, ...]
    title: str = ""
    channel: str = "main"


class PlanFile(Record):
    """A file of the workspace at the beginning."""

    kind: Literal["file"] = "file"
    path: str
    text: str
    encoding: PlanEncoding = "utf-8"
    executable: bool = False


class PlanChange(Record):
    """A change of a session or a file before the next turn.

    `at` is where, as a part of what was given (never of what was said since), so that the change fits whatever is left out
    before it; or `behind` is the id of the message that an ``insert`` follows, or with which a ``delete`` begins, if that is
    there. `count` is how many messages a ``delete`` takes.
    """

    kind: Literal["change"] = "change"
    session: str = ""
    path: str = ""
    action: Action
    messages: tuple[Message, ...] = ()
    text: str = ""
    encoding: PlanEncoding = "utf-8"
    at: float = 0.0
    behind: str = ""
    count: int = 1


class PlanFault(Record):
    """The model's side fails at requests of the next turn: those of `at`, or all but the first `after`."""

    kind: Literal["fault"] = "fault"
    fault: FaultKind
    at: tuple[int, ...] = ()
    after: int = 0


class PlanIncident(Record):
    """Something happens to the harness before the next turn (request 0) or in it."""

    kind: Literal["incident"] = "incident"
    happens: IncidentKind
    request: int = 0


class PlanTurn(Record):
    """A prompt, and what the model says and does."""

    kind: Literal["turn"] = "turn"
    question: str
    options: tuple[str, ...] = ()
    """Without them the prompt is the bare question."""
    replies: tuple[PlayedReply, ...]
    feedback: str = ""
    """Said with the next prompt."""
    wordless: bool = False
    """The last reply has no words, and is not to be given any."""

    @property
    def delegates(self) -> bool:
        """Whether another agent is to work in it."""
        return any(use.kind == "delegate" for reply in self.replies for use in reply.uses)


PlanStep = Annotated[
    PlanSeed | PlanFile | PlanChange | PlanFault | PlanIncident | PlanTurn, Field(discriminator="kind")
]


class SessionPlan(Record):
    """A session made up from a nonce; `number` tells the plans of one nonce apart."""

    nonce: str
    number: int
    level: Level
    name: str
    """Of the scenario that it becomes."""
    model: str
    clock: datetime
    steps: tuple[PlanStep, ...]
    within: str = ""
    """The scenario whose sessions, files and prompts it has; their words are known elsewhere."""
    window: PositiveInt | None = None
    """Tokens that the model takes, as harnesses are told."""

    @property
    def turns(self) -> list[PlanTurn]:
        """Its turns, in order."""
        return [step for step in self.steps if isinstance(step, PlanTurn)]


def gap(messages: Sequence[Message], at: int) -> int:
    """The next place, from `at` on, that does not part calls from their results."""
    while at < len(messages) and messages[at].role == "tool":
        at += 1
    return at


def said_in(plan: SessionPlan) -> Iterator[str]:
    """Every text that is a plan's own: messages, files, prompts, replies, and what tools are given."""
    for step in plan.steps:
        match step:
            case PlanTurn() if plan.within:
                yield from (reply.text for reply in step.replies)
            case _ if plan.within:
                pass
            case PlanSeed():
                yield from (message.text for message in step.messages)
            case PlanFile():
                yield step.text
            case PlanChange():
                yield from (step.text, *(message.text for message in step.messages))
            case PlanTurn():
                yield from (step.question, *step.options, step.feedback)
                for reply in step.replies:
                    yield from (reply.text, *(use.content for use in reply.uses))
                    yield from (other.text for use in reply.uses for other in use.replies)


def step_text(step: PlanStep) -> str:
    """A step in one line, for people."""
    match step:
        case PlanSeed():
            longest = max((len(message.text) for message in step.messages), default=0)
            what = "the past" if step.session == MAIN else f"a history {step.session}"
            said = f"{what}: {len(step.messages)} messages, the longest of {longest:,} characters"
        case PlanFile():
            said = f"a file {step.path}: {len(step.text):,} characters"
        case PlanChange():
            said = _change_text(step)
        case PlanFault():
            every = f"every request after {step.after}" if step.after else "every request"
            places = f"request {', '.join(map(str, step.at))}" if step.at else every
            said = f"the endpoint fails ({step.fault}) at {places} of the next turn"
        case PlanIncident():
            place = f"when request {step.request} of the next turn has come" if step.request else "before the next turn"
            said = f"{step.happens} {place}"
        case PlanTurn():
            said = f"turn {_short(step.question)!r}: {'; '.join(map(_reply_text, step.replies))}"
    return said


def _change_text(step: PlanChange) -> str:
    target = step.path or (f"history {step.session}" if step.session != MAIN else "main session")
    if step.action == "delete":
        return f"update: {step.count} messages of the {target} are deleted" if step.session else f"{target} is deleted"
    size = f"{len(step.text):,} characters" if step.path else f"{len(step.messages)} messages"
    return f"update: {step.action} {target}, {size}"


def _reply_text(reply: PlayedReply) -> str:
    if reply.hang:
        return "(the model does not answer)"
    uses = ", ".join(_use_text(use) for use in reply.uses)
    if uses:
        return f"calls {uses} at once" if len(reply.uses) > 1 else f"calls {uses}"
    return (
        f"says {len(reply.text):,} characters, {_short(reply.text)!r}" if reply.text.strip() else f"says {reply.text!r}"
    )


def _use_text(use: ToolUse) -> str:
    return f"{use.kind} {_short(use.target)}" + (f" after {use.delay:g} s" if use.delay else "")


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 40 else f"{text[:39]}…"
