"""Days, times and values in prose: right in every usual notation, wrong when something else is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter_forge.evaluation.notations import clocks_in, days_in, other_days, other_times, states_moment
from claw_adapter_forge.evaluation.spellings import chooses, names

MOMENT = "2026-03-14T11:00"


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-14T11:00",
        "2026-03-14T11:00:00",
        "2026/03/14 11:00",
        "14.03.2026, 11.00",
        "Sat 14/03/2026 11:00",
        "03/14/2026 11:00",
        "14-Mar-2026 11:00",
        "14 March at 11:00",
        "14. March 2026, 11:00",
        "14th March 2026 at 11:00",
        "the 14th of March, 11:00",
        "on March 14th at 11 a.m.",
        "Mon Mar 14, 2026, 11am",
        "11h00, Saturday 14 March",
        "11 o'clock on 14 March (Europe/Oslo)",
        "Day: 14 March\nTime: 11:00",
        "due 2026-03-12, sync 2026-03-14T11:00",
        "Sync at 11:00 on 2026-03-14. Next step due 2026-03-12.",
        "from 11:00-12:00 on 14 March",
    ],
)
def test_a_moment_is_found_in_any_usual_notation(text: str) -> None:
    assert states_moment(text, MOMENT)


@pytest.mark.parametrize(
    "text",
    [
        "14 March at 11:00 pm",
        "14 March at 11.30",
        "14 March 2027 at 11:00",
        "14 April, 11:00",
        "114 March, 11:00",
        "2026-03-1 11:00",
        "2026-03-14T11:00+05:00",
        "2026-03-14T11:00Z",
        "14 March, not 11:00",
        "11:00, not on 14 March",
        "sync 16 March 11:00, step due 14 March",
    ],
)
def test_another_moment_is_not_taken_for_it(text: str) -> None:
    assert not states_moment(text, MOMENT)


@pytest.mark.parametrize(
    ("text", "moment", "found"),
    [
        ("on March 19 at 3 pm", "2026-03-19T15:00", True),
        ("on 19 March at noon", "2026-03-19T12:00", True),
        ("on March 19 at 4 pm", "2026-03-19T15:00", False),
        ("9 March", "2026-03-19", False),
        ("16th of March", "2026-03-16", True),
    ],
)
def test_halves_of_the_day_and_days_alone(text: str, moment: str, found: bool) -> None:
    assert states_moment(text, moment) is found


@pytest.mark.parametrize("text", ["gpt-5.2 and kimi-k2.5", "2/3 votes", "WK-2026", "15 8 * * 1-5", "/ops/x", "in May"])
def test_other_numbers_are_neither_days_nor_times(text: str) -> None:
    assert days_in(text) == clocks_in(text) == ()


def test_what_a_text_names_besides_is_found_in_the_same_notations() -> None:
    assert other_days("sync 14 March, later 17th of March", (MOMENT[:10],))
    assert not other_days("sync 14 March, not 17 March", (MOMENT[:10],))
    assert other_days("due 14 March", (MOMENT,))
    assert not other_days("call on 14 March at 11 am", (MOMENT,))
    assert other_times("14 March 11:00 or 12:00", (MOMENT,))
    assert other_times("14 March 11:00, then 17 March 11:00", (MOMENT,))
    assert not other_times("14 March at 11.00", (MOMENT,))


@given(st.text(max_size=60))
def test_no_text_breaks_the_readers(text: str) -> None:
    states_moment(text, MOMENT)
    other_times(text, (MOMENT,))
    assert other_days(text, ()) is bool(days_in(text))


CHOICES = [
    ("mode live (not async)", "live", ("async",), True),
    ("mode live (not async)", "async", ("live",), False),
    ("it will not be live today, so async", "async", ("live",), True),
    ("mode is async, nothing was delivered yet", "live", ("async",), False),
    ("live or async", "live", ("async",), False),
    ("owner Amara or Bastian", "Amara", ("Bastian",), False),
    ("owner Bastian (not Amara)", "Amara", ("Bastian",), False),
    ("owner: Amara, not Bastian", "Amara", ("Bastian",), True),
    ("Not finished, somebody still has to", "finished", ("unfinished",), False),
    ("all of it is done", "finished", ("unfinished",), True),
    ("gpt-5.2", "openai/gpt-5.2", ("openai/gpt-5.4",), True),
    ("model openai/gpt-5.2.", "openai/gpt-5.2", (), True),
    ("openai/gpt-5.2-mini", "openai/gpt-5.2", (), False),
    ("acme/gpt-5.2", "openai/gpt-5.2", (), False),
    ("SEV-1", "sev1", ("sev2", "sev3"), True),
    ("severity level 1", "sev1", ("sev2", "sev3"), True),
    ("severity sev1 or sev2 or sev3", "sev1", ("sev2", "sev3"), False),
    ("severity 1 or 2", "sev1", ("sev2",), False),
    ("a primary one, not backup", "primary", ("backup",), True),
]


@pytest.mark.parametrize(("text", "word", "others", "chosen"), CHOICES)
def test_a_value_is_chosen_when_it_alone_is_named(text: str, word: str, others: tuple[str, ...], chosen: bool) -> None:
    assert chooses(text, word, others) is chosen


def test_words_are_whole_words() -> None:
    assert names("about oslo_check", "Oslo")
    assert not names("WK-51990", "WK-5199")
    assert not names("Portobello", "Porto")
