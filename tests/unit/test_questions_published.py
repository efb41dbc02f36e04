"""The published benchmark's prompts and verdicts on its own results, from the outside data where it is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claw_adapter.protocol import Answer, Answers, Gold, Round, TurnResult
from claw_adapter.question import ScoringContext
from claw_adapter.questions import builtin

SHARED = Path(__file__).parents[2].parent / "shared"
RUN = SHARED / "clawarena-results" / "gpt-5.5_openclaw"
DATA = SHARED / "clawarena" / "eval"
pytestmark = pytest.mark.skipif(
    not RUN.is_dir() or not DATA.is_dir(), reason="needs ../shared (published data and results)"
)


def cases():
    for scenario in ("hil_d3", "hil_g1"):
        path = DATA / scenario / "questions.json"
        if not path.is_file():
            return
        for entry in json.loads(path.read_text("utf-8"))["rounds"]:
            result = json.loads((RUN / scenario / entry["id"] / "infer_result.json").read_text("utf-8"))
            yield entry, result


def as_round(entry):
    options = entry["eval"].get("options", {})
    return Round(
        id=entry["id"],
        type=entry["type"],
        question=entry["question"],
        options=options,
        updates=tuple(entry["update_ids"]),
    )


def test_every_published_prompt_is_ours_in_compat_mode():
    kinds, count = builtin(), 0
    for entry, result in cases():
        prompt = kinds[entry["type"]].prompt(as_round(entry), compat="clawarena-1.0")
        head, found, rest = result["question"].partition(prompt)
        assert found, entry["id"]
        assert rest == ""
        assert head == "" or (head.startswith("[Previous Feedback] ") and head.endswith("\n\n"))
        count += 1
    assert count == 60


@pytest.mark.parametrize("compat", ["clawarena-1.0", None])
async def test_every_published_verdict_is_ours(tmp_path, compat):
    """These answers are all plain, so both ways of reading agree with the published one."""
    kind, count = builtin()["multi_choice"], 0
    for entry, result in cases():
        if entry["type"] != "multi_choice":
            continue
        key = Answer(answer=tuple(entry["eval"]["answer"]))
        gold = Gold(root=tmp_path, answers=Answers(rounds={entry["id"]: key}))
        context = ScoringContext(gold=gold, workspace=tmp_path, isolation=0, compat=compat)
        score = await kind.score(as_round(entry), TurnResult(text=result["answer"]["text"]), context)
        assert list(score.answer or ()) == sorted(result["inline_score"]["selected"])
        assert bool(score.value) == result["inline_score"]["passed"]
        count += 1
    assert count > 10
