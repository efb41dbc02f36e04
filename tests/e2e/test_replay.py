"""A run's transcript is its recording: replayed with no model behind it, the journal comes out the same."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from claw_adapter.endpoint.replay import replay_model
from claw_adapter.errors import EndpointError
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.sandbox import detect
from support.running import experiment, outcome, run_sync
from support.scenarios import write_scenario

RIGHT = "\\bbox{A}"
READER = ModelSpec(name="reader", kind="reader")


def replayed(tmp_path: Path, name: str, scenario, spec: ModelSpec, recording: Path, **settings) -> dict[str, list]:
    model = replay_model(spec, recording).model_dump(mode="json")
    asked = experiment(scenario, models=[model], settings={"isolation": 0, "deadline": 60, **settings})
    return run_sync(tmp_path / name, asked)


def digest(found: dict[str, list]) -> str:
    text = json.dumps([[outcome(record) for record in records] for records in found.values()], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_demo_replays_to_the_same_journal_and_so_does_the_replay_without_a_key(tmp_path):
    recorded = run_sync(tmp_path / "recorded", experiment("demo"))
    shutil.move(tmp_path / "recorded", tmp_path / "one")
    again = replayed(tmp_path, "two", "demo", READER, tmp_path / "one")
    assert again.keys() == recorded.keys()
    for trial, records in recorded.items():
        assert [outcome(r) for r in again[trial]] == [outcome(r) for r in records]
        assert [r.usage.metered.requests for r in again[trial]] == [r.usage.metered.requests for r in records]
        assert [r.tool_calls for r in again[trial]] == [r.tool_calls for r in records]
    third = replayed(tmp_path, "three", "demo", READER, tmp_path / "two")
    assert digest(recorded) == digest(again) == digest(third)
    spec = replay_model(ModelSpec(name="m", base_url="http://x/v1", key_env="KEY"), tmp_path / "one")
    assert (spec.name, spec.key_env, spec.base_url) == ("m", "", "")
    assert replay_model(spec, tmp_path / "two").options["kind"] == "openai", "what was recorded in the first place"


def scripted(tmp_path: Path, *script, **more) -> tuple[Path, ModelSpec]:
    scenario = write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in (1, 2, 3)])
    return scenario, ModelSpec(name="script", kind="scripted", script=script, **more)


def record(tmp_path: Path, scenario: Path, spec: ModelSpec) -> dict[str, list]:
    return run_sync(tmp_path / "recorded", experiment(scenario, models=[spec.model_dump(mode="json")]))


@pytest.mark.parametrize("fault", ["401", "drop", "empty"])
def test_failures_fail_again(tmp_path, fault):
    scenario, spec = scripted(tmp_path, RIGHT, {"fault": fault})
    recorded = record(tmp_path, scenario, spec)
    again = replayed(tmp_path, "again", scenario, spec, tmp_path / "recorded")
    for trial, records in recorded.items():
        assert [r.score.value for r in again[trial]] == [r.score.value for r in records] == [1, None, None]
        assert [r.score.cause and r.score.cause.kind for r in again[trial]] == [
            r.score.cause and r.score.cause.kind for r in records
        ]
        assert [r.attempts for r in again[trial]] == [r.attempts for r in records]


def test_a_schedule_of_faults_is_kept_and_its_effects_are_not_taken_for_replies(tmp_path):
    scenario, spec = scripted(tmp_path, RIGHT, options={"faults": [{"at": [2], "kind": "500"}]})
    recorded = record(tmp_path, scenario, spec)
    again = replayed(tmp_path, "again", scenario, spec, tmp_path / "recorded")
    assert digest(again) == digest(recorded)


def test_recorded_tool_calls_go_to_the_present_workspace(tmp_path):
    scenario, _ = scripted(tmp_path)
    root = tmp_path / "recorded" / "live"
    write_to = f"{root}/small--reference--script--s0/workspace/out.txt"
    call = {"tools": [{"name": "write_file", "arguments": {"path": write_to, "content": "x"}}]}
    spec = ModelSpec(name="script", kind="scripted", script=(call, f"{write_to} {RIGHT}"))
    recorded = record(tmp_path, scenario, spec)
    again = replayed(tmp_path, "again", scenario, spec, tmp_path / "recorded")
    ((trial, records),) = again.items()
    assert trial == "small--reference--script--s0"
    assert records[0].snapshot == recorded[trial][0].snapshot
    assert records[0].snapshot != records[0].before, "the file was written, in the workspace of this run"
    assert str(tmp_path / "again" / "live") in records[0].text


@pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces here: {detect().reason}")
@pytest.mark.parametrize(("recorded_at", "replayed_at"), [(2, 1), (2, 2), (1, 2)])
def test_a_recording_serves_at_any_isolation(tmp_path, recorded_at, replayed_at):
    """What tool calls and commands name is the folder of the trial, however it is called there."""
    inside = "/agent" if recorded_at == 2 else f"{tmp_path}/recorded/live/small--reference--script--s0"
    commands = [f"echo x > {inside}/workspace/out.txt", f"cat {inside}/workspace/out.txt; pwd; ls {inside}/workspace"]
    calls = [{"tools": [{"name": "exec", "arguments": {"command": command}}]} for command in commands]
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}])
    spec = ModelSpec(name="script", kind="scripted", script=(*calls, f"The agents.md of {inside} is missing. {RIGHT}"))
    found = {}
    for name, level, model in (("recorded", recorded_at, spec), ("again", replayed_at, None)):
        told = (model or replay_model(spec, tmp_path / "recorded")).model_dump(mode="json")
        settings = {"isolation": level, "deadline": 60}
        asked = experiment(scenario, harnesses=["reference"], models=[told], settings=settings)
        ((found[name],),) = run_sync(tmp_path / name, asked).values()
    assert found["again"].snapshot == found["recorded"].snapshot != found["recorded"].before
    here = "/agent" if replayed_at == 2 else f"{tmp_path}/again/live/small--reference--script--s0"
    assert found["again"].text.startswith(f"The agents.md of {here} is missing.")


def test_a_changed_prompt_is_a_miss_that_shows_the_difference(tmp_path):
    scenario, spec = scripted(tmp_path, RIGHT)
    record(tmp_path, scenario, spec)
    rounds = json.loads((scenario / "rounds.yaml").read_text())
    rounds["rounds"][1]["question"] = "Which other?"
    (scenario / "rounds.yaml").write_text(json.dumps(rounds))
    ((_, records),) = replayed(tmp_path, "again", scenario, spec, tmp_path / "recorded").items()
    assert [r.score.value for r in records] == [1, None, None]
    cause = records[1].score.cause
    assert (cause.owner, cause.kind) == ("endpoint", "EndpointError")
    assert "the nearest is request 2 (round r2, attempt 1)" in cause.what
    assert "Which other?" in cause.what
    assert "\n-" in cause.what
    assert "\n+" in cause.what
    assert records[1].attempts == 1, "asking again would not help"


def test_what_cannot_be_replayed_is_said_before_anything_is_run(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(EndpointError, match="no recording"):
        replay_model(READER, tmp_path / "empty")
    scenario, spec = scripted(tmp_path, RIGHT)
    record(tmp_path, scenario, spec)
    other = spec.model_copy(update={"name": "another"})
    with pytest.raises(
        EndpointError, match="has no trial 'small--reference--another--s0'; it has small--reference--script"
    ):
        replay_model(other, tmp_path / "recorded", ["small--reference--another--s0"])
    ((_, records),) = replayed(tmp_path, "again", scenario, other, tmp_path / "recorded").items()
    assert not any(record.score.value for record in records)


def test_a_round_that_was_begun_again_after_a_kill_is_replayed_from_its_last_beginning(tmp_path):
    from claw_adapter.endpoint.replay import Recording

    scenario, spec = scripted(tmp_path, RIGHT)
    record(tmp_path, scenario, spec)
    exchanges = list(read_transcript(next((tmp_path / "recorded").glob("trials/*/transcript.jsonl"))))
    one, two = exchanges[0], exchanges[1]
    abandoned = two.model_copy(update={"reply": {"role": "assistant", "content": "abandoned"}})
    later = [e.model_copy(update={"number": n}) for n, e in enumerate(exchanges[1:], 1)]
    recording = Recording([one, abandoned, *later])
    assert recording.take(two.messages, two.tools).reply["content"] == RIGHT


def test_requests_that_overlapped_are_not_taken_for_a_round_begun_again(tmp_path):
    from claw_adapter.endpoint.replay import Recording

    scenario, spec = scripted(tmp_path, RIGHT)
    record(tmp_path, scenario, spec)
    exchanges = list(read_transcript(next((tmp_path / "recorded").glob("trials/*/transcript.jsonl"))))
    same_round = [e.model_copy(update={"round": "r1"}) for e in exchanges]
    overlapping = [same_round[1], same_round[0], *same_round[2:]]
    recording = Recording(overlapping)
    for exchange in same_round:
        assert recording.take(exchange.messages, exchange.tools).number == exchange.number
