"""The certificate: a DSSE envelope that binds a level to adapter, programs, options, kit, requirement set, nonce and evidence.

Without a signature it says that these belong together, which whoever writes one can make it say; with one, whose word that is.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, JsonValue, field_validator

from claw_adapter.certify.demand import Level
from claw_adapter.certify.digests import file_digest, json_digest
from claw_adapter.certify.envelope import Envelope, seal
from claw_adapter.certify.records import Report
from claw_adapter.errors import JournalError
from claw_adapter.notation import render_named
from claw_adapter.protocol.base import Record
from claw_adapter.reading import each_once, parse_json, read_text, why
from claw_adapter.report.clean import clean, is_one_line

__all__ = ["BESIDE", "CERTIFICATE", "PAGE", "Certificate", "certificate_of", "issue", "read_certificate"]

CERTIFICATE: Final = "certificate.json"
MOST_BYTES: Final = 4 * 2**20
"""Of a certificate: what is made of JSON takes many times its size."""
PAGE: Final = "report.html"
BESIDE: Final = ("badge.svg", "badge.json", "junit.xml", PAGE)
LATER: Final = frozenset({"nonce", "dependencies", "programs", "renderings", "losses", "files"})
"""Fields that certificates of before do not have."""
SINCE: Final = frozenset({"overlays", "never_called", "never_given"})
"""Fields that came later still: where one does not stand, it is not in the digest."""
LONGEST: Final = 255
"""Bytes of a file's name."""
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
    report: str = ""
    """sha256 of report.json."""
    evidence: str
    """`digests.folder_digest` of the evidence."""
    options: dict[str, JsonValue] = Field(default_factory=dict)
    """What the adapter was given after its name."""
    overlays: tuple[str, ...] = ()
    """What stood between it and the model."""
    nonce: str = ""
    """What the plans were drawn from."""
    dependencies: dict[str, str] = Field(default_factory=dict)
    programs: dict[str, str] = Field(default_factory=dict)
    renderings: str = ""
    losses: str = ""
    """What the harness is declared to change and to lose."""
    never_called: tuple[str, ...] = ()
    never_given: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Tools, parameters and choices that were not tried."""
    files: dict[str, str] = Field(default_factory=dict)
    """sha256 of what lies beside it: badge, page, JUnit."""
    digest: str = ""

    @field_validator("*")
    @classmethod
    def _can_be_printed(cls, value: Any) -> Any:
        if not all(map(is_one_line, _texts(value))):
            raise ValueError("it has a line break or a control character in it")
        return value

    @field_validator("files")
    @classmethod
    def _lie_beside_it(cls, files: dict[str, str]) -> dict[str, str]:
        if any("/" in name or len(name.encode()) > LONGEST for name in files):
            raise ValueError("it names what does not lie beside it")
        return files

    @property
    def label(self) -> str:
        """Name, overlays and options as they are typed."""
        return render_named(self.adapter, self.options, self.overlays)

    def computed(self) -> str:
        """What `digest` has to be."""
        left_out = {"digest"} | (SINCE - self.model_fields_set)
        if self.format == "certificate/1":
            left_out |= LATER if self.options else {*LATER, "options"}
        return json_digest(self.model_dump(mode="json", exclude=left_out))


def issue(report: Report, folder: Path, key: Path | None = None, *, alone: bool = True) -> Certificate | None:
    """Write the certificate of what lies in `folder`, signed if there is a private key of SSH; None when no level was reached.

    Args:
        report: what came out.
        folder: where it was written.
        key: the private key.
        alone: the page is of this certification only; one with others in it is no part of the certificate.

    Raises:
        ClawError: it cannot be signed.
    """
    path = folder / CERTIFICATE
    if report.reached is None:
        path.unlink(missing_ok=True)
        return None
    beside = BESIDE if alone else [name for name in BESIDE if name != PAGE]
    made = certificate_of(report).model_copy(
        update={
            "report": file_digest(folder / "report.json"),
            "files": {name: file_digest(folder / name) for name in beside if (folder / name).is_file()},
        }
    )
    made = made.model_copy(update={"digest": made.computed()})
    envelope = seal(made.model_dump(mode="json"), key).model_dump(mode="json", by_alias=True)
    path.write_text(json.dumps(envelope, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return made


def certificate_of(report: Report) -> Certificate:
    """What a certificate says of a report, but for digests of files.

    Raises:
        ValueError: the report has reached no level.
    """
    if report.reached is None:
        raise ValueError("no level, no certificate")
    adapter = report.adapter
    told = {
        "adapter": adapter.name, "distribution": adapter.distribution, "version": adapter.version, "code": adapter.digest,
        "versions": adapter.versions, "kit": report.kit, "kit_code": report.kit_digest, "spec": report.spec,
        "requirement_set": report.requirement_set, "requirement_digest": report.requirement_digest,
        "level": report.reached, "certified": report.certified and report.ok, "isolation": report.isolation,
        "issued": report.started, "evidence": report.evidence, "options": adapter.options, "nonce": report.nonce,
        "overlays": adapter.overlays, "never_called": report.never_called, "never_given": report.never_given,
        "dependencies": adapter.dependencies, "programs": adapter.programs,
        "renderings": adapter.capabilities.get("renderings", ""), "losses": adapter.capabilities.get("losses", ""),
    }  # fmt: skip
    return Certificate.model_validate({name: _on_one_line(value) for name, value in told.items()})


def _texts(value: Any) -> Iterator[str]:
    """Every text in a value, names included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts(item)


def _on_one_line(value: Any) -> Any:
    """A value whose texts can be printed: what a program says of its version may have line breaks in it."""
    if isinstance(value, str):
        return value if is_one_line(value) else " ".join(clean(value).split())
    if isinstance(value, dict):
        return {_on_one_line(name): _on_one_line(item) for name, item in value.items()}
    return [_on_one_line(item) for item in value] if isinstance(value, list | tuple) else value


def _of_predicate(predicate: dict[str, Any]) -> Certificate:
    found = Certificate.model_validate(predicate)
    if json_digest(found.model_dump(mode="json", exclude_unset=True)) != json_digest(predicate):
        raise ValueError("it has values of another type than a certificate has")
    return found


def read_certificate(path: Path) -> tuple[Certificate, Envelope | None]:
    """A certificate and the envelope it lies in, as they stand there: nothing is verified.

    Raises:
        JournalError: there is none.
    """
    try:
        data = parse_json(read_text(path, MOST_BYTES), each_once)
        if isinstance(data, dict) and "payloadType" in data:
            envelope = Envelope.model_validate(data)
            return _of_predicate(envelope.predicate()), envelope
        return Certificate.model_validate(data), None
    except (OSError, ValueError) as error:
        what = "no certificate can be read here" if isinstance(error, OSError) else "not a certificate"
        raise JournalError(f"{what}: {why(error)}", where=str(path), remedy=REMEDY) from error
