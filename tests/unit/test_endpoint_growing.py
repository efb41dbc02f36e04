"""A request that goes on from one before it costs what is new in it, and reads as if it stood alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.endpoint import known as module
from claw_adapter.endpoint.dialects import DIALECTS
from claw_adapter.endpoint.failures import BadRequest
from claw_adapter.endpoint.growing import Bodies
from claw_adapter.endpoint.known import Known
from claw_adapter.endpoint.parsing import parse_json
from claw_adapter.runs.transcript import Exchange, Transcript, read_transcript

MOST = 10_000_000
TEXTS = st.text(st.characters(exclude_categories=[]), max_size=8)  # halves of characters are among them
ITEMS = st.lists(st.dictionaries(TEXTS, TEXTS | st.integers() | st.lists(TEXTS, max_size=2), max_size=3), max_size=5)
MEMBERS = st.dictionaries(st.sampled_from(["model", "tools", "input", "x\n"]), TEXTS | ITEMS, max_size=3)


def body(messages: object, before: dict | None = None, after: dict | None = None, **more: object) -> bytes:
    value = {**(before or {}), "messages": messages, **(after or {})}
    return json.dumps(value, **more).encode("utf-8", "surrogatepass")


@settings(max_examples=60)
@given(st.lists(st.tuples(ITEMS, MEMBERS, MEMBERS, st.booleans(), st.sampled_from([None, 1])), max_size=5))
def test_a_body_reads_as_if_it_stood_alone(asked):
    bodies, told = Bodies(), []
    for items, before, after, plain, indent in asked:
        told = [*told, *items]
        data = body(told, before, after, ensure_ascii=plain, indent=indent)
        assert bodies.read(data, MOST) == parse_json(data)
        changed = body([*items, *told[1:]], before, after, ensure_ascii=plain, indent=indent)
        assert bodies.read(changed, MOST) == parse_json(changed)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b'{"messages": [{}', b'{"messages": [] x}', b'{"messages": [1}', b"7 7"]
)
def test_what_is_no_json_is_refused_and_other_json_is_read(data):
    try:
        expected = parse_json(data)
    except BadRequest as error:
        with pytest.raises(BadRequest, match=str(error)[:20].replace("(", ".")):
            Bodies().read(data, MOST)
    else:
        assert Bodies().read(data, MOST) == expected


def test_numbers_that_go_on_are_other_numbers():
    bodies = Bodies()
    bodies.read(b'{"messages": [1, 2]}', MOST)
    assert bodies.read(b'{"messages": [1, 23]}', MOST) == {"messages": [1, 23]}


def test_repeated_items_are_the_same_objects_although_another_conversation_came_between():
    bodies, told = Bodies(), [{"role": "user", "content": f"text {n} 😀"} for n in range(50)]
    first = bodies.read(body(told), MOST)
    bodies.read(body([{"role": "user", "content": "a title, please"}]), MOST)
    second = bodies.read(body([*told, {"role": "user", "content": "more"}]), MOST)
    assert all(a is b for a, b in zip(first["messages"], second["messages"], strict=False))
    assert len(second["messages"]) == 51


def test_only_so_much_is_read_as_is_new():
    bodies, told = Bodies(), [{"role": "user", "content": "x" * 900} for _ in range(100)]
    assert bodies.read(body(told), 1000) is None
    for number in range(100):
        assert bodies.read(body(told[: number + 1]), 1000)["messages"] == told[: number + 1]


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_a_message_is_counted_and_digested_once(dialect, monkeypatch, tmp_path):
    work = {"counted": 0, "digested": 0}

    def counting(name, original):
        def call(*args):
            work[name] += 1
            return original(*args)

        return call

    monkeypatch.setattr(module, "count_request", counting("counted", module.count_request))
    monkeypatch.setattr(module, "digest", counting("digested", module.digest))
    trial, told, seen = Known(), [], []
    name = "input" if dialect.name == "openai-responses" else "messages"
    with Transcript(tmp_path / "t.jsonl") as transcript:
        for number in range(40):
            told += [{"role": "user", "content": f"q {number}"}, {"role": "assistant", "content": f"a {number}"}]
            data = json.dumps({"model": "m", name: told}).encode()
            request = dialect.parse(trial.bodies.read(data, MOST), {}, trial)
            alone = dialect.parse(parse_json(data))
            assert (request.messages, request.lines) == (alone.messages, alone.lines)
            seen.append(alone.messages)
            assert trial.measured(request).size.text == Known().measured(alone).size.text
            work |= dict.fromkeys(work, 0)
            line = Exchange(number=number, at="t", seconds=0, dialect="d", stream=False, asked="m", status=200)
            transcript.append(line, trial.measured(request).parts)
            if dialect.name != "openai-responses":  # whose items are gathered into messages anew
                assert work["counted"] == work["digested"] == 0
    assert [list(one.messages) for one in read_transcript(tmp_path / "t.jsonl")] == seen
