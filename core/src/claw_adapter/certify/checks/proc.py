"""PROC: what a harness prints, starts and is told may be of any size and form."""

from __future__ import annotations

import asyncio
import contextlib
import re
from pathlib import Path
from typing import Final

from claw_adapter.certify.check import check
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import read, run, say

FLOOD: Final = 200_000_000
RESET_PEAK: Final = "5"
"""Written into ``/proc/self/clear_refs`` it makes the peak that of now; see proc(5)."""
MORE_MEMORY: Final = 64 * 1024 * 1024
PROMPT: Final = 1_000_000
TURNS: Final = 8
HELD: Final = 15.0
"""Seconds for a turn whose command leaves a process behind: many times what two requests and a shell take. A harness that
waits for that process waits for ever, which a longer deadline would not tell better."""


@check(
    "PROC-001", level="gold", must="M33",
    catches="200 MB of output are kept in memory, or held in a pipe that nobody reads until everything stands still.",
    remedy="Read output as it comes and keep a bounded part of it; the drivers of the context do that.",
    needs=("turns",),
)  # fmt: skip
async def flood_of_output(kit: Kit) -> None:
    """A command of the agent prints 200 MB."""
    async with kit.plain() as t:
        (await kit.send(t, f"Are you there, {kit.canary('warm')}?", say("Yes."))).answered()
        before = _peak(anew=True)
        command = f"head -c {FLOOD} /dev/zero | tr '\\0' x"
        turn = await kit.send(t, f"Flood it, {kit.canary()}.", run(command), say("Flooded."))
        grown = max(0, _peak() - before)
        kit.note(f"peak memory grew by {grown / 1e6:.0f} MB in {turn.seconds:.1f} s")
        kit.expect(turn.deeds and turn.deeds[0].possible, "the harness offered no tool that runs a command")
        if turn.error is not None:
            kit.expect(
                turn.error.owner == "harness", f"it ends in {turn.error.owner}: {turn.error.kind}: {turn.error.what}"
            )
            kit.warn(f"the turn ends in {turn.error.kind}: {turn.error.what}")
        else:
            turn.answered("Flooded.")
        if not kit.harness.runs_inside:
            kit.expect(
                grown <= MORE_MEMORY, f"our peak memory grew by {grown / 1e6:.0f} MB, {MORE_MEMORY / 1e6:.0f} may be"
            )
        await t.close()  # what has such a past is nothing for the next check


def _peak(*, anew: bool = False) -> int:
    """Bytes of memory that we had at most, since the start or since the last time `anew` was given."""
    if anew:
        with contextlib.suppress(OSError):  # then it is the peak since the start, which is the weaker check
            Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) * 1024 if found else 0


@check(
    "PROC-002", level="gold", must="M33",
    catches="Output that is no UTF-8, or holds NUL and control characters, raises in the adapter or stops the turn.",
    remedy="Decode with errors='replace' at the one place where bytes become text.",
    needs=("turns",),
)  # fmt: skip
async def output_that_is_no_text(kit: Kit) -> None:
    """A command of the agent prints bytes that are no text."""
    t = await kit.shared()
    command = r"printf 'a\377\376\000\033[2J\b end'"
    turn = await kit.send(t, f"Print bytes, {kit.canary()}.", run(command), say("Printed."))
    turn.answered("Printed.")
    turn.deed()
    try:
        turn.result.model_dump_json().encode()
    except ValueError as error:
        kit.expect(False, f"the turn's result holds something that is no text: {error}")


@check(
    "PROC-003", level="gold", must="M26",
    catches="A process that the agent left in the background holds a pipe: the turn, or close(), waits for it, or it lives on.",
    remedy="Wait for the reply, not for the end of the output; end everything in close() with Process.stop().",
    needs=("turns",),
)  # fmt: skip
async def held_pipe(kit: Kit) -> None:
    """A command of the agent leaves a process behind that keeps its output open."""
    async with kit.plain() as t:
        turn = await kit.send(
            t, f"Leave it running, {kit.canary()}.", run("setsid sleep 617 & echo started"), say("Left."), deadline=HELD
        )  # fmt: skip
        kit.note(f"the turn took {turn.seconds:.1f} s")
        if turn.error is not None:
            kit.warn(f"the turn ends in {turn.error.kind}: the harness itself waits for what its command left")
            kit.expect(turn.error.owner == "harness", f"it ends in {turn.error.owner}: {turn.error.kind}")
        closed = await t.close()
        kit.expect(not closed.error, f"close() raised {closed.error}", broken=True)
        left = [item.command for item in closed.survivors]
        kit.expect(not left, f"after close() these still run: {left}")


@check(
    "PROC-004", level="gold", must="M26",
    catches="Every turn leaves a process, so that a scenario of thirty rounds ends with thirty of them.",
    remedy="End what a turn has started when the turn ends, or use it again in the next.",
    needs=("turns",),
)  # fmt: skip
async def turns_leave_nothing(kit: Kit) -> None:
    """After eight turns there are no more processes than after one."""
    async with kit.plain(first=True) as t:
        counts = []
        for number in range(TURNS):
            prompt = f"Read the plan, {kit.canary(str(number))}."
            (await kit.send(t, prompt, read(kit.past.file), say(f"Read {number}."))).answered(f"Read {number}.")
            await asyncio.sleep(0.1)
            counts.append(len(t.processes()))
    kit.note(f"processes after each turn: {counts}")
    kit.expect(max(counts[TURNS // 2 :]) <= max(counts[:2]) + 1, f"processes after each of {TURNS} turns: {counts}")


@check(
    "PROC-005", level="gold", must="M13",
    catches="A long prompt is cut in silence: by an argument's limit, a terminal's line, a buffer, or the harness's own limit.",
    remedy="Deliver prompts by a file, a pipe or a protocol; where the harness cannot take them whole, return a typed error.",
    needs=("turns",),
)  # fmt: skip
async def prompt_of_a_megabyte(kit: Kit) -> None:
    """Whole, or a typed error; what is answered was delivered whole."""
    async with kit.plain() as t:
        ends = [kit.canary("start"), kit.canary("middle"), kit.canary("end")]
        filler = "".join(f"line {number:06d} of a long prompt\n" for number in range(PROMPT // 64))
        prompt = f"{ends[0]}\n{filler}{ends[1]}\n{filler}{ends[2]}"
        turn = await kit.send(t, prompt, say("All of it."))
        if turn.error is not None:
            kit.note(f"refused: {turn.error.kind}: {turn.error.what[:200]}")
            kit.expect(
                turn.error.kind != "DeadlineExceeded", f"after {turn.seconds:.0f} s there is no answer and no reason"
            )
            kit.expect(
                turn.error.owner != "internal", f"the error has no class: {turn.error.kind}: {turn.error.what[:200]}"
            )
            return
        await t.close()  # what has such a past is nothing for the next check
        turn.answered("All of it.")
        whole = any(prompt in text for request in turn.requests for text in request.texts("user"))
        missing = [word for word in ends if not any(word in request.text for request in turn.requests)]
        kit.expect(
            whole, f"a prompt of {len(prompt)} characters was answered, and did not reach the model whole: {missing}"
        )
