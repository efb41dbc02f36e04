"""FAULT: the model's side fails, or the harness dies: the right class, a bounded number of tries, and life afterwards."""

from __future__ import annotations

import asyncio
from typing import Final

from claw_adapter.certify.check import check
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import fail, hang, read, run, say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.turn import Turn, excerpt
from claw_adapter.drivers import reaper
from claw_adapter.endpoint.faults import FaultKind
from claw_adapter.endpoint.models.played import PlayedReply, ToolUse
from claw_adapter.errors import Owner
from claw_adapter.protocol import Checkpoint

MOST_TRIES: Final = 20
"""Model requests of a turn that fails for good."""
STEPS: Final = 120
"""Steps of a turn that is longer than most."""
MOST_STEPS: Final = 300
"""The same where every failure is a step of the harness's tool loop, which has a limit of its own."""
KINDS: Final[dict[FaultKind, frozenset[str]]] = {
    "refused": frozenset({"EndpointTransientError"}),
    "400": frozenset({"EndpointError"}),
    "401": frozenset({"EndpointAuthError"}),
    "402": frozenset({"EndpointQuotaError"}),
    "403": frozenset({"EndpointAuthError"}),
    "404": frozenset({"EndpointError"}),
    "408": frozenset({"EndpointTransientError"}),
    "409": frozenset({"EndpointTransientError"}),
    "413": frozenset({"EndpointError"}),
    "422": frozenset({"EndpointError"}),
    "429": frozenset({"EndpointQuotaError", "EndpointTransientError"}),
    "500": frozenset({"EndpointTransientError"}),
    "502": frozenset({"EndpointTransientError"}),
    "503": frozenset({"EndpointTransientError"}),
    "504": frozenset({"EndpointTransientError"}),
    "529": frozenset({"EndpointTransientError"}),
    "gateway": frozenset({"EndpointTransientError"}),
    "context": frozenset({"EndpointError"}),
    "filter": frozenset({"EndpointFilteredError"}),
    "stall": frozenset({"EndpointTransientError", "DeadlineExceeded"}),
    "cut": frozenset({"EndpointTransientError", "EndpointMalformedError"}),
    "cut_call": frozenset({"EndpointTransientError", "EndpointMalformedError"}),
    "cut_late": frozenset({"EndpointTransientError", "EndpointMalformedError"}),
    "told": frozenset({"EndpointTransientError", "EndpointMalformedError"}),
    "garbage": frozenset({"EndpointMalformedError"}),
    "truncated_arguments": frozenset({"EndpointMalformedError"}),
    "empty": frozenset({"EndpointMalformedError", "EmptyAnswer"}),
}
"""Fault → classes that say it right.

An error of the harness's own passes too where it cannot know better, as the runner knows the endpoint's side; what the
provider told it, with a status or in words, is the endpoint's.
"""
WIRE: Final = frozenset({"refused", "stall", "cut", "cut_call", "cut_late", "garbage", "truncated_arguments", "empty"})
"""Faults of which nobody is told anything."""
ALSO: Final[dict[FaultKind, tuple[FaultKind, ...]]] = {
    "401": ("402", "403"),
    "500": ("408", "502", "503", "504", "529"),
    "cut": ("told",),
    "context": ("413",),
    "filter": ("400", "404", "409", "422"),
}
"""Failures of the same kind, told in another way."""
UNSPECIFIC: Final = "EndpointError"
REMEDY: Final = (
    "Return TurnResult(error=...) with a class of claw_adapter.errors; tell a failure from an answer by the harness's "
    "structured output, its exit status or its session, never by the look of a text."
)


