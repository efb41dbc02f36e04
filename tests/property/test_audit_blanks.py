"""Blanks at the ends of lines are taken out of arguments as they stand in JSON, and nothing else is."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.audit.rendering import without_line_blanks

LINE_END = re.compile("\r\n|\n|\r")


@given(st.text("a\\t \t\n\r\"'", max_size=40))
def test_each_line_loses_its_last_blanks_and_nothing_else(text: str):
    left = json.loads(without_line_blanks(json.dumps({"a": text})))["a"]
    assert lines(left) == [line.rstrip(" \t") for line in lines(text) if line.strip(" \t")]


def lines(text: str) -> list[str]:
    """Those with anything in them: a blank between two ends of lines leaves one end of two signs."""
    return [line for line in LINE_END.split(text) if line]
