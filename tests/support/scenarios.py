"""Small scenarios made by tests."""

import json
from pathlib import Path

FEEDBACK = {"correct": "That was right.", "options": {"A": "A holds.", "B": "B does not hold."}}


def write_scenario(
    root: Path,
    rounds: list[dict],
    *,
    name: str = "small",
    answers: dict | None = None,
    updates: dict | None = None,
    histories=(),
) -> Path:
    """A scenario folder: multi_choice rounds with options A (true) and B (false) unless they say otherwise."""
    for folder in ("workspace", "sessions", "gold/checks"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "workspace/notes.txt").write_text("the first line of the notes\n")
    seed = [{"role": "user", "text": "CANARY-MAIN hello"}, {"role": "assistant", "text": "hello"}]
    (root / "sessions/main.jsonl").write_text("".join(json.dumps(m) + "\n" for m in seed))
    for session in histories:
        lines = [{"role": "user", "text": f"CANARY-{session} news"}, {"role": "assistant", "text": "noted"}]
        (root / f"sessions/{session}.jsonl").write_text("".join(json.dumps(m) + "\n" for m in lines))
    for update, (about, files) in (updates or {}).items():
        folder = root / "updates" / update
        folder.mkdir(parents=True)
        (folder / "update.yaml").write_text(json.dumps(about))
        for file, text in files.items():
            (folder / file).write_text(text)
    full = [
        {"type": "multi_choice", "question": "Which?", "options": {"A": "this", "B": "that"}, **item} for item in rounds
    ]
    key = {"answer": ["A"], "feedback": FEEDBACK}
    manifest = {
        "schema": "scenario/1", "id": name, "title": name, "clock": "2026-01-01T00:00:00+00:00", "main": {"id": "main"},
        "histories": [{"id": session, "channel": "slack"} for session in histories],
    }  # fmt: skip
    gold = {"rounds": {item["id"]: (answers or {}).get(item["id"], key) for item in full}}
    for file, data in (("scenario", manifest), ("rounds", {"rounds": full}), ("gold/answers", gold)):
        (root / f"{file}.yaml").write_text(json.dumps(data))
    return root
