"""CommandHarness: where a prompt goes, and where the answer and the tokens stand."""

from __future__ import annotations

import json

import pytest

from claw_adapter import command as c
from claw_adapter.harness import Session
from support.described import SESSION, harness, turns


async def test_a_prompt_goes_to_standard_input_and_the_output_is_the_answer(tmp_path):
    (turn,) = await turns(harness(tmp_path / "x", "cat; echo"), tmp_path, "two\nlines {model} ﷽")
    assert turn.text == "two\nlines {model} ﷽"
    assert turn.timing.total >= turn.timing.own >= 0


async def test_places_are_filled_and_what_fills_them_is_not_searched(tmp_path):
    argv = ("made-agent", "-p", "{prompt}", "--in={workspace}", "{session}", "{model}", "{openai}", "{seed}")
    made = harness(
        tmp_path / "x", 'printf "%s\n" "$@" "$KEY" "$(cat "$HOME/sub/config.json")"', command=argv,
        env={"KEY": "{key}"}, files={"sub/config.json": {"to": ["{url}"], "n": 1}},
    )  # fmt: skip
    (turn,) = await turns(made, tmp_path, "say {key}; $HOME", seed=7, key="sk-1", main=Session(id="a b"))
    trial = tmp_path / "trial"
    first = ["-p", "say {key}; $HOME", f"--in={trial / 'workspace'}", "a b", "the-model", "http://127.0.0.1:9/v1", "7"]
    assert turn.text.split("\n")[:-1] == [*first, "sk-1"]
    assert json.loads(turn.text.split("\n")[-1]) == {"to": ["http://127.0.0.1:9"], "n": 1}
    assert (trial / "state/sub/config.json").stat().st_mode & 0o77 == 0


@pytest.mark.parametrize("prompt", ["x" * 200_000, " ", "a\0b", "\ud800"])
async def test_what_would_not_arrive_whole_as_an_argument_is_refused(tmp_path, prompt):
    made = harness(tmp_path / "x", "touch ran; echo no", command=("made-agent", "{prompt}"))
    (turn,) = await turns(made, tmp_path, prompt)
    assert turn.error.kind == "AdapterError"
    assert not (tmp_path / "trial/workspace/ran").exists()


@pytest.mark.parametrize(
    ("answer", "script"),
    [
        (c.LastLine(), "echo thinking; echo yes; echo"),
        (c.Json("result.text"), """echo '{"result": {"text": "yes"}}'"""),
        (c.Json("-1.text", lines=True), """echo '{"text": "hm"}'; echo '{"text": "yes"}'"""),
        (c.Text("{state}/answer"), "echo noise; echo yes > $HOME/answer"),
        (c.Json("messages.-1.content", file=SESSION), """echo '{"messages": [{"content": "yes"}]}' > $HOME/session.json"""),
    ],
)  # fmt: skip
async def test_an_answer_may_stand_in_many_places(tmp_path, answer, script):
    (turn,) = await turns(harness(tmp_path / "x", script, answer=answer), tmp_path, "well?")
    assert turn.text == "yes"


async def test_usage_is_read_with_its_meaning(tmp_path):
    usage = c.JsonUsage("per_turn", input="u.in", output="u.out", cached="u.cached")
    made = harness(
        tmp_path / "x", """echo '{"a": "x", "u": {"in": 3, "out": 4, "cached": 1}}'""", answer=c.Json("a"), usage=usage
    )
    (turn,) = await turns(made, tmp_path, "well?")
    assert turn.usage.model_dump() == {"kind": "per_turn", "input": 3, "output": 4, "cached": 1}
    assert made.capabilities().usage == "per_turn"
