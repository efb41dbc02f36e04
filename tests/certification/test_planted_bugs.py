"""Each area catches its planted bugs, by exactly the checks that name them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.judge import certify, plan

sys.path.insert(0, str(Path(__file__).parent))
import planted

from support.meddling import AnswersWithEarlierWords, CrashesOnRefusals
from support.misbehaving import TellsThePast, declaring

TURNS = ["TURN-003", "TURN-005", "TURN-011", "TURN-015"]
"""Those that need no waiting."""

BUGS = {
    planted.LitteringHarness: (["LIFE"], {"LIFE-008"}),
    planted.StrayProcess: (["LIFE"], {"LIFE-009"}),
    planted.KeyOnCommandLine: (["LIFE-006", "LIFE-014"], {"LIFE-014"}),
    planted.Undeclared: (["LIFE"], {"LIFE-003"}),
    planted.BusyProbe: (["LIFE"], {"LIFE-004"}),
    planted.with_conversation(planted.Banner): (["PLAN-001"], {"PLAN-001"}),
    planted.with_conversation(planted.InventsAnswers): (TURNS, {"TURN-005"}),
    planted.with_conversation(planted.DoubleEvents): (["PLAN-001"], {"PLAN-001"}),
    planted.with_conversation(planted.Forgetful): (["PLAN-001"], {"PLAN-001"}),
    planted.with_conversation(planted.RaisesOnFailure): (TURNS, {"TURN-015"}),
    planted.with_conversation(AnswersWithEarlierWords): (["TURN-005"], {"TURN-005"}),
    planted.with_conversation(CrashesOnRefusals): (["FAULT-002", "FAULT-010"], {"FAULT-002", "FAULT-010"}),
    planted.LosesHistories: (["SEED"], {"SEED-007"}),
    planted.ShortMemory: (["SEED"], {"SEED-005"}),
    planted.with_conversation(planted.ForgetsSpeakersTools): (["SEED"], {"SEED-008"}),
    planted.with_conversation(planted.DropsUpdates): (["PLAN-002"], {"PLAN-002"}),
    planted.with_conversation(planted.UpdatesTwice): (["PLAN-002"], {"PLAN-002"}),
    planted.with_conversation(planted.CachesFiles): (["PLAN-001"], {"PLAN-001"}),
    planted.with_conversation(planted.DoubleUsage): (["PLAN-001"], {"PLAN-001"}),
    planted.with_conversation(planted.NoUsage): (["TOK"], {"TOK-001"}),
    planted.with_conversation(planted.Restless): (["TOK"], {"TOK-004"}),
}


@pytest.mark.parametrize("kind", BUGS, ids=lambda kind: kind.__name__)
async def test_a_planted_bug_is_found_by_the_checks_that_name_it(kind, tmp_path):
    only, expected = BUGS[kind]
    async with Bench(kind(), out=tmp_path, isolation=1, nonce="planted", shrinking=0) as bench:
        results = await certify(bench, plan("gold", only=only))
    failed = {result.id: result.what for result in results if result.outcome != "passed"}
    assert set(failed) == expected, failed
    for result in results:
        if result.outcome != "passed":
            assert result.outcome == "failed", result
            assert result.owner in (("adapter", "harness") if result.id.startswith("PLAN") else ("adapter",)), result
            assert result.remedy, "the author is told what to change"


async def test_it_can_stop_at_the_first_check_that_fails(tmp_path):
    async with Bench(planted.Undeclared(), out=tmp_path, isolation=1, nonce="planted") as bench:
        asked = plan("gold", only=["LIFE"])
        results = await certify(bench, asked, until_failure=True)
    assert [result.outcome for result in results] == ["passed", "passed", "failed"]
    assert len(asked.checks) > len(results)


async def test_the_reference_passes_everything_inside_this_process(tmp_path):
    from claw_adapter.reference.adapter import ReferenceHarness

    async with Bench(ReferenceHarness(mode="in-process"), out=tmp_path) as bench:
        results = await certify(bench, plan("silver"))
    assert {result.id: result.what for result in results if result.outcome != "passed"} == {}


async def test_a_past_that_is_told_as_text_is_sent_and_exported(tmp_path):
    made = declaring(TellsThePast, ("told",))
    async with Bench(made(), out=tmp_path, isolation=1, nonce="planted") as bench:
        results = await certify(bench, plan("silver", only=["TOK-003"]))
    assert [(result.outcome, result.what) for result in results] == [("passed", "")]


@pytest.mark.slow(15)
@pytest.mark.parametrize("mode", ["child", "acp"])
async def test_the_reference_passes_everything_as_a_child(mode, tmp_path):
    from claw_adapter.reference.adapter import ReferenceHarness

    harness = ReferenceHarness(mode=mode)
    if not harness.probe().ready:
        pytest.skip(harness.probe().reason)
    async with Bench(harness, out=tmp_path) as bench:
        results = await certify(bench, plan("silver"))
    assert {result.id: result.what for result in results if result.outcome != "passed"} == {}
