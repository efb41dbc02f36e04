"""TURN-017 finds a prompt that comes back whenever it comes back, and never accuses one that was only caught late."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from mutants.base import wrapped
from mutants.habits import ComesBackAfterACancel

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import checks
from claw_adapter.certify.judge import judge
from claw_adapter.reference.adapter import ReferenceHarness


async def judged(harness):
    async with Bench(harness, isolation=1) as bench:
        return await judge(bench, checks()["TURN-017"])


@pytest.mark.parametrize("after", [0.0, 0.01, 0.3])
async def test_a_cancelled_prompt_that_comes_back_is_found(after):
    kind = type("ComesBack", (ComesBackAfterACancel,), {"after": after})
    found = await judged(wrapped(kind, inside=True)())
    assert found.outcome == "failed"
    assert "the prompt was sent to the model when send() had returned" in found.what


@pytest.mark.parametrize("mode", ["child", "in-process"])
async def test_a_harness_that_gets_no_time_before_it_is_cancelled_passes(mode):
    class Slow(ReferenceHarness):
        """Its child is not scheduled for a moment, as on a busy machine."""

        async def open(self, ctx, checkpoint=None):
            conversation = await super().open(ctx, checkpoint)
            send = conversation.send

            async def slow(prompt, deadline):
                if mode == "child" and "Think" in prompt:
                    pid = conversation._child.process.pid
                    os.kill(pid, signal.SIGSTOP)
                    asyncio.get_running_loop().call_later(0.06, os.kill, pid, signal.SIGCONT)
                return await send(prompt, deadline)

            conversation.send = slow
            return conversation

    found = await judged(Slow(mode=mode))
    assert found.outcome == "passed", found.what
