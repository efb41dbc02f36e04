"""Metered requests: what counts, what does not, and that remembering changes nothing."""

import pytest

from claw_adapter.tokens import Meter, canonical_json, count, count_messages, count_request
from claw_adapter.tokens.meter import flatten

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
TOOL = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}


def test_a_plain_request_is_the_sum_of_its_messages():
    got = count_request([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}], None)
    assert got.text == count_messages([("system", "Be brief.")]) + count_messages([("user", "hi")])
    assert (got.tools, got.images, got.media) == (0, 0, 0)


def test_the_parts_of_a_message_are_joined_by_line_breaks():
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    assert count_request([{"role": "user", "content": parts}]).text == count_messages([("user", "one\ntwo")])


@pytest.mark.parametrize("content", [None, "", [], "reading"])
def test_tool_calls_follow_the_text_as_canonical_json(content):
    text = content or ""
    got = count_request([{"role": "assistant", "content": content, "tool_calls": [CALL]}])
    assert got.text == count_messages([("assistant", f"{text}\n{canonical_json([CALL])}")])


def test_tools_count_as_their_canonical_json_whatever_the_order_of_keys():
    assert canonical_json({"b": 1, "a": [{"d": "\u00e9", "c": None}]}) == '{"a":[{"c":null,"d":"\u00e9"}],"b":1}'
    turned = {"function": {"parameters": {"type": "object"}, "name": "read"}, "type": "function"}
    assert count_request([], [TOOL]).tools == count_request([], [turned]).tools == count(canonical_json([TOOL]))
    assert count_request([], []).tools == count_request([], None).tools == 0


def test_images_and_media_are_flagged_and_cost_no_tokens():
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5000}}
    audio = {"type": "input_audio", "input_audio": {"data": "A" * 5000}}
    got = count_request([{"role": "user", "content": [image, {"type": "text", "text": "look"}, audio, image]}])
    assert (got.text, got.images, got.media) == (count_messages([("user", "look")]), 2, 1)


def test_a_part_of_unknown_kind_is_not_free():
    odd = {"type": "hologram", "data": "xyz"}
    assert flatten({"content": [odd]}) == (canonical_json(odd), 0, 0)


ODD = [{}, {"role": None, "content": 3}, {"content": {"type": "text"}}, {"content": ["a", None, 1, {"type": ["x"]}]}]


@pytest.mark.parametrize("message", ODD)
def test_odd_shapes_never_raise(message):
    assert count_request([message]).text > 0


def test_a_surrogate_in_a_message_never_raises():
    assert count_request([{"role": "user", "content": "\ud800"}]).text == count_messages([("user", "\ufffd")])


def test_a_repeated_prefix_is_counted_once(monkeypatch):
    counted = []
    monkeypatch.setattr("claw_adapter.tokens.meter.count", lambda text: counted.append(text) or count(text))
    meter, messages = Meter(), []
    for turn in range(20):
        messages.append({"role": "user", "content": f"message {turn}"})
        meter.request(messages, [TOOL])
    assert len(counted) == len(set(counted)) == 21


def test_the_memory_is_bounded_and_drops_the_least_recently_used(monkeypatch):
    counted = []
    monkeypatch.setattr("claw_adapter.tokens.meter.count", lambda text: counted.append(text) or len(text))
    meter = Meter(entries=2)
    for text in ("a", "b", "a", "c", "a", "b"):
        assert meter.count(text) == 1
    assert counted == ["a", "b", "c", "b"]
    assert len(meter) == 2


def test_no_entries_means_no_memory():
    meter = Meter(entries=0)
    assert meter.count("hello world") == 2
    assert len(meter) == 0


def test_the_request_is_not_changed():
    messages = [{"role": "assistant", "content": [{"type": "text", "text": "x"}], "tool_calls": [CALL]}]
    before = canonical_json([messages, [TOOL]])
    count_request(messages, [TOOL])
    assert canonical_json([messages, [TOOL]]) == before
