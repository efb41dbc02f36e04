"""The judge: what each kind of rule means, on files and on the reply."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from claw_adapter.questions import judge


def decide(workspace, answer="", **rule):
    if "files" not in rule:
        rule["answer"] = True
    return judge.decide(rule, answer, str(workspace))


@pytest.fixture
def work(tmp_path):
    (tmp_path / "docs" / "deep").mkdir(parents=True)
    (tmp_path / "docs" / "2026-01-05_plan.md").write_text(
        "# Plan\n\n## One\ntext\n\n## Two\n```\n## not a heading\n```\n"
    )
    (tmp_path / "docs" / "notes.md").write_text("# Notes\nsee audit.md\n")
    (tmp_path / "docs" / "deep" / "data.json").write_text('{"a": [1, 2]}')
    (tmp_path / "bad.json").write_text("{'a': 1}")
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    (tmp_path / "ragged.csv").write_text("a,b\n1,2,3\n")
    (tmp_path / "words.csv").write_text("only words\n")
    (tmp_path / "conf.yaml").write_text("a: 1\nb: [x]\n")
    (tmp_path / "words.yaml").write_text("only words\n")
    (tmp_path / "broken.yaml").write_text("a: [1\n")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe{")
    (tmp_path / "bom.json").write_bytes(b"\xef\xbb\xbf{}")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    return tmp_path


@pytest.mark.parametrize(
    ("rule", "passed"),
    [
        ({"files": "docs/*.md", "name": r"^\d{4}-\d\d-\d\d_"}, True),
        ({"files": "docs/notes.md", "name": r"^\d{4}"}, False),
        ({"files": "docs/*.md", "contains": r"^# \w+"}, True),
        ({"files": "docs/*.md", "contains": "audit"}, False),
        ({"files": "docs/*.md", "lacks": "TODO"}, True),
        ({"files": "docs/*.md", "lacks": "audit"}, False),
        ({"files": "docs/*plan.md", "headings": 3}, True),
        ({"files": "docs/*plan.md", "headings": 4}, False),
        ({"files": "docs/*.md", "headings": 2}, False),
        ({"files": "**/data.json", "format": "json"}, True),
        ({"files": "bad.json", "format": "json"}, False),
        ({"files": "binary.json", "format": "json"}, False),
        ({"files": "bom.json", "format": "json"}, True),
        ({"files": "deep.json", "format": "json"}, False),
        ({"files": "table.csv", "format": "csv"}, True),
        ({"files": "ragged.csv", "format": "csv"}, False),
        ({"files": "words.csv", "format": "csv"}, False),
        ({"files": "conf.yaml", "format": "yaml"}, True),
        ({"files": "words.yaml", "format": "yaml"}, False),
        ({"files": "broken.yaml", "format": "yaml"}, False),
        ({"files": "docs/*.md", "format": "markdown"}, True),
        ({"files": "words.csv", "format": "markdown"}, False),
        ({"files": "nothing/*.md", "lacks": "x"}, False),
        ({"files": "nothing/*.md", "contains": "x"}, False),
    ],
)
def test_rules_about_files(work, rule, passed):
    verdict, why = decide(work, **rule)
    assert verdict == passed
    assert bool(why) != passed


@pytest.mark.parametrize(
    ("rule", "passed"),
    [
        ({"contains": r"\d+ %"}, True),
        ({"contains": "maybe"}, False),
        ({"lacks": "maybe"}, True),
        ({"lacks": "^second"}, False),
    ],
)
def test_rules_about_the_reply(work, rule, passed):
    assert decide(work, "about 12 %\nsecond line", **rule)[0] == passed


@pytest.mark.parametrize(
    ("pattern", "path", "passed"),
    [
        ("*.md", "a.md", True),
        ("*.md", "docs/a.md", False),
        ("docs/*.md", "docs/a.md", True),
        ("docs/*.md", "docs/x/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "docs/x/a.md", True),
        ("docs/**", "docs/x/a.md", True),
        ("docs/**/a.md", "docs/a.md", True),
        ("**/x/**/*.md", "docs/x/y/z/a.md", True),
        ("**/x/**/*.md", "docs/y/a.md", False),
        ("docs/?.md", "docs/a.md", True),
        ("docs", "docs/a.md", False),
    ],
)
def test_globs(pattern, path, passed):
    assert judge.matches(path.split("/"), pattern.split("/")) == passed


def test_links_and_special_files_are_no_work_products(work, tmp_path):
    (work / "linked.md").symlink_to(work / "docs" / "notes.md")
    (work / "folder").symlink_to(work / "docs")
    os.mkfifo(work / "pipe.md")
    assert list(judge.find(str(work), "*.md")) == []
    assert list(judge.find(str(work), "folder/*.md")) == []
    assert judge.read(str(work), "linked.md") == b""
    assert judge.read(str(work), "pipe.md") == b""


def run_program(work, seconds, answer, rules):
    """In a process of its own: the program takes the alarm signal for itself."""
    request = work / "request.json"
    request.write_text(json.dumps({"seconds": seconds, "answer": answer, "rules": rules}))
    argv = [sys.executable, "-I", judge.__file__, str(request), str(work)]
    return json.loads(subprocess.run(argv, capture_output=True, check=True, timeout=60).stdout)


def test_the_program_prints_a_verdict_per_rule(work):
    rules = {"one": {"files": "table.csv", "format": "csv"}, "two": {"answer": True, "contains": "x"}}
    assert run_program(work, 5, "y", rules) == {"one": [True, ""], "two": [False, "the answer does not contain 'x'"]}


def test_a_rule_that_takes_for_ever_is_broken_in_its_seconds(work):
    rules = {"slow": {"answer": True, "contains": "(a+)+$"}, "next": {"answer": True, "contains": "a"}}
    verdicts = run_program(work, 0.5, "a" * 60 + "!", rules)
    assert verdicts == {"slow": [False, "not decided within 0.5 s"], "next": [True, ""]}


@pytest.mark.parametrize(
    ("rule", "changed", "passed"),
    [
        ({"files": "docs/*.md", "contains": "audit"}, ["docs/notes.md"], True),
        ({"files": "docs/*.md", "contains": "audit"}, ["docs/notes.md", "docs/2026-01-05_plan.md"], False),
        ({"files": "docs/*.md", "lacks": "audit"}, ["docs/2026-01-05_plan.md"], True),
        ({"files": "docs/*.md", "name": r"^\d{4}"}, ["docs/notes.md"], False),
        ({"files": "docs/*.md", "name": r"^\d{4}"}, ["docs/notes.md", "docs/2026-01-05_plan.md", "gone.md"], True),
        ({"files": "docs/*.md", "contains": "audit"}, [], False),
        ({"files": "docs/*.md", "contains": "audit"}, ["bad.json"], False),
        ({"files": "docs/*.md", "contains": "audit"}, None, False),
    ],
)
def test_only_files_of_the_round_count_where_they_are_known(work, rule, changed, passed):
    verdict, why = judge.decide(rule, "", str(work), changed)
    assert verdict is passed, why
    if not changed and changed is not None:
        assert "no file of this round" in why