async def _fails(kit: Kit, kind: FaultKind, *, most: int = MOST_TRIES, deadline: float = 90.0) -> None:
    """A turn whose model fails for good, the like of it, and a turn after reopening from the checkpoint before."""
    async with kit.plain() as t:
        checkpoint = await _warm(kit, t)
        word = kit.canary("failing")
        turn = await kit.send(t, f"Read the plan, {word}.", fail(kind, times=0), deadline=deadline)
        _classified(kit, turn, kind)
        tried = sum(word in request.text for request in turn.requests)
        kit.note(f"{tried} requests, then {turn.error.kind if turn.error else ''} after {turn.seconds:.1f} s")
        kit.expect(
            tried <= most, f"{tried} requests in one turn, all of them failed", remedy="Limit the harness's retries."
        )
        left = [other for other in ALSO.get(kind, ()) if not await _fails_alike(kit, t, other)]
        await _goes_on(kit, t, checkpoint, word)
    for other in left:
        async with kit.plain() as t:
            await _also(kit, t, other)


async def _runs_once(kit: Kit) -> None:
    """A command runs beside a call whose arguments are no JSON: it is done no more often than the conversation has it."""
    async with kit.plain() as t:
        word, name = kit.canary("beside"), "beside.txt"
        add = ToolUse(kind="add", target=name, content=word)
        prompt = f"Add a line, {kit.canary('broken')}."
        turn = await kit.send(t, prompt, PlayedReply(uses=(add,), broken=True), say("Added."))
        if turn.error is not None or not turn.requests:
            return
        written = t.ctx.workspace / name
        times = written.read_text("utf-8").count(word) if written.is_file() else 0
        told = turn.requests[-1].text.count(word)
        kit.expect(
            times <= told,
            f"beside a call that cannot be read, a command was run {times} times, and the conversation has it {told} times",
            remedy="Where such a reply is asked for again, run none of its calls before all of them can be read.",
            owner=Owner.HARNESS,
        )


async def _writes_no_half(kit: Kit) -> None:
    """Calls that write a file break off in its text, as at a limit of tokens: then nothing of it is written."""
    for finish in ("length", "stop"):
        async with kit.plain() as t:
            name, text = "report.md", "\n".join(kit.canary(f"line-{number}") for number in range(40))
            write = PlayedReply(uses=(ToolUse(kind="write", target=name, content=text),), cut=True, finish=finish)
            await kit.send(t, f"Write the report, {kit.canary('report')}.", write, say("Noted."))
            half = t.ctx.workspace / name
            kit.expect(
                not half.exists(),
                f"of a call that breaks off in the text to write (the reply ends with {finish!r}), {name} is made",
                remedy="Run no call whose arguments are no JSON: give the model an error, or ask it again.",
                owner=Owner.HARNESS,
            )


async def _ends_openly(kit: Kit) -> None:
    """A turn of many steps ends with the model's answer, or, where the harness makes no more of them, with an error."""
    async with kit.plain() as t:
        steps = (run(f"echo {kit.canary(f'step-{number}')}") for number in range(STEPS))
        turn = await kit.send(t, f"Take all steps, {kit.canary('steps')}.", *steps, say("All taken."))
        made = len([deed for deed in turn.deeds if deed.results])
        kit.note(f"{made} steps in one turn, then {turn.error.kind if turn.error else 'the answer'}")
        kit.expect(
            turn.error is not None or turn.text.strip() == "All taken.",
            f"a turn of {STEPS} steps is ended after {made} of them, with an answer that no model gave: {excerpt(turn.text)}",
            remedy="Where the harness makes so many steps and no more, return an error; or raise its limit.",
            owner=Owner.HARNESS,
        )


async def _fails_alike(kit: Kit, t: KitTrial, other: FaultKind) -> bool:
    """Whether a conversation in which a turn has failed shows what is right of another failure, too.

    Many do, which saves a start that may take twenty seconds; what speaks against a harness is judged in one of its own.
    """
    try:
        return len((await _also(kit, t, other)).requests) > 1
    except CheckFinding:
        return False


