"""What the certification kit covers of the real harnesses runs through the kit, once per harness.

Bronze is in tests/smoke; here is what Silver and Gold ask for beyond it, in parts, so that workers share it: of plans only the
beginnings of two. It is not done again by hand in tests/e2e, where stands what is peculiar to an adapter. OpenClaw takes half
an hour for it and is certified at a release; what its adapter does about faults is in tests/e2e/test_openclaw_acp.py.
"""

from __future__ import annotations

import json

import pytest

from claw_adapter.certify.judge import plan
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.plugins import create
from claw_adapter.sandbox import detect
from support.plans import beginning, past_and_updates
from support.real import params
from support.running import claw

PARTS = [("SEED", "TOK", "TURN-013"), ("FAULT",), ("PROC", "SEC", "CONC")]
WITH_OPTIONS = {
    "nanobot": "nanobot:retry_pause=0.05,max_iterations=10",
    "claude-code": "claude-code:retries=1,max_requests=10",
}
"""By default they wait seconds between their tries, which is meant for the internet, and make hundreds of requests in a turn
of which every call is broken."""
FOUND_IN_PLANS = ["SEED-007", "SEED-008", "TOK-001", "TOK-003", "CONC-001"]
ELSEWHERE = {
    "nanobot": [*(f"FAULT-{n:03d}" for n in (1, 2, 3, 4, 5, 6, 7, 9, 10, 11)), *FOUND_IN_PLANS],
    "claude-code": ["FAULT-002", "FAULT-004", "FAULT-010", *FOUND_IN_PLANS],
}
"""Failures that tests/e2e/test_nanobot_modes.py plays one behind the other, with a class for each that is exact. Those of
Claude Code that a status tells: one of each class is in tests/e2e/test_claude_code_faults.py and test_claude_code_acp.py, every
status in tests/unit/test_claude_code_adapter.py. And what the drawn sessions below would find: a past or a turn that is not in
the sessions that are given out, for they are opened again; usage that differs; words of another conversation at once."""


@pytest.mark.slow(90)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", PARTS, ids="+".join)
@pytest.mark.parametrize("harness", params("nanobot", "claude-code", "picoclaw"))
def test_it_passes_what_gold_asks_for_beyond_bronze(tmp_path, harness, part):
    asked = [one.id for one in plan("gold", only=part).checks if one.id not in ELSEWHERE.get(harness, [])]
    only = [word for name in asked for word in ("--only", name)]
    done = claw(
        "certify",
        WITH_OPTIONS.get(harness, harness),
        *only,
        "--deadline",
        "240",
        "--out",
        tmp_path / "c",
        "--json",
        check=False,
    )
    results = json.loads(done.stdout)["results"]
    assert [result["id"] for result in results] == asked
    assert {result["id"]: result["what"] for result in results if result["outcome"] != "passed"} == {}


@pytest.mark.slow(40)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("harness", params("nanobot", "claude-code", "picoclaw"))
async def test_a_drawn_session_with_updates_and_restarts_has_no_finding(harness):
    """And a few turns of another at the same time, so that nothing of the one is in the other."""
    plans = [past_and_updates(), beginning(draw("beside", 1, "silver"), 4)]
    runner = PlanRunner(create("harness", harness), isolation=int(detect().level), deadline=240)
    found = await runner.outcomes(plans, at_once=2)
    for drawn, outcome in zip(plans, found, strict=True):
        assert (outcome.keys, outcome.unjudged, outcome.rounds) == (set(), "", len(drawn.turns)), outcome.findings
