"""What a bundle says of itself, and what a verification finds."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from claw_adapter.protocol.base import Record
from claw_adapter.report.records import Metrics

__all__ = ["FORMAT", "MANIFEST", "SIGNATURE", "BundleManifest", "BundleRow", "Verified"]

FORMAT = "bundle/1"
MANIFEST = "bundle.json"
SIGNATURE = "bundle.json.sig"


class BundleRow(Record):
    """A harness (label and overlays) under a model, as the run's report has it."""

    harness: str
    model: str
    strict: Metrics
    adjusted: Metrics
    trials: int
    unscored: int
    """Rounds."""
    input: int
    """Tokens, as the endpoint counted them (cl100k)."""
    output: int


class BundleManifest(Record):
    """``bundle.json``: the first file of a bundle."""

    format: Literal["bundle/1"] = "bundle/1"
    digest: str
    """Of the run's configuration."""
    claw_adapter: str
    distributions: dict[str, str] = Field(default_factory=dict)
    """Installed distributions with plugins that the run may have used: name → version."""
    scenarios: dict[str, str]
    """Scenario id → digest."""
    rows: tuple[BundleRow, ...]
    """What the run claims."""
    voided: int
    """Rounds with a score that were given up and tried again."""
    files: dict[str, str]
    """Every other file of the bundle: path → sha256."""


class Verified(Record):
    """What was found; a bundle in which something does not agree is refused, and has none."""

    digest: str
    trials: int
    rounds: int
    """Scored again, with the same result."""
    scenarios: dict[str, str]
    """Scenario id → digest."""
    rows: tuple[BundleRow, ...]
    isolation: int
    """Level of harness and checks in the run, at least; 0 where nothing isolated them."""
    requests: int
    """In the transcripts; their tokens are those that the journals count."""
    answers: int
    """Answers that are, word for word, among the model's replies."""
    unproved: tuple[str, ...]
    """What nothing in the bundle proves; a sentence each."""
    signer: str = ""
    """Who signed, as it was named to the verifier; empty where nobody did."""
