"""Lines of JSON fields are the lines they stand on; YAML that we write reads back as it was; patches do what they say."""

from __future__ import annotations

import difflib
import json
import tempfile
from datetime import UTC
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.scenario.yamlsource import read_yaml
from claw_adapter.scenario.yamltext import yaml_text
from claw_adapter_clawarena.jsontext import parse_json, positions
from claw_adapter_clawarena.patch import apply_hunks, parse_patch
from claw_adapter_clawarena.render import session_text
from claw_adapter_clawarena.times import format_time, parse_time

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
VALUE = st.none() | st.booleans() | st.integers() | TEXT
JSON = st.recursive(VALUE, lambda x: st.lists(x, max_size=3) | st.dictionaries(TEXT, x, max_size=3), max_leaves=15)


def paths(value, path=()):
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        yield from paths(inner, (*path, key))


@settings(deadline=None)
@given(JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_every_json_value_has_its_line(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    lines = positions(text)
    assert set(lines) == set(paths(value))
    order = [lines[path] for path in paths(value)]
    assert order == sorted(order)
    assert lines[()] == 1
    if indent is not None and isinstance(value, dict) and value:
        assert lines[(next(iter(value)),)] == 2


@settings(deadline=None)
@given(JSON)
def test_fast_json_is_json(value):
    text = json.dumps(value)
    assert parse_json(text) == value
    # half of a surrogate pair: nothing could write it down
    assert parse_json(json.dumps(["\ud800", "\U0001f600"])) == ["?", "\U0001f600"]
    assert parse_json(json.dumps("\ud800"), halves=True) != "?"


SPECIAL = st.sampled_from(
    ["no", "~", "12:30", "1e3", "0x10", "2026-03-03", "- a", "a: b", "\ta", "a\n\tb", " a\nb ", "\n", "#x", "%", "@a", "1_0",
     ".5", "=", "<<", "null", "...", "---", "\u2028", "é\x85"],
)  # fmt: skip
PLAIN = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20) | SPECIAL
DATA = st.recursive(
    PLAIN | st.integers(-(10**9), 10**9) | st.booleans(),
    lambda x: st.lists(x, max_size=3) | st.dictionaries(PLAIN.filter(bool), x, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["a", "b", "c"]), DATA, min_size=1))
def test_yaml_reads_back_as_it_was(data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.yaml"
        path.write_bytes(yaml_text(data, width=10**9, blocks=True).encode("utf-8"))
        assert read_yaml(path).data == data


LINES = st.lists(st.sampled_from(["a", "b", "c", "dd", "", " e"]), max_size=12)


@settings(deadline=None)
@given(LINES, LINES)
def test_a_patch_of_the_whole_file_makes_the_other_file(old, new):
    before, after = "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new)
    body = [line if line[0] in "+- " else "" for line in difflib.ndiff(old, new) if not line.startswith("?")]
    hunk = "\n".join(line[0] + line[2:] for line in body)
    files = parse_patch(
        f"*** Begin Patch\n*** Update File: x\n@@\n{hunk}\n*** End Patch" if hunk else "*** Begin Patch\n*** End Patch"
    )
    assert apply_hunks(before, files[0].hunks if files else []) == after


@settings(deadline=None)
@given(st.datetimes(timezones=st.timezones()))
def test_times_come_back(time):
    if 1900 < time.year < 9000:
        assert parse_time(format_time(time)) == time.astimezone(UTC)


@settings(deadline=None)
@given(TEXT, st.sampled_from(["openclaw", "claude-code", "nanobot", "picoclaw", "markdown"]))
def test_what_is_no_session_counts_as_plain_text(text, form):
    assert session_text(f"{{{text}", form) == f"{{{text}"
