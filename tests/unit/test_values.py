"""A human's line is read as its type whole or not at all, and is the expected value or another."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from claw_adapter import values
from claw_adapter.values import Refused, as_json, parse, renderings, same, show, validate

ROOT = Path(__file__).resolve().parents[2]
LISTS = json.loads((ROOT / "tests/data/values.json").read_text("utf-8"))
PAGE = (ROOT / "docs/values.md").read_text("utf-8")
SECTIONS = re.findall(r"^```json\n(.+?)\n```\n(.+?)(?=^```json|^#|\Z)", PAGE, re.MULTILINE | re.DOTALL)


def name(row):
    return f"{row['type']['type']} {row['expected']}"


@pytest.mark.parametrize("row", LISTS, ids=name)
def test_what_a_person_writes_is_read(row):
    validate(row["type"])
    found = {line: parse(row["type"], line) for line in row["right"]}
    assert {line: str(value) for line, value in found.items() if not same(row["type"], row["expected"], value)} == {}


@pytest.mark.parametrize("row", LISTS, ids=name)
def test_what_says_something_else_or_nothing_certain_is_not_the_value(row):
    found = {line: parse(row["type"], line) for line in row["wrong"]}
    assert [line for line, value in found.items() if same(row["type"], row["expected"], value)] == []


@pytest.mark.parametrize("row", LISTS, ids=name)
def test_renderings_take_the_form_in_json_and_are_read_back(row):
    texts = renderings(row["type"], row["expected"], "en")
    assert [text for text in texts.values() if not same(row["type"], row["expected"], parse(row["type"], text))] == []
    assert len(texts) > 4


@pytest.mark.parametrize(("description", "text"), SECTIONS, ids=[description for description, _ in SECTIONS])
def test_the_page_says_what_is_read(description, text):
    description = json.loads(description)
    validate(description)
    rows = re.findall(r"^\| ([`].+?) \| (.+?) \|$", text, re.MULTILINE)
    assert rows
    for lines, expected in rows:
        for line in re.findall(r"``(?: )?(.+?)(?: )?``|`([^`]+)`", lines):
            found = parse(description, (line[0] or line[1]).replace("⏎", "\n").replace("¦", "|"))
            if expected.startswith("refused"):
                assert isinstance(found, Refused), line
            else:
                assert json.dumps(as_json(found), ensure_ascii=False) == expected.strip("`"), line


def test_every_type_is_on_the_page():
    assert {json.loads(description)["type"] for description, _ in SECTIONS} == set(values.KEYS)
    for kind, keys in values.KEYS.items():
        for key in keys:
            assert f"`{key}`" in PAGE, (kind, key)


def test_a_copy_of_the_folder_is_all_a_check_needs(tmp_path):
    shutil.copytree(Path(values.__file__).parent, tmp_path / "values")
    program = tmp_path / "check.py"
    program.write_text(
        "import sys, values\n"
        "kind = {'type': 'duration'}\n"
        "assert values.same(kind, '3 h', values.parse(kind, '180 minutes'))\n"
        "assert not any(name.startswith(('claw_adapter', 'pydantic')) for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-S", str(program)], check=True, cwd=tmp_path)


def test_a_refusal_says_what_to_write_instead():
    assert "2026-03-04 or 4 March 2026" in str(parse({"type": "date"}, "03/04/2026"))
    assert "unit" in str(parse({"type": "duration"}, "3"))
    assert "leave it out" in str(parse({"type": "number"}, "3 (or 4)"))


@pytest.mark.parametrize(
    "data",
    [None, True, [], {}, float("nan"), float("inf"), "", " ", "**", "(", ")", "\0", "9" * 5000, "一" * 200, "1e99"],
)
def test_no_line_breaks_the_reader(data):
    for kind in values.KEYS:
        description = {"type": kind, "people": ["Ana Ruiz"], "of": ["a"] if kind == "choice" else {"type": "date"}}
        description = {key: value for key, value in description.items() if key == "type" or key in values.KEYS[kind]}
        parse(description, data)


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        ({"type": "mood"}, "no type"),
        ({"type": "date", "unit": "kg"}, "no key unit"),
        ({"type": "number", "unit": "kg", "bare": "km"}, "bare"),
        ({"type": "number", "round": 0}, "above nought"),
        ({"type": "moment", "zone": "Beijing"}, "offset"),
        ({"type": "money", "currency": "XXX"}, "currency is one of"),
        ({"type": "duration", "clock": "mm"}, "clock"),
        ({"type": "choice", "of": {"yes": ["true"], "right": ["true"]}}, "synonym of"),
        ({"type": "person"}, "needs people"),
    ],
)
def test_a_wrong_description_is_refused_where_it_is_made(description, reason):
    with pytest.raises(ValueError, match=reason):
        validate(description)


def test_a_tie_rounds_as_a_person_might():
    kind = {"type": "number", "round": "0.001"}
    right = [line for line in ("2.655", "2.656", "2.6565", "2.657", "2.658") if same(kind, "2.6565", parse(kind, line))]
    assert right == ["2.656", "2.6565", "2.657"]


def test_a_duration_may_be_rounded_to_its_step_or_more_exactly():
    kind = {"type": "duration", "round": 3600}
    lines = ("3 h", "4 h", "3.5 h", "3 h 29 min", "3 h 30 min", "2 h")
    assert [line for line in lines if same(kind, 12600, parse(kind, line))] == ["3 h", "4 h", "3.5 h", "3 h 30 min"]


def test_tolerances_are_the_callers():
    assert same({"type": "number", "relative": "0.01"}, 200, Fraction(202))
    assert not same({"type": "number", "relative": "0.01"}, 200, Fraction(203))
    assert same({"type": "time", "tolerance": 300}, "23:58", "00:03")
    assert same({"type": "date", "tolerance": 1}, "2026-03-01", "2026-02-28")
    assert not same({"type": "moment", "tolerance": 60}, "2026-03-04T22:15", "2026-03-04T22:17")


def test_what_is_expected_is_checked():
    with pytest.raises(ValueError, match="is expected"):
        same({"type": "date"}, "soon", "2026-03-04")


def test_show_names_its_notations():
    kind = {"type": "time"}
    assert show("22:15", "en", "pm", kind) == "10:15 pm"
    assert show("22:15", "zh", "part", kind) == "晚上10点15分"
    assert len(renderings(kind, "22:15", "en")) > 8
