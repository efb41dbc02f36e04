"""Texts and patterns, and which of the two a tool says that it takes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.patterns import Parameter, as_pattern, as_text, takes_patterns, takes_patterns_in, takes_regular


@given(st.text(), st.text())
def test_a_pattern_finds_its_text_and_no_other(text, other):
    pattern = as_pattern(text)
    assert re.fullmatch(pattern, text)
    assert bool(re.fullmatch(pattern, other)) == (text == other)
    assert as_text(pattern) == text


@pytest.mark.parametrize("pattern", ["a.b", "a|b", "[ab]", "a+", r"\d", "^a", "\\", r"a\-b"])
def test_what_finds_others_is_no_text(pattern):
    assert as_text(pattern) is None


@pytest.mark.parametrize(
    ("said", "parameters", "patterns"),
    [
        ("search_files Find the lines of files that contain a text.", [("text", "string", True)], False),
        ("Grep A search tool built on ripgrep. Supports full regex syntax", [("pattern", "string", True)], True),
        ("search_file_content Searches for a regular expression", [("query", "string", True)], True),
        ("find_text Finds a text.", [("query", "string", True), ("include Glob of names", "string", False)], None),
        ("grep Search", [("pattern", "string", True), ("fixed_strings Take it literally", "boolean", False)], None),
        ("search", [("searchPattern", "string", True)], True),
        ("Grep Searches for a plain text. Not a regular expression.", [("pattern", "string", True)], None),
        ("Grep Searches for a plain text.", [("pattern", "string", True)], None),
        (
            "Grep Lines that have a text. It is taken as it is; it is no regular expression.",
            [("pattern", "string", True)],
            None,
        ),
        ("find_lines It isn't a regex (a text)", [("text", "string", True)], None),
        ("Grep Nothing is changed. Takes a regular expression", [("pattern", "string", True)], True),
        ("Grep Searches for a plain text.", [("text", "string", True)], False),
        ("search", [("q", "string", True), ("isRegex", "boolean", False)], None),
    ],
)
def test_what_a_tool_says_that_it_takes(said, parameters, patterns):
    assert takes_patterns(said, [Parameter(*one) for one in parameters]) is patterns


@pytest.mark.parametrize(
    ("said", "parameter", "regular"),
    [
        ("Grep Built on ripgrep. Supports full regex syntax", "pattern", True),
        ("search Searches files", "query A regular expression", True),
        ("search Searches regular files", "pattern", False),
        ("search Searches files", "pattern What to look for", False),
        ("search Searches for a plain text or a regex", "pattern", False),
        ("search Searches for a text", "text", False),
    ],
)
def test_a_tool_says_that_it_takes_regular_expressions(said, parameter, regular):
    assert takes_regular(said, [Parameter(parameter, "string", True)]) is regular


def test_a_tool_is_known_by_its_schema_in_a_request():
    schema = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
    tools = [{"type": "function", "function": {"name": "look", "description": "Finds a text.", "parameters": schema}}]
    assert takes_patterns_in("look", tools) is False
    assert takes_patterns_in("other", tools) is None
    assert takes_patterns_in("look", [{"type": "function", "function": {"name": "look"}}]) is False
