"""A harness is certified together with what stands between it and the model."""

from __future__ import annotations

import json

import pytest

from certification.test_forged import OTTER, made, reseal
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import checks
from claw_adapter.certify.digests import json_digest
from claw_adapter.certify.judge import judge
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.certify.verification import verify
from claw_adapter.errors import OverlayError
from claw_adapter.overlay import Overlay
from claw_adapter.reference.adapter import ReferenceHarness
from e2e.metaclaw_runs import real
from support.commands import call
from support.plans import beginning
from support.running import claw

TOGETHER = OTTER.model_copy(update={"overlays": ("metaclaw",)})


class Dead(Overlay):
    """One that does not come up."""

    name = "dead"

    async def wrap(self, ctx, endpoint):
        raise OverlayError("it does not come up", where="overlay dead")

    async def close(self):
        pass


@pytest.fixture
def dead(monkeypatch):
    monkeypatch.setattr("claw_adapter.runner.overlays.make_overlays", lambda specs: [Dead() for _ in specs])


async def test_an_overlay_that_does_not_come_up_is_not_charged_to_the_harness(dead, tmp_path):
    async with Bench(ReferenceHarness(mode="in-process"), out=tmp_path, isolation=1, overlays=["dead"]) as bench:
        found = await judge(bench, checks()["TURN-011"])
    assert (found.outcome, found.owner) == ("failed", "overlay"), found.what


async def test_nor_is_it_in_a_drawn_session(dead):
    drawn = beginning(draw("overlays", 0, "bronze"), 2)
    (outcome,) = await PlanRunner(ReferenceHarness(mode="in-process"), overlays=["dead"]).outcomes([drawn])
    assert [finding.owner for finding in outcome.findings] == ["overlay"], outcome


def test_a_certificate_is_of_both_and_holds_for_no_other(tmp_path):
    folder = made(tmp_path / "c", adapter=TOGETHER)
    found = verify(folder)
    assert (found.problems, found.certificate.label) == ([], "otter+metaclaw")
    assert "of otter+metaclaw, not of otter" in call("certify", "otter", "--verify", folder).out
    assert "not of" not in call("certify", "otter+metaclaw", "--verify", folder).out
    reseal(folder, overlays=[])
    assert any("overlays" in problem for problem in verify(folder).problems)


def test_a_certificate_of_before_there_were_overlays_in_it_has_none_in_its_digest(tmp_path):
    told = verify(made(tmp_path / "c")).certificate
    before = told.model_validate(told.model_dump(exclude={"overlays"}))
    assert told.computed() == told.digest != before.computed()
    assert before.computed() == json_digest(before.model_dump(mode="json", exclude={"digest", "overlays"}))


@real
@pytest.mark.slow(60)
def test_the_reference_behind_the_real_one_is_what_it_is_alone(tmp_path):
    done = claw(
        "certify", "reference+metaclaw", "--only", "LIFE", "--only", "TURN-011", "--only", "TURN-015", "--nonce", "overlays",
        "--out", tmp_path / "c", "--json",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert {one["outcome"] for one in report["results"]} == {"passed"}
    assert report["adapter"]["overlays"] == ["metaclaw"]
    assert "claw-adapter-metaclaw" in report["adapter"]["dependencies"]
    assert "aiming-metaclaw" in report["adapter"]["versions"]
    assert "LIFE-008" in {one["id"] for one in report["results"]}, "MetaClaw's configuration stayed in /tmp"


@real
@pytest.mark.slow(60)
async def test_a_drawn_session_behind_the_real_one_shows_nothing():
    drawn = beginning(draw("overlays", 0, "silver"), 12)
    runner = PlanRunner(ReferenceHarness(mode="in-process"), overlays=["metaclaw"], isolation=1)
    (outcome,) = await runner.outcomes([drawn])
    assert (outcome.keys, outcome.unjudged, outcome.rounds) == (set(), "", len(drawn.turns)), outcome.findings
