"""What a score says beside its number is one record per question type; what earlier versions wrote reads as the same."""

import pytest
from pydantic import ValidationError

from claw_adapter.protocol import (
    Agreement,
    CheckDetail,
    CheckRun,
    ChoiceDetail,
    OtherDetail,
    PreferenceDetail,
    RevisionDetail,
    RuleOutcome,
    Score,
)

SETS = {"iou": 0.5, "precision": 1.0, "recall": 0.5, "f1": 2 / 3, "v1": 0.75, "options": {"A": "tp", "B": "fn"}}
RAN = {"why": "", "level": 2, "exit": 0, "signal": None, "timed_out": False, "stdout": "", "stderr": "", "seconds": 0.1}
RULES = {"dated": {"dimension": "artefact_naming", "passed": False, "why": "no date"}}
STALE = {"of": "r1", "cited": ["a.md"], "was_stale": None, "revised": False}
RULE = RuleOutcome(dimension="artefact_naming", passed=False, why="no date")
RECORDS = [
    (SETS, ChoiceDetail(statements=Agreement(**SETS))),
    (RAN, CheckDetail(check=CheckRun(**RAN))),
    ({"rules": RULES}, PreferenceDetail(rules={"dated": RULE})),
    ({"rules": RULES, "check": RAN}, PreferenceDetail(rules={"dated": RULE}, check=CheckRun(**RAN))),
    (STALE, RevisionDetail(of="r1", cited=("a.md",), was_stale=None, revised=False)),
    ({**STALE, **SETS}, RevisionDetail(**STALE, statements=Agreement(**SETS))),
    ({}, None),
    ({"words": 7}, OtherDetail(facts={"words": 7})),
    ({"iou": 0.5}, OtherDetail(facts={"iou": 0.5})),
]


@pytest.mark.parametrize(("written", "detail"), RECORDS)
def test_what_an_earlier_version_wrote_is_read_as_the_record_of_its_type(written, detail):
    assert Score.model_validate({"value": 1.0, "detail": written}).detail == detail


@pytest.mark.parametrize("detail", [detail for _, detail in RECORDS])
def test_a_detail_reads_back_as_what_it_was(detail):
    score = Score(value=0.0, detail=detail)
    assert Score.model_validate_json(score.model_dump_json()) == score


def test_a_record_of_a_known_type_is_closed():
    with pytest.raises(ValidationError):
        Score.model_validate({"value": 1.0, "detail": {"kind": "preference", "rules": {}, "more": 1}})
