"""Documents by which checks were once got round, and honest ones that they once refused: a few of each kind."""

# ruff: noqa: RUF001 - documents in Chinese have Chinese punctuation
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from claw_adapter.values import YES_NO
from claw_adapter_scenarios.checker.run import check

ZONE = {"zone": "+00:00"}
FIELDS: dict[str, Any] = {
    "until": {"as": {"type": "time", **ZONE, "form": "HH:MM"}, "value": "15:10+00:00"},
    "free": {"as": {"type": "time", **ZONE}, "value": "15:10+00:00"},
    "day": {"as": {"type": "date", "form": "YYYY-MM-DD"}, "value": "2026-05-05"},
    "loose_day": {"as": {"type": "date"}, "value": "2026-05-05"},
    "at": {"as": {"type": "moment", "form": "YYYY-MM-DDTHH:MM:SS"}, "value": "2026-05-05T15:10"},
    "iso": {"as": {"type": "moment", "form": "ISO 8601", **ZONE}, "value": "2026-05-05T15:10+00:00"},
    "count": {"as": {"type": "number", "form": "number", "locale": "de"}, "value": "1.5"},
    "minutes": {"as": {"type": "duration", "bare": "min"}, "value": 5400},
    "who": {"as": {"type": "person", "people": ["Ana Ruiz", "王芳"], "form": "full"}, "value": "Ana Ruiz"},
    "badge": {"as": {"type": "choice", "of": ["0042", "4471"]}, "value": "0042"},
    "lot": {"as": {"type": "choice", "of": ["0042", "4471"]}, "value": "4471"},
    "held": {"as": {"type": "choice", "of": YES_NO}, "value": "yes"},
    "ok": {"flag": True},
    "zero": {"as": {"type": "number"}, "value": 1},
    "source": {"cites": [["logs/m14"]], "may": []},
}
RIGHT = {
    "until": "15:10", "free": "3:10 pm", "day": "2026-05-05", "loose_day": "05-05-2026", "at": "2026-05-05T15:10:00",
    "iso": "2026-05-05T15:10Z", "count": 1.5, "minutes": 90, "who": "Ruiz, Ana", "badge": "0042", "lot": 4471, "held": "yes",
    "ok": True, "zero": 1, "source": ["logs/m14"],
}  # fmt: skip


def of(folder: Path, name: str, text: str, **rule: Any) -> list[tuple[str, str]]:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")
    found = check(folder, {"known": {"logs/m14": []}, "files": [{"path": name, **rule}]})
    return [(fault.field, fault.kind) for fault in found]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("until", 1510), ("until", 15.10), ("until", "1510"), ("until", "3:10 pm"), ("until", "15:10:00"), ("until", "15.10"),
        ("until", "15:10Z"), ("free", 1510), ("free", 1510.0), ("free", True), ("loose_day", 20260505), ("day", 20260505),
        ("day", "05-05-2026"), ("day", "2026-5-5"), ("day", "5 May 2026"), ("day", "20260505"), ("at", 20260505151000),
        ("at", "2026-05-05 15:10:00"), ("at", "2026-05-05T15:10"), ("at", "2026-05-05T15:10:00+00:00"),
        ("iso", "5 May 2026 15:10"),
        ("iso", 1778000000), ("count", "1.5"), ("count", "1,5"), ("count", True), ("minutes", True), ("minutes", "90 h"),
        ("who", "Ana"), ("who", "A. Ruiz"), ("who", 7), ("badge", 42), ("badge", 42.0), ("lot", 4471.0), ("lot", "04471"),
        ("held", True), ("held", 1), ("ok", 1), ("ok", "true"), ("zero", True), ("source", [14]), ("source", 14),
    ],
)  # fmt: skip
def test_a_scalar_of_another_kind_or_form_is_no_value(tmp_path: Path, name: str, value: Any):
    assert of(tmp_path, "a.json", json.dumps(RIGHT), format="json", fields=FIELDS) == []
    ((field, kind),) = of(tmp_path, "a.json", json.dumps(RIGHT | {name: value}), format="json", fields=FIELDS)
    assert (field, kind in ("format", "schema", "fact")) == (name, True)


CHINESE = {"as": {"type": "person", "people": ["王芳", "李明"], "form": "full"}, "value": "王芳"}


@pytest.mark.parametrize(("text", "right"), [("王芳", True), ("王芳医生", True), ("小王", False), ("李明", False)])
def test_a_full_name_in_chinese(tmp_path: Path, text: str, right: bool):
    rule = {"format": "markdown", "sections": [{"title": "写入", "labels": {"账号": CHINESE}}]}
    assert (of(tmp_path, "a.md", f"## 写入\n\n账号：{text}\n", **rule) == []) is right


