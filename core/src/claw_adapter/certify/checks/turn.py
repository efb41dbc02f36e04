"""TURN: a prompt goes in whole, the final reply comes out exactly, in time, with its events."""

from __future__ import annotations

import asyncio
from pathlib import Path

from claw_adapter.certify.check import check
from claw_adapter.certify.demand import Unverified
from claw_adapter.certify.director import Request
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import fail, hang, read, run, say, write
from claw_adapter.certify.standard import ODD
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.turn import Turn, excerpt
from claw_adapter.certify.watch import command_of
from claw_adapter.drivers import reaper

ANSI = "\x1b[1;31mred\x1b[0m and \x1b[4mlined\x1b[24m"
PROMPTS = ("/new", "/stop", "--help", '"; echo $HOME `id` \\', "@file #tag !ls", "")
THINKING = 1.5
"""Seconds that the model takes in the slow turn."""
SLEEPERS = "setsid sleep 613 & sleep 612"
QUIET = 1.0
"""Seconds in which a prompt that was cancelled may come back."""
LATE = 1.0
"""Seconds that `send` may take beyond its deadline (M16)."""


async def _says(kit: Kit, text: str) -> None:
    turn = await kit.send(await kit.shared(), f"Please repeat the text for {kit.canary()}.", say(text))
    turn.answered(text)


@check(
    "TURN-003", level="bronze", must="M14",
    catches="Terminal sequences that the model wrote are stripped or interpreted, or the harness adds its own colours.",
    remedy="Take the reply from structured output; strip only what the harness itself adds.",
    needs=("turns",),
)  # fmt: skip
async def ansi_answer(kit: Kit) -> None:
    """A reply that quotes terminal sequences."""
    await _says(kit, f"Type this: {ANSI} ({kit.canary('answer')})")


@check(
    "TURN-005", level="bronze", must="M15",
    catches="An empty reply is reported as success: an empty or invented answer is then scored as wrong.",
    remedy="A reply without text is TurnResult(error=Failure.of(EmptyAnswer(...))), whatever the exit status.",
    needs=("turns",),
)  # fmt: skip
async def empty_answer(kit: Kit) -> None:
    """The model ends its turn without a word, every time it is asked: at once, and behind a text with a call."""
    before = read(kit.past.file).model_copy(update={"text": f"I look into it, {kit.canary('before')}."})
    for replies in ([say("")], [before, say("")]):
        async with kit.plain() as t:
            turn = await kit.send(t, f"Say nothing about {kit.canary(f'{len(replies)}')}.", *replies)
            kit.expect(
                turn.error is not None, f"the model said nothing in the end, and the answer is {excerpt(turn.text)}"
            )
            kind = turn.error.kind if turn.error else ""
            kit.expect(
                kind == "EmptyAnswer", f"the error is not EmptyAnswer but {kind}: {turn.error and turn.error.what}"
            )


@check(
    "TURN-008", level="bronze", must="M16",
    catches="Only the child is ended at the deadline: a grandchild in its own session lives on, or holds a pipe open.",
    remedy="Start everything through ctx.spawn and end it with Process.stop(), which reaches offspring in other sessions.",
    needs=("turns",),
)  # fmt: skip
async def deadline_reaches_grandchildren(kit: Kit) -> None:
    """A shell command that outlives everything, with a part of it in a session of its own.

    Up to three tries, since machines stand still at times.
    """
    for last in (False, False, True):
        if await _sleepers_ended(kit, last=last):
            return


async def _sleepers_ended(kit: Kit, *, last: bool) -> bool:
    """Whether `send` came back in time; it must when this is the last try. What still runs is never right."""
    async with kit.plain() as t:
        warm = await _warm(kit, t)
        deadline = max(3.0, 2 * warm.seconds + 2)  # time enough for a slow harness to come to its tool
        turn = await kit.send(t, f"Wait for {kit.canary()}.", run(SLEEPERS), hang(), deadline=deadline)
        in_time = _in_time(kit, turn, deadline, last=last)
        if not turn.deeds:
            raise Unverified(f"the harness did not ask the model within {deadline:.0f} s: is the machine very busy?")
        kit.expect(
            turn.deeds[0].possible, "the harness offered no tool that runs a command, so nothing was left to end"
        )
        await asyncio.sleep(0.2)
        left = [item.command for item in t.processes() if "sleep 61" in item.command]
        if t.harness.runs_inside:
            left += [text for pid in reaper.find(kit.bench.lifeline.marker) if "sleep 61" in (text := command_of(pid))]
        kit.expect(not left, f"after the deadline these still run: {left}")
        return in_time


