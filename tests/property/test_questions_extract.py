"""Extraction never fails on any text, and reads back any set of letters however it is wrapped."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.protocol import Round
from claw_adapter.questions import extract, extract_compat
from claw_adapter.questions.multi_choice import agreement

LETTERS = st.sets(st.sampled_from("ABCDEFGHIJ"))
PIECES = st.lists(
    st.sampled_from(
        ["\\bbox{", "\\boxed{", "{", "}", "\\text{", "A", "B,", " ", "\\", "and", "\\{", "$", "(", "x", "\n", "[", "]"]
    ),
    max_size=30,
).map("".join)
PROSE = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\\{}"), max_size=60)
WRAP = st.sampled_from(
    [
        "{}",
        r"\text{{{}}}",
        r"\mathrm{{{}}}",
        r"\textbf{{\text{{{}}}}}",
        "({})",
        r"\{{{}\}}",
        " {} ",
        "{}.",
        "${}$",
        "**{}**",
        r"\boxed{{{}}}",
    ]
)
BETWEEN = st.sampled_from([",", ", ", " ", " and ", ";", " & ", r" \text{ and } ", ",\n", ", and ", "、", r",\ "])
BOX = st.sampled_from(["\\bbox{", "\\boxed{", "\\bbox {"])


@given(st.one_of(st.text(), PIECES))
def test_any_text_is_read_or_malformed_with_a_reason(text):
    for found in (extract(text, "ABC"), extract(text), extract_compat(text)):
        assert (found.letters is None) == bool(found.malformed)
        assert found.letters is None or found.letters == tuple(sorted(set(found.letters)))
        assert set(found.letters or ()) <= set(string.ascii_uppercase)
    assert set(extract(text, "ABC").letters or ()) <= set("ABC")


@given(st.permutations("ABCDEFGHIJ"), st.integers(0, 10), st.data(), BOX, WRAP, BETWEEN, PROSE, PROSE, st.booleans())
def test_any_letters_in_any_wrapping_read_back(order, count, data, box, around, between, before, after, lower):
    letters = order[:count]
    each = data.draw(WRAP) if count else "{}"
    inner = between.join(each.format(letter.lower() if lower else letter) for letter in letters)
    content = around.format(inner) if count else inner
    found = extract(f"{before}{box}{content}}}{after}")
    assert found.letters == tuple(sorted(letters)), found.malformed


@given(LETTERS, LETTERS, PROSE, PROSE)
def test_the_last_box_wins(first, last, between, after):
    text = f"\\bbox{{{','.join(first)}}}{between}\\boxed{{{','.join(last)}}}{after}"
    assert extract(text).letters == tuple(sorted(last))
    assert extract(f"{text}\\bbox{{{between}").letters == tuple(sorted(last))


@given(st.permutations("ABCDE"), st.permutations("ABCDE"), st.integers(0, 5), st.integers(0, 5))
def test_measures_do_not_depend_on_order(chosen, gold, some, few):
    options = dict.fromkeys("ABCDE", "")
    picked, right = chosen[:some], gold[:few]
    found = agreement(picked, right, options)
    assert found == agreement(sorted(picked), sorted(right, reverse=True), options)
    tp, fp, fn = len(set(picked) & set(right)), len(set(picked) - set(right)), len(set(right) - set(picked))
    perfect = float(set(picked) == set(right))
    assert found.iou == pytest.approx(tp / (tp + fp + fn) if tp + fp + fn else 1)
    assert found.precision == pytest.approx(tp / (tp + fp) if picked else perfect)
    assert found.recall == pytest.approx(tp / (tp + fn) if right else perfect)
    assert found.f1 == pytest.approx(2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1)
    assert found.v1 == pytest.approx(1 - (fp + fn) / 5)
    assert list(found.options.values()).count("tp") == tp
    assert (found.iou == 1) == (found.f1 == 1) == (found.v1 == 1) == bool(perfect)


@given(
    st.sets(st.sampled_from("ABCDEF"), min_size=1),
    st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=40),
)
def test_a_prompt_does_not_depend_on_the_order_of_options(letters, question):
    from claw_adapter.questions import builtin

    ordered = {letter: f"statement {letter}" for letter in sorted(letters)}
    backwards = dict(reversed(ordered.items()))
    kind = builtin()["multi_choice"]
    for compat in (None, "clawarena-1.0"):
        prompts = {
            kind.prompt(Round(id="r", type="multi_choice", question=question, options=options), compat=compat)
            for options in (ordered, backwards)
        }
        assert len(prompts) == 1
