"""A fragment is found however a harness dresses a file's text, and never where it does not stand."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from claw_adapter.endpoint.reader.matching import Matcher, find, normalise, readings
from claw_adapter.endpoint.reader.paging import joined
from claw_adapter.endpoint.reader.reading import KEYWORD, keywords

# Combining characters are left out at random: at the edge of a fragment they would change the text around it, too.
LETTERS = st.characters(exclude_categories=["Cs", "Cc", "Mn", "Mc", "Me"], exclude_characters="\u2028\u2029\x85")
FRAGMENT = st.text(LETTERS, min_size=12, max_size=60).filter(lambda text: len(normalise(text)) >= 8)
PREFIX = st.sampled_from(["", "     1\t", "1|", "12| ", "12: ", "[1] ", "L1:", "  3→", "> ", "- "])
LINES = st.lists(st.text(st.characters(codec="ascii", exclude_characters="\r\n"), max_size=40), max_size=5)


@st.composite
def dressed(draw: st.DrawFn) -> tuple[str, str]:
    """A fragment, and a text that holds it after everything that harnesses do to file text."""
    fragment = draw(FRAGMENT)
    before, after = draw(LINES), draw(LINES)
    blanks = draw(st.sampled_from([" ", "  ", "\t", "\u00a0", " \t "]))
    line = f"{draw(PREFIX)}x {fragment.replace(' ', blanks)} y"
    text = draw(st.sampled_from(["\n", "\r\n"])).join([*before, line, *after])
    for _ in range(draw(st.integers(0, 2))):
        text = json.dumps({"content": text}, ensure_ascii=draw(st.booleans()))
    return fragment, text


@given(dressed())
def test_a_dressed_fragment_is_found(case: tuple[str, str]):
    fragment, text = case
    assert find({"f": fragment}, ["something else", text]) == {"f"}


@given(FRAGMENT, st.lists(st.text(max_size=200), max_size=4))
def test_what_is_not_in_any_line_is_never_found(fragment: str, texts: list[str]):
    marked = "\u2603" + fragment + "\u2603"
    plain = [text.replace("\u2603", "").replace("\\", "") for text in texts]
    assert find({"f": marked}, plain) == set()


@given(FRAGMENT, st.data())
def test_a_near_miss_is_not_found(fragment: str, data: st.DataObject):
    wanted = normalise(fragment).replace("\\", "/")
    at = data.draw(st.integers(1, len(wanted) - 1))
    other = wanted[:at] + "\u2603" + wanted[at + data.draw(st.integers(0, 1)) :]
    assert find({"f": wanted}, [other, f"1| {other}", json.dumps([other])]) == set()
    assert find({"f": wanted}, [f"{other} {wanted}"]) == {"f"}


@given(FRAGMENT, st.integers(1, 11))
def test_a_fragment_is_found_across_lines_only_where_it_was_wrapped(fragment: str, at: int):
    words = normalise(fragment).replace("\\", "/")
    first, second = words[:at].strip(), words[at:].strip()
    assume(first and second)
    assert find({"f": words}, [f"{first}\r\n12| {second}", f"{first} |\n| {second}"]) == set()
    assert find({"f": words}, [f"a text, {first}\n  {second} and more\n"]) == {"f"}


@given(st.text(max_size=300))
def test_normalising_is_idempotent_and_readings_are_distinct(text: str):
    once = normalise(text)
    assert normalise(once) == once or not unicodedata.is_normalized("NFKC", once)
    known = readings(text)
    assert len(set(known)) == len(known) <= 3


@given(FRAGMENT, LINES)
def test_what_stands_only_in_an_excluded_text_does_not_count(fragment: str, lines: list[str]):
    own = "\n".join([*lines, f"= {fragment} ="])
    matcher = Matcher()
    assert matcher.found({"f": fragment}, f"[10:00] {own}") == {"f"}
    assert matcher.found({"f": fragment}, f"[10:00] {own}", [own]) == set()
    assert matcher.found({"f": fragment}, f"{own}\n! {fragment} !", [own]) == {"f"}


@given(FRAGMENT)
def test_a_search_word_never_contains_a_fragment(fragment: str):
    assert all(len(word) <= KEYWORD and fragment not in word for word in keywords(fragment))


def test_memory_is_bounded_and_the_result_does_not_depend_on_it():
    matcher = Matcher(limit=100)
    texts = [f"fragment number {i} is here " * 3 for i in range(50)]
    for _ in range(2):
        for i, text in enumerate(texts):
            assert matcher.found({"f": f"number {i} is"}, text) == {"f"}
    assert sum(map(len, matcher._known)) <= 200


@pytest.mark.parametrize(
    ("fragment", "text"),
    [
        ("C:\\new\\table is broken", json.dumps(json.dumps({"path": "C:\\new\\table is broken"}))),
        ("Größe 5 ㎏ für \U0001d4b3 and 😀 ok", json.dumps("Größe 5 ㎏ für \U0001d4b3 and 😀 ok")),
        ("\uff46\uff55\uff4c\uff4c width text here", "12| full width text here"),
        ("tab\tseparated\tcells", "tab separated    cells"),
    ],
)
def test_known_dresses(fragment: str, text: str):
    assert find({"f": fragment}, [text]) == {"f"}


def test_own_texts_with_backslashes_are_excluded_in_every_reading():
    own = 'I said "the long fragment text" and \\bbox{A}'
    for text in (own, f"[10:00] {own}", f"[10:00] {json.dumps(own)}"):
        assert Matcher().found({"f": "the long fragment text"}, text) == {"f"}
        assert Matcher().found({"f": "the long fragment text"}, text, [own]) == set()


PAGES = st.sampled_from([
    ("{}", "{}"), ("{}\n[312 more; use offset 700]", "{}"), ("{}... (page 1 of 2)", "[page 2]\n{}"),
    ("<part>{}</part>", "<part>{}</part>"),
])  # fmt: skip


@given(st.data(), PAGES, st.booleans())
def test_a_line_that_the_end_of_a_page_cuts_is_joined_and_no_other(data, pages, as_json):
    line = normalise(data.draw(st.text("abcdefgh :0123456789,", min_size=8, max_size=40)))
    assume(len(line) > 7)
    cut = data.draw(st.integers(1, len(line) - 1))
    before, after = f"one line\nx {line[:cut]}", f"{line[cut:]} y\nanother"
    lost = f"{line[cut + 1 :]} y\nanother"

    def dress(page: str, text: str) -> str:
        return json.dumps({"text": text, "more": True}) if as_json else page.format(text)

    assert joined(line, dress(pages[0], before), dress(pages[1], after))
    assume(line[cut].strip() and line[cut - 1 : cut + 1] != line[cut : cut + 2] and line[cut] != line[cut - 1])
    assert joined(line, dress(pages[0], before), dress(pages[1], lost)) is (line in f"{line[:cut]}{lost}")
