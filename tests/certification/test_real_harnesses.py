"""What the certification kit covers of the real harnesses runs through the kit, once per harness.

Bronze is in tests/smoke; here is what Silver and Gold ask for beyond it, by area, so that workers share it. OpenClaw takes half
an hour for that and is certified at a release; what its adapter does about faults is in tests/e2e/test_openclaw_acp.py.
"""

from __future__ import annotations

import json

import pytest

from support.real import params
from support.running import claw

AREAS = [("SEED", "TOK"), ("FAULT",), ("PROC", "SEC", "CONC")]
WITH_OPTIONS = {"nanobot": "nanobot:retry_pause=0.05,max_iterations=25"}
"""By default it waits 1, 2 and 4 seconds between its tries, which is meant for the internet, and makes 200 requests in a turn
of which every call is broken."""


@pytest.mark.slow(90)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("areas", AREAS, ids="+".join)
@pytest.mark.parametrize("harness", params("nanobot", "claude-code", "picoclaw"))
def test_it_passes_what_gold_asks_for_beyond_bronze(tmp_path, harness, areas):
    only = [word for area in areas for word in ("--only", area)]
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
    assert {result["id"].partition("-")[0] for result in results} == set(areas)
    assert {result["id"]: result["what"] for result in results if result["outcome"] != "passed"} == {}
