"""Every real harness, in minutes: it answers the demo in whole, and it passes Bronze of the certification."""

from __future__ import annotations

import json

import pytest

from claw_adapter.sandbox import detect
from support.real import params
from support.running import claw

DEMO = ["nanobot", "claude-code", "openclaw", "picoclaw"]


@pytest.mark.slow(40)
@pytest.mark.timeout(600)
@pytest.mark.parametrize("harness", params(*DEMO))
def test_every_round_of_the_demo_is_right_and_all_evidence_arrives(tmp_path, harness):
    done = claw("run", "demo", "-H", harness, "--model", "reader", "--out", tmp_path / "run", "--json")
    (row,) = json.loads(done.stdout)["rows"]
    assert (row["strict"]["tcr"], row["scored"], row["retried"]) == (1, 11, 0)
    assert row["evidence"]["seen"] == row["evidence"]["needed"] > 0
    assert {level["harness"] for level in row["isolation"]} == {int(detect().level)}


@pytest.mark.slow(60)
@pytest.mark.timeout(900)
@pytest.mark.parametrize("harness", params(*DEMO))
def test_it_passes_bronze(tmp_path, harness):
    done = claw("certify", harness, "--level", "bronze", "--deadline", "240", "--out", tmp_path / "c", "--json")
    report = json.loads(done.stdout)
    assert (report["reached"], report["ok"]) == ("bronze", True)
    assert {result["outcome"] for result in report["results"]} == {"passed"}
