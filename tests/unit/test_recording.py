"""Which of the recorded exchanges a replay answers from, where rounds were begun again."""

from claw_adapter.endpoint.replay.recording import Recording
from claw_adapter.runs.transcript import Exchange


def exchange(number: int, round_id: str, says: str, **more) -> Exchange:
    return Exchange(
        number=number, round=round_id, attempt=more.pop("attempt", 1), at="", seconds=0, dialect="openai-chat",
        stream=False, asked="m", status=200, messages=({"role": "user", "content": round_id},),
        reply={"role": "assistant", "content": says}, **more,
    )  # fmt: skip


def answers(recording: Recording, *rounds: str) -> list:
    return [recording.take([{"role": "user", "content": one}], []).reply["content"] for one in rounds]


def test_rounds_that_a_later_process_began_again_count_as_it_did_them():
    recording = Recording([
        exchange(1, "r1", "one"), exchange(2, "r2", "old two"), exchange(3, "r3", "old three"),
        exchange(1, "r2", "two"), exchange(2, "r3", "three"),
    ])  # fmt: skip
    assert answers(recording, "r1", "r2", "r3") == ["one", "two", "three"]


def test_a_turn_that_was_given_up_in_an_outage_is_left_out():
    recording = Recording([
        exchange(1, "r1", "first half", attempt=1),
        exchange(2, "r1", "", attempt=1, given_up=True).model_copy(update={"reply": None, "status": 499}),
        exchange(3, "r1", "whole", attempt=2),
    ])  # fmt: skip
    assert answers(recording, "r1") == ["whole"]