SECTIONS = [
    {
        "title": "Terms",
        "labels": {
            "Counts": {"as": {"type": "choice", "of": YES_NO}, "value": "yes"},
            "Interest": {"as": {"type": "number", "unit": "%", "bare": "%"}, "value": "2.5"},
        },
    },
    {"title": "Fund", "labels": {"Back at": {"as": {"type": "time", "form": "HH:MM"}, "value": "06:35"}}},
]
NOTE = "## Terms\n\nCounts: yes\nInterest: 2.5%\n\n## Fund\n\nBack at: 06:35\n"
TABLE = "| {} | {} | {} |\n|---|---|---|\n| Counts | {} | {} |\n| Interest | 2.5% | |\n"


def note(folder: Path, text: str) -> list[tuple[str, str]]:
    return of(folder, "a.md", text, format="markdown", sections=SECTIONS)


def tabled(*cells: str) -> str:
    return NOTE.replace("Counts: yes\nInterest: 2.5%\n", TABLE.format(*cells))


@pytest.mark.parametrize(
    "text",
    [
        tabled("", "yes", "no", "", "x"),
        tabled("", "yes", "no", "", "✓"),
        tabled("", "yes", "no", "x", ""),
        tabled("", "no", "yes", "", "x"),
        tabled("", "no", "yes", "✓", ""),
        tabled("", "no", "", "yes", ""),
        tabled("", "是", "否", "", "√"),
        NOTE.replace("Counts: yes\nInterest: 2.5%", "| | Counts | Interest |\n|-|-|-|\n| no | yes | 2.5% |"),
        NOTE.replace("Counts: yes\nInterest: 2.5%", "| | Counts | Interest |\n|-|-|-|\n| yes | | 2.5% |\n| no | x | |"),
        NOTE.replace("Counts: yes", "- [ ] Counts: yes"),
        NOTE.replace("Counts: yes", "Counts:\n- [ ] yes\n- [x] no"),
        NOTE.replace("Back at: 06:35", "| Back at | 06:35 | 7 am |\n|---|---|---|"),
        NOTE.replace("06:35", "06:35\nno, it was 7 in the morning"),
        NOTE.replace("06:35", "6:35"),
        NOTE.replace("Back at:", "Back at (UTC+1):"),
        NOTE + "\n| Interest | Counts |\n|---|---|\n| 3% | yes |\n",
        NOTE + "\n## More\n\n| Day | Interest |\n|---|---|\n| Friday | 3% |\n",
        NOTE + "\n| Back at | Day |\n|---|---|\n| 07:05 | Friday |\n",
        NOTE.replace("\n## Fund", "\n| Day | Interest |\n|---|---|\n| Friday | 3% |\n\n## Fund"),
        NOTE + "\n<p>Interest: 3%</p>\n",
        NOTE + "\n<p\nclass='a>b'><b> Interest </b>: 3%</p>\n",
        NOTE + "\nSeen:<br>Interest: 3%\n",
        NOTE + "\n<ul><li>Interest: 3%</li></ul>\n",
        NOTE + "\n<dl><dt>Interest</dt><dd>3%</dd></dl>\n",
        NOTE + "\n<table><tr><td>Interest</td><td>3%</td></tr></table>\n",
        NOTE + "\n<table>\n<tr>\n<td><b>Interest</b>\n<td>3%\n</tr>\n</table>\n",
        NOTE
        + "\n<table><thead><tr><th>On<th>Interest</tr></thead>\n<tbody><tr><td>1</td><td>3%</td></tr></tbody></table>",
        NOTE + "\n<table><tr><td>a</td><td>b</td></tr></table><p>Interest: 3%</p>\n",
        NOTE.replace("2.5%", "<del>2.5%</del> 3%"),
        NOTE.replace("2.5%", "2.5<sup>3</sup>%"),
        NOTE.replace("Counts: yes", "<p hidden>Counts: yes</p>"),
        NOTE.replace("Back at: 06:35", "<h2>Other</h2>\nBack at: 06:35"),
        NOTE.replace("yes", "<b\n\nno\n\n>yes"),
        NOTE.replace("Counts: yes", "<p style='color:white'>Counts: yes</p>"),
        NOTE.replace("Counts: yes", "<div aria-hidden=true>\n\nCounts: yes\n\n</div>"),
        NOTE.replace("Counts: yes", "<template>\n\n<template></template>\nCounts: yes\n\n</template>"),
        NOTE.replace("Counts: yes", "<s>\n\n- Counts: yes\n\n</s>"),
        NOTE.replace("Counts: yes", "<video src=a.mp4>\nCounts: yes"),
        NOTE.replace("Counts: yes\n", "~~So it was:\nCounts: yes\nonce~~\n"),
        NOTE.replace("## Fund", "### Now\n\nTo follow.\n\n## Fund").replace("\n\nCounts", "\n\n### Before\n\nCounts"),
        NOTE + "\nInterest = 3%\n",
        NOTE + "\n- **Interest** → 3%\n",
        NOTE.replace("## Fund", "### Interest: 3%\n\n## Fund"),
        tabled("What", "As first claimed", "", "yes", ""),
        tabled("Figures withdrawn", "Value", "", "yes", ""),
        NOTE.replace("Back at: 06:35", "| What | 上午不作数 |\n|---|---|\n| Back at | 06:35 |"),
        NOTE.replace("Interest: 2.5%\n", "\n| What | ‰ |\n|---|---|\n| Interest | 2.5 |\n"),
        NOTE.replace("Interest: 2.5%\n", "\n| What | in ‰ |\n|---|---|\n| Interest | 2.5 |\n"),
        f"---\ntitle: x\n---\n{NOTE.replace('Counts: yes', '')}",
        f"---\nCounts: yes\n---\n{NOTE.replace('Counts: yes', '')}",
    ],
)
def test_a_document_that_says_otherwise_is_refused(tmp_path: Path, text: str):
    assert note(tmp_path, NOTE) == []
    assert note(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        f"---\n\n{NOTE}\n---\n",
        "---\n\n" + NOTE.replace("\n## Fund", "\n---\n\n## Fund") + "\n---\n",
        "---\n" + NOTE.replace("\n## Fund", "\n---\n## Fund"),
        f"***\n\n{NOTE}\n* * *\n",
        NOTE.replace("Interest: 2.5%\n", "Interest: 2.5%\n---\n"),
        NOTE.replace("Back at: 06:35", "Back at: 06:35\n---"),
        NOTE.replace("\nInterest", "\n\n---\n\nInterest"),
        f"---\ntitle: Terms of the fund\ntags:\n- Counts\n# a remark\nCounts: no\n---\n{NOTE}",
        f"---\ntitle: the page\n---\n\n---\n{NOTE}",
        tabled("", "Value", "Remark", "yes", "see the log"),
        tabled("Label", "yes", "", "yes", ""),
        NOTE.replace("Counts: yes\nInterest: 2.5%", "| # | Counts | Interest |\n|-|-|-|\n| 1 | yes | 2.5% |"),
        NOTE.replace("Interest: 2.5%\n", "\n| | 2026 |\n|---|---|\n| Interest | 2.5% |\n"),
        NOTE.replace("Counts: yes", "- [x] Counts: yes"),
        NOTE.replace("06:35", "**06:35**"),
        NOTE.replace("06:35", "<b>06:35</b>")
        .replace("2.5%", "<code>2.5%</code>")
        .replace("yes", "<em><i>yes</i></em>"),
        NOTE.replace("Back at:", "<strong>Back at:</strong>").replace("## Terms", "## <i>Terms</i>"),
        NOTE.replace("Counts: yes\nInterest: 2.5%", "<p>Counts: yes<br>Interest: 2.5%</p>"),
        NOTE.replace(
            "Counts: yes\nInterest: 2.5%",
            "<table>\n<tr><td>Counts</td><td>yes</td></tr>\n<tr><td>Interest</td><td>2.5%</td></tr></table>",
        ),
        NOTE.replace("## Fund", "<h2>Fund</h2>"),
        NOTE + "\n| Interest | Counts | Day |\n|---|---|---|\n| 2.5% | yes | 1 |\n",
        NOTE + "\n| Interest | Counts |\n|---|---|\n| in per cent | of the note |\n",
        NOTE + "\n```\n<p>Interest: 3%</p>\n```\n\n3 < 4 > 2 and <approx> are no tags\n",
        NOTE.replace("06:35", "06:35 (6:35 am)"),
        NOTE.replace("\n\nCounts", "\n\n### In short\n\nCounts"),
        NOTE.replace("## Fund", "### Remarks\n\nNone.\n\n### Sources\n\nThe policy.\n\n## Fund"),
        NOTE.replace("\n\nCounts", "\n\n### What\n\nCounts").replace("\nInterest", "\n\n### How much\n\nInterest"),
        NOTE.replace("Interest: 2.5%\n", "\n| What | Value (%) |\n|---|---|\n| Interest | 2.5 |\n"),
        NOTE.replace("Interest: 2.5%\n", "\n| What | Interest in % |\n|---|---|\n| Interest | 2.5 |\n"),
        NOTE + "\nInterest = what the fund pays.\n\n<del>Once</del> and ~~twice~~ struck\n",
        NOTE.replace("yes", "<b class='x' title='y'>yes</b>"),
    ],
)
def test_an_honest_document_is_accepted(tmp_path: Path, text: str):
    assert note(tmp_path, text) == []


