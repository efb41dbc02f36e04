"""`claw audit` as a user calls it, the line in reports, and runs of earlier versions."""

import json
from pathlib import Path

import pytest

from claw_adapter import open_run
from claw_adapter.api import results
from claw_adapter.audit import RunAudit
from support.audited import asked_for, audit_of, write_audited
from support.misbehaving import CutAnswer, kind
from support.running import claw, run_sync

EARLIER = Path(__file__).parents[1] / "data/earlier_run"


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    return write_audited(tmp_path_factory.mktemp("scenario") / "market")


def test_a_sound_run_ends_with_0_and_its_report_says_what_bit(tmp_path, market):
    run_sync(tmp_path / "run", asked_for(market))
    done = claw("audit", tmp_path / "run")
    assert "declared losses that bit, in rounds r1, r5, r9, r13" in " ".join(done.stdout.split())
    shown = claw("report", tmp_path / "run")
    assert "reference: declared losses that bit, in rounds r1, r5, r9, r13" in shown.stdout
    assert "declared losses that bit" in (tmp_path / "run/report.html").read_text("utf-8")


def test_of_many_trials_a_report_audits_some_of_each_harness_and_says_so(tmp_path, market, monkeypatch):
    monkeypatch.setattr(results, "AUDITED", 2)
    run_sync(tmp_path / "run", asked_for(market, repeats=3))
    summary = open_run(tmp_path / "run").summary(audit=True)
    assert [one.trials for one in summary.audits] == [2]
    assert summary.audit_note == "2 of 3 trials were audited; claw audit looks at all"
    assert open_run(tmp_path / "run").audit().harnesses[0].trials == 3


def test_a_violation_ends_with_1_and_stands_in_the_record_and_the_report(tmp_path, market):
    audit_of(tmp_path / "run", market, kind(CutAnswer)())
    done = claw("audit", tmp_path / "run", "--json", check=False)
    assert done.returncode == 1
    found = RunAudit.model_validate(json.loads(done.stdout))
    assert [finding.key for finding in found.harnesses[0].findings] == ["M14 answer-cut"]
    assert "M14 answer-cut" in claw("report", tmp_path / "run").stdout
    number = found.harnesses[0].findings[0].request
    (request,) = json.loads(claw("audit", tmp_path / "run", "--request", number).stdout)
    assert (request["number"], request["messages"][0]["role"], request["status"]) == (number, "system", 200)
    assert claw("audit", tmp_path / "run", "--request", 9999, check=False).returncode == 3


def test_where_the_scenarios_are_gone_the_report_says_so_and_the_audit_asks(tmp_path):
    folder = write_audited(tmp_path / "market")
    run_sync(tmp_path / "run", asked_for(folder))
    folder.rename(tmp_path / "elsewhere")
    assert "not audited" in claw("report", tmp_path / "run").stdout
    assert claw("audit", tmp_path / "run", check=False).returncode == 2
    assert claw("audit", tmp_path / "run", "--data", tmp_path / "elsewhere").returncode == 0


def test_a_run_of_an_earlier_version_is_read_and_says_what_it_lacks():
    found = open_run(EARLIER / "run").audit(EARLIER / "scenario")
    assert found.ok
    assert found.harnesses[0].verdict == "nothing to judge"
    assert any("earlier version" in note for note in found.harnesses[0].notes)
