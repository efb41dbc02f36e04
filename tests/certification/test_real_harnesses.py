"""What the certification kit covers of the real harnesses runs through the kit, once per harness.

Bronze is in tests/smoke; here is what Silver and Gold ask for beyond it, in parts, so that workers share it: all but PLAN-003,
whose sessions are those of PLAN-002 with the faults and kills of FAULT. It is not done again by hand in tests/e2e, where stands
what is peculiar to an adapter. OpenClaw takes half an hour for it and is certified at a release; what its adapter does about
faults is in tests/e2e/test_openclaw_acp.py.
"""

from __future__ import annotations

import json

import pytest

from support.real import params
from support.running import claw

PARTS = [("SEED", "TOK", "PLAN-002", "TURN-013"), ("FAULT",), ("PROC", "SEC", "CONC")]
WITH_OPTIONS = {
    "nanobot": "nanobot:retry_pause=0.05,max_iterations=25",
    "claude-code": "claude-code:retries=1,max_requests=25",
}
"""By default they wait seconds between their tries, which is meant for the internet, and make hundreds of requests in a turn
of which every call is broken."""


@pytest.mark.slow(90)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("part", PARTS, ids="+".join)
@pytest.mark.parametrize("harness", params("nanobot", "claude-code", "picoclaw"))
def test_it_passes_what_gold_asks_for_beyond_bronze(tmp_path, harness, part):
    only = [word for name in part for word in ("--only", name)]
    done = claw(
        "certify",
        WITH_OPTIONS.get(harness, harness),
        *only,
        "--nonce",
        "parts",
        "--deadline",
        "240",
        "--out",
        tmp_path / "c",
        "--json",
        check=False,
    )
    results = json.loads(done.stdout)["results"]
    assert {result["id"].partition("-")[0] for result in results} == {name.partition("-")[0] for name in part}
    assert {result["id"]: result["what"] for result in results if result["outcome"] != "passed"} == {}
