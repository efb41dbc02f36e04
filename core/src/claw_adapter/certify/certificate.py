"""The certificate: a small file that binds a level to adapter, harness version, kit, requirement set and evidence by digest.

It proves that these belong together and that nothing was changed afterwards; it does not prove who ran the kit. For that,
sign it with whatever your release is signed with.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, JsonValue

from claw_adapter import plugins
from claw_adapter.certify.demand import Level
from claw_adapter.certify.digests import code_digest, folder_digest, json_digest
from claw_adapter.certify.judge import level_reached
from claw_adapter.certify.records import Report
from claw_adapter.certify.requirements import load
from claw_adapter.errors import InternalError, JournalError
from claw_adapter.protocol.base import Record
from claw_adapter.reading import read_text, why

__all__ = [
    "CERTIFICATE",
    "Certificate",
    "has_evidence",
    "installed_otherwise",
    "issue",
    "verify",
]

CERTIFICATE: Final = "certificate.json"
REMEDY: Final = "Name a certificate.json, or the folder of a certification that reached a level."


class Certificate(Record):
    """``certificate.json``; `digest` is the sha256 of all other fields as canonical JSON."""

    format: Literal["certificate/1"] = "certificate/1"
    adapter: str
    distribution: str
    version: str
    code: str
    """`digests.code_digest` of the adapter."""
    versions: dict[str, str]
    kit: str
    kit_code: str
    """`digests.code_digest` of the kit."""
    spec: str
    requirement_set: str
    requirement_digest: str
    level: Level
    certified: bool
    isolation: int
    issued: str
    report: str
    """sha256 of report.json."""
    evidence: str
    """`digests.folder_digest` of the evidence."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What the adapter was given after its name."""
    digest: str = ""

    def computed(self) -> str:
        """What `digest` has to be."""
        left_out = {"digest"} if self.options else {"digest", "options"}  # certificates of before have no options
        return json_digest(self.model_dump(mode="json", exclude=left_out))


def issue(report: Report, folder: Path) -> Certificate | None:
    """Write the certificate of a report that lies in `folder`; None when no level was reached."""
    path = folder / CERTIFICATE
    if report.reached is None:
        path.unlink(missing_ok=True)
        return None
    made = Certificate(
        adapter=report.adapter.name, distribution=report.adapter.distribution, version=report.adapter.version,
        code=report.adapter.digest, versions=report.adapter.versions, kit=report.kit, kit_code=report.kit_digest,
        spec=report.spec, requirement_set=report.requirement_set, requirement_digest=report.requirement_digest,
        level=report.reached, certified=report.certified and report.ok, isolation=report.isolation, issued=report.started,
        report=hashlib.sha256((folder / "report.json").read_bytes()).hexdigest(), evidence=report.evidence,
        options=report.adapter.options,
    )  # fmt: skip
    made = made.model_copy(update={"digest": made.computed()})
    path.write_text(json.dumps(made.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n", "utf-8")
    return made


def _read(path: Path) -> Certificate:
    try:
        return Certificate.model_validate_json(read_text(path))
    except (OSError, ValueError) as error:
        what = "no certificate can be read here" if isinstance(error, OSError) else "not a certificate"
        raise JournalError(f"{what}: {why(error)}", where=str(path), remedy=REMEDY) from error


def verify(path: Path) -> tuple[Certificate, list[str]]:
    """Check a certificate against itself, the report beside it, and the evidence if that is there; what is wrong, if anything.

    Evidence is large and is not always handed on; `has_evidence` says whether it was checked.

    Raises:
        JournalError: it cannot be read.
    """
    if path.is_dir():
        path /= CERTIFICATE
    certificate = _read(path)
    problems = []
    if certificate.digest != certificate.computed():
        problems.append("the certificate was changed after it was issued (its digest does not fit)")
    requirements = None
    try:
        requirements = load(certificate.requirement_set)
    except InternalError as error:
        problems.append(error.what)
    if requirements is not None and requirements.digest != certificate.requirement_digest:
        problems.append(f"requirement set {certificate.requirement_set} is not the one of this kit")
    report_path = path.parent / "report.json"
    if not report_path.is_file():
        return certificate, [*problems, "there is no report.json beside it: results and evidence were not checked"]
    if hashlib.sha256(report_path.read_bytes()).hexdigest() != certificate.report:
        problems.append("report.json was changed after the certificate was issued")
    try:
        report = Report.model_validate_json(read_text(report_path))
    except (OSError, ValueError) as error:
        return certificate, [*problems, f"report.json is damaged: {why(error)}"]
    if (
        requirements is not None
        and level_reached(requirements, {r.id: r.outcome for r in report.results}) != certificate.level
    ):
        problems.append(f"the results do not give the level {certificate.level}")
    if has_evidence(path) and folder_digest(path.parent / "evidence") != certificate.evidence:
        problems.append("the evidence was changed, or is not all there")
    return certificate, problems


def installed_otherwise(certificate: Certificate) -> list[str]:
    """What is installed here and is not what was certified; of an adapter that is not installed nothing is said.

    No fault of the certificate: it goes on holding for what it names.
    """
    points = plugins.entry_points(certificate.adapter)
    here = {"adapter": (points[0].target.partition(":")[0], certificate.code)} if points else {}
    here["kit"] = (__name__, certificate.kit_code)
    return [
        f"the {name} that is installed here is other code than the one of the certificate: certify again to learn its level"
        for name, (module, code) in here.items()
        if code_digest(module) != code
    ]


def has_evidence(path: Path) -> bool:
    """Whether the evidence lies beside a certificate (the file, or its folder)."""
    return ((path if path.is_dir() else path.parent) / "evidence").is_dir()
