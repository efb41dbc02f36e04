"""What a check expects, and what the two readers write: claims compared, names filled in, tables without any expression."""

import json
from datetime import time
from pathlib import Path

import pytest

from claw_adapter.errors import ScenarioError
from claw_adapter.scenario import findings, load_gold, load_scenario
from claw_adapter_scenarios.checker.run import check
from claw_adapter_scenarios.compiler import build, compile_spec
from claw_adapter_scenarios.compiler.canon import draw_canon
from claw_adapter_scenarios.compiler.compiled import Compiled
from claw_adapter_scenarios.spec import load_spec
from claw_adapter_scenarios.validation import validate_spec
from scenarios.patching import patched

AGREE = 'agree: {equals: "doses > 0"}'
ROUND = "r2"
FILE = "reports/stock.json"
EXPOSURE = """      - path: reports/exposure.json
        format: json
        fields:
          limit_c: {equals: limit_c}
          peak_c: {equals: peak_c}
          first: {equals: first_warm, form: "HH:MM"}
          last: {equals: last_warm, form: "HH:MM"}
          warm_minutes: {equals: warm_min}
          outage_minutes: {equals: outage_min}
"""
TABLE = """      - path: reports/fridges.csv
        format: csv
        rows: {columns: [fridge, count], rows: [[F2, "{doses}"], [F5, "{spare}"]]}
"""


def stock(made: Compiled) -> tuple[dict, dict, dict]:
    """What is expected of round r2's file, and what the careful and the hasty reader write."""
    one = next(one for one in made.rounds if one.spec.id == ROUND)
    return one.work.expected["files"][0]["fields"], json.loads(one.work.oracle[FILE]), json.loads(one.work.hasty[FILE])


@pytest.mark.parametrize(
    ("expression", "careful", "hasty"),
    [
        ("agree('stock-doses', 'carla-doses')", True, False),
        ("disagree('stock-doses', 'carla-doses')", False, True),
        ("says('carla-doses') == {doses}", True, True),
        ("'{ana}'", "Ana Ruiz", "Ana Ruiz"),
    ],
)
def test_a_check_may_compare_claims_and_name_people(
    expression: str, careful: bool | str, hasty: bool | str, tmp_path: Path
):
    spec = load_spec(patched(tmp_path, ("3-rounds", AGREE, f'agree: {{equals: "{expression}"}}')))
    made = compile_spec(spec)
    careful = made.canon.text("ana", "") if expression == "'{ana}'" else careful
    expected, oracle, naive = stock(made)
    agreed = expected["agree"]
    assert (agreed["flag"] if "flag" in agreed else agreed["value"], oracle["agree"]) == (careful, careful)
    assert naive["agree"] == (careful if expression == "'{ana}'" else hasty)


def test_a_time_of_day_is_moved_like_a_moment_and_a_number_is_not(tmp_path: Path):
    def spec(folder: str, value: str) -> Path:
        said = f"said_at: {{value: {value}, vary: {{shift: [-40, 40], step: 5}}}}\n  said_min: {{value: 10,"
        return patched(tmp_path / folder, ("0-truth", "said_min: {value: 10,", said))

    drawn = {draw_canon(load_spec(spec("time", "'00:10'")), 0).value("said_at")}
    drawn |= {draw_canon(load_spec(tmp_path / "time" / "spec"), seed).value("said_at") for seed in range(1, 8)}
    assert len(drawn) > 2
    assert time(0, 10) in drawn
    with pytest.raises(ScenarioError, match="'shift' moves moments"):
        draw_canon(load_spec(spec("number", "10")), 1)


def test_the_claims_that_a_check_compares_are_its_evidence(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", AGREE, "agree: {equals: \"agree('stock-doses', 'carla-doses')\"}"))
    one = next(one for one in compile_spec(load_spec(root)).rounds if one.spec.id == ROUND)
    assert {"stock-doses", "carla-doses"} <= set(one.evidence.needs)
    assert validate_spec(root, seeds=1) == []


def test_claims_are_compared_on_the_fact_that_they_share(tmp_path: Path):
    spans = ("1-workspace", "#stock-doses doses, lot:", "#stock-doses lot, doses:")
    equal = ("3-rounds", AGREE, "agree: {equals: \"agree('stock-doses', 'carla-doses')\"}")
    expected, *_ = stock(compile_spec(load_spec(patched(tmp_path, spans, equal))))
    assert expected["agree"]["flag"] is True


def test_claims_about_different_facts_are_not_compared(tmp_path: Path):
    spans = ("1-workspace", "#stock-doses doses, lot:", "#stock-doses lot:")
    with pytest.raises(ScenarioError, match="stock-doses and carla-doses do not speak of the same fact"):
        compile_spec(load_spec(patched(tmp_path, spans)))


def test_a_check_cannot_compare_a_claim_that_nobody_has_seen(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", AGREE, "agree: {equals: \"agree('stock-doses', 'panel')\"}"))
    assert [(one.id, "panel" in one.message) for one in validate_spec(root, seeds=1)] == [("SPEC-042", True)]


def test_a_table_of_written_cells_has_a_hasty_variant_that_its_check_refuses(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", EXPOSURE, TABLE))
    made = compile_spec(load_spec(root))
    one = next(one for one in made.rounds if one.spec.id == "r6")
    assert one.work.hasty != one.work.oracle
    assert [line.split(",")[0] for line in one.work.hasty["reports/fridges.csv"].splitlines()] == ["fridge", "F2", "F5"]
    for files, right in ((one.work.oracle, True), (one.work.hasty, False)):
        folder = tmp_path / str(right)
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True)
            (folder / path).write_text(content, "utf-8")
        assert (check(folder, one.work.expected) == []) is right
    scenario = load_scenario(build(load_spec(root), tmp_path / "out"))
    assert "SCN-024" not in {one.id for one in findings(scenario, load_gold(scenario))}


def test_readers_write_the_form_that_is_demanded(tmp_path: Path):
    root = patched(tmp_path, ("3-rounds", "doses: {equals: doses}", "doses: {equals: doses, form: number}"))
    made = compile_spec(load_spec(root))
    expected, careful, hasty = stock(made)
    assert expected["doses"]["as"]["form"] == "number"
    assert isinstance(careful["doses"], int)
    assert isinstance(hasty["doses"], int)
    exposure = next(json.loads(one.work.oracle["reports/exposure.json"]) for one in made.rounds if one.spec.id == "r6")
    assert [len(exposure[name]) for name in ("first", "last")] == [5, 5]