@check(
    "TURN-009", level="bronze", must="M16",
    catches="A model that never answers holds the turn for ever, or as long as some time-out of the harness's own.",
    remedy="Bound the whole of send() by its deadline and return DeadlineExceeded.",
    needs=("turns",),
)  # fmt: skip
async def deadline_with_a_silent_model(kit: Kit) -> None:
    """The model does not answer at all. Up to three tries, since machines stand still at times."""
    for last in (False, False, True):
        async with kit.plain() as t:
            await _warm(kit, t)
            turn = await kit.send(t, f"Think about {kit.canary()}.", hang(), deadline=2.0)
            if _in_time(kit, turn, 2.0, last=last):
                return


async def _warm(kit: Kit, t: KitTrial) -> Turn:
    return (await kit.send(t, f"Are you there, {kit.canary('warm')}?", say("Yes."))).answered()


def _in_time(kit: Kit, turn: Turn, deadline: float, *, last: bool) -> bool:
    """Demand the right error, and the last time that it came in time; returns whether it did."""
    kit.note(f"deadline {deadline:g} s, send took {turn.seconds:.2f} s")
    kit.expect(turn.error is not None, f"there is an answer after {turn.seconds:.1f} s: {excerpt(turn.text)}")
    kind = turn.error.kind if turn.error else ""
    kit.expect(
        kind == "DeadlineExceeded", f"the error is not DeadlineExceeded but {kind}: {turn.error and turn.error.what}"
    )
    in_time = turn.seconds <= deadline + LATE
    kit.expect(in_time or not last, f"send took {turn.seconds:.2f} s, its deadline was {deadline:g} s")
    return in_time


@check(
    "TURN-011", level="bronze", must="M13",
    catches="A prompt that looks like a command, an option or shell text is swallowed, run, or whole in no request (PLAN finds "
    "what is put around it).",
    remedy="Pass prompts by standard input or protocol, never as an argument of a shell, and escape the harness's commands.",
    needs=("turns",),
)  # fmt: skip
async def odd_prompts(kit: Kit) -> None:
    """Slash commands, options, shell text, text outside ASCII, line ends."""
    for number, start in enumerate(PROMPTS):
        t, word = await kit.shared(), kit.canary(f"word{number}")
        prompt = f"{start} {word}\n\tindented \x1b[0m {ODD}\nlast line".lstrip()
        turn = await kit.send(t, prompt, say(f"Read {number}."))
        if turn.error is not None and turn.error.kind != "DeadlineExceeded" and turn.error.remedy and not turn.requests:
            kit.warn(f"refused with a typed error, as M13 allows: {turn.error.what}")
            continue
        turn.answered(f"Read {number}.")
        texts = [text for request in turn.requests for text in request.texts("user")]
        whole = any(form in text for form in _in_two_pieces(prompt) for text in texts)
        kit.expect(whole, f"the prompt {excerpt(prompt)} did not reach the model as it is")


def _in_two_pieces(prompt: str) -> list[str]:
    """The prompt, and how the endpoint shows it when it comes as two blocks of text: with a line end between them."""
    return [prompt, *(f"{prompt[:at]}\n{prompt[at:]}" for at in range(1, len(prompt)))]


@check(
    "TURN-012", level="bronze", must="M19",
    catches="timing.own holds the time the model or the harness works, so that the adapter's overhead is overstated.",
    remedy="Count in timing.own only what the adapter does itself; timing.total is the whole of send().",
    needs=("turns",),
)  # fmt: skip
async def honest_timing(kit: Kit) -> None:
    """A turn at once, and one in which the model takes 1.5 s: `own` must not grow by that.

    Up to three tries, since machines are busy.
    """
    grown = wrong = 0.0
    for number in range(3):
        quick, slow = [
            (
                await kit.send(
                    await kit.shared(), f"Take your time, {kit.canary(f'{number}{delay}')}.", say("Here.", delay)
                )
            )
            for delay in (0.0, THINKING)
        ]
        times = [turn.answered("Here.").result.timing for turn in (quick, slow)]
        grown = times[1].own - times[0].own
        wrong = abs(times[1].total - slow.seconds)
        kit.note(
            f"own {times[0].own:.3f} s and {times[1].own:.3f} s, total {times[1].total:.3f} s of {slow.seconds:.3f} s"
        )
        if grown < THINKING / 2 and wrong <= 0.1 + 0.1 * slow.seconds:
            return
    kit.expect(grown < THINKING / 2, f"timing.own grows by {grown:.2f} s when the model takes {THINKING:g} s longer")
    kit.expect(wrong == 0, f"timing.total is {wrong:.2f} s away from what send() took")


