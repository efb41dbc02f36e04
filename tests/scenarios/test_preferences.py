"""A preference is about what an agent makes in the round: neither older files nor the lesson's own round decide an exam."""

import asyncio
from pathlib import Path

import pytest

from claw_adapter.report.rescore import rescore
from claw_adapter.runs.folder import RunFolder
from claw_adapter_scenarios.compiler import build
from claw_adapter_scenarios.spec import load_spec
from scenarios.patching import patched
from support.running import experiment, outcome, run_sync

OLD = """  - path: notes/from_before.md
    kind: markdown
    source: word
    role: background
    text: {text}
"""
TAUGHT = "r3"
RULE = "    name: '^\\d{4}-\\d{2}-\\d{2}_[^/]+\\.md$'\n"
FOLLOW = 'follow: {rename: "{now|date}_{stem}{suffix}"}'


def signed(folder: Path, old: str) -> Path:
    """The example with notes that are to be signed, and a note from before the lesson."""
    root = patched(
        folder,
        ("3-rounds", RULE, "    contains: '^Signed: '\n"),
        ("3-rounds", FOLLOW, 'follow: {append: "\\nSigned: the desk\\n"}'),
        ("1-workspace", "documents:\n", "documents:\n" + OLD.replace("{text}", f'"{old}"')),
    )
    return build(load_spec(root), folder / "built")


@pytest.mark.parametrize("old", ["A note without a name under it.", "Signed: somebody else, long ago"])
def test_a_note_from_before_neither_fails_the_exam_nor_spares_the_lesson(old: str, tmp_path: Path):
    """And a trial that goes on before the exam scores as one that was not interrupted."""
    asked = experiment(signed(tmp_path, old))
    ((name, records),) = run_sync(tmp_path / "run", asked).items()
    found = {record.round: record for record in records}
    (examined,) = [record for record in records if record.type == "preference"]
    assert found[TAUGHT].taught == {"dated": False}
    assert examined.score.value == 1, examined.score.detail
    again = asyncio.run(rescore(tmp_path / "run"))
    assert again.rounds == len(records)
    assert again.differences == ()
    journal = RunFolder(tmp_path / "run").journal(name)
    lines = journal.read_bytes().splitlines(keepends=True)
    exam = next(n for n, line in enumerate(lines) if b'"type":"preference"' in line.replace(b" ", b""))
    journal.write_bytes(b"".join(lines[:exam]))
    (resumed,) = run_sync(tmp_path / "run", asked).values()
    assert [outcome(record) for record in resumed] == [outcome(record) for record in records]
    assert all(record.score.value == 1 for record in resumed)
