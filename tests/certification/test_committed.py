"""The certificates in frameworks/ belong to the reports beside them and to this kit's requirement set."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from claw_adapter.certify.certificate import CERTIFICATE
from claw_adapter.certify.verification import has_evidence, verify
from support.running import claw

ROOT = Path(__file__).resolve().parents[2]
COMMITTED = sorted(ROOT.glob(f"frameworks/*/certificates/*/{CERTIFICATE}"))


def test_every_harness_that_was_certified_is_here():
    assert {path.parts[-4] for path in COMMITTED} >= {"claude-code", "nanobot", "openclaw", "picoclaw"}


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: "-".join(path.parts[-4:-1:2]))
def test_a_committed_certificate_holds(path):
    certificate, problems, *_ = verify(path)
    assert problems == []
    assert certificate.adapter == path.parts[-4]
    assert path.parts[-2] in " ".join(certificate.versions.values())


def test_a_certificate_without_its_evidence_says_that_it_was_not_checked(tmp_path):
    folder = tmp_path / "certificate"
    shutil.copytree(COMMITTED[0].parent, folder)
    assert not has_evidence(folder)
    assert "evidence: not here, not checked" in " ".join(
        claw("certify", "--verify", folder, check=False).stdout.split()
    )
    (folder / "evidence").mkdir()
    assert has_evidence(folder)
    done = claw("certify", "--verify", folder, check=False)
    assert done.returncode == 1
    assert "not all there" in done.stdout


def test_a_changed_result_is_noticed(tmp_path):
    folder = tmp_path / "certificate"
    shutil.copytree(COMMITTED[0].parent, folder)
    report = folder / "report.json"
    report.write_text(report.read_text("utf-8").replace('"passed"', '"failed"', 1), "utf-8")
    assert any("changed" in problem for problem in verify(folder)[1])