async def _also(kit: Kit, t: KitTrial, other: FaultKind) -> Turn:
    """A turn whose model fails in another way behind a call."""
    look = read(kit.past.file).model_copy(update={"text": "I look into it."})  # what is said before is no answer
    turn = await kit.send(t, f"Read the plan, {kit.canary(f'failing-{other}')}.", look, fail(other, times=0))
    _classified(kit, turn, other)
    return turn


async def _warm(kit: Kit, t: KitTrial) -> Checkpoint:
    (await kit.send(t, f"Keep {kit.canary('kept')}.", say("Kept."))).answered("Kept.")
    return await t.checkpoint()


def _classified(kit: Kit, turn: Turn, kind: FaultKind) -> None:
    kit.expect(not turn.raised, f"send() raised {turn.raised}")
    if turn.error is None:
        kit.expect(False, f"the last request of the turn failed ({kind}), and the answer is {excerpt(turn.text)}")
        return
    kit.expect(not turn.text, f"beside the error there is an answer: {excerpt(turn.text)}")
    said = f"{turn.error.owner.value}: {turn.error.kind}: {turn.error.what}"
    kit.expect(
        turn.error.owner in (Owner.ENDPOINT, Owner.HARNESS) or turn.error.kind in KINDS[kind], f"the error is {said}"
    )
    told = kind not in WIRE
    kit.expect(
        not told or turn.error.owner is Owner.ENDPOINT,
        f"the provider refuses every request ({kind}), and that is charged to the {said}",
        remedy="Map what the harness says of the provider's answer to an EndpointError (claw_adapter.errors.endpoint_error).",
    )
    if turn.error.owner is Owner.ENDPOINT:
        right = " or ".join(sorted(KINDS[kind]))
        kit.expect(turn.error.kind in {*KINDS[kind], UNSPECIFIC}, f"for {kind} the error is {said}, not {right}")
        if turn.error.kind not in KINDS[kind]:
            kit.warn(f"for {kind} the error could say more: {right}")
    elif turn.error.kind not in KINDS[kind]:
        kit.note(f"{said}: in a run, what the endpoint saw takes the place of it")


async def _goes_on(kit: Kit, t: KitTrial, checkpoint: Checkpoint, failed: str) -> None:
    """From the checkpoint before the failure: the next turn is answered, and nothing is left of the turn that failed."""
    async with kit.reopened(t, checkpoint, plain=True) as fresh:
        turn = await kit.send(fresh, f"What did you keep? {kit.canary('after')}", say("As before."))
        turn.answered("As before.")
        kit.reached(turn.requests, kit.canary("kept"), "what was said before the failure")
        kit.absent(turn.requests, failed, "the prompt of the turn that failed")


def _fault(number: int, kind: FaultKind, catches: str, **more: float) -> None:
    """One check per kind of failure."""

    async def asked(kit: Kit) -> None:
        await _fails(kit, kind, **more)  # type: ignore[arg-type]  # most and deadline
        if kind == "truncated_arguments":
            await _runs_once(kit)
            await _writes_no_half(kit)
            await _ends_openly(kit)

    asked.__qualname__ = f"fault_{kind}"
    asked.__doc__ = f"Every model request of a turn fails ({kind}); then it is opened from the checkpoint before."
    check(
        f"FAULT-{number:03d}", level="gold", must="M15", catches=catches, remedy=REMEDY,
        needs=("turns", "resume_after_restart"),
    )(asked)  # fmt: skip


_fault(1, "refused", "An endpoint that is down ends in an answer, in a hang, or in a crash of the adapter.")
_fault(2, "401", "A refused key is tried again and again, or its message is taken for an answer.")
_fault(3, "429", "A spent quota is taken for an answer, or hammered on.")
_fault(4, "500", "A server error is taken for an answer (exit status 0, and a text that says 'error').")
_fault(5, "stall", "An endpoint that goes silent in mid reply holds the turn beyond its deadline.", deadline=8.0)
_fault(6, "cut", "Half a reply is taken for the whole of it.")
_fault(7, "garbage", "A reply that is not JSON crashes the adapter, or is handed on as the answer.")
_fault(
    8,
    "truncated_arguments",
    "A tool call with broken arguments loops for ever, is executed half, or has those beside it run twice.",
    most=MOST_STEPS,
)
_fault(9, "context", "A prompt that does not fit is taken for an answer.")
_fault(10, "filter", "A refusal of the provider's filter is taken for an answer.")
_fault(11, "empty", "A reply without content is taken for an empty answer, and scored as wrong.")


