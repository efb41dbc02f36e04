"""Verifying a certificate: against itself, what lies beside it, the evidence, what is installed, and whoever signed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from claw_adapter import plugins
from claw_adapter.certify.badge import badge_svg, render_badge_json
from claw_adapter.certify.certificate import (
    CERTIFICATE,
    PAGE,
    Certificate,
    certificate_of,
    file_digest,
    read_certificate,
)
from claw_adapter.certify.check import checks
from claw_adapter.certify.digests import code_digest, dependency_digests, folder_digest
from claw_adapter.certify.judge import level_reached
from claw_adapter.certify.junit import junit
from claw_adapter.certify.plans.evidence import derive
from claw_adapter.certify.records import Report
from claw_adapter.certify.requirements import load
from claw_adapter.errors import InternalError
from claw_adapter.reading import read_text, why

__all__ = ["VerifiedCertificate", "differing", "has_evidence", "has_report", "installed_otherwise", "verify"]

RENDERED: Final[dict[str, Callable[[Report], str]]] = {
    "badge.svg": badge_svg,
    "badge.json": render_badge_json,
    "junit.xml": junit,
}
"""What lies beside a report and is made of it alone."""
OF_FILES: Final = frozenset({"format", "report", "files", "digest"})
"""Fields of a certificate that do not come from its report."""


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

    With the report, everything that was made of it is made again and compared. With the evidence, the sessions of PLAN are
    drawn from the nonce again, held against what was run, and judged again. Evidence is large and is not always handed on;
    `has_report` and `has_evidence` say what was checked.

    Args:
        path: the file, or its folder.
        signers: an `allowed_signers` file of SSH, or public keys.
        signer: who of them must have signed; empty: any of the keys.

    Raises:
        JournalError: it cannot be read.
    """
    if path.is_dir():
        path /= CERTIFICATE
    certificate, envelope = read_certificate(path)
    found = envelope.signer(signers, signer) if envelope is not None else ""
    problems = []
    if signers is not None and not found:
        problems.append(f"{signer!r} has not signed it" if signer else f"no key of {signers.name} has signed it")
    if certificate.digest != certificate.computed():
        problems.append("the certificate was changed after it was issued (its digest does not fit)")
    requirements = None
    try:
        requirements = load(certificate.requirement_set)
    except InternalError as error:
        problems.append(error.what)
    if requirements is not None and requirements.digest != certificate.requirement_digest:
        problems.append(f"requirement set {certificate.requirement_set} is not the one of this kit")
    if not has_report(path):
        return VerifiedCertificate(certificate, problems, found)
    report_path = path.parent / "report.json"
    if file_digest(report_path) != certificate.report:
        problems.append("report.json was changed after the certificate was issued")
    problems += [
        f"{name} was changed after the certificate was issued, or is gone"
        for name, digest in certificate.files.items()
        if not (path.parent / name).is_file() or file_digest(path.parent / name) != digest
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
    problems += _rendered_otherwise(certificate, report, path.parent)
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
    return [*problems, *(f"{check}: {wrong}" for check, wrong in derived.items() if wrong)], tuple(
        check for check in derived if check.startswith("PLAN-")
    )


def _unlike(certificate: Certificate, report: Report) -> list[str]:
    """In what a certificate says something else than its report, or the report than the kit that both name."""
    if certificate.format == "certificate/1" or report.reached is None:
        return []
    problems = [f"{name} is not what the report says" for name in differing(certificate, certificate_of(report))]
    if not _is_ours(certificate):
        return problems
    known = checks()
    return problems + [
        f"{result.id} is not described as in the kit"
        for result in report.results
        if (made := known.get(result.id)) is None
        or (made.level, made.must, made.title, made.catches)
        != (result.level, result.must, result.title, result.catches)
    ]


def differing(one: Certificate, other: Certificate) -> list[str]:
    """The fields in which two certificates differ, but for digests of files."""
    return [
        name for name in Certificate.model_fields if name not in OF_FILES and getattr(one, name) != getattr(other, name)
    ]


def _is_ours(certificate: Certificate) -> bool:
    """Whether it names the kit that is installed here."""
    return certificate.format != "certificate/1" and certificate.kit_code == code_digest(__name__)


def _rendered_otherwise(certificate: Certificate, report: Report, folder: Path) -> Iterator[str]:
    """What lies beside the report and is not what this kit makes of it; of another kit's files nothing is said."""
    from claw_adapter.certify.page import Column, page

    if not _is_ours(certificate):
        return
    made = {name: render(report) for name, render in RENDERED.items()}
    if PAGE in certificate.files and (folder / "evidence").is_dir():
        made[PAGE] = page([Column(report, folder / "evidence")])
    for name, text in made.items():
        if (folder / name).is_file() and (folder / name).read_bytes() != text.encode():
            yield f"{name} does not show what the report says"


def installed_otherwise(certificate: Certificate) -> list[str]:
    """What is installed here and is not what was certified; of an adapter that is not installed nothing is said.

    No fault of the certificate: it goes on holding for what it names.
    """
    points = plugins.entry_points(certificate.adapter)
    here = {"kit": (code_digest(__name__), certificate.kit_code)}
    if points:
        here["adapter"] = code_digest(points[0].target.partition(":")[0]), certificate.code
        installed = dependency_digests(points[0].distribution) if certificate.dependencies else {}
        for name, digest in certificate.dependencies.items():
            here[f"dependency {name}"] = installed.get(name, ""), digest
    return [
        f"the {name} that is installed here is other code than the one of the certificate: certify again to learn its level"
        for name, (one, other) in here.items()
        if one != other
    ]


def has_report(path: Path) -> bool:
    """Whether the report lies beside a certificate (the file, or its folder)."""
    return ((path if path.is_dir() else path.parent) / "report.json").is_file()


def has_evidence(path: Path) -> bool:
    """Whether report and evidence lie beside a certificate (the file, or its folder)."""
    return has_report(path) and ((path if path.is_dir() else path.parent) / "evidence").is_dir()
