"""Promise: however output is cut into reads, a pattern is found where it is; below the limit no byte is lost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.drivers.window import Window

CHUNKS = st.lists(st.binary(max_size=40) | st.just(b"END") | st.sampled_from([b"E", b"N", b"D"]), max_size=30)
END = [re.compile(rb"END")]


@given(CHUNKS)
def test_it_is_found_as_in_the_whole_stream(chunks):
    window, heard = Window(10_000), None
    for chunk in chunks:
        window.feed(chunk)
        heard = heard or window.find(END)
    data = b"".join(chunks)
    place = data.find(b"END")
    if place < 0:
        assert heard is None
        assert window.take().before == data
    else:
        assert (heard.before, heard.match) == (data[:place], b"END")
        assert heard.before + heard.match + window.take().before == data


@given(CHUNKS, st.integers(1, 50))
def test_beyond_the_limit_the_oldest_is_dropped_and_counted(chunks, limit):
    window = Window(limit)
    for chunk in chunks:
        window.feed(chunk)
        assert window.find([re.compile(rb"\x00never\x01{9}")]) is None
    heard = window.take()
    data = b"".join(chunks)
    assert len(heard.before) <= 2 * limit
    assert heard.dropped + len(heard.before) == len(data)
    assert data.endswith(heard.before)
    assert len(heard.before) >= min(limit, len(data))


def test_an_anchor_is_the_begin_of_what_is_unread_only():
    window = Window(100_000)
    window.feed(b"x" * 50_000)
    assert window.find([re.compile(rb"^y")], anew=True) is None
    window.feed(b"y")
    assert window.find([re.compile(rb"^y")]) is None
    assert window.find([re.compile(rb"y$")]).before == b"x" * 50_000


def test_the_earliest_match_wins_and_then_the_first_pattern():
    window = Window(1000)
    window.feed(b"a bc")
    heard = window.find([re.compile(rb"c"), re.compile(rb"(b)(x)?c"), re.compile(rb"bc")])
    assert (heard.index, heard.match, heard.groups) == (1, b"bc", (b"b", None))