@check(
    "FAULT-012", level="gold", must="M15",
    catches="A failure that passes (one 500) spoils the turn in silence: no answer, or the error's text as answer.",
    remedy="Let the harness try again, or return a passing error: the runner then tries the round again.",
    needs=("turns",),
)  # fmt: skip
async def one_failure_passes(kit: Kit) -> None:
    """The first request fails, the second is answered."""
    async with kit.plain() as t:
        turn = await kit.send(t, f"Try this, {kit.canary()}.", fail("500", times=1), say("It worked."))
        if turn.error is None:
            turn.answered("It worked.")
            return
        kit.note(f"it does not try again: {turn.error.kind}")
        kit.expect(turn.error.passing, f"the error is said to be permanent: {turn.error.kind}: {turn.error.what}")


@check(
    "FAULT-013", level="gold", must="M8",
    catches="After kill -9 in mid turn the conversation cannot be resumed, or the lost prompt comes back to haunt it.",
    remedy="Notice the death (HarnessCrash); make the checkpoint complete, and let open() start from it in an empty folder.",
    needs=("turns", "resume_after_restart"),
)  # fmt: skip
async def killed_in_mid_turn(kit: Kit) -> None:
    """Everything of the harness dies while it waits for the model; then it is opened from the checkpoint before."""
    async with kit.plain() as t:
        checkpoint = await _warm(kit, t)
        word = kit.canary("lost")
        sending = asyncio.create_task(kit.send(t, f"Think about {word}.", hang(), deadline=30.0))

        async def kill() -> None:
            kit.expect(await t.requested(), "no model request came for the prompt")
            reaper.send([item.pid for item in t.processes()], 9)
            if kit.harness.runs_inside:
                await t.cancel()

        turn = await kit.came_back(sending, kill(), 15.0, "its processes were killed")
        kit.expect(turn.error is not None, f"the harness was killed, and the answer is {excerpt(turn.text)}")
        await _goes_on(kit, t, checkpoint, word)


@check(
    "FAULT-014", level="gold", must="M8",
    catches="After a failure the old prompt is sent again by itself, with the next one or before it.",
    remedy="Refuse a prompt after a failure (HarnessCrash), or make sure that nothing of the failed turn is queued.",
    needs=("turns",),
)  # fmt: skip
async def no_ghost_of_a_failed_turn(kit: Kit) -> None:
    """A turn runs into its deadline; the next prompt goes into the same conversation."""
    async with kit.plain() as t:
        await _warm(kit, t)
        word = kit.canary("ghost")
        await kit.send(t, f"Think about {word}.", hang(), deadline=2.0)
        asked = kit.canary("next")
        turn = await kit.send(t, f"And now {asked}?", read(kit.past.file), say("Here."), deadline=30.0)
        if turn.error is not None:
            kit.note(f"it refuses: {turn.error.kind}")
            return
        turn.answered("Here.")
        for request in turn.requests:
            again = word in request.text and asked not in request.text
            kit.expect(not again, "the prompt of the turn that failed was sent again before the next one")
            times = sum(text.count(word) for text in request.texts("user"))
            kit.expect(times <= 1, f"the prompt of the turn that failed stands {times} times in a request of the next")
        late = [request for request in t.director.requests if not request.round and word in request.text]
        kit.expect(not late, "between the turns the prompt of the turn that failed was sent to the model again")
