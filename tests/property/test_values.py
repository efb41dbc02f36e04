"""Typed values: every notation is read as its value, and what is done to a line to make it say less or more is seen."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from claw_adapter.values import Money, Refused, as_json, parse, renderings, same, validate

PEOPLE = {"Ana Ruiz": ["the pharmacist"], "Ben Cole": ["BC"], "Dora Li": [], "王芳": ["护士长王"], "李伟": []}
PERSON = {"type": "person", "people": PEOPLE}
CHOICE = {"type": "choice", "of": {"approved": ["accepted", "已批准"], "rejected": ["refused", "驳回"], "sev-2": []}}
FILES = ["logs/gate_log.csv", "notes/rota.md", "S2/m14", "S2/m4"]
LANGUAGES = ("en", "zh")
FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
FEWER = settings(FEW, max_examples=8)

amounts = st.decimals(-(10**7), 10**7, places=2).map(Fraction)
wholes = st.integers(-(10**6), 10**9).map(Fraction)
minutes = st.integers(0, 23 * 60 + 59).map(lambda n: f"{n // 60:02d}:{n % 60:02d}")
days = st.dates(date(1000, 1, 1), date(9999, 12, 30)).map(date.isoformat)
moments = st.tuples(days, minutes).map("T".join)


def number(**keys):
    return {"type": "number", **keys}


TYPED = {
    "number": st.tuples(
        st.sampled_from([number(), number(locale="de-DE"), number(locale="zh-CN"), number(locale="fr")]),
        st.one_of(amounts, wholes),
    ),
    "quantity": st.tuples(
        st.sampled_from([number(unit=unit) for unit in ("kg", "km", "MB", "°C", "%", "km/h", "L", "kWh", "pallet")]),
        st.one_of(amounts, wholes),
    ),
    "duration": st.tuples(st.just({"type": "duration"}), st.integers(1, 10**6).map(Fraction)),
    "money": st.tuples(
        st.sampled_from(
            [{"type": "money"}, {"type": "money", "currency": "EUR"}, {"type": "money", "locale": "zh-CN"}]
        ),
        st.tuples(amounts, st.sampled_from(["EUR", "USD", "CNY", "GBP", "SEK"])).map(lambda pair: Money(*pair)),
    ),
    "date": st.tuples(st.sampled_from([{"type": "date"}, {"type": "date", "locale": "en-US"}]), days),
    "time": st.tuples(st.just({"type": "time"}), minutes),
    "time with zone": st.tuples(st.just({"type": "time", "zone": "+08:00"}), minutes.map("{}+08:00".format)),
    "moment": st.tuples(st.just({"type": "moment"}), moments),
    "moment with zone": st.tuples(st.just({"type": "moment", "zone": "-03:30"}), moments.map("{}-03:30".format)),
    "person": st.tuples(st.just(PERSON), st.sampled_from(sorted(PEOPLE))),
    "choice": st.tuples(st.just(CHOICE), st.sampled_from(sorted(CHOICE["of"]))),
    "names": st.tuples(
        st.just({"type": "names", "of": PERSON}),
        st.sets(st.sampled_from(sorted(PEOPLE)), min_size=1).map(lambda names: tuple(sorted(names))),
    ),
    "reference": st.tuples(
        st.just({"type": "reference", "known": FILES}),
        st.tuples(st.sampled_from(FILES[:2]), st.integers(1, 500)).map(lambda pair: f"{pair[0]}#{pair[1]}"),
    ),
}
"""A description and a value of it, by what they are called here."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", TYPED)
@FEW
@given(data=st.data())
def test_every_notation_is_read_as_its_value(kind, language, data):
    description, value = data.draw(TYPED[kind])
    validate(description)
    texts = set(renderings(description, value, language).values())
    assert [text for text in sorted(texts) if parse(description, text) != value] == []
    assert len(texts) >= 8
    back = json.loads(json.dumps(as_json(value)))
    assert same(description, back, value)


MEMBERS = {kind: pairs for kind, pairs in TYPED.items() if kind != "names"}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", MEMBERS)
@FEWER
@given(data=st.data())
def test_every_notation_of_a_set_is_read_as_that_set(kind, language, data):
    of, first = data.draw(MEMBERS[kind])
    rest = data.draw(st.lists(MEMBERS[kind].filter(lambda pair: pair[0] == of).map(lambda pair: pair[1]), max_size=3))
    description, value = {"type": "names", "of": of}, tuple(sorted({first, *rest}))
    validate(description)
    texts = renderings(description, value, language)
    assert [text for text in texts.values() if parse(description, text) != value] == []
    assert {"json", "stars"} <= set(texts)


@FEW
@given(st.lists(amounts, min_size=1, max_size=4, unique=True), st.sampled_from([", ", "; ", "\n", "、", " and ", ","]))
def test_no_sign_is_taken_from_a_number_of_a_list(numbers, joint):
    description = {"type": "names", "of": {"type": "number"}}
    found = parse(description, joint.join(str(as_json(number)) for number in numbers))
    assert isinstance(found, Refused) or found == tuple(sorted(numbers))
    assert joint == "," or not isinstance(found, Refused)


@FEW
@given(st.fractions(0, 100, max_denominator=97), st.sampled_from(["number", "duration"]))
def test_a_value_that_no_notation_says_has_no_rendering(value, kind):
    texts = renderings({"type": kind}, value, "en")
    assert [text for text in texts.values() if parse({"type": kind}, text) != value] == []
    assert texts or value.denominator not in (1, 2, 4, 5)


