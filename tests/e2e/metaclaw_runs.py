"""What tests with the real MetaClaw share: pools, experiments, and what became of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claw_adapter.protocol import TrialEnd
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.transcript import Exchange, read_transcript

CANARY = "CANARY-SKILL-7781"
EVOLVED = "EVOLVED-SKILL-9132"
SKILL = [
    {"name": "evolved-one", "description": "Use always.", "content": f"{EVOLVED} be brief.", "category": "general"}
]
MODEL = {"name": "reader", "kind": "reader", "options": {"overlay_reply": json.dumps(SKILL)}}
"""The reader; asked for a skill, it gives always the same one."""


def pool(folder: Path) -> Path:
    """A folder of skills with one whose text is not to be mistaken."""
    skill = folder / "canary" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(f"---\nname: canary\ndescription: Use in every conversation.\n---\n\n{CANARY} look first.\n")
    return folder


def metaclaw(label: str = "metaclaw", **options) -> dict:
    """The overlay as an experiment names it."""
    return {"name": "metaclaw", "label": label, "options": options}


def exchanges(root: Path, trial: str, origin: str) -> list[Exchange]:
    """A trial's requests of one origin that belong to rounds."""
    path = RunFolder(root).transcript(trial)
    return [exchange for exchange in read_transcript(path) if exchange.origin == origin]


def seen(exchange: Exchange) -> str:
    """All messages of a request as one text."""
    return "\n".join(str(message.get("content")) for message in exchange.messages)


def artefact(root: Path, trial: str, name: str, label: str = "metaclaw") -> set[str]:
    """The files of an artefact."""
    folder = RunFolder(root).trial(trial) / "artefacts" / label / name
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def end(root: Path, trial: str) -> TrialEnd:
    """The record with which a trial ended."""
    last = read_journal(RunFolder(root).journal(trial))[-1]
    assert isinstance(last, TrialEnd)
    return last


real = pytest.mark.real("metaclaw")
