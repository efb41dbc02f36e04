"""Suites: built the same twice, honest about what is missing, held to rules each of which trips on its own broken suite."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.authoring import EXAMPLE, SPECS
from claw_adapter_scenarios.cli import scenarios
from claw_adapter_scenarios.compiler import canon
from claw_adapter_scenarios.suites import likeness
from claw_adapter_scenarios.suites.record import find_suite, packaged_suites, present
from claw_adapter_scenarios.suites.rules import SUITE_RULES, compile_members, measures, suite_findings

GOOD = """id: small
title: A small suite
scenarios:
  - {id: alpha}
targets:
  - {figure: scenarios, value: 1, tolerance: 0}
  - {figure: rounds, least: 5, most: 20}
  - {figure: messages, least: 20, most: 400, each: true}
shared_answers: 0.2
"""


def member(folder: Path, name: str) -> Path:
    root = folder / name
    shutil.copytree(EXAMPLE, root)
    change(root, "0-truth", "id: clinic-fridge\n", f"id: {name}\n")
    return root


def change(root: Path, layer: str, old: str, new: str) -> None:
    path = root / f"{layer}.yaml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def suite(folder: Path) -> Path:
    member(folder, "alpha")
    path = folder / "small.yaml"
    path.write_text(GOOD, "utf-8")
    return path


def found(path: Path) -> list[str]:
    one = find_suite(str(path))
    variants, wrong = compile_members(one, 0)
    return [str(f) for f in (*wrong, *suite_findings(one, variants))]


def rewrite(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def _fixed(path: Path, _patch: pytest.MonkeyPatch) -> None:
    truth = path.parent / "alpha" / "0-truth.yaml"
    truth.write_text(re.sub(r", vary: \{[^}]*\}", "", truth.read_text("utf-8")), "utf-8")


def _twins(path: Path, _patch: pytest.MonkeyPatch) -> None:
    member(path.parent, "beta")
    rewrite(path, "  - {id: alpha}\n", "  - {id: alpha}\n  - {id: beta}\n")
    rewrite(path, "scenarios, value: 1", "scenarios, value: 2")
    rewrite(path, "least: 5, most: 20", "least: 5, most: 40")


def _same_people(_path: Path, patch: pytest.MonkeyPatch) -> None:
    drawn = canon._people
    patch.setattr(canon, "_people", lambda spec, rng, varied: drawn(spec, rng, varied=False))


def _only_as_written(path: Path, _patch: pytest.MonkeyPatch) -> None:
    rewrite(path.parent / "alpha" / "0-truth.yaml", "require:\n", "require:\n  - off_at < '2026-03-11 00:00'\n")


Breaking = Callable[[Path, pytest.MonkeyPatch], None]
BROKEN: list[tuple[str, Breaking]] = [
    ("SUITE-001", lambda p, _: rewrite(p, "  - {id: alpha}\n", "  - {id: alpha}\n  - {id: ghost}\n")),
    ("SUITE-002", lambda p, _: change(p.parent / "alpha", "0-truth", "doses // 10", "doses // 0")),
    ("SUITE-002", lambda p, _: change(p.parent / "alpha", "0-truth", "id: alpha\n", "id: omega\n")),
    ("SUITE-003", lambda p, _: rewrite(p, "figure: rounds", "figure: rownds")),
    ("SUITE-010", lambda p, _: rewrite(p, "least: 5, most: 20", "value: 337")),
    ("SUITE-011", lambda p, _: rewrite(p, "least: 20, most: 400", "least: 200, most: 400")),
    ("SUITE-020", _twins),
    ("SUITE-030", _only_as_written),
    ("SUITE-031", _same_people),
    ("SUITE-032", _fixed),
]


def test_a_good_suite_breaks_no_rule(tmp_path: Path):
    assert found(suite(tmp_path)) == []


@pytest.mark.parametrize(("rule", "breaking"), BROKEN, ids=[f"{i}-{rule}" for i, (rule, _) in enumerate(BROKEN)])
def test_a_broken_suite_trips_exactly_its_rule(
    rule: str, breaking: Breaking, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = suite(tmp_path)
    breaking(path, monkeypatch)
    seen = found(path)
    assert {re.findall(r"SUITE-\d+", one)[0] for one in seen} == {rule}, "\n".join(seen)


def test_a_number_that_loses_a_digit_in_another_seed_does_not_shift_the_places_behind_it(
    monkeypatch: pytest.MonkeyPatch,
):
    told = {"public": ["10", "word", "4471", "2026-03-10"], "other": ["9", "term", "4471", "2026-03-17"]}
    monkeypatch.setattr(likeness, "answers", told.get)
    assert likeness.shared_answers("public", ["other"]) == (1 / 3, ["4471"])


def test_every_rule_has_a_fixture():
    assert set(SUITE_RULES) == {rule for rule, _ in BROKEN}


def test_an_explained_figure_is_shown_and_is_no_finding(tmp_path: Path):
    path = suite(tmp_path)
    rewrite(path, "least: 5, most: 20", "value: 337, explanation: a small suite on purpose")
    assert found(path) == []
    one = find_suite(str(path))
    (measure,) = [m for m in measures(one, compile_members(one, 0)[0]) if m.target.figure == "rounds"]
    assert not measure.met
    assert "a small suite on purpose" in call("validate", "--suite", path, "--seeds", "0")


@pytest.mark.parametrize("old", ["id: alpha", "least: 5, most: 20", "shared_answers: 0.2"])
def test_a_wrong_suite_file_is_refused_with_its_line(old: str, tmp_path: Path):
    new = {
        "id: alpha": "name: alpha",
        "least: 5, most: 20": "tolerance: 0.1",
        "shared_answers: 0.2": "shared_answers: 2",
    }
    path = suite(tmp_path)
    rewrite(path, old, new[old])
    with pytest.raises(ScenarioError) as error:
        find_suite(str(path))
    assert f"{path}:" in str(error.value)


def call(*argv: str | Path, status: int = 0) -> str:
    done = CliRunner().invoke(scenarios, [str(a) for a in argv], standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert (done.return_value or 0) == status, done.output
    return done.output


def test_a_suite_is_built_twice_to_the_same_bytes(tmp_path: Path):
    path = suite(tmp_path)
    said = [call("build", "--suite", path, "--out", tmp_path / out, "--seeds", "2") for out in ("one", "two")]
    digests = [re.findall(r"digest (\w{64})", text) for text in said]
    assert digests[0] == digests[1]
    assert len(digests[0]) == 1
    for file in (tmp_path / "one").rglob("*"):
        if file.is_file():
            assert file.read_bytes() == (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()
    assert sorted(p.name for p in (tmp_path / "one" / "small").iterdir()) == ["alpha", "alpha-v1"]
    other = call("build", "--suite", path, "--out", tmp_path / "three", "--seed", "1", "--seeds", "2")
    assert re.findall(r"digest (\w{64})", other) != digests[0]


def test_missing_specs_are_named_and_the_others_built(tmp_path: Path):
    path = suite(tmp_path)
    rewrite(path, "  - {id: alpha}\n", "  - {id: ghost}\n  - {id: alpha}\n  - {id: giant, heavy: true}\n")
    said = call("build", "--suite", path, "--out", tmp_path / "out", status=1)
    assert "Not there: ghost, giant" in said
    assert (tmp_path / "out" / "small" / "alpha" / "scenario.yaml").is_file()
    assert "Not there: ghost\n" in call("build", "--suite", path, "--out", tmp_path / "o", "--without-heavy", status=1)
    reports = json.loads(call("validate", "--suite", path, "--seeds", "0", "--json", status=1))
    assert [f["id"] for f in reports[-1]["findings"]] == ["SUITE-001", "SUITE-001"]


def test_a_spec_that_does_not_compile_stops_no_other(tmp_path: Path):
    path = suite(tmp_path)
    change(member(tmp_path, "beta"), "0-truth", "doses // 10", "doses // 0")
    rewrite(path, "  - {id: alpha}\n", "  - {id: beta}\n  - {id: alpha}\n")
    assert "beta" in call("build", "--suite", path, "--out", tmp_path / "out", status=1)
    assert [p.name for p in (tmp_path / "out" / "small").iterdir()] == ["alpha"]


def test_previews_of_a_suite_have_an_index(tmp_path: Path):
    path = suite(tmp_path)
    call("preview", "--suite", path, "--out", tmp_path / "pages")
    assert 'href="alpha.html"' in (tmp_path / "pages" / "index.html").read_text("utf-8")
    assert (tmp_path / "pages" / "alpha.html").is_file()


def test_the_suite_lite_names_twelve_specs_and_one_of_them_is_heavy():
    (lite,) = [one for one in packaged_suites() if one.id == "lite"]
    assert len(lite.scenarios) == 12
    assert sum(one.heavy for one in lite.scenarios) == 1
    folders, missing = present(lite)
    assert {p.name for p in folders} | set(missing) == {one.id for one in lite.scenarios}
    assert all(folder.parent == SPECS for folder in folders)
    assert "lite" in call("list")
