"""Every rule of the spec validator trips on its own broken fixture, and on nothing else, with file and line."""

from pathlib import Path

import pytest

from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.validation import RULES, validate_spec
from scenarios.broken import BROKEN, Broken
from scenarios.patching import patched


def test_the_example_breaks_no_rule():
    assert validate_spec(EXAMPLE, seeds=7) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: f"{b.rule}-{b.line[:20]}")
def test_a_broken_spec_trips_exactly_its_rule(broken: Broken, tmp_path: Path):
    changes = ((broken.layer, broken.old, broken.new), *broken.also)
    root = patched(tmp_path, *changes, every=broken.rule == "SPEC-045")
    found = validate_spec(root, seeds=3)
    assert {one.id for one in found} == {broken.rule}, "\n".join(map(str, found))
    lines = []
    for one in found:
        file, _, number = one.where.rpartition(":")
        lines.append(Path(file).read_text("utf-8").splitlines()[int(number) - 1])
    assert any(broken.line in line for line in lines), "\n".join([*map(str, found), *lines])


def test_every_rule_has_a_fixture():
    second_edition = {f"SPEC-{number:03}" for number in range(80, 88)}  # a spec breaks them as a whole: test_worlds
    assert set(RULES) - {broken.rule for broken in BROKEN} == second_edition
