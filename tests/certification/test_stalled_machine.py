"""A machine that stands still for a moment, or is full, fails no harness that is in time; one that is always late fails."""

import time

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import checks
from claw_adapter.certify.judge import judge
from claw_adapter.certify.trial import KitTrial
from claw_adapter.certify.watch import LivingProcess
from claw_adapter.errors import InternalError, MachineError, SandboxError
from claw_adapter.reference.adapter import ReferenceHarness

LATE = 1.2


class Stalls(ReferenceHarness):
    """Stands still after the first `times` deadlines, or constructions, that pass."""

    times = 0
    made = 0

    def __init__(self) -> None:
        super().__init__(mode="in-process")
        kind = type(self)
        kind.made += 1
        if 1 < kind.made <= 1 + self.times:
            time.sleep(LATE)

    async def open(self, ctx, checkpoint=None):
        conversation, kind = await super().open(ctx, checkpoint), type(self)
        send = conversation.send

        async def stalls(prompt, deadline):
            turn = await send(prompt, deadline)
            if turn.error is not None and kind.times:
                kind.times -= 1
                time.sleep(LATE)  # noqa: ASYNC251 - nothing else gets on meanwhile
            return turn

        conversation.send = stalls
        return conversation


async def judged(times: int, check: str):
    async with Bench(type("Stalls", (Stalls,), {"times": times})(), isolation=1) as bench:
        return await judge(bench, checks()[check])


@pytest.mark.parametrize("check", ["LIFE-002", "TURN-008", "TURN-009"])
@pytest.mark.parametrize(("times", "outcome"), [(1, "passed"), (99, "failed")])
async def test_three_tries(check, times, outcome):
    found = await judged(times, check)
    assert found.outcome == outcome, found.what


async def test_what_has_been_killed_is_given_the_time_to_be_gone(monkeypatch):
    """One look right after close() would accuse the adapter of a process that the system is still taking down."""
    looks = []
    left = [[LivingProcess(1, "dying")], [LivingProcess(1, "dying")], []]
    monkeypatch.setattr("claw_adapter.certify.trial.processes", lambda marker: looks.append(marker) or left.pop(0))
    async with Bench(ReferenceHarness(mode="in-process"), isolation=1) as bench:
        trial = await bench.trial(name="one")
        assert isinstance(trial, KitTrial)
        closed = await trial.close()
        assert len(looks) == 3
        assert closed.survivors == ()


@pytest.mark.parametrize(
    ("error", "outcome", "owner"),
    [(MachineError, "unverified", ""), (InternalError, "kit", "kit"), (SandboxError, "failed", "adapter")],
)
@pytest.mark.parametrize("where", ["open", "send"])
async def test_what_the_machine_did_not_give_is_no_finding_and_never_a_pass(error, outcome, owner, where):
    class Short(ReferenceHarness):
        async def open(self, ctx, checkpoint=None):
            async def send(_prompt, _deadline):
                raise error("no space left")

            if where == "open":
                await send("", 0)
            conversation = await super().open(ctx, checkpoint)
            conversation.send = send
            return conversation

    async with Bench(Short(mode="in-process"), isolation=1) as bench:
        found = await judge(bench, checks()["TURN-009"])
    assert (found.outcome, found.owner) == (outcome, owner)
    assert "no space left" in found.what
