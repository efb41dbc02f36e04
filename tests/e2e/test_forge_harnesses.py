"""ClawForge through real harnesses: a few tasks each, the policies' choices, the controls, and no tool beside the world.

A larger run: ``claw forge run --mode shim --through NAME --sample 51 -o FILE``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter import plugins
from claw_adapter.sandbox import detect
from claw_adapter_forge.proof.replay import drive
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.shim.harnesses import FITS
from claw_adapter_forge.shim.policies import Job, ShimSettings, run_policies
from claw_adapter_forge.surfaces.words import split_words
from claw_adapter_forge.generator.task_sets import generate
from claw_adapter_forge.tasks.spec import ForgeTask

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext
from nanobot_endpoint import ScriptedEndpoint, say

from support.real import params

HARNESSES = ("nanobot", "openclaw", "claude-code")
pytestmark = [pytest.mark.slow(30), pytest.mark.timeout(600)]


async def run(plan: list[Job], harness: str, *, blank: bool = False) -> list[RunRecord]:
    records: list[RunRecord] = []
    settings = ShimSettings(through=harness, isolation=int(detect().level), blank=blank)
    await run_policies(plan, settings, records.append)
    return records


@pytest.fixture(scope="module")
def tasks() -> list[ForgeTask]:
    """One that writes a file by an absolute path, one about recurring checks."""
    found = {t.number: t for t in generate("paper362", 0)}
    return [found[2], found[103]]


@pytest.mark.parametrize("harness", params(*HARNESSES))
async def test_policies_do_through_a_real_harness_what_they_do_alone(harness: str, tasks: list[ForgeTask]) -> None:
    plan = [("careful", tasks[0], 0), ("re-creator", tasks[1], 0)]
    records = await run(plan, harness)
    for record, (policy, task, _) in zip(records, plan, strict=True):
        assert record.failure == ""
        assert [split_words(s.command) for s in record.steps] == [
            split_words(e.line) for e in drive(task, policy).executions
        ]
        assert (record.strict, record.bypasses) == (policy == "careful", ())


async def test_nanobot_does_not_offer_tools_that_were_denied(tmp_path: Path) -> None:
    denied = FITS["nanobot"].options["tools_denied"]
    with ScriptedEndpoint(say("done")) as server:
        context = SmallContext(tmp_path / "t", server.url)
        async with await plugins.create("harness", "nanobot", FITS["nanobot"].options_for(tmp_path)).open(
            context
        ) as conversation:
            assert (await conversation.send("hello", 60)).error is None
        offered = {tool["function"]["name"] for tool in server.requests[0]["tools"]}
    assert {"exec", "read_file", "write_file"} <= offered
    assert not offered & set(denied)


@pytest.mark.parametrize("harness", params("nanobot", "claude-code"))
async def test_with_blanked_output_the_careful_policy_fails(harness: str, tasks: list[ForgeTask]) -> None:
    (record,) = await run([("careful", tasks[1], 0)], harness, blank=True)
    assert (record.strict, record.failure) == (False, "")
    assert record.steps
