"""Promise: an option on a command line means what it means in an experiment file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter import notation
from claw_adapter.runs.plan import Experiment, served_model


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("openclaw", {}, ()),
        ("openclaw:mode=acp", {"mode": "acp"}, ("acp",)),
        ("claude-code:exec=false,retries=1", {"exec": False, "retries": 1}, ("exec-false", "retries-1")),
        ("x:share=0.5,url=http://127.0.0.1:1/v1?a=b", {"share": 0.5, "url": "http://127.0.0.1:1/v1?a=b"},
         ("share-0.5", "http://127.0.0.1:1/v1?a=b")),
        ('acp:command=["a","b, c"],usage=none', {"command": ["a", "b, c"], "usage": "none"},
         ('command-["a","b, c"]', "none")),
        ('x:env={"A": "1"},note="a,b"', {"env": {"A": "1"}, "note": "a,b"}, ('env-{"A": "1"}', "a,b")),
        ("x:text=,none=null,nan=NaN", {"text": "", "none": None, "nan": "NaN"}, ("", "none-null", "NaN")),
    ],
)  # fmt: skip
def test_options_have_their_types(text, options, words):
    found = notation.parse_named(text)
    assert (found.options, found.words) == (options, words)
    assert found.name == text.partition(":")[0]


@pytest.mark.parametrize("text", ["x:", "x:mode", "x:=a", "x:a=b,", "x:a=b,c"])
def test_what_is_no_option_is_refused(text):
    with pytest.raises(ValueError, match="key=value"):
        notation.parse_named(text)
    assert served_model(f"no-plugin{text[1:]}") is None
    if "=" in text:
        with pytest.raises(ValueError, match="key=value"):
            served_model(f"reference{text[1:]}")
    else:
        assert served_model(f"reference{text[1:]}") is None, "that may be a provider's model"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('x:command=["a","b"', "command=|not JSON: .* at character"),
        ('x:command=["a"]b=1', "command: a comma is missing"),
        ("x:mode=a,b", "'b' is not key=value"),
    ],
)
def test_a_mistake_is_named_with_its_place_and_the_right_form(text, says):
    with pytest.raises(ValueError, match=says) as caught:
        notation.parse_named(text)
    assert 'NAME:key=["a","b"]' in str(caught.value)


def experiment(**more):
    return Experiment.model_validate({"scenarios": ["demo"], "models": ["reader"], "harnesses": ["reference"], **more})


def test_an_experiment_reads_a_harness_and_an_overlay_as_the_command_line_writes_them():
    one, two = experiment(harnesses=["claude-code+metaclaw:exec=false", 'acp:command=["/opt/agent","--acp"]']).harnesses
    assert (one.name, one.label, one.options) == ("claude-code", "claude-code-exec-false", {"exec": False})
    assert [overlay.name for overlay in one.overlays] == ["metaclaw"]
    assert (two.name, two.label, two.options) == ("acp", "acp-agent-acp", {"command": ["/opt/agent", "--acp"]})
    ((skills,),) = experiment(overlays=["metaclaw:memory=true"]).overlays
    assert (skills.name, skills.label, skills.options) == ("metaclaw", "metaclaw-memory-true", {"memory": True})


def test_a_long_command_has_a_label_that_is_an_identifier_and_its_own():
    commands = [
        f'acp:command=["agent","--{word * 40}"],env={{"K": "{{key}}"}},readable=["/opt/{word}"]' for word in "ab"
    ]
    labels = [one.label for one in experiment(harnesses=[*commands, commands[0].replace("/opt/a", "/opt/c")]).harnesses]
    assert all(len(one) <= 64 and one.startswith("acp-command-") for one in labels)
    assert len({*labels}) == 3


def test_an_experiment_says_where_an_option_is_wrong():
    with pytest.raises(ValueError, match=r"harnesses.0\n.*'mode' is not key=value"):
        experiment(harnesses=["reference:mode"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.text(min_size=1).filter(lambda key: not set(key) & set("=,"))


@given(st.text().filter(lambda name: ":" not in name), st.dictionaries(KEYS, JSON, max_size=4))
def test_what_is_written_is_read_back(name, options):
    assert notation.parse_named(notation.render_named(name, options))[:2] == (name, options)


@given(st.one_of(st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()))
def test_a_value_is_read_as_it_was_written(value):
    assert notation.value(json.dumps(value)) == value