def lines(data, kind):
    """A description, a value, one of its notations that nothing stands behind or around, and that in plain signs."""
    description, value = data.draw(TYPED[kind])
    found = renderings(description, value, data.draw(st.sampled_from(LANGUAGES)))
    names = sorted(set(found) - {"stop", "bullets", "stars", "numbered", "lines", "json"})
    return description, value, found[data.draw(st.sampled_from(names))]


SPOILED = [
    "not {}", "about {}", "~{}", "≈ {}", "{}?", "likely {}", "maybe {}", "{} or so", "≥ {}", "< {}", "{} ±", "~~{}~~",
    "{} at most", "no {}", "{}左右", "约{}", "不是{}", "可能是{}", "{}吗", "非{}", "{}以上", "{}…", "{}...", "{} (?)", "({})",
    "{} etc.", "{} and others", "{}|", "{}=", "{}\n-",
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPED)
@FEW
@given(data=st.data())
def test_a_hedge_or_denial_around_it_leaves_no_value(kind, data):
    description, value, text = lines(data, kind)
    for spoiled in SPOILED:
        found = parse(description, spoiled.format(text))
        assert isinstance(found, Refused) or found != value, spoiled.format(text)


JOINTS = [" or ", "/", " / ", "-", " - ", "–", "~", " to ", ", ", "; ", " ", "至", "或", "、", "和", " and ", " & "]


@pytest.mark.parametrize("kind", [kind for kind in TYPED if kind != "names"])
@FEW
@given(data=st.data(), joint=st.sampled_from(JOINTS))
def test_two_values_are_none(kind, data, joint):
    description, value, text = lines(data, kind)
    other = data.draw(TYPED[kind].filter(lambda pair: pair[0] == description and pair[1] != value))[1]
    second = next(iter(renderings(description, other, "en").values()))
    for line in (f"{text}{joint}{second}", f"{second}{joint}{text}"):
        found = parse(description, line)
        assert isinstance(found, Refused) or found not in (value, other), line


@pytest.mark.parametrize("kind", [kind for kind in TYPED if kind != "names"])
@FEW
@given(data=st.data())
def test_another_value_in_the_remark_is_seen(kind, data):
    description, value, text = lines(data, kind)
    other = data.draw(TYPED[kind].filter(lambda pair: pair[0] == description and pair[1] != value))[1]
    second = data.draw(st.sampled_from(sorted(renderings(description, other, "en").values())))
    for remark in (second, f"or {second}", f"not {second}", f"或{second}"):
        for kind in (description, {**description, "remark": True}):
            found = parse(kind, f"{text} ({remark})")
            assert isinstance(found, Refused) or found != value, f"{text} ({remark})"


@pytest.mark.parametrize("kind", TYPED)
@FEWER
@given(data=st.data(), remark=st.sampled_from(["see the log", "wrong", "见记录", "revoked", "net"]))
def test_a_remark_is_read_only_where_it_is_asked_for(kind, data, remark):
    description, value, text = lines(data, kind)
    assert isinstance(parse(description, f"{text} ({remark})"), Refused)
    if not text.endswith(")"):
        assert parse({**description, "remark": True}, f"{text} ({remark})") == value


@pytest.mark.parametrize("kind", ["number", "quantity", "duration", "money"])
@FEW
@given(data=st.data(), step=st.sampled_from([Fraction(1), Fraction(-1), Fraction(1, 100)]))
def test_one_step_off_is_another_value(kind, data, step):
    description, value = data.draw(TYPED[kind])
    step = step if kind != "duration" else Fraction(int(step) or 60)
    off = Money(value.amount + step, value.currency) if kind == "money" else value + step
    for text in renderings(description, off, "en").values():
        assert not same(description, value, parse(description, text)), text


@FEW
@given(moments, st.sampled_from([1, -1, 60, 12 * 60, 24 * 60]))
def test_a_minute_an_hour_half_a_day_or_a_day_off_is_another_moment(moment, away):
    off = (datetime.fromisoformat(moment) + timedelta(minutes=away)).isoformat(timespec="minutes")
    for language in LANGUAGES:
        for text in renderings({"type": "moment"}, off, language).values():
            assert not same({"type": "moment"}, moment, parse({"type": "moment"}, text)), text


@FEW
@given(st.sampled_from(["kg", "km", "MB", "L", "kWh"]), amounts.filter(bool), st.data())
def test_another_unit_without_conversion_is_another_value(unit, value, data):
    description = number(unit=unit)
    other = data.draw(
        st.sampled_from(
            {"kg": ["g", "lb", "t"], "km": ["m", "miles"], "MB": ["MiB", "GB"], "L": ["ml"], "kWh": ["kJ"]}[unit]
        )
    )
    assert not same(description, value, parse(description, f"{float(value):.2f} {other}"))


@FEW
@given(days)
def test_swapped_day_and_month_are_never_read_as_the_day(day):
    year, month, number_of_day = day.split("-")
    if month == number_of_day:
        return
    for sign in "/-.":
        line = f"{number_of_day}{sign}{month}{sign}{year}"
        found = parse({"type": "date"}, line)
        assert isinstance(found, Refused) or (int(number_of_day) > 12 and found == day)
        assert parse({"type": "date", "locale": "en-US"}, line) != day
        assert parse({"type": "date", "locale": "de"}, line) == day


@FEW
@given(st.text(max_size=40), st.sampled_from(sorted(TYPED)), st.data())
def test_any_text_is_a_value_or_refused_with_a_reason(text, kind, data):
    description, _ = data.draw(TYPED[kind])
    found = parse(description, text)
    assert not isinstance(found, Refused) or found.reason


@FEW
@given(st.times().map(lambda at: at.replace(microsecond=0)))
def test_seconds_are_kept(at: time):
    text = at.isoformat()
    found = parse({"type": "time"}, text)
    assert same({"type": "time"}, text, found)
    assert (found == text) == bool(at.second)
