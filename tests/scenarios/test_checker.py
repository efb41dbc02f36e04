"""The generated checks accept what says the same and refuse the rest, whatever an agent wrote."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter_scenarios.checker import program

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = {
    "n": {"kind": "number", "value": 12.5, "tolerance": 0.1},
    "t": {"kind": "text", "value": "late", "accept": ["too late"]},
    "at": {"kind": "moment", "value": "2026-03-10T06:20:00", "form": "hm"},
    "ok": {"kind": "flag", "value": True},
    "who": {"cites": [["stock.csv"], ["Ward 3", "ward-chat"]]},
    "all": {"list": [{"kind": "number", "value": 1}, {"kind": "number", "value": 2}]},
}
RIGHT = {"n": 12.5, "t": "late", "at": "06:20", "ok": True, "who": ["data/stock.csv", "the ward-chat"], "all": [2, 1]}


def faults(tmp_path: Path, name: str, text: str, **rule) -> list[str]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    return program.check(tmp_path, {"files": [{"path": name, **rule}]})


def test_the_right_object_passes(tmp_path: Path):
    assert faults(tmp_path, "a.json", json.dumps(RIGHT), format="json", fields=FIELDS) == []


@pytest.mark.parametrize(
    "change",
    [{"n": 12.7}, {"n": "many"}, {"n": True}, {"n": None}, {"t": "early"}, {"at": "06:21"}, {"at": "2026-03-11 06:20"},
     {"ok": "true"}, {"ok": 1}, {"who": ["stock.csv"]}, {"who": "stock.csv, ward-chat"},
     {"all": [1]}, {"all": [1, 2, 2]}, {"all": 3}],
)  # fmt: skip
def test_a_wrong_field_fails(tmp_path: Path, change: dict):
    assert len(faults(tmp_path, "a.json", json.dumps(RIGHT | change), format="json", fields=FIELDS)) == 1


@pytest.mark.parametrize(
    "change", [{"n": 12.45}, {"n": "12.5"}, {"t": "Too late."}, {"at": "2026-03-10T06:20:00+01:00"}, {"at": "6:20"}]
)
def test_another_way_to_say_it_passes(tmp_path: Path, change: dict):
    assert faults(tmp_path, "a.json", json.dumps(RIGHT | change), format="json", fields=FIELDS) == []


def test_strict_objects_have_no_further_fields(tmp_path: Path):
    text = json.dumps(RIGHT | {"comment": 1})
    assert faults(tmp_path, "a.json", text, format="json", fields=FIELDS) == []
    assert faults(tmp_path, "a.json", text, format="json", fields=FIELDS, strict=True)


@given(data=JSON)
def test_no_json_breaks_the_check(tmp_path_factory: pytest.TempPathFactory, data: object):
    found = faults(tmp_path_factory.mktemp("w"), "a.json", json.dumps(data), format="json", fields=FIELDS)
    assert found


@given(text=st.text(max_size=200))
@pytest.mark.parametrize("kind", ["json", "csv", "markdown"])
def test_no_text_breaks_the_check(tmp_path_factory: pytest.TempPathFactory, kind: str, text: str):
    rows = {"columns": ["a", "b"], "key": 1, "rows": [[{"kind": "text", "value": "x"}, {"kind": "number", "value": 1}]]}
    found = faults(
        tmp_path_factory.mktemp("w"),
        "a.txt",
        text,
        format=kind,
        fields=FIELDS,
        rows=rows,
        sections=["One very long heading"],
    )
    assert found


def test_words_are_words_of_their_own(tmp_path: Path):
    rule = {"format": "markdown", "sections": [], "mentions": [["30"]], "lacks": ["10 minutes"]}
    assert faults(tmp_path, "a.md", "there are 30 left", **rule) == []
    assert faults(tmp_path, "a.md", "there are 130 left", **rule)
    assert faults(tmp_path, "a.md", "there are 30.5 left", **rule)
    assert faults(tmp_path, "a.md", "there are 30, in 10  minutes", **rule)


def test_a_link_out_of_the_workspace_is_no_artefact(tmp_path: Path):
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps(RIGHT))
    work = tmp_path / "work"
    work.mkdir()
    (work / "a.json").symlink_to(outside)
    assert program.check(work, {"files": [{"path": "a.json", "format": "json", "fields": FIELDS}]})


def test_a_glob_does_not_take_what_was_there_before(tmp_path: Path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/old.md").write_text("30")
    rule = {
        "path": "notes/x.md",
        "find": "notes/*.md",
        "old": ["notes/old.md"],
        "format": "markdown",
        "mentions": [["30"]],
    }
    assert program.check(tmp_path, {"files": [rule]})
    (tmp_path / "notes/a.md").write_text("30")
    assert program.check(tmp_path, {"files": [rule]}) == []


def test_a_program_that_does_not_end_fails(tmp_path: Path):
    script = {"arguments": [], "prints": [{"kind": "number", "value": 3, "tolerance": 0}], "timeout": 1}
    assert faults(tmp_path, "s.py", "while True: pass", format="python", script=script)
    assert faults(tmp_path, "s.py", "print('n=3')", format="python", script=script) == []
    assert faults(tmp_path, "s.py", "print('n=33')", format="python", script=script)
