"""The certificate: a DSSE envelope that binds a level to adapter, programs, options, kit, requirement set, nonce and evidence.

Without a signature it says that these belong together, which whoever writes one can make it say; with one, whose word that is.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pydantic import Field, JsonValue

from claw_adapter import plugins
from claw_adapter.certify.demand import Level
from claw_adapter.certify.digests import code_digest, folder_digest, json_digest
from claw_adapter.certify.envelope import Envelope, seal
from claw_adapter.certify.judge import level_reached
from claw_adapter.certify.plans.evidence import derive
from claw_adapter.certify.records import Report
from claw_adapter.certify.requirements import load
from claw_adapter.errors import InternalError, JournalError
from claw_adapter.protocol.base import Record
from claw_adapter.reading import read_text, why

__all__ = [
    "CERTIFICATE",
    "Certificate",
    "VerifiedCertificate",
    "has_evidence",
    "installed_otherwise",
    "issue",
    "read_certificate",
    "verify",
]

CERTIFICATE: Final = "certificate.json"
BESIDE: Final = ("badge.svg", "badge.json", "junit.xml", "report.html")
LATER: Final = frozenset({"nonce", "dependencies", "programs", "renderings", "losses", "files"})
"""Fields that certificates of before do not have."""
REMEDY: Final = "Name a certificate.json, or the folder of a certification that reached a level."


class Certificate(Record):
    """What the envelope holds; `digest` is the sha256 of all other fields as canonical JSON."""

    format: Literal["certificate/1", "certificate/2"] = "certificate/2"
    """Those of before, ``certificate/1``, had no envelope."""
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
    nonce: str = ""
    """What the plans were drawn from."""
    dependencies: dict[str, str] = Field(default_factory=dict)
    programs: dict[str, str] = Field(default_factory=dict)
    renderings: str = ""
    losses: str = ""
    """What the harness is declared to change and to lose."""
    files: dict[str, str] = Field(default_factory=dict)
    """sha256 of what lies beside it: badge, page, JUnit."""
    digest: str = ""

    def computed(self) -> str:
        """What `digest` has to be."""
        left_out = {"digest"}
        if self.format == "certificate/1":
            left_out |= LATER if self.options else {*LATER, "options"}
        return json_digest(self.model_dump(mode="json", exclude=left_out))


def issue(report: Report, folder: Path, key: Path | None = None) -> Certificate | None:
    """Write the certificate of what lies in `folder`, signed if there is a private key of SSH; None when no level was reached.

    Raises:
        ClawError: it cannot be signed.
    """
    path = folder / CERTIFICATE
    if report.reached is None:
        path.unlink(missing_ok=True)
        return None
    made = Certificate(
        adapter=report.adapter.name, distribution=report.adapter.distribution, version=report.adapter.version,
        code=report.adapter.digest, versions=report.adapter.versions, kit=report.kit, kit_code=report.kit_digest,
        spec=report.spec, requirement_set=report.requirement_set, requirement_digest=report.requirement_digest,
        level=report.reached, certified=report.certified and report.ok, isolation=report.isolation, issued=report.started,
        report=_digest(folder / "report.json"), evidence=report.evidence,
        options=report.adapter.options, nonce=report.nonce, dependencies=report.adapter.dependencies,
        programs=report.adapter.programs, renderings=report.adapter.capabilities.get("renderings", ""),
        losses=report.adapter.capabilities.get("losses", ""),
        files={name: _digest(folder / name) for name in BESIDE if (folder / name).is_file()},
    )  # fmt: skip
    made = made.model_copy(update={"digest": made.computed()})
    envelope = seal(made.model_dump(mode="json"), key).model_dump(mode="json", by_alias=True)
    path.write_text(json.dumps(envelope, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return made


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def read_certificate(path: Path) -> tuple[Certificate, Envelope | None]:
    """A certificate and the envelope it lies in, as they stand there: nothing is verified.

    Raises:
        JournalError: there is none.
    """
    try:
        text = read_text(path)
        if isinstance(data := json.loads(text), dict) and "payloadType" in data:
            envelope = Envelope.model_validate(data)
            return Certificate.model_validate(envelope.predicate()), envelope
        return Certificate.model_validate_json(text), None
    except (OSError, ValueError, RecursionError) as error:
        what = "no certificate can be read here" if isinstance(error, OSError) else "not a certificate"
        raise JournalError(f"{what}: {why(error)}", where=str(path), remedy=REMEDY) from error


class VerifiedCertificate(NamedTuple):
    """What became of verifying a certificate."""

    certificate: Certificate
    problems: list[str]
    signer: str = ""
    """Whose word it is: who was asked for, else the fingerprint of the key; empty where nobody has signed."""
    derived: tuple[str, ...] = ()
    """Checks whose verdict the evidence gave once more."""


def verify(path: Path, signers: Path | None = None, signer: str = "") -> VerifiedCertificate:
    """Check a certificate against itself, what lies beside it, and the evidence if that is there; what is wrong, if anything.

    With the evidence, the sessions of PLAN are drawn from the nonce again, held against what was run, and judged again.
    Evidence is large and is not always handed on; `has_evidence` says whether it was checked.

    Args:
        path: the file, or its folder.
        signers: an `allowed_signers` file of SSH.
        signer: who of them must have signed.

    Raises:
        JournalError: it cannot be read.
    """
    if path.is_dir():
        path /= CERTIFICATE
    certificate, envelope = read_certificate(path)
    found = envelope.signer(signers, signer) if envelope is not None else ""
    problems = []
    if signers is not None and not found:
        problems.append(f"{signer!r} has not signed it")
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
        missing = "there is no report.json beside it: results and evidence were not checked"
        return VerifiedCertificate(certificate, [*problems, missing], found)
    if _digest(report_path) != certificate.report:
        problems.append("report.json was changed after the certificate was issued")
    problems += [
        f"{name} was changed after the certificate was issued, or is gone"
        for name, digest in certificate.files.items()
        if not (path.parent / name).is_file() or _digest(path.parent / name) != digest
    ]
    try:
        report = Report.model_validate_json(read_text(report_path))
    except (OSError, ValueError) as error:
        return VerifiedCertificate(certificate, [*problems, f"report.json is damaged: {why(error)}"], found)
    if (
        requirements is not None
        and level_reached(requirements, {r.id: r.outcome for r in report.results}) != certificate.level
    ):
        problems.append(f"the results do not give the level {certificate.level}")
    problems += _unlike(certificate, report)
    more, derived = _evidence(certificate, report, path.parent / "evidence")
    return VerifiedCertificate(certificate, [*problems, *more], found, derived)


def _evidence(certificate: Certificate, report: Report, folder: Path) -> tuple[list[str], tuple[str, ...]]:
    """What is wrong with the evidence, and whose verdict it gave once more."""
    if not folder.is_dir():
        return [], ()
    problems = []
    if folder_digest(folder) != certificate.evidence:
        problems.append("the evidence was changed, or is not all there")
    if certificate.format == "certificate/1":
        return problems, ()
    derived = dict(derive(report, folder))
    return [*problems, *(f"{check}: {wrong}" for check, wrong in derived.items() if wrong)], tuple(derived)


def _unlike(certificate: Certificate, report: Report) -> list[str]:
    """In what a certificate says something else than its report."""
    if certificate.format == "certificate/1":
        return []
    adapter = report.adapter
    pairs = {
        "adapter": (certificate.adapter, adapter.name), "options": (certificate.options, adapter.options),
        "versions": (certificate.versions, adapter.versions), "code": (certificate.code, adapter.digest),
        "dependencies": (certificate.dependencies, adapter.dependencies), "nonce": (certificate.nonce, report.nonce),
        "programs": (certificate.programs, adapter.programs), "isolation": (certificate.isolation, report.isolation),
        "kit": (certificate.kit_code, report.kit_digest),
    }  # fmt: skip
    return [f"{name} is not what the report says" for name, (one, other) in pairs.items() if one != other]


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
