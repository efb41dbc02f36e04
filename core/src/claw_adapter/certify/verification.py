"""Verifying a certificate: against itself, what lies beside it, the evidence, what is installed, and whoever signed it."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import sys
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from claw_adapter import __version__, plugins
from claw_adapter.certify.badge import badge_svg, render_badge_json
from claw_adapter.certify.certificate import (
    CERTIFICATE,
    PAGE,
    Certificate,
    certificate_of,
    read_certificate,
)
from claw_adapter.certify.check import checks
from claw_adapter.certify.demand import ISOLATED, LEVELS
from claw_adapter.certify.digests import code_digest, file_digest, folder_digest, plugin_digests, undigested
from claw_adapter.certify.judge import kind_of, level_reached, summary, unmet
from claw_adapter.certify.junit import junit
from claw_adapter.certify.output import FILES, LOCK, render_report
from claw_adapter.certify.plans.evidence import derive
from claw_adapter.certify.records import Report, described_capabilities, read_capabilities
from claw_adapter.certify.requirements import MADE, RequirementSet, load
from claw_adapter.errors import InternalError, MachineError
from claw_adapter.harness import Harness
from claw_adapter.protocol import Probe
from claw_adapter.reading import each_once, parse_json, read_text, why
from claw_adapter.signing import fingerprints

__all__ = ["VerifiedCertificate", "differing", "has_evidence", "has_report", "installed_otherwise", "verify"]

AHEAD: Final = dt.timedelta(days=1)
"""How far the clock of whoever issued it may go before ours."""

RENDERED: Final[dict[str, Callable[[Report], str]]] = {
    "badge.svg": badge_svg,
    "badge.json": render_badge_json,
    "junit.xml": junit,
}
"""What lies beside a report and is made of it alone."""
MOST_BYTES: Final = 8 * 2**20
"""Of a report, and of a text in the evidence that is read at once: what is made of JSON takes many times its size."""
MOST_EVIDENCE: Final = 4 * MOST_BYTES
"""Bytes of a file of the evidence."""
MOST_LINE: Final = MOST_BYTES // 4
"""Bytes of a line of it: twice what the longest of the checks leaves."""
NAMED: Final = 10
"""Names of files that one line names."""
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
    notes: tuple[str, ...] = ()
    """What was not looked at, or is no part of it: no fault of the certificate."""


def verify(path: Path, signers: Path | None = None, signer: str = "") -> VerifiedCertificate:
    """Check a certificate against itself, what lies beside it, and the evidence if that is there; what is wrong, if anything.

    Each file that it names by digest is compared if it is there. With the report, what this kit made of it is made again and
    compared. With the evidence of this kit, the sessions of PLAN are drawn from the nonce again, held against what was run, and
    judged again. Evidence is large and is not always handed on; `has_report` and `has_evidence` say what was checked.

    Args:
        path: the file, or its folder.
        signers: an `allowed_signers` file of SSH, or public keys.
        signer: who of them must have signed; empty: any of the keys.

    Raises:
        JournalError: it cannot be read.
        MachineError: with this locale not every name of a file can be written.
    """
    _speaks_utf8()
    if path.is_dir():
        path /= CERTIFICATE
    certificate, envelope = read_certificate(path)
    found = envelope.signer(signers, signer) if envelope is not None else ""
    problems = []
    if signers is not None and not found:
        problems.append(_unsigned(envelope.signer() if envelope is not None else "", signers, signer))
    if certificate.digest != certificate.computed():
        problems.append("the certificate was changed after it was issued (its digest does not fit)")
    requirements = None
    try:
        requirements = load(certificate.requirement_set)
        problems += _other_set(certificate, requirements)
    except InternalError as error:
        problems.append(error.what)
    problems += [
        *_disguised(path),
        *_misdated(certificate),
        *_changed(certificate, path.parent),
        *_other_level(certificate, path.parent),
    ]
    notes = tuple(_notes(certificate, path.parent))
    if not has_report(path):
        return VerifiedCertificate(certificate, problems, found, notes=notes)
    try:
        parse_json(text := read_text(path.parent / "report.json", MOST_BYTES), each_once)
        report = Report.model_validate_json(text)
    except (OSError, ValueError) as error:
        problems.append(f"report.json is damaged: {why(error)}")
        return VerifiedCertificate(certificate, problems, found, notes=notes)
    problems += _of_report(certificate, report, requirements, path.parent)
    if _is_ours(certificate) and text != render_report(report):
        problems.append("report.json is not written as this kit writes it")
    notes += tuple(_not_known(report))
    evidence = path.parent / "evidence"
    large = sorted(_too_large(evidence)) if has_evidence(path) else []
    problems += [f"larger than any evidence is: {_named(large)}"] if large else []
    if not has_evidence(path) or not _is_ours(certificate) or undigested(evidence) or large:
        return VerifiedCertificate(certificate, problems, found, notes=notes)
    derived = dict(derive(report, evidence, checks()))
    problems += [f"{check}: {wrong}" for check, wrong in derived.items() if wrong]
    drawn = tuple(check for check in derived if check.startswith("PLAN-"))
    return VerifiedCertificate(certificate, problems, found, drawn, notes)


def _unsigned(key: str, signers: Path, signer: str) -> str:
    """Why nobody has signed who was to, by the fingerprint of who has."""
    known = fingerprints(signers)
    if not known:
        return f"{signers.name} has no public key that can be read"
    if key in known:
        whose = f" as {signer!r}" if signer else ""
        return f"{key} has signed it, which by {signers.name} does not count{whose}: see name, dates and namespaces of its line"
    by = f"; it was signed by {key}" if key else "; it is not signed"
    return (f"{signer!r} has not signed it" if signer else f"no key of {signers.name} has signed it") + by


def _disguised(path: Path) -> Iterator[str]:
    """Files that are links, or that begin with a byte order mark, which no kit writes."""
    for one in dict.fromkeys((path, *(path.parent / name for name in (*FILES, "evidence")))):
        if one.is_symlink():
            yield f"{one.name} is a link"
        elif one.suffix == ".json" and one.is_file():
            with one.open("rb") as file:
                if file.read(len(BOM_UTF8)) == BOM_UTF8:
                    yield f"{one.name} begins with a byte order mark"


def _speaks_utf8() -> None:
    encoding = sys.getfilesystemencoding()
    if encoding not in ("utf-8", "utf8"):
        what = f"with this locale names of files are {encoding}, and drawn sessions have files that it cannot name"
        raise MachineError(what, remedy="run it with PYTHONUTF8=1, or in a locale of UTF-8")


def _other_set(certificate: Certificate, requirements: RequirementSet) -> Iterator[str]:
    if requirements.digest != certificate.requirement_digest:
        yield f"requirement set {certificate.requirement_set} is not the one of this kit"
    if requirements.spec != certificate.spec:
        yield f"it is of the specification {certificate.spec}, this kit is of {requirements.spec}"


def _of_report(
    certificate: Certificate, report: Report, requirements: RequirementSet | None, folder: Path
) -> Iterator[str]:
    """What the report says against itself, the certificate, what is installed, and what was made of it."""
    if (
        requirements is not None
        and level_reached(requirements, {r.id: r.outcome for r in report.results}) != certificate.level
    ):
        yield f"the results do not give the level {certificate.level}"
    yield from (f"{one} stands twice among the results" for one, times in _counted(report).items() if times > 1)
    yield from _unlike(certificate, report)
    if requirements is not None and _is_ours(certificate):
        yield from _contradicting(report, requirements)
        yield from _installed_declares(report)
    yield from _rendered_otherwise(certificate, report, folder)


def _too_large(evidence: Path) -> Iterator[str]:
    """Files of which more would be read than any certification leaves."""
    for path in (one for one in evidence.rglob("*") if one.is_file()):
        name = path.relative_to(evidence).as_posix()
        if path.stat().st_size > (MOST_BYTES if path.suffix == ".json" else MOST_EVIDENCE):
            yield name
        elif path.suffix == ".jsonl" and path.stat().st_size > MOST_LINE:
            with path.open("rb") as file:
                if any(len(line) > MOST_LINE for line in file):
                    yield name


def _not_known(report: Report) -> Iterator[str]:
    """What the report does not have, and what cannot be asked here."""
    if not plugins.entry_points(report.adapter.name):
        yield f"the adapter {report.adapter.name} is not installed here: what it declares was not asked of it"
    if report.left_out:
        yield f"{report.asked} was asked for, and not all of its checks were made: {_named(report.left_out)}"


def _counted(report: Report) -> Counter[str]:
    return Counter(result.id for result in report.results)


def _misdated(certificate: Certificate) -> Iterator[str]:
    """Whether it was issued later than now, or before there was its requirement set."""
    try:
        issued = dt.datetime.fromisoformat(certificate.issued)
    except ValueError:
        yield f"it was issued at {certificate.issued!r}, which is no time"
        return
    if certificate.format != "certificate/1" and (not issued.tzinfo or issued.isoformat() != certificate.issued):
        yield f"it was issued at {certificate.issued!r}, which is not how a time with its zone is written"
    issued = issued if issued.tzinfo else issued.replace(tzinfo=dt.UTC)
    if issued > dt.datetime.now(dt.UTC) + AHEAD:
        yield f"it was issued at {certificate.issued}, which is still to come"
    made = MADE.get(certificate.requirement_set)
    if made is not None and issued.astimezone(dt.UTC).date() < made:
        yield f"it was issued at {certificate.issued}, before there was the set {certificate.requirement_set} ({made})"


def _changed(certificate: Certificate, folder: Path) -> Iterator[str]:
    """What lies beside it and is not what it names by digest; what does not lie there is nobody's fault."""
    if strange := sorted({*certificate.files} - {*FILES}):
        yield f"it names a file that no certification has: {_named(strange)}"
    for name, digest in {**certificate.files, "report.json": certificate.report}.items():
        if (folder / name).exists() and not (folder / name).is_file():
            yield f"{name} is no file"
        elif (folder / name).exists():
            with contextlib.suppress(OSError):  # a folder, or what cannot be read, is not what was issued either
                if file_digest(folder / name) == digest:
                    continue
            yield f"{name} was changed after the certificate was issued"
    if not (folder / "evidence").is_dir():
        if (folder / "evidence").exists():
            yield "evidence is no folder"
        return
    if strange := undigested(folder / "evidence", empty=_is_ours(certificate)):
        yield f"evidence is files and nothing else, and this is none: {_named(strange)}"
    elif folder_digest(folder / "evidence") != certificate.evidence:
        yield "the evidence was changed, or is not all there"


