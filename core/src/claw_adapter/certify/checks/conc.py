"""CONC: several conversations at once, none of which knows of another."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Final

from claw_adapter.certify.check import check
from claw_adapter.certify.kit import Kit
from claw_adapter.certify.script import hang, read, say
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.turn import excerpt
from claw_adapter.certify.world import session

MANY: Final = 8
BESIDE: Final = 8.0
"""Seconds that a model takes in one conversation while another has a turn."""


@contextlib.asynccontextmanager
async def _several(kit: Kit, number: int) -> AsyncIterator[list[KitTrial]]:
    """So many conversations, opened at once, each with a past and a file of its own."""
    async with contextlib.AsyncExitStack() as stack:
        trials = [
            kit.trial(
                main=session("main", f"Seed {_word(kit, n, 'seed')}.", "Yes."),
                files={kit.past.file: _word(kit, n, "file")},
            )
            for n in range(number)
        ]
        yield list(await asyncio.gather(*(stack.enter_async_context(trial) for trial in trials)))


def _word(kit: Kit, number: int, place: str) -> str:
    """A word of its own; the last two of many have the same, as trials have that are repeated."""
    return kit.canary(f"{place} {min(number, MANY - 2)}")


def _no_crosstalk(kit: Kit, trials: list[KitTrial]) -> None:
    """No conversation's requests hold anything of another's."""
    for number, trial in enumerate(trials):
        text = "\n".join(request.text for request in trial.requests())
        for other in range(len(trials)):
            for place in ("seed", "file", "said"):
                word = _word(kit, other, place)
                kit.expect(
                    word not in text or word == _word(kit, number, place),
                    f"conversation {number + 1} of {len(trials)} saw the {place} of {other + 1}",
                )


@check(
    "CONC-001", level="gold", must="M25",
    catches="Conversations that run at once share a session, a port, a lock or a configuration file.",
    remedy="Derive every name, port and path from ctx.state_dir; keep nothing in globals or in the Harness object.",
    needs=("turns", "concurrent"),
)  # fmt: skip
async def eight_at_once(kit: Kit) -> None:
    """Eight conversations of two turns each, at the same time; two are asked the same, and answer otherwise."""
    async with _several(kit, MANY) as trials:

        async def talk(number: int, trial: KitTrial) -> None:
            first = await kit.send(trial, f"Remember {_word(kit, number, 'said')}.", say("Yes."))
            first.answered("Yes.")
            turn = await kit.send(
                trial, f"Read it, {_word(kit, number, 'again')}.", read(kit.past.file), say(f"Read {number}.")
            )
            turn.answered(f"Read {number}.")
            for place in ("seed", "said", "file"):
                kit.reached(turn.requests, _word(kit, number, place), f"its own {place}")

        await asyncio.gather(*(talk(number, trial) for number, trial in enumerate(trials)))
        _no_crosstalk(kit, trials)


@check(
    "CONC-003", level="gold", must="M26",
    catches="A turn, cancel() or close() of one conversation waits for another's turn, ends it, or ends its processes.",
    remedy="End only what this conversation has started, and let no turn wait for another conversation's.",
    needs=("turns", "isolation_of_state"),
)  # fmt: skip
async def closing_one_of_two(kit: Kit) -> None:
    """One is in mid turn while the other has one, and is closed; afterwards the first still takes a prompt."""
    async with _several(kit, 2) as (one, two):
        (await kit.send(one, f"Hello, {kit.canary('one')}.", say("Hello."))).answered("Hello.")
        if kit.capabilities.concurrent and kit.capabilities.cancel:
            await _cancelling_one(kit, one, two)
        pause = BESIDE if kit.capabilities.concurrent else 2.0
        sending = asyncio.create_task(kit.send(two, f"Take your time, {kit.canary('two')}.", say("Done.", delay=pause)))
        kit.expect(await two.requested(), "no model request came for the prompt")
        if kit.capabilities.concurrent:
            (await kit.send(one, f"And you, {kit.canary('beside')}?", say("I am here."))).answered("I am here.")
            kit.expect(not sending.done(), "a turn was done only when that of another conversation was")
        closed = await one.close()
        kit.expect(not closed.error, f"close() raised {closed.error}", broken=True)
        (await sending).answered("Done.")
        (await kit.send(two, f"Still there, {kit.canary('still')}?", say("Yes."))).answered("Yes.")


async def _cancelling_one(kit: Kit, one: KitTrial, two: KitTrial) -> None:
    """The turn that was begun first is cancelled while the other conversation has one."""
    held = asyncio.create_task(kit.send(one, f"Think about {kit.canary('held')}.", hang()))
    kit.expect(await one.requested(), "no model request came for the prompt")
    beside = asyncio.create_task(kit.send(two, f"Go on, {kit.canary('goes on')}.", say("Gone on.", delay=BESIDE / 4)))
    kit.expect(await two.requested(), "no model request came for the prompt")
    turn = await kit.cancelled(one, held)
    kit.expect(turn.error is not None, f"the cancelled turn has an answer: {excerpt(turn.text)}")
    (await beside).answered("Gone on.")
