"""Every planted bug is named by the audit of an ordinary run, by one finding; sound harnesses by none."""

import json

import pytest

from claw_adapter.reference.adapter import ReferenceHarness
from support.audited import audit_of, keys, write_audited
from support.misbehaving import BROKEN, FAULTY, ODD

FAULTS = [{"at": [20], "kind": "429", "retry_after": 0}, {"at": "every 1", "round": "r5", "kind": "500"}]


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    return write_audited(tmp_path_factory.mktemp("scenario") / "market")


@pytest.mark.parametrize(("made", "key"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_bug_is_one_finding_that_names_it(tmp_path, market, made, key):
    found = audit_of(tmp_path / "run", market, made(), faults=FAULTS if made in FAULTY else None)
    assert keys(found) == {key}
    assert not found.ok


def test_what_is_sound_has_no_finding_and_a_failed_round_neither(tmp_path, market):
    found = audit_of(tmp_path / "run", market, faults=[*FAULTS, {"at": [30], "kind": "cut"}])
    assert keys(found) == set()
    assert found.ok
    (one,) = found.harnesses
    assert [bite.loss for bite in one.bites] == ["histories are shown without tool calls and results"]


@pytest.mark.parametrize("made", ODD, ids=lambda made: made.__name__)
def test_odd_but_sound_harnesses_have_no_finding(tmp_path, market, made):
    assert keys(audit_of(tmp_path / "run", market, made())) == set()


def test_in_a_process_of_its_own_nothing_is_different(tmp_path, market):
    assert keys(audit_of(tmp_path / "run", market, ReferenceHarness())) == set()


def test_the_record_goes_through_json(tmp_path, market):
    found = audit_of(tmp_path / "run", market)
    assert type(found).model_validate(json.loads(found.model_dump_json())) == found
