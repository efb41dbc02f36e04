"""The specification, the checks and the requirement sets belong together: every MUST has a check, every check a MUST."""

from __future__ import annotations

import hashlib
import re
from importlib import resources
from pathlib import Path

from claw_adapter.certify.check import checks
from claw_adapter.certify.demand import LEVELS
from claw_adapter.certify.requirements import CURRENT, load
from claw_adapter.protocol import Capabilities

SPEC = Path(__file__).parents[2] / "docs" / "spec" / "claw-1.md"
NEEDED_BY = {
    "memory_files": "what scoring leaves out, no ability",
    "mcp": "ENV-001, where it is declared: no level asks for it",
    "sub_agent": "PLAN, where it is declared: no level asks for it",
    "notes": "prose",
    "endpoint_override": "PLAN-001, LIFE-003",
    "renderings": "held against the requests of every run by `claw audit`; in no set of requirements yet",
    "losses": "as renderings",
}
"""Fields of Capabilities that no check names in `needs`, and why."""


def musts() -> set[str]:
    return set(re.findall(r"^- \*\*(M\d+)\*\*", SPEC.read_text("utf-8"), re.MULTILINE))


def test_every_must_has_a_check_and_every_check_a_must():
    checked = {must for check in checks().values() for must in (check.must, *check.also)}
    assert checked <= musts(), "a check names a MUST that is not in the specification"
    assert musts() <= checked, "a MUST has no check"


def test_numbers_of_the_specification_have_no_gap():
    numbers = sorted(int(name[1:]) for name in musts())
    assert numbers == list(range(1, len(numbers) + 1))


def test_every_check_is_in_the_requirement_set_at_its_level_or_left_out_with_a_reason():
    requirements = load(CURRENT)
    asked = {check: level for level in LEVELS for check in getattr(requirements, level)}
    for check in checks().values():
        assert asked.get(check.id) == check.level or check.id in requirements.not_scored, check.id
    assert set(asked) <= set(checks()), "the set names a check that is not there"
    assert all(len(reason) > 10 for reason in requirements.not_scored.values())
    everything = [check for level in LEVELS for check in getattr(requirements, level)]
    assert len(everything) == len(set(everything)), "a check stands at one level"


def test_every_capability_has_a_check():
    needed = {need.partition("=")[0] for check in checks().values() for need in check.needs}
    excused = {*NEEDED_BY, *load(CURRENT).not_scored}
    assert set(Capabilities.model_fields) - needed - excused == set()
    assert needed <= set(Capabilities.model_fields)
    assert not needed & set(load(CURRENT).not_scored), "a capability that is checked is not left out"


def test_every_check_says_what_it_catches_and_what_to_change():
    for check in checks().values():
        assert len(check.catches) > 20, check.id
        assert len(check.remedy) > 20, check.id
        assert check.run.__doc__, check.id
        assert re.fullmatch(r"[A-Z]+-\d{3}", check.id)


def test_sets_are_read_from_the_package_and_their_digest_is_that_of_the_file():
    path = resources.files("claw_adapter.certify.requirements").joinpath(f"{CURRENT}.toml")
    assert load(CURRENT).digest == hashlib.sha256(path.read_bytes()).hexdigest()
