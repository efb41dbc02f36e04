"""The generated checks accept what says the same and refuse the rest, whatever an agent wrote."""

# ruff: noqa: RUF001 - documents in Chinese have Chinese punctuation
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.values import YES_NO
from claw_adapter_scenarios.checker.programs import check_program, printed
from claw_adapter_scenarios.checker.run import check

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KNOWN = {"data/stock.csv": [], "data/rota.csv": [], "ward-chat": ["Ward 3"], "notes/plan.md": []}
MINUTES = {"as": {"type": "number", "unit": "min"}, "value": 240, "stale": [180]}
FIELDS: dict[str, dict[str, Any]] = {
    "n": {"as": {"type": "number", "tolerance": "0.1"}, "value": "12.5"},
    "t": {"as": {"type": "choice", "of": {"late": ["too late"], "in time": []}}, "value": "late"},
    "at": {"as": {"type": "time", "zone": "+01:00"}, "value": "06:20+01:00"},
    "ok": {"flag": True},
    "who": {"cites": [["data/stock.csv"], ["ward-chat"]], "may": ["notes/plan.md"]},
    "all": {"as": {"type": "names", "of": {"type": "number"}}, "value": [1, 2]},
}
RIGHT = {"n": 12.5, "t": "late", "at": "06:20", "ok": True, "who": ["data/stock.csv", "ward-chat"], "all": [2, 1]}
SECTIONS = [
    {
        "title": "Acquirer",
        "labels": {"Told within": MINUTES, "Told": {"as": {"type": "choice", "of": YES_NO}, "value": "yes"}},
    },
    {"title": "Refunds", "labels": {"At": {"as": {"type": "time"}, "value": "22:15"}}},
    {"title": "Why", "labels": {}},
]
NOTE = "## Acquirer\n\nTold within: 240 min\nTold: yes\n\n## Refunds\n\nAt: 22:15\n\n## Why\n\nThe policy says so.\n"


def faults(folder: Path, name: str, text: str, **rule: Any) -> list[tuple[str, str]]:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    found = check(folder, {"known": KNOWN, "files": [{"path": name, **rule}]})
    return [(fault.kind, fault.field) for fault in found]


def of_object(folder: Path, data: Any, **rule: Any) -> list[tuple[str, str]]:
    text = data if isinstance(data, str) else json.dumps(data)
    return faults(folder, "a.json", text, format="json", fields=FIELDS, **rule)


def of_note(folder: Path, text: str) -> list[tuple[str, str]]:
    return faults(folder, "notes/a.md", text, format="markdown", sections=SECTIONS)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"n": 12.45},
        {"n": "12.5"},
        {"n": 12.500000000001},
        {"t": "Too late."},
        {"at": "6:20"},
        {"at": "05:20 UTC"},
        {"all": [1, 2, 2]},
        {"who": ["stock.csv", "Ward 3"]},
        {"who": ["ward-chat", "stock.csv#4", "plan.md"]},
        {"more": 1},
    ],
)
def test_a_right_object_passes(tmp_path: Path, change: dict[str, Any]):
    assert of_object(tmp_path, RIGHT | change) == []


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"n": 12.7}, "fact"),
        ({"n": "many"}, "format"),
        ({"n": True}, "format"),
        ({"n": None}, "format"),
        ({"n": "about 12.5"}, "format"),
        ({"t": "in time"}, "fact"),
        ({"t": "not late"}, "format"),
        ({"at": "06:21"}, "fact"),
        ({"at": "06:20 UTC"}, "fact"),
        ({"ok": "true"}, "format"),
        ({"ok": 1}, "format"),
        ({"ok": False}, "fact"),
        ({"who": ["stock.csv"]}, "fact"),
        ({"who": list(KNOWN)}, "fact"),
        ({"who": "stock.csv, ward-chat"}, "schema"),
        ({"who": ["stock.csv", "the chat?"]}, "format"),
        ({"all": [1]}, "fact"),
        ({"all": 3}, "schema"),
        ({"n": [12.5]}, "schema"),
    ],
)
def test_a_wrong_field_fails_and_says_how(tmp_path: Path, change: dict[str, Any], kind: str):
    assert of_object(tmp_path, RIGHT | change) == [(kind, next(iter(change)))]


@pytest.mark.parametrize(
    "text", ['{"n": 1, "n": 12.5}', '{"n": NaN}', "[1]", "no", "", "[" * 100_000, '{"n": ' + "9" * 5000 + "}"]
)
def test_what_is_no_object_is_one_fault(tmp_path: Path, text: str):
    assert of_object(tmp_path, text)[0][0] in ("format", "missing")
    assert of_object(tmp_path, json.dumps(RIGHT | {"x": 1}), strict=True) == [("schema", "x")]


