"""A question may name the rows of a table and offer words to choose from; it may not say the answer (SPEC-065)."""

# ruff: noqa: RUF001 - Chinese texts have Chinese punctuation
import pytest

from claw_adapter_scenarios.validation.control import expected_values, gives_away


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("verdict is one of held, wrong or open.", "held"),
        ("verdict is one of held, wrong or open.", "open"),
        ("For each write yes/hold, with a reason.", "hold"),
        ("state ('open' or 'closed') and the day", "closed"),
        ("state, either `held` or `released`: what the paper says", "released"),
        ("结论写“成立”或“不成立”，另起一行。", "成立"),
        ("状态写接受、拒绝或待定。", "拒绝"),
    ],
)
def test_one_of_several_words_to_choose_from_is_no_leak(question: str, wanted: str):
    assert not gives_away(question, wanted)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Write reports/stock.json (240 doses): lot, spare.", "240"),
        ("Write reports/stock.json with lot RB-0198, and the doses.", "RB-0198"),
        ("Say that it was held, and when.", "held"),
        ("It is held or open. Write held into the field.", "held"),
        ("请写明截止是 2026-05-14 的 12:00，不要漏。", "12:00"),
        ("结论就写成立。", "成立"),
    ],
)
def test_a_value_that_stands_by_itself_is_a_leak(question: str, wanted: str):
    assert gives_away(question, wanted)


def test_cells_that_tell_rows_apart_are_asked_for_by_name():
    def text(value: str) -> dict:
        return {"as": {"type": "choice", "of": [value, "another"]}, "value": value}

    rule = {"files": [{"rows": {"columns": ["id", "state"], "key": 1, "rows": [[text("PUMP-1"), text("worn")]]}}]}
    assert list(expected_values(rule, keys=False)) == ["worn"]
    assert list(expected_values(rule)) == ["PUMP-1", "worn"]
