"""Writing a certification's folder: report.json, report.html, junit.xml, badge, certificate, beside the evidence."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from claw_adapter.certify.certificate import Certificate, issue
from claw_adapter.certify.records import Report
from claw_adapter.errors import JournalError
from claw_adapter.folders import remove_tree
from claw_adapter.reading import read_text, why
from claw_adapter.runs.folder import write_atomic

__all__ = ["FILES", "LOCK", "owned", "prepare_folder", "read_report", "render_report", "write_all"]

LOCK = ".lock"
FILES = ("report.json", "report.html", "junit.xml", "badge.svg", "badge.json", "certificate.json")


@contextlib.contextmanager
def owned(folder: Path) -> Iterator[None]:
    """Make the folder ours: emptied of an earlier certification, and of nobody else while the block lasts.

    Raises:
        JournalError: another certification is at work there, or it holds something else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            remedy = "Wait for it, or choose another folder."
            raise JournalError("another certification is at work here", where=str(folder), remedy=remedy) from None
        prepare_folder(folder)
        yield


def prepare_folder(folder: Path) -> None:
    """Make the folder, or empty one that an earlier certification has filled.

    Raises:
        JournalError: it holds something else.
    """
    if folder.exists():
        other = sorted(path.name for path in folder.iterdir() if path.name not in (*FILES, LOCK, "evidence"))
        if other:
            raise JournalError(
                f"this folder holds something else: {', '.join(other[:5])}",
                where=str(folder),
                remedy="Choose another with --out.",
            )
        remove_tree(folder / "evidence")
        for name in FILES:
            (folder / name).unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)


def write_all(
    report: Report, folder: Path, *, beside: Sequence[Path] = (), key: Path | None = None
) -> Certificate | None:
    """Write everything; the certificate, if one is due.

    Args:
        report: what came out.
        folder: where to.
        beside: folders of other certifications that share the matrix.
        key: a private key of SSH, to sign the certificate with.

    Raises:
        ClawError: it cannot be signed.
    """
    from claw_adapter.certify.badge import badge_svg, render_badge_json
    from claw_adapter.certify.junit import junit
    from claw_adapter.certify.page import Column, page

    write_atomic(folder / "report.json", render_report(report))
    write_atomic(folder / "junit.xml", junit(report))
    write_atomic(folder / "badge.svg", badge_svg(report))
    write_atomic(folder / "badge.json", render_badge_json(report))
    columns = [Column(report, folder / "evidence"), *(Column(read_report(one), one / "evidence") for one in beside)]
    write_atomic(folder / "report.html", page(columns))
    return issue(report, folder, key, alone=not beside)


def render_report(report: Report) -> str:
    """``report.json`` as text."""
    return json.dumps(report.model_dump(mode="json"), indent=1, ensure_ascii=False) + "\n"


def read_report(folder: Path) -> Report:
    """The report of a certification's folder.

    Raises:
        JournalError: there is none, or it is damaged.
    """
    try:
        return Report.model_validate_json(read_text(folder / "report.json"))
    except (OSError, ValueError) as error:
        raise JournalError(
            f"no certification report can be read here: {why(error)}",
            where=str(folder),
            remedy="Name a folder that `claw certify` has filled.",
        ) from None
