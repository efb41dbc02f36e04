"""The page of a large run: tables in it, trials in scripts beside it, which hold JSON and nothing else."""

import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.report import large, summarise, write_html
from claw_adapter.report.html import asset, digest_of
from claw_adapter.runs.load import load_run

make = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "report_runs.py")))
CALL = re.compile(r'claw\("([a-z0-9-]+)",(.*)\);\n', re.DOTALL)


@pytest.fixture(autouse=True)
def all_are_large(monkeypatch):
    monkeypatch.setattr(large, "LARGE", 0)


def written(root):
    """The page, and what its files hand to it, by name."""
    run = load_run(root)
    write_html(run, summarise(run), root / "report.html", fragments={"demo": {"f1": "It is 40,000 euros."}})
    values = {}
    for file in (root / "report-data").iterdir():
        name, value = CALL.fullmatch(file.read_text("utf-8")).groups()
        assert f"{name}.js" == file.name
        values[name] = json.loads(value)
    return (root / "report.html").read_text("utf-8"), values


def test_the_page_has_the_tables_and_its_files_have_the_trials(tmp_path):
    page, values = written(make.small(tmp_path / "run").root)
    assert "Question 3" not in page
    assert '<a href="#s0h0">60.0</a> <span class="soft small">(3/5)</span>' in page
    assert values["index"]["trials"] == [
        ["demo--reference--reader--s0", 0, 0, 0, 1, "finished", "✓✓✗½✓", 0],
        ["demo--nanobot+metaclaw--reader--s0", 1, 0, 0, 1, "failed", "✓−✗−−", 0],
    ]
    assert values["index"]["evidence"] == [{"f1": "It is 40,000 euros."}]
    (first, failure, rounds), (_, ended, some) = values["trials-0"]
    assert (first, json.loads(failure), len(rounds)) == ("demo--reference--reader--s0", None, 5)
    assert (json.loads(ended)["kind"], len(some)) == ("HarnessCrash", 3)
    record, events, changes = map(json.loads, rounds[1])
    assert (record["prompt"], record["text"], record["score"]["value"]) == ("Question 2", "Answer 2", 1)
    assert [event["name"] for event in events] == ["read_file", "read_file"]
    assert changes["files"][0]["lines"]["text"].endswith("-round 0\n+round 1")


def test_trials_are_spread_over_files_of_bounded_size(tmp_path, monkeypatch):
    monkeypatch.setattr(large, "CHUNK", 1)
    _, values = written(make.small(tmp_path / "run").root)
    assert [trial[-1] for trial in values["index"]["trials"]] == [0, 1]
    assert [len(values[f"trials-{number}"]) for number in (0, 1)] == [1, 1]


def test_only_our_script_and_what_it_loads_may_run(tmp_path):
    page, _ = written(make.small(tmp_path / "run").root)
    script = asset("large.js")
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1].replace("&#39;", "'")
    assert f"script-src '{digest_of(script)}' 'strict-dynamic';" in policy
    assert "default-src 'none'" in policy
    assert page.count("<script>") == 1
    for markup in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "Function(",
        "srcdoc",
        "setAttribute",
    ):
        assert markup not in script


HOSTILE = (
    '"]]);alert(1)//',
    "</script><script>alert(1)</script>",
    "\u2028alert(1)\u2029",
    '\\"]);alert(1)//',
    "`${alert(1)}`",
)


@pytest.mark.parametrize("payload", HOSTILE)
def test_what_others_wrote_stays_within_a_string(tmp_path, payload):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1})
    record = runs.record(0, 0.0, prompt=payload, text=payload, feedback=payload, round=payload)
    runs.write(trial, [record.model_copy(update={"events": runs.store.put(payload.encode())})])
    page, values = written(runs.root)
    [[_, _, [[record, events, _]]]] = values["trials-0"]
    assert json.loads(record)["text"] == payload
    assert events == payload  # handed over as a string: the page parses it as JSON, or fails to
    assert "alert(1)" not in page.replace(asset("large.js"), "")


def test_events_that_are_lost_are_said(tmp_path):
    trial = make.spec("demo", "reference")
    runs = make.Runs(tmp_path / "run", [trial], {"demo": 1})
    runs.write(trial, [runs.record(0, 1.0).model_copy(update={"events": "e" * 64})])
    [[_, _, [[_, events, _]]]] = written(runs.root)[1]["trials-0"]
    assert json.loads(events).startswith("The events cannot be read")


def test_files_of_an_earlier_page_go_and_those_of_others_stay(tmp_path, monkeypatch):
    root = make.small(tmp_path / "run").root
    written(root)
    (root / "report-data/mine.txt").write_text("x")
    (root / "report-data/trials-7.js").write_text("old")
    write_html(load_run(root), summarise(load_run(root)), root / "report.html")
    assert sorted(file.name for file in (root / "report-data").iterdir()) == ["index.js", "mine.txt", "trials-0.js"]
    monkeypatch.setattr(large, "LARGE", 1000)
    write_html(load_run(root), summarise(load_run(root)), root / "report.html")
    assert [file.name for file in (root / "report-data").iterdir()] == ["mine.txt"]
    assert "Question 3" in (root / "report.html").read_text("utf-8")


def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path):
    root = make.small(tmp_path / "run").root
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/index.js").write_text("theirs")
    (root / "report-data").symlink_to(tmp_path / "elsewhere")
    written(root)
    assert (tmp_path / "elsewhere/index.js").read_text() == "theirs"
    assert not (root / "report-data").is_symlink()
