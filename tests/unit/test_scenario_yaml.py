"""Scenario YAML: plain data with lines; what can surprise or harm is refused with file, line and a way out."""

from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter.protocol import Manifest, RoundFile
from claw_adapter.scenario.problems import MAX_LISTED, ScenarioProblems
from claw_adapter.scenario.yamlsource import MAX_YAML_BYTES, check_record, field_name, read_yaml


@pytest.fixture
def file(tmp_path: Path):
    def make(text: str | bytes) -> Path:
        path = tmp_path / "rounds.yaml"
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    return make


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("2026-03-10", "2026-03-10"),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("'5'", "5"),
        ("5", 5),
        ("-5", -5),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("true", True),
        ("~", None),
        ("", None),
        ("'null'", "null"),
        ("1" * 5000, "1" * 5000),
    ],
)
def test_a_plain_value_is_read_as_the_core_schema_says(file, text: str, value: object):
    assert read_yaml(file(f"a: {text}\n")).data == {"a": value}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, "there twice, first on line 3"),
        ("a: &x [1]\n", 1, "anchors and aliases"),
        ("a: 1\nb: *x\n", 2, "anchors and aliases"),
        ("a: 1\nb: !!python/name:os.system x\n", 2, "tag"),
        ("a: 1\nb: !mine x\n", 2, "tag"),
        ("a:\n\tb: 1\n", 2, "tab"),
        ("a: 1\n---\nb: 1\n", 2, "second document"),
        ("a: 1\n? [x]\n: 1\n", 2, "key that is not plain text"),
        ("a: 1\nb: [1, 2\nc: 3\n", 3, "not YAML"),
        ("a: 1\nb: 'open\n", 3, "not YAML"),
        ("a: 1\nb: \x07\n", 2, "not YAML"),
        (b"a: 1\nb: \xff\n", 2, "UTF-8"),
        ("a: " + "[" * 40 + "]" * 40 + "\n", 1, "nested deeper"),
        ("# " + "x" * MAX_YAML_BYTES, 1, "larger than"),
    ],
)
def test_what_is_refused_names_file_line_and_remedy(file, text: str | bytes, line: int, words: str):
    path = file(text)
    with pytest.raises(ScenarioError, match=words) as caught:
        read_yaml(path)
    assert caught.value.where == f"{path}:{line}"
    assert caught.value.remedy


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(ScenarioError) as caught:
        read_yaml(tmp_path / "none.yaml")
    assert str(tmp_path / "none.yaml") in caught.value.where


def test_an_alias_bomb_is_refused_before_it_grows(file):
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 30))
    with pytest.raises(ScenarioError, match="anchors"):
        read_yaml(file(f"l0: &l0 [x]\n{levels}\n"))


@pytest.mark.parametrize(
    ("written", "remedy"),
    [
        ("rounds:\n  - id: r1\n    qestion: x\n", "did you mean 'question'?"),
        ("rounds:\n  - id: r1\n    question: x\n    round: x\n", "remove it"),
    ],
)
def test_of_an_unknown_field_the_nearest_that_may_stand_there_is_named(file, written, remedy):
    with pytest.raises(ScenarioProblems) as caught:
        check_record(read_yaml(file(written)), RoundFile)
    assert any(remedy in problem.remedy for problem in caught.value.problems), [p.remedy for p in caught.value.problems]


def test_every_problem_of_a_record_is_reported_with_its_line(file):
    path = file("rounds:\n  - id: r1\n    type: 5\n    question: x\n    colour: red\n  - id: 'a b'\n    question: y\n")
    with pytest.raises(ScenarioProblems) as caught:
        check_record(read_yaml(path), RoundFile)
    places = {problem.where.rsplit(":", 1)[1]: problem for problem in caught.value.problems}
    assert places.keys() == {"3", "5", "6"}
    assert "rounds[0].type" in places["3"].what
    assert "quotes" in places["3"].remedy
    assert "rounds[0].colour" in places["5"].what
    missing = [problem for problem in caught.value.problems if "rounds[1].type" in problem.what]
    assert missing
    assert missing[0].remedy == "add the field"
    assert str(caught.value).count(str(path)) >= 4


def test_a_message_lists_twenty_problems_and_counts_the_rest(file):
    path = file("rounds:\n" + "".join(f"  - {{id: r{n}, question: x}}\n" for n in range(50)))
    with pytest.raises(ScenarioProblems, match=f"and {50 - MAX_LISTED} more") as caught:
        check_record(read_yaml(path), RoundFile)
    assert len(caught.value.problems) == 50
    assert len(str(caught.value).splitlines()) == MAX_LISTED + 2


def test_a_broken_rule_of_the_whole_record_is_a_sentence(file):
    path = file("rounds:\n  - {id: r1, type: x, question: x}\n  - {id: r1, type: x, question: x}\n")
    with pytest.raises(ScenarioError, match="round id 'r1' occurs twice") as caught:
        check_record(read_yaml(path), RoundFile)
    assert caught.value.where == f"{path}:1"


@pytest.mark.parametrize("text", ["", "- a\n", "word\n"])
def test_a_file_that_is_no_mapping_is_refused(file, text: str):
    with pytest.raises(ScenarioError, match="must hold a mapping"):
        check_record(read_yaml(file(text)), Manifest)


def test_dates_of_a_record_come_from_plain_text(file):
    source = read_yaml(
        file("schema: scenario/1\nid: x\ntitle: x\nclock: 2026-03-12T08:00:00+01:00\nmain: {id: main}\n")
    )
    manifest = check_record(source, Manifest)
    assert manifest.clock.isoformat() == "2026-03-12T08:00:00+01:00"
    assert source.line("main", "id") == 5
    assert source.line("main", "no such field") == 5


def test_field_names_read_like_people_write_them():
    assert field_name(("rounds", 3, "options", "B")) == "rounds[3].options.B"
