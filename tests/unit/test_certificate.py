"""What a certificate says of a report, without a certification."""

import pytest

from claw_adapter.certify.certificate import certificate_of
from claw_adapter.certify.digests import json_digest
from claw_adapter.certify.records import Adapter, Report


def report_of(**changed) -> Report:
    told = {
        "spec": "claw/1", "requirement_set": "r/1", "requirement_digest": "", "kit": "1", "isolation": 0, "asked": "bronze",
        "certified": True, "reached": "bronze", "ok": True, "started": "2026-01-01T00:00:00+00:00", "seconds": 1.0,
        "platform": "linux", "results": (), "not_scored": {}, "evidence": "",
        "adapter": Adapter(name="some", kind="some.Adapter", versions={"some": "1\n(new)"}, capabilities={"losses": "none"}),
    }  # fmt: skip
    return Report.model_validate({**told, **changed})


@pytest.mark.parametrize(
    ("changed", "certified"),
    [
        pytest.param({}, True, id="all that was asked for"),
        pytest.param({"asked": "silver", "ok": False}, False, id="a level below the one that was asked for"),
        pytest.param({"certified": False}, False, id="not in certified mode"),
    ],
)
def test_certified_is_what_was_asked_for_and_reached_in_certified_mode(changed, certified):
    made = certificate_of(report_of(**changed))
    assert (made.level, made.certified) == ("bronze", certified)
    assert (made.versions, made.losses) == ({"some": "1 (new)"}, "none")


def test_without_a_level_there_is_no_certificate():
    with pytest.raises(ValueError, match="no level"):
        certificate_of(report_of(reached=None, ok=False))


def test_what_was_not_tried_is_in_the_certificate_and_its_digest():
    told = {"never_called": ("web\nfetch",), "never_given": {"run": ("timeout",)}}
    made = certificate_of(report_of(**told))
    assert (made.never_called, made.never_given) == (("web fetch",), {"run": ("timeout",)})
    assert made.computed() != certificate_of(report_of()).computed()


def test_certificates_of_before_say_nothing_of_it_and_keep_their_digest():
    now = certificate_of(report_of())
    before = type(now).model_validate(now.model_dump(exclude={"never_called", "never_given", "digest"}))
    assert before.computed() == json_digest(
        before.model_dump(mode="json", exclude={"never_called", "never_given", "digest"})
    )
    assert before.computed() != now.computed()
