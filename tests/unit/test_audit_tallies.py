"""Numbers beside a file that is shown: what they count is learnt, and has to be so always."""

import pytest

from claw_adapter.audit.book import Book
from claw_adapter.audit.remarks import Remark
from claw_adapter.audit.tallies import Tallies


def found(*readings):
    """What is found of readings: the text that is shown, and what stands before it."""
    tallies, book = Tallies(), Book()
    for number, (text, said) in enumerate(readings):
        remark = Remark.of(f"{said}\n{text}", text.split("\n"), "a.md")
        tallies.take("read_file", remark, "a.md", text, (f"r{number}", number))
    tallies.finish(book)
    return [(one.key, one.rounds) for one in book.findings()]


def text(count, sign="x"):
    return "".join(f"The lift of house {number} is slow {sign * number}.\n" for number in range(count))


COUNTED = {
    "lines": lambda one: f"[{one.count(chr(10))} lines]",
    "bytes": lambda one: f"[{len(one.encode())} bytes]",
    "characters": lambda one: f"[{len(one)} characters]",
    "both": lambda one: f"[{one.count(chr(10))} lines, {len(one.encode())} bytes]",
}


@pytest.mark.parametrize("said", COUNTED.values(), ids=COUNTED)
def test_a_number_that_counts_another_text_is_found_where_it_has_counted_this_one(said):
    texts = [text(count, sign) for count in range(4, 9) for sign in ("x", "é")]
    right = [(one, said(one)) for one in texts]
    assert found(*right) == []
    assert found(*right, (texts[-1], said(text(20)))) == [("M20 told-stale", ("r10",))]


@pytest.mark.parametrize(
    "said",
    [lambda one: "[a file]", lambda one: f"[chapter {len(one) % 7}]", lambda one: "[7 lines]"],
    ids=["no number", "of something else", "always the same"],
)
def test_a_number_of_something_else_tells_nothing(said):
    assert found(*[(one, said(one)) for one in [text(count) for count in range(4, 16)]]) == []


def test_what_is_said_before_each_line_counts_nothing():
    """Numbers of lines, each with a mark of its line that may say the same as that of others."""
    readings = [(text(count), "".join(f"{at}#c4\n" for at in range(1, count + 1))) for count in range(4, 16)]
    short = (text(6), "1#c4\n2#c4\n3#c4\n")
    assert found(*readings, short) == []


def test_a_number_that_is_seldom_the_texts_own_is_of_something_else():
    texts = [text(count) for count in range(4, 16)]
    assert found(*[(one, f"[{one.count(chr(10)) if at % 2 else 900} lines]") for at, one in enumerate(texts)]) == []
