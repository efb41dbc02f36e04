"""The registry: every number says where it was seen, and what was not seen is used for nothing that is reported."""

import pytest
from pydantic import ValidationError

from claw_adapter.errors import ScenarioError
from claw_adapter_scenarios.realism import entries, entry
from claw_adapter_scenarios.realism.comparisons import TESTS
from claw_adapter_scenarios.realism.curves import ASSUMED, CURVES, curve
from claw_adapter_scenarios.realism.delays import DELAYS
from claw_adapter_scenarios.realism.registry import RealismEntry
from claw_adapter_scenarios.realism.tiers import SIZES
from claw_adapter_scenarios.realism.volumes import PER_DAY

GOOD = {
    "id": "a.b",
    "quantity": "a quantity in words",
    "value": 1.0,
    "unit": "share",
    "source": "somebody, somewhere",
    "place": "abstract",
    "url": "https://example.org",
    "status": "verified",
    "seen": "primary",
    "how_verified": "read",
    "licence": "facts only",
}


def test_there_are_forty_entries_and_most_were_seen():
    found = entries()
    assert len(found) >= 40
    assert sum(one.verified for one in found) >= 40
    assert len({one.id for one in found}) == len(found)


def test_what_is_drawn_from_was_seen():
    used = {*CURVES.values(), *PER_DAY.values(), *SIZES}
    used |= {name for delay in DELAYS.values() for name in (delay.median, delay.share) if name}
    used |= {"contacts.inner_outer_ratio", "scenario.noise.share", "scenario.messages"}
    assert all(entry(name).verified for name in used)
    assert not any(curve(name).verified for name in ASSUMED)


def test_every_test_that_an_entry_names_exists():
    assert {one.test for one in entries() if one.test} <= set(TESTS)
    assert all(not one.test for one in entries() if not one.verified)


@pytest.mark.parametrize(
    "change",
    [
        {"how_verified": ""},
        {"url": ""},
        {"status": "from_memory"},
        {"seen": "unseen"},
        {"low": 0.0, "high": 1.0},
        {"value": None},
        {"value": None, "low": 2.0, "high": 1.0},
        {"value": None, "low": 2.0},
        {"surprise": 1},
    ],
)
def test_an_entry_that_contradicts_itself_is_refused(change):
    RealismEntry.model_validate(GOOD)
    with pytest.raises(ValidationError):
        RealismEntry.model_validate(GOOD | change)


def test_derived_numbers_follow_from_what_they_are_derived_from():
    received = (31 * 59.9 - 20 * 79.4) / 11
    assert entry("mail.received.weekend_share").value == pytest.approx(
        2 * received / (5 * 79.4 + 2 * received), abs=5e-4
    )
    assert entry("pages.hospital.weekend_share").value == pytest.approx(2 * 14.3 / (5 * 20.8 + 2 * 14.3), abs=5e-4)
    assert entry("pages.overnight.share").value == pytest.approx(128798 / 866092, abs=5e-4)
    pages = entry("pages.hospital.hours").hours
    assert sum(pages.weekend) == pytest.approx(14.3, abs=0.01)
    assert sum(pages.weekday) == pytest.approx(20.8, abs=0.6)  # published rates are rounded to one decimal
    for kind in ("company", "community"):
        hours, share = entry(f"commits.{kind}.hours"), entry(f"commits.{kind}.weekend_share")
        total = sum(hours.hours.weekday) + sum(hours.hours.weekend)
        assert total == hours.n
        assert share.value == pytest.approx(sum(hours.hours.weekend) / total, abs=5e-5)
    assert sum(entry("mail.thread.sizes").shares.values()) == entry("mail.thread.sizes").n
    assert sum(entry("secure_message.senders").shares.values()) == entry("secure_message.senders").n


def test_an_unknown_entry_is_an_error_that_says_so():
    with pytest.raises(ScenarioError, match="no entry"):
        entry("nothing.like.it")