WRONG = NOTE.replace("06:35", "07:05")
OTHER = "# Index\n\nThe note of today is beside this.\n"


@pytest.mark.parametrize(
    ("files", "changed", "kinds"),
    [
        ({"a": NOTE, "b": NOTE}, "ab", []),
        ({"a": NOTE, "b": WRONG}, "ab", ["format"]),
        ({"a": WRONG, "b": NOTE}, "ab", ["format"]),
        ({"a": NOTE, "b": WRONG, "c": NOTE}, "abc", ["format"]),
        ({"a": WRONG, "b": WRONG}, "ab", ["fact"]),
        ({"a": WRONG, "b": NOTE}, "b", []),
        ({"a": NOTE, "b": WRONG}, "b", ["fact"]),
        ({"a": NOTE, "b": OTHER}, "ab", []),
        ({"a": OTHER, "b": NOTE}, "ab", []),
        ({"a": OTHER, "b": WRONG}, "ab", ["fact"]),
        ({"a": OTHER, "b": OTHER}, "ab", ["missing", "missing"]),
        ({"a": NOTE, "b": WRONG}, "", ["missing"]),
        ({"a": NOTE, "old": WRONG}, None, []),
        ({"a": NOTE, "b": WRONG}, None, ["format"]),
    ],
)
def test_of_a_free_name_every_file_that_claims_to_be_it_is_right(
    tmp_path: Path, files: dict[str, str], changed: Collection[str] | None, kinds: list[str]
):
    for name, text in files.items():
        (tmp_path / f"{name}.md").write_text(text)
    made = None if changed is None else {f"{name}.md" for name in changed}
    rule = {"path": "n.md", "find": "*.md", "old": ["old.md"], "format": "markdown", "sections": SECTIONS}
    found = check(tmp_path, {"files": [rule]}, (), made)
    assert [fault.kind for fault in found] == kinds
    assert not kinds or kinds[0] != "format" or "leave one" in found[0].why


