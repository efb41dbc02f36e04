r"""Reading ``\bbox{…}``: the last well-formed box, letters only, everything else malformed with a reason."""

from __future__ import annotations

import time

import pytest

from claw_adapter.questions import extract, extract_compat

OPTIONS = "ABCDEF"


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        (r"\bbox{A,C}", "AC"),
        (r"\boxed{A, C}", "AC"),
        (r"So the answer is $\boxed{B}$.", "B"),
        (r"\bbox{A} was my guess, but \bbox{B,C}", "BC"),
        (r"\bbox{A}, not \bbox{B", "A"),
        (r"\bbox{C,A,C}", "AC"),
        (r"\bbox{a, c}", "AC"),
        (r"\bbox{A and C}", "AC"),
        (r"\bbox{A, B, and C.}", "ABC"),
        (r"\bbox{A & C}", "AC"),
        (r"\bbox{A \& C}", "AC"),
        (r"\bbox{A; C}", "AC"),
        (r"\bbox{A C}", "AC"),
        ("\\bbox{\n  A,\n  C\n}", "AC"),
        (r"\bbox{(A), (C).}", "AC"),
        (r"\bbox{[A, C]}", "AC"),
        (r"\bbox{( A, C ) .}", "AC"),
        (r"\boxed{\text{A, C}}", "AC"),
        (r"\boxed{\text{A}, \textbf{C}}", "AC"),
        (r"\boxed{\mathrm{A} \text{ and } \mathrm{C}}", "AC"),
        (r"\boxed{\{A,\,C\}}", "AC"),
        (r"\boxed{{A}, {C}}", "AC"),
        (r"\boxed{\bbox{A,C}}", "AC"),
        (r"\boxed{\boxed{A}, \boxed{C}}", "AC"),
        (r"\bbox{**A**, `C`}", "AC"),
        (r"\bbox {A,C}", "AC"),
        (r"\bbox[yellow]{A,C}", "AC"),
        ("\\bbox{A\uff0cC\u3001D}", "ACD"),
        ("\\bbox{\uff21}", "A"),
        (r"\\bbox{A,C}", "AC"),
        (r"\bbox{}", ""),
        (r"\bbox{ }", ""),
        (r"\boxed{\text{}}", ""),
        (r"} } stray \bbox{A} }", "A"),
        (r"{ { stray \bbox{A}", "A"),
    ],
)
def test_what_is_read(text, letters):
    found = extract(text, OPTIONS)
    assert found.letters == tuple(letters)
    assert not found.malformed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("A and C", "no "),
        ("", "no "),
        ("bbox{A}", "no "),
        ("\x08box{A}", "no "),
        (r"\bbox{A", "no "),
        (r"\box{A}", "no "),
        (r"\bbox{G}", "'G'"),
        (r"\bbox{A,G}", "'G'"),
        (r"\bbox{AC}", "'AC'"),
        (r"\bbox{None}", "'None'"),
        (r"\bbox{A-C}", "'A-C'"),
        (r"\bbox{X,Y,...}", "'X'"),
        (r"\bbox{A, B?}", "'B?'"),
        ("\\bbox{\u0410}", "not one of"),  # a Cyrillic letter
        (r"\bbox{A,C} (see the format \bbox{letters})", "'letters'"),
        (r"\bbox{\textcolor{red}{A}}", "not one of"),
        (r"\bbox{,}", "no letter"),
        (r"\bbox{.}", "no letter"),
        (r"\bbox{A, ...}", "'...'"),
        (r"\bbox{and}", "no letter"),
        (r"\bbox{1}", "'1'"),
    ],
)
def test_what_is_malformed_and_why(text, reason):
    found = extract(text, OPTIONS)
    assert found.letters is None
    assert reason in found.malformed


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        (r"\bbox{A} … final \bbox{B,C}", "A"),
        (r"\boxed{\text{A,B}}", "ABETX"),
        (r"\bbox{A and C}", "ACDN"),
        (r"\bbox{None}", "ENO"),
        ("\x08box{A}", None),
        (r"\bbox {A}", None),
        (r"\bbox{A", None),
        (r"bbox{A}", None),
        ("\\bbox{\u0410}", None),
        (r"\bbox{G}", "G"),
        (r"\bbox{}", None),
        (r"\[\bbox{A}\]", "A"),
        ("\\\u0431box{A}", "A"),
        (r"\bbox{a,c}", "AC"),
        ("\\bbox{\u0131\u017fA}", "A"),
    ],
)
def test_the_published_scorer_s_reading(text, letters):
    """The edges that were measured on the published code (facts, scoring)."""
    assert extract_compat(text).letters == (None if letters is None else tuple(letters))


@pytest.mark.parametrize(
    "text",
    [
        "\\bbox{" * 150_000,
        "{" * 1_000_000,
        "\\bbox" + " " * 1_000_000,
        "\\bbox[" * 150_000,
        "\\bbox{A}" * 100_000,
        "\\bbox{" * 100_000 + "}" * 100_000,
        "\\bbox{" + "A," * 300_000 + "}",
        "\\bbox{" + "[" * 1_000_000 + "}",
        "\\bbox{" + "\\text{" * 100_000 + "}" * 100_000 + "}",
    ],
    ids=range(9),
)
def test_no_text_takes_long(text):
    began = time.monotonic()
    extract(text)
    extract_compat(text)
    assert time.monotonic() - began < 20
