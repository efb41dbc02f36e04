"""What fails, stops or is taken back in the middle of a turn."""

from __future__ import annotations

from typing import Final

from claw_adapter.certify.plans.drawing import BREAKING, PASSING, UNREADABLE, Drawing, Unit
from claw_adapter.certify.plans.plan import MAIN, PlanChange, PlanFault, PlanIncident, PlanTurn
from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.runner.incident import IncidentKind

__all__ = ["broken", "cancelled", "done_once", "failed", "failing", "killed", "paused", "unreadable"]

BROKEN_CALLS: Final[tuple[FaultKind, ...]] = ("cut_call", "cut_late")
"""It breaks off within a call, or behind all of it."""
SERVER: Final[tuple[FaultKind, ...]] = ("500", "502", "503")
FOR_GOOD: Final[tuple[FaultKind, ...]] = (
    "400", "401", "402", "403", "404", "409", "422", "context", "413", "filter", "refused", "garbage", "empty", "told",
)  # fmt: skip
REFUSED: Final[tuple[FaultKind, ...]] = ("400", "401", "402", "403", "404", "422", "context", "413", "filter")
"""Those of them behind which no further attempt is made."""


def failing(drawing: Drawing) -> list[Unit]:
    """One or two requests of a turn fail; the next are answered. In the first plan it is a limit of requests."""
    look = ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 20)).path)
    kind = drawing.rng.choice(PASSING) if drawing.number else "429"
    fault = PlanFault(fault=kind, at=drawing.rng.choice(((1,), (2,), (1, 2), (2, 3), (1, 2, 3))))
    return _mended(drawing, fault, look)


def unreadable(drawing: Drawing) -> list[Unit]:
    """Once or twice comes what nobody can read in the place of a reply."""
    fault = PlanFault(fault=drawing.rng.choice(UNREADABLE), at=drawing.rng.choice(((1,), (2,), (1, 2))))
    look = ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 20)).path)
    return _mended(drawing, fault, look)


def _mended(drawing: Drawing, fault: PlanFault, look: ToolUse) -> list[Unit]:
    """A turn with a reading in which requests fail for a time, and one behind it."""
    return [[fault, drawing.turn(drawing.does(look), drawing.says())], [drawing.turn(drawing.says())]]


def done_once(drawing: Drawing) -> list[Unit]:
    """The requests that have results fail at the server, and what was done is not done again, nor undone."""
    file, other = (drawing.file(drawing.rng.randrange(3, 12)) for _ in range(2))
    add = ToolUse(kind="add", target=file.path, content=drawing.texts.sentence())
    made = ToolUse(kind="write", target=other.path, content=drawing.texts.lines(3))
    looks = [ToolUse(kind="cat", target=file.path), ToolUse(kind="read", target=other.path)]
    faults = [PlanFault(fault=drawing.rng.choice(SERVER), at=(at,)) for at in (2, 4)]
    turn = drawing.turn(drawing.does(add, made), drawing.does(*looks), drawing.says())
    return [[*faults, turn], [drawing.turn(drawing.says())]]


def broken(drawing: Drawing) -> list[Unit]:
    """Replies break off: one with a call, within it or behind, and when that was asked for again, the answer."""
    units: list[Unit] = []
    for kind, first in zip(BREAKING, BROKEN_CALLS, strict=True):
        file = drawing.file(drawing.rng.randrange(3, 20))
        look = ToolUse(kind="read", target=file.path)
        add = ToolUse(kind="add", target=file.path, content=drawing.texts.sentence())
        faults = [PlanFault(fault=first, at=(1,)), PlanFault(fault=kind, at=(3,))]
        units.append([*faults, drawing.turn(drawing.does(add), drawing.does(look), drawing.says())])
    return [*units, [drawing.turn(drawing.says())]]


def failed(drawing: Drawing) -> list[Unit]:
    """Every request of a turn fails, and in another all behind a call; the next turns are well again.

    In the first plan that one has no further attempt, so that what comes back of it is of the request that was answered.
    """
    look = drawing.does(ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 20)).path))
    begun = look.model_copy(update={"text": drawing.texts.prose(200)})
    first = PlanFault(fault=drawing.rng.choice(FOR_GOOD))
    later = PlanFault(fault=drawing.rng.choice(FOR_GOOD if drawing.number else REFUSED), after=1)
    well = drawing.turn(drawing.says())  # in the same process, so that what it has reported in all is known
    return [
        [first, drawing.turn(drawing.says())],
        [drawing.turn(drawing.says())],
        [well, later, drawing.turn(begun, drawing.says())],
        [drawing.turn(drawing.says())],
    ]


def _held(drawing: Drawing, happens: IncidentKind) -> list[Unit]:
    file = drawing.file(drawing.rng.randrange(3, 20))
    write = ToolUse(kind="write", target=file.path, content=drawing.texts.lines(3))
    at = drawing.rng.choice((1, 2, 2))
    replies = [drawing.does(write), drawing.says()]
    replies[at - 1] = replies[at - 1].model_copy(update={"hang": True})
    brought = PlanChange(
        path=drawing.texts.path(), action="new", text=drawing.texts.lines(drawing.rng.randrange(2, 30))
    )
    told = PlanChange(session=MAIN, action="append", at=1.0, messages=(drawing.talks.message("user"),))
    changed = PlanChange(path=file.path, action="new", text=drawing.texts.lines(5))
    after = drawing.does(
        *(ToolUse(kind=kind, target=path) for path in (brought.path, file.path) for kind in ("read", "cat"))
    )
    again = [PlanIncident(happens="restart")] if drawing.rng.random() < 0.5 else []
    name = drawing.histories[-1]
    grown = PlanChange(session=name, action="append", at=1.0, messages=tuple(drawing.talks.talk(2)))
    edit = ToolUse(
        kind="edit", target=file.path, wanted=(changed.text.split("\n")[1],), content=drawing.texts.sentence()
    )
    asks = [ToolUse(kind="list", target=file.path.rpartition("/")[0]), drawing.reads(name), edit]
    return [
        [brought, told, PlanIncident(happens=happens, request=at), drawing.turn(*replies)],
        [changed, grown, *again, drawing.turn(after, drawing.does(*asks), drawing.does(after.uses[2]), drawing.says())],
    ]


def killed(drawing: Drawing) -> list[Unit]:
    """The process is killed in the middle of a turn."""
    return _held(drawing, "kill")


def cancelled(drawing: Drawing) -> list[Unit]:
    """A turn is cancelled, in the second plan twice; its prompt comes again, word for word."""
    first, after = _held(drawing, "cancel")
    *_, turn = first
    if not drawing.number or not isinstance(turn, PlanTurn):
        return [first, after]
    held = PlanIncident(happens="cancel", request=1)
    stopped = turn.model_copy(update={"replies": (PlayedReply(text=drawing.texts.sentence(), hang=True),)})
    asked = turn.model_copy(update={"replies": (drawing.says(),)})
    return [first, [held, stopped], [asked], after]


def paused(drawing: Drawing) -> list[Unit]:
    """The processes stand still for a moment in the middle of a turn."""
    look = ToolUse(kind="read", target=drawing.file(drawing.rng.randrange(3, 20)).path)
    return [[PlanIncident(happens="pause", request=1), drawing.turn(drawing.does(look), drawing.says())]]
