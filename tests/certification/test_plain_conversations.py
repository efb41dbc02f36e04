"""Checks leave a plain conversation to each other; none fails for what was there before it."""

from __future__ import annotations

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import checks
from claw_adapter.certify.judge import judge
from claw_adapter.protocol import TurnResult
from claw_adapter.reference.adapter import ReferenceHarness


class Tires(ReferenceHarness):
    """After so many turns of a conversation all its answers are the same."""

    turns = 2

    def __init__(self) -> None:
        super().__init__(mode="in-process")
        self.opened = 0

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        self.opened += 1
        send, left = conversation.send, self.turns

        async def tires(prompt, deadline):
            nonlocal left
            left -= 1
            turn = await send(prompt, deadline)
            return turn if left >= 0 else TurnResult(text="tired", timing=turn.timing)

        conversation.send = tires
        return conversation


async def outcomes(harness: Tires, *ids: str) -> list[tuple[str, bool]]:
    """How each check came out, and whether it was judged again."""
    async with Bench(harness, isolation=1) as bench:
        results = [await judge(bench, checks()[name]) for name in ids]
        assert not [trial for trial in bench.trials if trial.spoilt], "what is spoilt serves nobody"
    return [(result.outcome, any("another check" in note for note in result.notes)) for result in results]


async def test_one_conversation_serves_several_checks():
    assert await outcomes(harness := Tires(), *["FAULT-012"] * 2) == [("passed", False)] * 2
    assert harness.opened == 1


async def test_a_check_that_fails_after_others_is_judged_again_in_a_conversation_of_its_own():
    assert await outcomes(harness := Tires(), *["FAULT-012"] * 3) == [("passed", False)] * 2 + [("passed", True)]
    assert harness.opened == 2


async def test_what_fails_in_a_conversation_of_its_own_has_failed():
    harness = Tires()
    harness.turns = 0
    assert await outcomes(harness, *["FAULT-012"] * 2) == [("failed", False)] * 2
    assert harness.opened == 2


async def test_a_failed_turn_leaves_the_next_check_a_reopened_conversation():
    assert await outcomes(harness := Tires(), "FAULT-003", "FAULT-012") == [("passed", False)] * 2
    assert harness.opened == 2