@check(
    "TURN-013", level="gold", must="M32",
    catches="cancel() is declared and does nothing, or the conversation or its files are not what they were before it.",
    remedy="Use the harness's own cancel and see what it leaves in its store; if it has none, declare cancel as unsupported.",
    needs=("turns", "cancel"),
)  # fmt: skip
async def cancel_a_turn(kit: Kit) -> None:
    """Cancelled in mid turn, it returns an error soon, and the next turn works in the same conversation, which is whole."""
    async with kit.plain() as t:
        await _warm(kit, t)
        kept = f"I keep {kit.canary('kept')}."
        (await kit.send(t, f"Keep {kit.canary('asked')}.", read(kit.past.file), say(kept))).answered(kept)
        before = [kit.canary("warm"), kit.canary("asked"), kept]
        if kit.capabilities.update_session:
            before.append(kit.canary("told"))
            await t.told(f"And this: {kit.canary('told')}.")
        file, early = (t.ctx.workspace / name for name in ("cancelled.txt", "early.txt"))
        early.write_text(kit.canary("early"), "utf-8")
        sending = asyncio.create_task(
            kit.send(t, f"Think about {kit.canary()}.", write(file.name, kit.canary("written")), hang())
        )
        came = await t.requested()
        wrote = await _appeared(file)
        turn = await kit.cancelled(t, sending)
        kit.expect(came, "no model request came for the prompt")
        kit.expect(turn.error is not None, f"the cancelled turn has an answer: {excerpt(turn.text)}")
        if wrote:
            file.write_text(kit.canary("brought"), "utf-8")
        again = await kit.send(t, f"And now {kit.canary('next')}?", say("Still here."))
        told = [event.name for event in again.answered("Still here.").result.events if event.kind == "tool_call"]
        kit.expect(not told, f"calls of the cancelled turn are among the events of the next one: {told}")
        undone = wrote and (not file.is_file() or file.read_text("utf-8") != kit.canary("brought"))
        kit.expect(
            not undone, f"{file.name}, which an update changed after the cancelled turn, is as it was before again"
        )
        there = early.is_file() and early.read_text("utf-8") == kit.canary("early")
        kit.expect(there, f"{early.name}, which an update brought before the cancelled turn, is gone")
        for said in before:
            kit.reached(again.requests, said, "what was said before the cancelled turn")


@check(
    "TURN-017",
    level="gold",
    must="M32",
    catches="A turn that is cancelled before its first request goes on unseen: the prompt reaches the model afterwards.",
    remedy="Remember the cancellation until the harness has taken it, or end the harness.",
    needs=("turns", "cancel"),
)
async def cancel_at_once(kit: Kit) -> None:
    """Cancelled early, three times; a cancelled prompt never comes back, and the next turn works."""
    async with kit.plain() as t:
        await _warm(kit, t)
        for delay in (0.02, 0.1, 0.3):
            word = kit.canary(f"after {delay}")
            sending = asyncio.create_task(kit.send(t, f"Think about {word}.", hang()))
            await asyncio.sleep(delay)
            turn = await kit.cancelled(t, sending)
            kit.expect(turn.error is not None, f"the cancelled turn has an answer: {excerpt(turn.text)}")
            seen, following = t.returned, kit.canary(f"next {delay}")
            await asyncio.sleep(QUIET)
            again = await kit.send(t, f"And now {following}?", say("Still here."))
            await asyncio.sleep(QUIET)
            late = [request for request in t.director.requests[seen:] if _haunts(request, word, following, again)]
            kit.expect(
                not late, f"cancelled after {delay:g} s, the prompt was sent to the model when send() had returned"
            )
            again.answered("Still here.")


def _haunts(request: Request, word: str, following: str, again: Turn) -> bool:
    """Whether a request speaks for the cancelled prompt. One whose client has hung up was under way before."""
    says = request.texts("user")[-1:]
    return any(word in text and following not in text for text in says) and (
        request.awaited or request.round == again.round
    )


async def _appeared(file: Path) -> bool:
    """Wait for a file that a turn is to write; there is none where the harness has no tool for that."""
    for _ in range(25):
        await asyncio.sleep(0.2)
        if file.is_file():
            return True
    return False


@check(
    "TURN-015", level="bronze", must="M29",
    catches="A failing model makes send() raise (or the adapter crash) instead of returning an error.",
    remedy="Turn every failure inside send() into TurnResult(error=Failure.of(...)).",
    needs=("turns",),
)  # fmt: skip
async def errors_are_data(kit: Kit) -> None:
    """The model refuses the credential for good."""
    async with kit.plain() as t:
        turn = await kit.send(t, f"Will this work, {kit.canary()}?", fail("401", times=0))
        kit.expect(not turn.raised, f"send() raised {turn.raised} instead of returning it as TurnResult.error")
        kit.expect(turn.error is not None, f"every request was refused, and the answer is {excerpt(turn.text)}")