@pytest.mark.parametrize(
    "text",
    [
        NOTE,
        f"\ufeff{NOTE}".replace("\n", "\r\n"),
        NOTE.replace("## ", "### "),
        NOTE.replace("Told within:", "- **Told within:**"),
        NOTE.replace("Told within:", "-\t**Told within:**"),
        NOTE.replace("## Refunds", "Refunds\n-------"),
        NOTE.replace("## Acquirer", "# 1. **ACQUIRER**:"),
        NOTE.replace("Told: yes", "Told：是"),
        NOTE.replace("Told within: 240 min", "| Item | Minutes |\n|---|---|\n| Told within | 240 |\n"),
        NOTE.replace("Told within: 240 min", "Told within (min): 240"),
        NOTE.replace("At: 22:15", "At:\n22:15"),
        NOTE.replace("240 min", "four hours"),
        NOTE.replace("240 min", "`240` minutes"),
        f"---\ntitle: x\nTold: no\n---\n{NOTE}",
        NOTE.replace("Told: yes", "<!-- Told: no -->\nTold: yes\n\n> Told: no\n\n```\nTold: no\n```\n"),
        NOTE.replace("The policy says so.", "Told within: 3 min, it was said, but that is not so: 240."),
        f"# The day\n\nTold: yes\n\n{NOTE}",
        NOTE.replace("240 min", "240 min\nNote: that is what the policy says"),
        NOTE.replace("Told: yes", "Told: yes\nReason: no one else was there"),
        NOTE.replace("Told within: 240 min", "- Told within: 240 min\n- Never: 60 min\n"),
        NOTE.replace("Told within: 240 min\nTold: yes", "- | -\n--- | ---\n**Told within** | 240 min\nTold | yes"),
    ],
)
def test_a_right_document_passes_however_it_is_laid_out(tmp_path: Path, text: str):
    assert of_note(tmp_path, text) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("240 min", "241 min", ("fact", "Acquirer / Told within")),
        ("240 min", "180 min", ("stale", "Acquirer / Told within")),
        ("240 min", "240", ("format", "Acquirer / Told within")),
        ("240 min", "not 240 min", ("format", "Acquirer / Told within")),
        ("240 min", "240 min or 3 h", ("format", "Acquirer / Told within")),
        ("Told within: 240 min\n", "", ("missing", "Acquirer / Told within")),
        ("Told: yes", "Told: yes\nTold: no", ("format", "Acquirer / Told")),
        ("Told: yes", "~~Told: yes~~", ("missing", "Acquirer / Told")),
        ("Told: yes", "> Told: yes", ("missing", "Acquirer / Told")),
        ("Told: yes", "Told (wrong): yes", ("format", "Acquirer / Told")),
        ("policy says so.", "policy.\n\n## Why\n\nIt does.", ("format", "Why")),
        ("The policy says so.", "", ("missing", "Why")),
        ("## Refunds", "## Money", ("missing", "Refunds")),
        ("At: 22:15", "At: 22:15-23:00", ("format", "Refunds / At")),
        ("240 min", "240 min\nNo: 60 min", ("format", "Acquirer / Told within")),
        ("240 min", "240 min\n不对：是 60 分钟", ("format", "Acquirer / Told within")),
        ("240 min", "240 min\nor 3 h", ("format", "Acquirer / Told within")),
        ("Told within: 240 min", "- Told within: 240 min\n  - No: 60 min\n", ("format", "Acquirer / Told within")),
        ("Told: yes", "Told: yes\nWrong: no", ("format", "Acquirer / Told")),
        ("Told: yes", "\nx | y\n--- | ---\nTold | yes\n**Told** | hardly", ("format", "Acquirer / Told")),
    ],
)
def test_a_wrong_document_fails_and_says_how(tmp_path: Path, old: str, new: str, fault: tuple[str, str]):
    assert of_note(tmp_path, NOTE.replace(old, new)) == [fault]


def test_a_value_in_another_section_does_not_count(tmp_path: Path):
    turned = NOTE.replace("Told within: 240 min\nTold: yes", "At: 22:15").replace(
        "At: 22:15\n\n## Why", "Told within: 240 min\nTold: yes\n\n## Why"
    )
    assert {kind for kind, _ in of_note(tmp_path, turned)} == {"missing"}


def test_blanks_beside_chinese_are_typography(tmp_path: Path):
    sections = [
        {"title": "结论", "labels": {"S3 是否（超限）": {"as": {"type": "choice", "of": YES_NO}, "value": "yes"}}}
    ]
    text = "## 结 论\n\ns3是否(超限): 是\n"
    assert faults(tmp_path, "a.md", text, format="markdown", sections=sections) == []


