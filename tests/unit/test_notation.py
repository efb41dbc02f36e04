"""Promise: an option on a command line means what it means in an experiment file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter import notation
from claw_adapter.api.experiment import make_experiment
from claw_adapter.runs.plan import served_model


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("openclaw", {}, ()),
        ("openclaw:mode=acp", {"mode": "acp"}, ("acp",)),
        ("claude-code:exec=false,retries=1", {"exec": False, "retries": 1}, ("exec-false", "retries-1")),
        ("x:share=0.5,url=http://127.0.0.1:1/v1?a=b", {"share": 0.5, "url": "http://127.0.0.1:1/v1?a=b"},
         ("share-0.5", "http://127.0.0.1:1/v1?a=b")),
        ("x:text=,none=null,nan=NaN", {"text": "", "none": None, "nan": "NaN"}, ("", "none-null", "NaN")),
    ],
)  # fmt: skip
def test_options_have_their_types(text, options, words):
    found = notation.named(text)
    assert (found.options, found.words) == (options, words)
    assert found.name == text.partition(":")[0]


@pytest.mark.parametrize("text", ["x:", "x:mode", "x:=a", "x:a=b,", "x:a=b,c"])
def test_what_is_no_option_is_refused(text):
    with pytest.raises(ValueError, match="key=value"):
        notation.named(text)
    assert served_model(f"reference{text[1:]}") is None


def test_an_option_is_told_by_its_name_in_the_label():
    (made,) = make_experiment("demo", {"harnesses": "claude-code+metaclaw:exec=false"}).harnesses
    assert (made.name, made.label, made.options) == ("claude-code", "claude-code-exec-false", {"exec": False})
    assert [overlay.name for overlay in made.overlays] == ["metaclaw"]


@given(st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()))
def test_a_value_is_read_as_it_was_written(value):
    assert notation.value(json.dumps(value)) == value
