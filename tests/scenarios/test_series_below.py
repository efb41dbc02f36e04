"""Series that dip: the functions about readings below a limit agree with each other and with a count by hand."""

from __future__ import annotations

from datetime import datetime, timedelta

from claw_adapter_scenarios.language.expressions import evaluate
from claw_adapter_scenarios.language.values import Reading, SeriesValue

START = datetime.fromisoformat("2026-05-07T03:00")
LEVELS = (96.0, 89.0, 71.0, 84.0, 90.0, 95.0)
NAMES = {
    "dip": SeriesValue(tuple(Reading(START + timedelta(minutes=2 * i), level) for i, level in enumerate(LEVELS)), 2),
    "until": START + timedelta(minutes=6),
}


def _value(text: str) -> object:
    return evaluate(text, NAMES.__getitem__)


def test_readings_below_a_limit_are_found_and_the_limit_itself_is_not_below() -> None:
    assert _value("count_below(dip, 90)") == 3
    assert _value("minutes_below(dip, 90)") == 6
    assert _value("first_below(dip, 90)") == START + timedelta(minutes=2)
    assert _value("last_below(dip, 90)") == START + timedelta(minutes=6)
    assert _value("lowest_at(dip)") == START + timedelta(minutes=4)


def test_readings_until_a_moment_leave_that_moment_out() -> None:
    assert _value("count_below_until(dip, 90, until)") == 2
