"""Every real harness, in minutes: Bronze of the certification, or the demo where it has no adapter of its own."""

from __future__ import annotations

import json

import pytest

from claw_adapter.certify.requirements import load
from support.demo import right_demo
from support.real import params
from support.running import claw

PINNED = ["--nonce", "smoke", "--deadline", "240"]
"""The same drawn session every time, so that a test fails for what was changed."""


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


PLAIN = ["LIFE-007", "LIFE-008", *(f"LIFE-{n:03d}" for n in range(10, 15)), "TURN-005", "TURN-015"]
PARTS = {"plain": PLAIN, "shared": [check for check in load().bronze if check not in PLAIN]}
"""Bronze for OpenClaw, which takes twenty seconds to start: what one conversation serves stays together."""


@pytest.mark.slow(200)
@pytest.mark.timeout(900)
@pytest.mark.real("openclaw")
@pytest.mark.parametrize("part", PARTS)
def test_openclaw_passes_bronze_in_two_parts(tmp_path, part):
    only = [word for check in PARTS[part] for word in ("--only", check)]
    done = claw("certify", "openclaw", *only, *PINNED, "--out", tmp_path / "c", "--json", check=False)
    outcomes = {result["id"]: result["outcome"] for result in json.loads(done.stdout)["results"]}
    assert outcomes == dict.fromkeys(PARTS[part], "passed")
