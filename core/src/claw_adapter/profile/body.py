"""What a harness takes of the machine, and the certificate it has."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from claw_adapter.certify.certificate import read_certificate
from claw_adapter.errors import ClawError
from claw_adapter.frameworks.home import frameworks_home
from claw_adapter.frameworks.sources import describe
from claw_adapter.profile.figures import spread
from claw_adapter.profile.records import Figure
from claw_adapter.runs.load import TrialData
from claw_adapter.sandbox.usage import size

__all__ = ["body_of", "certificate_of"]


def body_of(trials: Sequence[TrialData], harness: str) -> Iterator[Figure]:
    """What it takes of the machine."""
    used = [trial.end.used for trial in trials if trial.end is not None and trial.end.used is not None]
    turns = [
        [
            max(record.timing.total - record.usage.metered.seconds, 0.0)
            for record in trial.rounds
            if record.error is None
        ]
        for trial in trials
    ]
    first = [own[0] - median(own[1:]) if len(own) > 1 else 0.0 for own in turns]
    openings = [one.openings[0] + max(more, 0.0) for one, more in zip(used, first, strict=False) if one.openings]
    how = "seconds until it takes the first prompt, and those of its first turn beyond the others', by this machine's clock"
    yield spread("body", "cold start", openings, how, "seconds")
    how = "a turn after the first less the time in which a request was being answered, by this machine's clock"
    yield spread("body", "turn beyond the model", [value for own in turns for value in own[1:]], how, "seconds")
    how = "the most of all its processes together, looked at once a second"
    yield spread("body", "memory", [one.memory for one in used], how, "bytes")
    yield spread("body", "processes", [one.processes for one in used], how, "processes")
    how = "workspace and state directory at the end of the talk"
    yield spread("body", "disk of a conversation", [one.disk for one in used], how, "bytes")
    if (folder := _installed(harness)) is not None:
        yield Figure(group="body", name="installed", value=size(folder), unit="bytes", how=f"on disk, {folder.name}")


def certificate_of(harness: str, versions: Mapping[str, str]) -> Figure:
    """The level of the certificate that comes with the harness's description."""
    how = "the certificate kept beside the harness's description, of the version that ran; `claw certify --verify` verifies it"
    text = "none"
    with contextlib.suppress(ClawError):
        for path in sorted(describe(harness).folder.glob("certificates/*/certificate.json")):
            known, _ = read_certificate(path)
            if set(known.versions.values()) & set(versions.values()):
                return Figure(
                    group="delivery", name="certificate", text=f"{known.level}, of {known.issued[:10]}", how=how
                )
            text = f"none of this version; {known.level} of {path.parent.name}"
    return Figure(group="delivery", name="certificate", text=text, how=how)


def _installed(harness: str) -> Path | None:
    found = sorted(frameworks_home().glob(f"{harness}-[0-9]*"))
    return found[-1] if found else None
