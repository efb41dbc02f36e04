"""What is drawn follows what it is drawn from, depends on the seed alone, and keeps its promises for every input."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.errors import ScenarioError
from claw_adapter.scoring.agreement import g_test
from claw_adapter_scenarios.realism import noise, tiers, timing, volumes
from claw_adapter_scenarios.realism.curves import ASSUMED, CURVES, curve

START = datetime(2026, 3, 2, tzinfo=UTC)  # a Monday
FOUR_WEEKS = START + timedelta(weeks=4)
NAMES = (*CURVES, *ASSUMED)


@given(
    st.integers(0, 80),
    st.integers(0, 2**32),
    st.sampled_from(NAMES),
    st.integers(1, 30),
    st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "America/New_York", None]),
    st.sampled_from([timing.times, timing.conversations]),
)
@settings(max_examples=60, deadline=None)
def test_times_are_as_many_as_asked_for_distinct_ordered_and_inside(n, seed, name, days, zone, draw):
    start = datetime(2026, 3, 26, 15, 17, 3, 250_000, tzinfo=UTC)  # the clocks change three days later
    end = start + timedelta(days=days)
    found = draw(random.Random(seed), start, end, n, curve=name, tz=zone)
    assert len(found) == n
    assert all(a < b for a, b in pairwise(found))
    assert all(start - timedelta(seconds=1) < moment < end and not moment.microsecond for moment in found)
    assert found == draw(random.Random(seed), start, end, n, curve=name, tz=zone)
    if zone:
        assert all(moment.tzinfo == ZoneInfo(zone) for moment in found)


@pytest.mark.parametrize("name", NAMES)
def test_times_follow_their_curve(name):
    found = timing.times(random.Random(7), START, FOUR_WEEKS, 4000, curve=name)
    counts = [0] * 48
    for moment in found:
        counts[(24 if moment.weekday() > 4 else 0) + moment.hour] += 1
    fitted = g_test(counts, curve(name).shares())
    assert fitted.p > 0.001
    assert fitted.effect < 0.2


def test_hours_are_those_of_the_zone_that_was_asked_for():
    found = timing.times(random.Random(1), START, FOUR_WEEKS, 2000, curve="office", tz="Asia/Tokyo")
    working = sum(9 <= moment.hour < 18 for moment in found)
    assert working / len(found) > 0.6


def test_impossible_windows_are_refused():
    rng = random.Random(0)
    with pytest.raises(ScenarioError, match="aware"):
        timing.times(rng, START.replace(tzinfo=None), FOUR_WEEKS, 1)
    with pytest.raises(ScenarioError, match="ends"):
        timing.times(rng, FOUR_WEEKS, START, 1)
    with pytest.raises(ScenarioError, match="no room"):
        timing.times(rng, START, START + timedelta(seconds=5), 6, curve="round_clock")
    with pytest.raises(ScenarioError, match="no curve"):
        timing.times(rng, START, FOUR_WEEKS, 1, curve="moonlight")
    with pytest.raises(ScenarioError, match="no delay"):
        timing.reply_delay(rng, "pigeon")


@pytest.mark.parametrize(("kind", "minutes"), [("mail", 47), ("clinical", 2.4), ("chat", 2.4), ("mail_business", 120)])
def test_reply_delays_have_the_published_median(kind, minutes):
    rng = random.Random(3)
    found = [timing.reply_delay(rng, kind) for _ in range(4000)]
    assert median(found) == pytest.approx(minutes, rel=0.15)


def test_nine_mails_in_ten_are_answered_within_a_day():
    rng = random.Random(3)
    found = [timing.reply_delay(rng, "mail") for _ in range(4000)]
    assert sum(delay <= 24 * 60 for delay in found) / len(found) == pytest.approx(0.9, abs=0.02)
    text = [timing.reply_delay(rng, "text") for _ in range(4000)]
    assert sum(delay <= 30 for delay in text) / len(text) == pytest.approx(0.56, abs=0.03)


def test_inner_contacts_write_about_a_hundred_times_as_often():
    assert tiers.weights()[0] / tiers.weights()[-1] == pytest.approx(100)
    counts = Counter(tiers.speakers(random.Random(5), ["a", "b", "c", "d"], 40_000))
    assert counts["a"] / counts["d"] == pytest.approx(100, rel=0.25)
    assert [name for name, _ in counts.most_common()] == ["a", "b", "c", "d"]


@given(st.integers(1, 200))
def test_tiers_are_filled_from_the_inside(people):
    found = [tiers.tier_of(place, people) for place in range(people)]
    assert found == sorted(found)
    assert found[0] == 0
    if people in (4, 8, 150):
        assert set(found) == {0, 1, 2, 3}


def test_a_whole_network_has_the_published_layers():
    found = Counter(tiers.tier_of(place, 150) for place in range(150))
    assert [found[tier] for tier in range(4)] == [5, 10, 35, 100]


@given(st.integers(0, 60), st.integers(0, 2**32))
def test_everybody_writes_where_there_is_room(n, seed):
    found = tiers.speakers(random.Random(seed), list("abcdef"), n)
    assert len(found) == n
    assert len(set(found)) == min(n, 6) or n >= 6
    assert n < 6 or set(found) == set("abcdef")


@given(
    st.dictionaries(st.sampled_from("abcdefg"), st.sampled_from(sorted(volumes.PER_DAY)), min_size=1),
    st.integers(0, 400),
    st.integers(0, 2**32),
)
def test_volumes_sum_up_and_leave_no_channel_empty(channels, messages, seed):
    if messages < len(channels):
        with pytest.raises(ScenarioError, match="cannot fill"):
            volumes.split(random.Random(seed), messages, channels)
        return
    parts = volumes.split(random.Random(seed), messages, channels)
    assert sum(parts.values()) == messages
    assert min(parts.values()) >= 1
    assert set(parts) == set(channels)


def test_volumes_are_in_proportion_to_the_published_rates():
    parts = [volumes.split(random.Random(seed), 300, {"m": "mail", "p": "clinical"}) for seed in range(200)]
    assert sum(part["m"] for part in parts) / sum(part["p"] for part in parts) == pytest.approx(117 / 19, rel=0.1)
    with pytest.raises(ScenarioError, match="no volume"):
        volumes.split(random.Random(0), 10, {"a": "drums"})
    assert all(200 <= volumes.total(random.Random(seed)) <= 400 for seed in range(50))


@given(st.integers(0, 300), st.one_of(st.none(), st.floats(0, 1)), st.integers(0, 2**32))
def test_noise_has_exactly_the_share_asked_for(n, share, seed):
    found = noise.labels(random.Random(seed), n, share)
    assert len(found) == n
    if share is not None:
        assert sum(found) == round(share * n)
    elif n > 20:
        low, high = noise.band()
        assert low - 0.03 <= sum(found) / n <= high + 0.03


def test_a_share_of_noise_outside_the_possible_is_refused():
    with pytest.raises(ScenarioError, match="outside"):
        noise.labels(random.Random(0), 10, 1.5)


def test_domains_find_their_curve():
    assert timing.curve_for("Hospital administration") == "hospital"
    assert timing.curve_for("student life") == "evening"
    assert timing.curve_for("logistics") == "office"
