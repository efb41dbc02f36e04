"""What exports show of a run: what a model was told between its replies, and what came of trials with unscored rounds."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from types import SimpleNamespace

from claw_adapter.exports import export
from claw_adapter.exports.turns import read_turns
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.transcript import Exchange

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "report_runs.py")))
REQUEST = {"role": "user", "content": "Request: list"}
FIRST = {"role": "assistant", "content": "tasks list"}
PRINTED = {"role": "user", "content": "[exit 0]\nno tasks"}


def _exchange(number: int, *messages: dict[str, str]) -> Exchange:
    return Exchange(
        number=number,
        round="r1",
        at="2026-03-01T09:00:00Z",
        seconds=1.0,
        dialect="openai",
        stream=False,
        asked="m",
        messages=messages,
        status=200,
        reply={"role": "assistant", "content": "x"},
    )


def test_what_was_printed_stands_behind_the_reply_that_it_answers(tmp_path: Path, monkeypatch) -> None:
    asked = [_exchange(1, REQUEST), _exchange(2, REQUEST, FIRST, PRINTED)]
    monkeypatch.setattr("claw_adapter.exports.turns.read_transcript", lambda _path: iter(asked))
    path = RunFolder(tmp_path).transcript("t1")
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({}))
    usage = SimpleNamespace(metered=SimpleNamespace(requests=2))
    trial = SimpleNamespace(spec=SimpleNamespace(id="t1"), rounds=[SimpleNamespace(round="r1", usage=usage)])
    (turn,) = read_turns(tmp_path, trial)  # type: ignore[arg-type]  # stand-ins for records
    assert turn.told == (("[exit 0]\nno tasks",), ())


def test_the_reward_of_a_trial_leaves_unscored_rounds_out(tmp_path: Path) -> None:
    runs = make.small(tmp_path / "run")
    export(runs.root, "harbor-job", tmp_path / "out")
    (job,) = (tmp_path / "out").iterdir()
    told = [json.loads((job / one.id / "result.json").read_text("utf-8")) for one in runs.specs]
    rewards = [one["verifier_result"]["rewards"]["reward"] for one in told]
    assert rewards == [3.5 / 5, 1.0 / 2]
