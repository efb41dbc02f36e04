"""What `tools/releases.py` says of several versions of one program, and what of one that could not be certified."""

from __future__ import annotations

import importlib.util
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.audit import AuditFinding, Bite, TrialAudit
from claw_adapter.errors import MachineError
from claw_adapter.frameworks import InstallFailed, describe

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def releases():
    spec = importlib.util.spec_from_file_location("releases", ROOT / "tools/releases.py")
    module = sys.modules["releases"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    del sys.modules["releases"]


@pytest.fixture
def row(releases):
    return releases.Row(
        "agent",
        "1.0",
        "silver",
        "n",
        reached="silver",
        losses={"files: cut": 2},
        requests=9,
        entry={"system": 1100, "tools": 7},
        seconds=60.0,
    )


def test_two_versions_that_do_the_same_are_told_apart_by_nothing(releases, row):
    assert releases.changes(row, replace(row, version="1.1", seconds=99.0)) == []
    assert "agent@1.0 → 1.1: nothing" in releases.render([row, replace(row, version="1.1")])


def test_what_changed_is_level_findings_losses_and_requests(releases, row):
    worse = replace(
        row, version="2.0", reached="bronze", requests=8, entry={"system": 1200, "tools": 7},
        losses={"files: cut": 3, "blanks": 1},
        findings={"M7 past-missing": releases.Finding("harness", "gone")}, unjudged={"SEC-001": "unverified: no"},
    )  # fmt: skip
    assert releases.changes(row, worse) == [
        "silver → bronze", "newly found: M7 past-missing", "newly lost: blanks", "no longer judged: SEC-001",
        "files: cut: 2 times → 3", "tokens of its instructions 1,100 → 1,200", "requests 9 → 8",
    ]  # fmt: skip
    assert releases.changes(worse, row)[1:4] == [
        "no longer found: M7 past-missing",
        "no longer lost: blanks",
        "judged again: SEC-001",
    ]


def test_a_version_that_was_not_installed_has_no_findings_and_is_compared_with_nothing(releases, row):
    absent = releases.Row("agent", "2.0", "silver", "n", problem="not installed: the disk is full")
    assert releases.changes(row, absent) == ["cannot be said, 2.0 was not installed"]
    said = releases.render([row, absent, replace(row, version="3.0")])
    assert "| agent@2.0 | not installed |  |  |  |  |  |" in said
    assert "agent@2.0 was not installed: the disk is full. Nothing is known of the harness." in said


def test_a_failed_installation_is_a_row_and_nothing_is_kept_of_it(releases, monkeypatch, tmp_path):
    def fail(*_: object, **__: object) -> None:
        raise InstallFailed("the package index cannot be reached\n  tail")

    monkeypatch.setattr(releases, "described", fail)
    found = releases.release("nanobot", "9.9", "silver", "n", tmp_path / "nanobot-9.9")
    assert (found.reached, found.findings) == ("", {})
    assert found.problem == "not installed: the package index cannot be reached tail"
    assert [path.name for path in (tmp_path / "nanobot-9.9").iterdir()] == ["row.json"]


def test_a_check_that_failed_on_a_machine_that_is_short_is_no_finding(releases, row, monkeypatch, tmp_path):
    monkeypatch.setattr(releases, "_certify", lambda *_: SimpleNamespace(count=lambda _: 1, results=[]))
    monkeypatch.setattr(releases.Headroom, "shortage", lambda _: MachineError("3 MB are left"))
    found = releases.certified(replace(row, reached=""), tmp_path, tmp_path)
    assert (found.problem, found.findings) == ("not certified: the machine was short, 3 MB are left", {})


def test_a_version_that_the_adapter_cannot_start_has_no_findings(releases, row, monkeypatch, tmp_path):
    failed = SimpleNamespace(id=releases.STARTS, what="open() failed: HarnessStartError: no module agent.events")
    report = SimpleNamespace(count=lambda _: 1, results=[failed], seconds=2.0)
    asked = []
    monkeypatch.setattr(releases, "_certify", lambda *given: asked.append(given[3:]) or report)
    found = releases.certified(replace(row, reached=""), tmp_path, tmp_path)
    assert (found.problem, found.findings) == ("not started by this adapter: no module agent.events", {})
    assert asked == [("--only", releases.STARTS)]


def test_the_same_nonce_takes_a_version_that_is_there_and_another_does_not(releases, row, monkeypatch, tmp_path):
    monkeypatch.setattr(releases, "describe", lambda name: pytest.fail(f"{name} is installed again"))
    done = replace(row, findings={"M7 past-missing": releases.Finding("harness", "gone")})
    (tmp_path / "row.json").write_text(json.dumps(asdict(done)))
    assert releases.release("agent", "1.0", "silver", "n", tmp_path) == done
    with pytest.raises(pytest.fail.Exception):
        releases.release("agent", "1.0", "silver", "other", tmp_path)


def test_a_report_becomes_a_row(releases, row):
    def result(name: str, outcome: str, what: str = "", owner: str = "") -> SimpleNamespace:
        return SimpleNamespace(id=name, must="M7", outcome=outcome, what=what, owner=owner)

    results = [
        result("LIFE-001", "passed"),
        result("SEED-005", "failed", "not there\nlonger", "adapter"),
        result("PLAN-002", "failed", "M22 stale-read: old\nagain: claw", "harness"),
        result("SEC-001", "unverified", "needs isolation 2"),
    ]
    report = SimpleNamespace(results=results, reached=None, isolation=1, started="", seconds=3.0)
    lost = AuditFinding(must="M24", cause="lost", what="one is missing", owner="harness")
    audited = [
        TrialAudit(trial=name, harness="agent", findings=(lost,), bites=(Bite(loss="cut", times=2),), requests=4)
        for name in "ab"
    ]
    found = releases.summarized(row, report, audited, {"total": 5})
    assert {key: (one.owner, one.what) for key, one in found.findings.items()} == {
        "M7 SEED-005": ("adapter", "not there"),
        "M22 stale-read": ("harness", "old"),
        "M24 lost": ("harness", "one is missing"),
    }
    assert (found.reached, found.losses, found.entry, found.requests) == ("", {"cut": 4}, {"total": 5}, 8)
    assert found.unjudged == {"SEC-001": "unverified: needs isolation 2"}


@pytest.mark.parametrize("name", ["nanobot", "claude-code", "opencode"])
def test_the_copy_of_a_plugin_pins_the_version_and_the_original_stays(releases, name, monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(releases, "execute", lambda argv, *_, **__: asked.append(argv))
    before = describe(name)
    pinned = releases.described(before, "9.9.9", tmp_path)
    assert (pinned.version, pinned.requirement) == ("9.9.9", before.requirement.replace(before.version, "9.9.9"))
    assert pinned.folder.is_relative_to(tmp_path)
    if pinned.kind == "npm":
        manifest = json.loads((pinned.folder / "package.json").read_text())["dependencies"]
        assert manifest[before.requirement.rpartition("@")[0]] == "9.9.9"
        assert "install" in asked[0]
    else:
        assert (tmp_path / "asked.in").read_text() == f"{pinned.requirement}\naiohttp\n"
    assert describe(name) == before
