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


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("within **30** days", "30 days"), ("within _30_ `days`", "30 days"), ("10\uff05 a day", "10%"),
        ("\uff13\uff10 days", "30 days"), ("460.00 euros", "460 euros"), ("9,600", "9600"), ("9,600.00", "9600"),
        ("9600", "9,600"), ("a loan of 9,600.", "9600"), ("1,234,567 rows", "1234567"), ("61.1", "61.10"), ("4140", "4140.00"),
        ("Three other tracks", "3"), ("4 of six", "4 of 6"), ("see `lamp_power.csv`", "lamp_power.csv"),
        ("so:30 days", "30 days"), ("30*40 = 1200", "40"),
    ],
)  # fmt: skip
def test_a_number_may_be_written_as_anybody_writes_it(text: str, word: str):
    assert program.has(text, word)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1,234", "234"), ("1,234", "1"), ("12.5", "12"), ("12.05", "12"), ("12.50", "12"), ("12", "12.5"), ("19,600", "9600"),
        ("9,6001", "9600"), ("96,00", "9600"), ("460.50 euros", "460 euros"), ("3*40", "340"), ("raw_30", "30"), ("0.30", "30"),
        ("W30", "30"), ("thirteen", "3"), ("twenty-three", "3"), ("three hundred", "3"), ("2026-05-14", "2026-05-1"),
    ],
)  # fmt: skip
def test_a_number_is_not_found_in_another_one(text: str, word: str):
    assert not program.has(text, word)


def test_what_must_not_be_said_may_not_be_said_otherwise_written(tmp_path: Path):
    rule = {"format": "markdown", "lacks": ["6000"]}
    assert faults(tmp_path, "a.md", "it was 16,000 euros", **rule) == []
    assert faults(tmp_path, "a.md", "it was **6,000.00** euros", **rule)


TITLED = "# Tax assessment: deadline and sum\n\n{text}## Deadline\n\n30 days\n\n## Sum\n\n1840\n"
HEADED = [
    TITLED.format(text=""), TITLED.format(text="Dear sister,\n\n"), TITLED.replace("## ", "### ").format(text=""),
    "## Deadline\n\n### Days\n\n30 days\n\n## Sum\n### Euros\n1840\n", "Deadline\n--------\n\n30 days\n\nSum\n---\n\n1840\n",
    "Deadline\n===\n30 days\n\nSum\n===\n1840\n", "## **Deadline:**\n\n30 days\n\n## 2. The sum ##\n\n1840\n",
    "## Deadline\n\n30 days, with Deadline in the text.\n---\n## Sum\n\n1840\n",
    "---\ntitle: Deadline\n---\n# Deadline\n30 days\n# Sum\n1840\n",
]  # fmt: skip
HEADLESS = [
    "# Deadline and sum\n\n## Deadline\n\n## Sum\n\n1840 in 30 days\n", "## Deadline\n\n### Days\n\n## Sum\n\n1840\n",
    "# Deadline and sum\n\n## Days\n\n## Euros\n", "Deadline: 30 days\n\n## Sum\n\n1840\n",
    "Deadline\n---\n\nSum\n---\n\n1840\n", "## Deadline\n\n---\n\n## Sum\n\n1840\n",
]  # fmt: skip


@pytest.mark.parametrize(("text", "right"), [*((t, True) for t in HEADED), *((t, False) for t in HEADLESS)])
def test_a_section_is_there_when_a_heading_of_its_name_has_text_below(tmp_path: Path, text: str, right: bool):
    assert (faults(tmp_path, "a.md", text, format="markdown", sections=["Deadline", "Sum"]) == []) is right


def test_a_text_field_may_have_full_width_signs():
    assert program.same({"kind": "text", "value": "10%"}, "\uff11\uff10\uff05")


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


@pytest.mark.parametrize("said", ["2026-05-13 22:05", "2026-05-13T22:05", "at: 2026-05-13 22:05."])
def test_a_program_may_print_a_moment_with_a_blank(tmp_path: Path, said: str):
    script = {
        "arguments": [],
        "prints": [{"kind": "moment", "value": "2026-05-13T22:05:00", "form": ""}],
        "timeout": 5,
    }
    assert faults(tmp_path, "s.py", f"print({said!r})", format="python", script=script) == []
    assert faults(tmp_path, "s.py", f"print({said.replace('13', '14')!r})", format="python", script=script)
