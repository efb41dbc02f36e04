"""What a harness is told around the prompts of a certification is what it is told in an ordinary run."""

from __future__ import annotations

import asyncio
import json
import re
import tempfile

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.demand import CheckFinding
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.errors import HarnessNotFound
from claw_adapter.reference.adapter import ReferenceHarness
from support.running import experiment, run_experiment

NONCES = ("one", "two", "three", "four")


class Watching(ReferenceHarness):
    """Notes what it is told, and does not come up."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[dict[str, object]] = []
        self.values: set[str] = set()

    async def open(self, ctx, checkpoint=None):
        command = ctx._command(["/bin/true"], None, (), None)
        self.told.append({
            "names": [ctx.trial, ctx.scenario, ctx.log.name, ctx.endpoint.url],
            "options": dict(ctx.options),
            "paths": [ctx.workspace, ctx.state_dir, tempfile.gettempdir(), command.cwd, command.argv],
            "environment": dict(command.env or {}), "mark": ctx.marker, "key": ctx.endpoint.key[:8],
            "sessions": [[one.id, one.kind, *(m.id for m in one.messages)] for one in (ctx.main, *ctx.histories)],
        })  # fmt: skip
        self.values |= {f"seed {ctx.seed}", f"window {ctx.endpoint.window}"}
        self.values |= {str(message.time) for one in (ctx.main, *ctx.histories) for message in one.messages}
        raise HarnessNotFound("it only wanted to know")

    def said(self) -> set[str]:
        """Its words of four letters and more, and values that mean something as a whole."""
        return {*re.findall(r"[A-Za-z]{4,}", json.dumps(self.told, default=str)), *self.values}


@pytest.fixture(scope="module")
def ordinary(tmp_path_factory) -> set[str]:
    """What is told in a run."""
    harness, root = Watching(), tmp_path_factory.mktemp("ordinary") / "runs" / "demo-1a2b3c4d"
    asked = experiment("demo", harnesses=["reference"], settings={"isolation": 1})
    asyncio.run(run_experiment(root, asked, harnesses={"reference": harness}))
    return harness.said()


async def checked(nonce: str) -> set[str]:
    """What the conversations of checks are told."""
    harness = Watching()
    async with Bench(harness, nonce=nonce, isolation=1) as bench:
        with pytest.raises(CheckFinding):
            await bench.shared()
    return harness.said()


async def planned(nonce: str) -> set[str]:
    """What drawn plans are told."""
    harness = Watching()
    await PlanRunner(harness, isolation=1).outcomes([draw(nonce, 0, "silver")])
    return harness.said()


@pytest.mark.parametrize("told", [checked, planned])
async def test_nothing_that_all_certifications_say_tells_them_from_a_run(told, ordinary):
    seen = [await told(nonce) for nonce in NONCES]
    assert set.intersection(*seen) - ordinary == set()
