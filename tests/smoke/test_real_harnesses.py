"""Every real harness, in minutes: Bronze of the certification, or the demo where it has no adapter of its own."""

from __future__ import annotations

import json

import pytest

from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.certify.requirements import load
from claw_adapter.plugins import create
from claw_adapter.sandbox import detect
from support.demo import right_demo
from support.plans import beginning
from support.real import params
from support.running import claw

PINNED = ["--nonce", "smoke", "--deadline", "240"]
"""The same drawn session every time, so that a test fails for what was changed."""
STARTS = ["LIFE-007", "LIFE-008", "LIFE-012", "LIFE-013", "LIFE-014"]
"""Checks that start OpenClaw anew. The same is looked at in tests/e2e: what a closed conversation leaves and where its key is,
in test_openclaw_turns.py; a second conversation behind one that was killed and closed, in test_killed_harness.py."""
FAILS = ["TURN-005", "TURN-015"]
"""Checks whose turns fail, and that start it three times for it: the same failures are in tests/e2e, in test_openclaw_acp.py
a refused key and an empty reply, in test_openclaw_turns.py no word behind a text with a call."""
WAITS = ["TURN-008"]
"""A check that waits for a deadline of twice its first turn, and starts it anew: that a deadline is kept is asked by TURN-009;
a failure ends the gateway (tests/unit/test_openclaw_adapter.py) as closing it does, after which nothing of it is alive
(test_openclaw_acp.py, test_openclaw_turns.py), sessions of their own included (tests/faults/test_process_run.py)."""


@pytest.mark.slow(30)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("harness", params("opencode", "qwen-code"))
def test_every_round_of_the_demo_is_right_and_all_evidence_arrives(tmp_path, harness):
    right_demo(harness, tmp_path / "run")


@pytest.mark.slow(110)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("harness", params("nanobot", "claude-code", "picoclaw"))
def test_it_passes_bronze(tmp_path, harness):
    done = claw("certify", harness, "--level", "bronze", *PINNED, "--out", tmp_path / "c", "--json")
    report = json.loads(done.stdout)
    assert (report["reached"], report["ok"]) == ("bronze", True)
    assert {result["outcome"] for result in report["results"]} == {"passed"}


@pytest.mark.slow(130)
@pytest.mark.timeout(900)
@pytest.mark.real("openclaw")
def test_openclaw_passes_what_one_conversation_serves_of_bronze(tmp_path):
    """It takes twenty seconds to start: what starts it anew for each check is elsewhere."""
    asked = [check for check in load().bronze if check not in [*STARTS, *FAILS, *WAITS, "PLAN-001"]]
    only = [word for check in asked for word in ("--only", check)]
    done = claw("certify", "openclaw", *only, *PINNED, "--out", tmp_path / "c", "--json", check=False)
    outcomes = {result["id"]: result["outcome"] for result in json.loads(done.stdout)["results"]}
    assert outcomes == dict.fromkeys(asked, "passed")


@pytest.mark.slow(60)
@pytest.mark.timeout(600)
@pytest.mark.real("openclaw")
async def test_openclaw_has_no_finding_in_the_beginning_of_a_drawn_session():
    """The first fifteen turns of what PLAN-001 plays."""
    drawn = beginning(draw("smoke", 0, "bronze"), 15)
    runner = PlanRunner(create("harness", "openclaw"), isolation=int(detect().level), deadline=240)
    (outcome,) = await runner.outcomes([drawn])
    assert (outcome.keys, outcome.unjudged, outcome.rounds) == (set(), "", len(drawn.turns)), outcome.findings
