"""Each area catches its planted bugs, by exactly the checks that name them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.judge import certify, plan
from claw_adapter.certify.requirements import load
from claw_adapter.reference.adapter import ReferenceHarness

sys.path.insert(0, str(Path(__file__).parent))
import planted

from support.meddling import AnswersWithEarlierWords, CrashesOnRefusals
from support.misbehaving import FramesFiles, TellsThePast, declaring, kind
from support.outsiders import RunsBesideBrokenCalls, WritesHalves

TURNS = ["TURN-003", "TURN-005", "TURN-011", "TURN-015"]
"""Those that need no waiting."""

LIFE = (
    planted.LitteringHarness,
    planted.StrayProcess,
    planted.KeyOnCommandLine,
    planted.Undeclared,
    planted.BusyProbe,
)
PASTS = (planted.LosesHistories, planted.ShortMemory, planted.ForgetsSpeakersTools)
BUGS = {
    LIFE: (["LIFE"], {"LIFE-003", "LIFE-004", "LIFE-008", "LIFE-009", "LIFE-014"}),
    (planted.InventsAnswers, planted.RaisesOnFailure): (TURNS, {"TURN-005", "TURN-015"}),
    (AnswersWithEarlierWords,): (["TURN-005"], {"TURN-005"}),
    (CrashesOnRefusals,): (["FAULT-002", "FAULT-010"], {"FAULT-002", "FAULT-010"}),
    (RunsBesideBrokenCalls,): (["FAULT-008"], {"FAULT-008"}),
    (WritesHalves,): (["FAULT-008"], {"FAULT-008"}),
    PASTS: (["SEED"], {"SEED-005", "SEED-007", "SEED-008"}),
    (planted.NoUsage, planted.Restless): (["TOK"], {"TOK-001", "TOK-004"}),
    (planted.DropsUpdates,): (["PLAN-002"], {"PLAN-002"}),
    (planted.CutsEarlier,): (["RUN-002"], {"RUN-002"}),
}
"""What is planted together, the checks that are asked, and those that name it; ``make mutants`` plants each alone.

What drawn sessions find is in test_plans.py; here it is shown once that a finding fails the check."""


@pytest.mark.slow(10)
@pytest.mark.parametrize("made", BUGS, ids=lambda made: "+".join(one.__name__ for one in made))
async def test_planted_bugs_are_found_by_the_checks_that_name_them(made, tmp_path):
    only, expected = BUGS[made]
    async with Bench(planted.together(*made)(), out=tmp_path, isolation=1, nonce="planted", shrinking=0) as bench:
        results = await certify(bench, plan("gold", only=only))
    failed = {result.id: result.what for result in results if result.outcome != "passed"}
    assert set(failed) == expected, failed
    for result in results:
        if result.outcome != "passed":
            assert result.outcome == "failed", result
            assert result.owner in (
                ("adapter", "harness") if result.id.startswith(("PLAN", "RUN", "FAULT-008")) else ("adapter",)
            ), result
            assert result.remedy, "the author is told what to change"


async def test_it_can_stop_at_the_first_check_that_fails(tmp_path):
    async with Bench(planted.Undeclared(), out=tmp_path, isolation=1, nonce="planted") as bench:
        asked = plan("gold", only=["LIFE"])
        results = await certify(bench, asked, until_failure=True)
    assert [result.outcome for result in results] == ["passed", "passed", "failed"]
    assert len(asked.checks) > len(results)


@pytest.mark.parametrize(
    "made", [declaring(TellsThePast, ("told",)), kind(FramesFiles)], ids=["told as text", "in pieces of 16 letters"]
)
async def test_what_is_sent_in_another_form_is_exported(made, tmp_path):
    async with Bench(made(), out=tmp_path, isolation=1, nonce="planted") as bench:
        results = await certify(bench, plan("silver", only=["TOK-003"]))
    assert [(result.outcome, result.what) for result in results] == [("passed", "")]


HALVES = {
    "silver": ("silver", ("LIFE", "TURN", "SEED", "TOK")),
    "gold": ("gold", ("TURN-013", "TOK-004", "RUN", "PROC", "FAULT", "SEC", "CONC", "ENV")),
}
"""All checks but drawn sessions: those of Silver, and what Gold asks for beyond it. The adapter of test_tutorial.py passes that
of Bronze and the beginning of Silver's, and test_plans.py has the reference play some of Gold."""


@pytest.mark.slow(40)
@pytest.mark.parametrize("half", HALVES)
async def test_the_reference_passes_everything_as_a_child(half, tmp_path):
    level, only = HALVES[half]
    async with Bench(ReferenceHarness(mode="child"), out=tmp_path) as bench:
        results = await certify(bench, plan(level, only=only))
        unverified = {"unverified"} if half == "gold" and bench.isolation < 2 else set()
    assert {result.id: result.what for result in results if result.outcome not in {"passed", *unverified}} == {}


def test_both_halves_are_all_of_gold():
    asked = {check.id for level, only in HALVES.values() for check in plan(level, only=only).checks}
    assert asked == {check for check in load().of("gold") if not check.startswith("PLAN")}


@pytest.mark.slow(15)
async def test_the_reference_passes_over_acp_but_for_plans(tmp_path):
    """Inside this process it is certified in test_reports.py."""
    harness = ReferenceHarness(mode="acp")
    if not harness.probe().ready:
        pytest.skip(harness.probe().reason)
    async with Bench(harness, out=tmp_path) as bench:
        results = await certify(bench, plan("silver", only=["LIFE", "TURN", "SEED", "TOK"]))
    assert {result.id: result.what for result in results if result.outcome != "passed"} == {}