def _named(names: Sequence[str]) -> str:
    """Some names, and how many there are beside."""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"


def _other_level(certificate: Certificate, folder: Path) -> Iterator[str]:
    """Badges that say another level, whichever kit has made them."""
    for name in ("badge.svg", "badge.json"):
        with contextlib.suppress(OSError, ValueError):
            said = set(re.findall("|".join(LEVELS), read_text(folder / name, MOST_BYTES).lower()))
            if said != {certificate.level}:
                yield f"{name} does not show the level {certificate.level}"


def _notes(certificate: Certificate, folder: Path) -> Iterator[str]:
    """What of it is not here, what is here and no part of it, and what only another kit can check."""
    absent = [name for name in certificate.files if not (folder / name).exists()]
    if absent:
        yield f"not here, not checked: {', '.join(absent)}"
    pages = sorted({"report.html", "junit.xml"} & certificate.files.keys() - {*absent})
    if pages and not (folder / "report.json").exists():
        yield f"without report.json nobody knows whether these show its results: {', '.join(pages)}"
    elif PAGE in pages and not (folder / "evidence").is_dir():
        yield f"without evidence nobody knows whether this shows the results: {PAGE}"
    if certificate.format == "certificate/1":
        return
    own = {CERTIFICATE, "report.json", "evidence", LOCK, *certificate.files}
    if strange := sorted(one.name for one in folder.iterdir() if one.name not in own):
        yield f"no part of the certificate: {_named(strange)}"
    if not _is_ours(certificate) and ((folder / "report.json").exists() or (folder / "evidence").exists()):
        yield (
            f"made by another kit: claw-adapter {certificate.kit}, code {certificate.kit_code[:12]}; files and evidence are "
            "compared by digest, and its sessions are not drawn again: install that kit to draw them again"
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


def _contradicting(report: Report, requirements: RequirementSet) -> Iterator[str]:
    """In what a report is not what its own results and declarations come to."""
    baseline = [problem for problem in report.problems if problem.startswith("baseline: ") and not report.certified]
    follows = summary(requirements, report.asked, report.results, baseline, certified=report.certified)
    if wrong := [name for name, value in follows.items() if getattr(report, name) != value]:
        yield f"what the report says of {', '.join(wrong)} does not follow from its results"
    try:
        declared = read_capabilities(report.adapter.capabilities)
    except ValueError as error:
        yield f"what the report says of capabilities cannot be read: {why(error)}"
        return
    known, probe = checks(), Probe(ready=True, versions=report.adapter.versions)
    order = [name for name in known if name in _counted(report)]
    if [result.id for result in report.results if result.id in known] != order:
        yield "its results are in another order than the kit makes the checks"
    for result in report.results:
        if len(set(result.turns)) != len(result.turns):
            yield f"{result.id} names a turn twice"
        if LEVELS.index(result.level) > LEVELS.index(report.asked):
            yield f"{result.id} is of the level {result.level}, and {report.asked} was asked for"
        if result.outcome != "passed":
            continue
        if result.owner or result.what or result.remedy or not result.usual:
            yield f"{result.id} is said to have passed, and has what a finding has"
        if result.id not in known:
            continue
        if known[result.id].isolated and report.isolation < ISOLATED:
            yield f"{result.id} is said to have passed at isolation {report.isolation}, where it cannot be known"
        reason, _ = unmet(known[result.id], declared, probe, report.adapter.name)
        if reason:
            yield f"{result.id} is said to have passed, and by what is declared it does not apply: {reason}"


def _installed_declares(report: Report) -> Iterator[str]:
    """In what the certified code, where it is installed here, declares something else than the report, or is another class."""
    told, points = report.adapter, plugins.entry_points(report.adapter.name)
    if not points or code_digest(points[0].target.partition(":")[0]) != told.digest:
        return
    try:
        harness: Harness = plugins.create("harness", told.name, told.options)
        declared = described_capabilities(harness.capabilities())
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of others: whatever it raises is its own
        yield f"the adapter cannot be made with the options of the report: {type(error).__name__}: {error}"
        return
    if names := [
        name for name in {**declared, **told.capabilities} if declared.get(name) != told.capabilities.get(name)
    ]:
        yield f"the certified code declares another {', '.join(names)} than the report"
    if harness.runs_inside and report.isolation:
        yield f"with these options it works in the runner's process, and isolation {report.isolation} is said"
    if told.kind != kind_of(harness):
        yield f"the certified code is {kind_of(harness)}, not the {told.kind} of the report"


def differing(one: Certificate, other: Certificate) -> list[str]:
    """The fields in which two certificates differ, but for digests of files."""
    return [
        name for name in Certificate.model_fields if name not in OF_FILES and getattr(one, name) != getattr(other, name)
    ]


def _is_ours(certificate: Certificate) -> bool:
    """Whether it names the kit that is installed here."""
    installed = __version__, code_digest(__name__)
    return certificate.format != "certificate/1" and (certificate.kit, certificate.kit_code) == installed


def _rendered_otherwise(certificate: Certificate, report: Report, folder: Path) -> Iterator[str]:
    """What lies beside the report and is not what this kit makes of it; of another kit's files nothing is said."""
    from claw_adapter.certify.page import Column, page

    if not _is_ours(certificate):
        return
    made = {name: render(report) for name, render in RENDERED.items()}
    if PAGE in certificate.files and (folder / "evidence").is_dir():
        made[PAGE] = page([Column(report, folder / "evidence")])
    for name, text in made.items():
        there, data = folder / name, text.encode()
        if there.is_file() and (there.stat().st_size != len(data) or there.read_bytes() != data):
            yield f"{name} does not show what the report says"


def installed_otherwise(certificate: Certificate) -> list[str]:
    """What is installed here and is not what was certified; of an adapter that is not installed nothing is said.

    No fault of the certificate: it goes on holding for what it names.
    """
    points = plugins.entry_points(certificate.adapter)
    here, unnamed = {"kit": (code_digest(__name__), certificate.kit_code)}, list[str]()
    if points:
        here["adapter"] = code_digest(points[0].target.partition(":")[0]), certificate.code
        told = certificate.format != "certificate/1"
        installed = plugin_digests(certificate.adapter, certificate.overlays) if told else {}
        unnamed = sorted(installed.keys() - certificate.dependencies)
        for name, digest in certificate.dependencies.items():
            here[f"dependency {name}"] = installed.get(name, ""), digest
    return [
        f"the adapter that is installed here requires {name}, which the certificate does not name" for name in unnamed
    ] + [
        f"the {name} that is installed here is other code than the one of the certificate: certify again to learn its level"
        for name, (one, other) in here.items()
        if one != other
    ]


def has_report(path: Path) -> bool:
    """Whether the report lies beside a certificate (the file, or its folder)."""
    return ((path if path.is_dir() else path.parent) / "report.json").is_file()


def has_evidence(path: Path) -> bool:
    """Whether the evidence lies beside a certificate (the file, or its folder)."""
    return ((path if path.is_dir() else path.parent) / "evidence").is_dir()