@pytest.mark.parametrize(
    ("form", "rule", "right", "wrong", "other"),
    [
        ("json", {"fields": {"n": FIELDS["zero"]}}, '{"n": 1}', '{"n": 2}', '{"m": 2}'),
        ("csv", {"rows": {"columns": ["n"], "key": 1, "rows": [[FIELDS["zero"]]]}}, "n\n1\n", "n\n2\n", "m\n2\n"),
    ],
)
def test_the_same_of_objects_and_tables(
    tmp_path: Path, form: str, rule: dict[str, Any], right: str, wrong: str, other: str
):
    def kinds(**files: str) -> list[str]:
        for path in tmp_path.iterdir():
            path.unlink()
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        found = check(tmp_path, {"files": [{"path": "x", "find": "*", "format": form, **rule}]}, (), set(files))
        return [fault.kind for fault in found]

    assert kinds(a=right, b=other, c="[") == []
    assert kinds(a=right, b=wrong) == ["format"]
    assert kinds(a=other, b=wrong) == kinds(b=wrong)


def test_a_name_that_was_left_to_the_agent_may_have_capitals(tmp_path: Path):
    rule = {"path": "n/2_count.md", "find": "n/[0-9]*count*.md", "old": [], "format": "markdown", "sections": SECTIONS}
    (tmp_path / "n").mkdir()
    (tmp_path / "n" / "Count.MD").write_text(NOTE)
    assert [fault.kind for fault in check(tmp_path, {"files": [rule]})] == ["missing"]
    (tmp_path / "n" / "7-Count.MD").write_text(NOTE)
    assert check(tmp_path, {"files": [rule]}) == []


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_cells_in_quotes_may_be_parted_by_any_of_the_signs(tmp_path: Path, sign: str):
    rows = {"columns": ["n", "m"], "key": 1, "rows": [[FIELDS["zero"], FIELDS["zero"]]]}
    text = "".join(f"{sign.join(cells)}\r\n" for cells in (['"m"', '"n"'], ['"1"', '"1"']))
    assert of(tmp_path, "a.csv", text, format="csv", rows=rows) == []


def test_a_file_of_the_same_stem_that_was_asked_for_itself_is_no_other_name(tmp_path: Path):
    (tmp_path / "n.json").write_text('{"zero": 1}')
    fields = {"path": "n.json", "format": "json", "fields": {"zero": FIELDS["zero"]}}
    rule = {"path": "notes/n.md", "format": "markdown", "sections": SECTIONS}
    assert [fault.kind for fault in check(tmp_path, {"files": [fields, rule]})] == ["missing"]
    (tmp_path / "n.md").write_text(NOTE)
    (fault,) = check(tmp_path, {"files": [fields, rule]})
    assert (fault.kind, fault.why) == ("naming", "it is n.md")