TABLE = {
    "columns": ["name", "at"],
    "key": 1,
    "rows": [
        [{"as": {"type": "choice", "of": ["web", "app"]}, "value": name}, {"as": {"type": "time"}, "value": at}]
        for name, at in (("web", "10:15"), ("app", "22:00"))
    ],
}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("name,at\nweb,10:15\napp,22:00\n", []),
        ("\ufeffat;name\r\n22:00;app\r\n10:15;web\r\n\r\n", []),
        ('name,at\n"web", 10.15\n"app","10 pm"\n,\n', []),
        ("name,at\nweb,22:00\napp,10:15\n", ["fact", "fact"]),
        ("name,at\nweb,10:15\n", ["missing"]),
        ("name,at\nweb,10:15\napp,22:00\nx,1\n", ["schema"]),
        ("name,at,at\nweb,10:15,1\n", ["schema"]),
        ("web,10:15\napp,22:00\n", ["schema"]),
        ("name,at\nweb,10:15?\napp,22:00\n", ["format"]),
        ("name,at\nweb,10:15\nweb,10:15\napp,22:00\n", ["format"]),
    ],
)
def test_tables(tmp_path: Path, text: str, kinds: list[str]):
    assert [kind for kind, _ in faults(tmp_path, "a.csv", text, format="csv", rows=TABLE)] == kinds


@given(data=JSON)
def test_no_json_breaks_the_check(tmp_path_factory: pytest.TempPathFactory, data: object):
    assert of_object(tmp_path_factory.mktemp("json"), data)


@given(text=st.text(alphabet="# \n-|:`>~*Told:yes<!24015", max_size=120))
def test_no_text_breaks_the_check(tmp_path_factory: pytest.TempPathFactory, text: str):
    assert of_note(tmp_path_factory.mktemp("text"), text)
    faults(tmp_path_factory.mktemp("csv"), "a.csv", text, format="csv", rows=TABLE)


SHARED = [
    {
        "title": title,
        "labels": {"Amount": {"as": {"type": "number"}, "value": n}, "Source": {"as": {"type": "number"}, "value": n}},
    }
    for n, title in enumerate(("Fees", "Fines"))
]


@pytest.mark.parametrize(
    ("fines", "found"),
    [("1 | 1", []), ("1 | 0", [("fact", "Fines / Source")]), ("1 | none", [("format", "Fines / Source")])],
)
def test_a_label_of_two_sections_may_be_the_head_of_a_column_in_each(tmp_path: Path, fines: str, found: list):
    tables = [
        f"## {title}\n\n| Amount | Source |\n|---|---|\n| {row} |\n"
        for title, row in (("Fees", "0 | 0"), ("Fines", fines))
    ]
    assert faults(tmp_path, "a.md", "\n".join(tables), format="markdown", sections=SHARED) == found


def test_a_file_elsewhere_is_told_apart_from_none(tmp_path: Path):
    (tmp_path / "b.md").write_text(NOTE)
    rule = {"path": "notes/b.md", "format": "markdown", "sections": SECTIONS}
    assert [fault.kind for fault in check(tmp_path, {"files": [rule]})] == ["naming"]
    assert [fault.kind for fault in check(tmp_path, {"files": [{**rule, "path": "notes/c.md"}]})] == ["missing"]
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "c.md").symlink_to("/etc/hostname")
    assert [fault.kind for fault in check(tmp_path, {"files": [{**rule, "path": "notes/c.md"}]})] == ["missing"]


def test_a_program_is_right_on_every_input_under_the_name_of_each_result():
    number = {"type": "number"}
    runs = [
        {"visible": not n, "prints": {"total": {"as": number, "value": 7 + n}, "to": {"as": number, "value": 3}}}
        for n in (0, 1)
    ]

    def kinds(*texts: str, status: int | None = 0) -> list[str]:
        outputs = [{"exit": status, "timed_out": False, "stdout": text} for text in texts]
        return [kind for _, kind, _ in check_program({"script": {"runs": runs}}, outputs)]

    assert kinds("Done.\ntotal=7 to=3\n", "total = 8, to: 3") == []
    assert kinds("total=7 to=3", "total=7 to=3") == ["fact"]
    assert kinds("total=7\ntotal=8\nto=3", "total=8\nto=3") == ["format"]
    assert kinds("7 3", "total=8 to=3") == ["missing", "missing"]
    assert kinds("total=7 to=3", "total=8 to=3", status=3) == ["format"]
    assert printed("a_total=1 total=2; to=3", ("total", "to")) == {"total": ["2"], "to": ["3"]}


@pytest.mark.parametrize(
    "text",
    [
        NOTE.replace("240 min", "240 min\nno, it was 300 min"),
        NOTE.replace("Told within: 240 min", "- Told within: 240 min\n  - or 300 min"),
        f"# The day\n\nTold: no\n\n{NOTE}",
        NOTE.replace("Told within: 240 min", "| a | b | c |\n|---|---|---|\n| Told within | 240 min | 300 min |\n"),
    ],
)
def test_a_second_value_in_any_place_is_wrong(tmp_path: Path, text: str):
    assert of_note(tmp_path, text) != []
