"""Promise: an event stream means the same however it is cut into chunks, and is bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.drivers.errors import LineTooLong
from claw_adapter.drivers.sse import EventParser, ServerEvent
from claw_adapter.errors import HarnessProtocolError

NO_LINE_END = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]), max_size=30)
EVENTS = st.lists(st.tuples(NO_LINE_END.filter(bool), st.lists(NO_LINE_END, min_size=1, max_size=4)), max_size=5)


def fed(parser, chunks):
    return [event for chunk in chunks for event in parser.feed(chunk)]


def parsed(chunks, limit=10_000):
    parser = EventParser(limit)
    found = fed(parser, chunks)
    parser.end()
    return found


@given(EVENTS, st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_written_and_read_is_the_same_at_every_cut(events, end, data):
    lines = [f"event: {name}{end}" + "".join(f"data: {part}{end}" for part in parts) + end for name, parts in events]
    stream = (":keep-alive" + end + end + "".join(lines)).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    chunks = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    found = parsed([*chunks, b"\n"] if end == "\r" else chunks)  # a last \r might be half of \r\n
    assert found == [ServerEvent("\n".join(parts), name) for name, parts in events]


@pytest.mark.parametrize("rest", [b"data: x", b"data: x\n", b"data: x\n\ndata: y", b"eve", b"data"])
def test_a_stream_cut_inside_an_event_is_an_error(rest):
    with pytest.raises(HarnessProtocolError, match="cut inside an event"):
        parsed([rest])


@pytest.mark.parametrize(
    "stream", [b"", b"data: x\n\n", b"data: x\r\n\r\n", b": only a comment\n", b"event: x\n\n", b"\n\n"]
)
def test_a_stream_that_ends_between_events_is_none(stream):
    assert len(parsed([stream])) == stream.count(b"data")


@pytest.mark.parametrize("chunk", [b"x" * 101, b"data: " + b"x" * 101 + b"\n\n", b"data: " + b"x" * 60 + b"\n"])
def test_lines_and_events_are_bounded(chunk):
    parser = EventParser(100)
    with pytest.raises(LineTooLong, match="more than 100 bytes"):
        fed(parser, [chunk] * 3)


def test_fields_without_a_colon_a_space_or_a_meaning():
    assert parsed([b"data\ndata:x\ndata:  y\nretry: 5\nfoo: bar\nid: 1\n\n"]) == [
        ServerEvent("\nx\n y", "message", "1")
    ]
