"""Every planted bug is named by the audit of an ordinary run, by one finding; sound harnesses by none."""

import json

import pytest

from claw_adapter.reference.adapter import ReferenceHarness
from support.audited import audit_of, keys, verdicts_of, write_audited
from support.misbehaving import BROKEN, FAULTY, ODD

pytestmark = pytest.mark.slow(20)

FAULTS = [{"at": [20], "kind": "429", "retry_after": 0}, {"at": "every 1", "round": "r5", "kind": "500"}]


@pytest.fixture(scope="module")
def market(tmp_path_factory):
    return write_audited(tmp_path_factory.mktemp("scenario") / "market")


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory, market):
    """What the audits say of all these harnesses: one run, and one with faults for those that need them."""
    made = {f"h{number}": one for number, one in enumerate([*(one for one, _ in BROKEN), *ODD])}
    faulty = {label: one() for label, one in made.items() if one in FAULTY}
    others = {label: one() for label, one in made.items() if label not in faulty}
    root = tmp_path_factory.mktemp("runs")
    said = verdicts_of(root / "faulty", market, faulty, faults=FAULTS) | verdicts_of(root / "others", market, others)
    return {made[label]: verdict for label, verdict in said.items()}


@pytest.mark.parametrize(("made", "key"), BROKEN, ids=lambda value: getattr(value, "__name__", ""))
def test_a_planted_bug_is_one_finding_that_names_it(verdicts, made, key):
    assert keys(verdicts[made]) == {key}


@pytest.mark.parametrize("made", ODD, ids=lambda made: made.__name__)
def test_odd_but_sound_harnesses_have_no_finding(verdicts, made):
    assert keys(verdicts[made]) == set()


def test_a_planted_bug_is_no_sound_run(tmp_path, market):
    assert not audit_of(tmp_path / "run", market, BROKEN[0][0]()).ok


def test_what_is_sound_has_no_finding_and_a_failed_round_neither(tmp_path, market):
    found = audit_of(tmp_path / "run", market, faults=[*FAULTS, {"at": [30], "kind": "cut"}])
    assert keys(found) == set()
    assert found.ok
    (one,) = found.harnesses
    assert [bite.loss for bite in one.bites] == ["histories are shown without tool calls and results"]


def test_in_a_process_of_its_own_nothing_is_different(tmp_path, market):
    assert keys(audit_of(tmp_path / "run", market, ReferenceHarness())) == set()


def test_the_record_goes_through_json(tmp_path, market):
    found = audit_of(tmp_path / "run", market)
    assert type(found).model_validate(json.loads(found.model_dump_json())) == found
