"""Laws of token counting that hold for every text and every request."""

import re
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.tokens import Meter, cl100k, count, per_turn
from claw_adapter.tokens.blanks import BLANKS, cut, windows

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
ANY = st.text(st.characters(), max_size=60) | st.text(st.characters(categories=["Cs", "Lo"]), max_size=20)
BLANK_TEXT = st.text(st.sampled_from(" \t\u00a0\u3000\u2028\x0b\x85\r\n\x1c\u200baZ7.'!\u0301\u4e2d"), max_size=40)
PART = st.one_of(
    st.builds(lambda text: {"type": "text", "text": text}, ANY),
    st.just({"type": "image_url", "image_url": {"url": "data:"}}),
    st.just({"type": "refusal", "refusal": "no"}),
)
CALLS = st.lists(
    st.builds(lambda name, args: {"id": "c", "function": {"name": name, "arguments": args}}, ANY, ANY), max_size=2
)
MESSAGE = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["system", "user", "assistant", "tool"]),
        "content": st.none() | ANY | st.lists(PART, max_size=3),
    },
    optional={"tool_calls": CALLS},
)
REQUEST = st.tuples(
    st.lists(MESSAGE, max_size=4), st.none() | st.lists(st.dictionaries(ANY, ANY, max_size=3), max_size=2)
)


@given(TEXT)
def test_decoding_gives_the_text_back(text):
    tokens = cl100k.encode(text)
    assert cl100k.encoding().decode_bytes(tokens) == text.encode()
    assert len(tokens) == count(text)


@given(ANY)
def test_any_string_counts_without_raising_and_never_more_than_its_bytes(text):
    assert 0 <= count(text) <= len(text.encode("utf-8", "surrogatepass"))
    assert bool(count(text)) == bool(text)


@given(ANY)
def test_counting_and_encoding_agree(text):
    assert count(text) == len(cl100k.encode(text))


@settings(max_examples=300)
@given(BLANK_TEXT | TEXT, st.integers(2, 9))
def test_cutting_at_runs_of_blanks_changes_no_token(text, longest):
    parts = list(cut(text, longest))
    encode = cl100k.encoding().encode_ordinary
    assert "".join(parts) == text
    assert [token for part in parts for token in encode(part)] == encode(text)


@settings(max_examples=300)
@given(BLANK_TEXT | TEXT | st.text(st.sampled_from("aZ 7\n'sté.\r"), max_size=60), st.integers(1, 9))
def test_counting_window_by_window_changes_no_token(text, size):
    parts = list(windows(text, size))
    encode = cl100k.encoding().encode_ordinary
    assert "".join(parts) == text
    assert [token for part in parts for token in encode(part)] == encode(text)


@given(BLANK_TEXT, st.integers(2, 9))
def test_cutting_leaves_no_long_run_of_blanks_before_a_visible_character(text, longest):
    dangerous = re.compile(f"[{BLANKS}]{{{longest},}}[^{BLANKS}\r\n]")
    assert not any(dangerous.search(part) for part in cut(text, longest))


def test_blanks_are_unicode_white_space_without_line_breaks():
    space = {chr(c) for c in range(0x110000) if chr(c).isspace()}
    assert set(BLANKS) == space - set("\r\n") - set("\x1c\x1d\x1e\x1f")  # separators: space to Python only


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("following", ["a", "!", "7", "\u0301", "\x1c"])
def test_the_engine_takes_each_blank_for_white_space(blank, following):
    encode = cl100k.encoding().encode_ordinary
    text = f"x{blank * 9}{following}"
    assert len(list(cut(text, 4))) == 3
    assert [token for part in cut(text, 4) for token in encode(part)] == encode(text)


@settings(deadline=None)
@given(st.lists(REQUEST, max_size=4), st.integers(0, 5))
def test_remembering_counts_changes_no_count(requests, entries):
    remembering = Meter(entries)
    for messages, tools in [*requests, *requests]:
        assert remembering.request(messages, tools) == Meter(0).request(messages, tools)
        assert len(remembering) <= entries


@settings(deadline=None)
@given(REQUEST, REQUEST)
def test_a_request_counts_as_the_sum_of_its_messages(first, second):
    meter = Meter()
    both = meter.request([*first[0], *second[0]], first[1])
    one, two = meter.request(*first), meter.request(second[0])
    assert (both.text, both.tools, both.images) == (one.text + two.text, one.tools, one.images + two.images)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12))
def test_cumulative_readings_of_known_turns_give_the_turns_back(turns):
    got = per_turn(list(accumulate(turns)), "cumulative")
    assert (got.values, got.total, got.flags) == (tuple(turns), sum(turns), ())


@given(
    st.lists(st.none() | st.integers(-5, 50), max_size=12), st.sampled_from(["per_turn", "cumulative", "last_request"])
)
def test_consumption_is_never_negative_and_faults_are_never_silent(values, semantics):
    got = per_turn(values, semantics)
    assert len(got.values) == len(values)
    assert all(v is None or v >= 0 for v in got.values)
    assert got.total is None or got.total == sum(v for v in got.values if v is not None)
    if any(v is not None and v < 0 for v in values):
        assert got.flags
