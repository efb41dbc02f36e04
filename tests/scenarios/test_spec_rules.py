"""Every rule of the spec validator trips on its own broken fixture, and on nothing else, with file and line."""

import shutil
from pathlib import Path

import pytest

from claw_adapter_scenarios.authoring import EXAMPLE
from claw_adapter_scenarios.validation import RULES, validate_spec
from scenarios.broken import BROKEN, Broken


def patched(folder: Path, broken: Broken) -> Path:
    root = folder / "spec"
    shutil.copytree(EXAMPLE, root)
    for layer, old, new in ((broken.layer, broken.old, broken.new), *broken.also):
        path = root / f"{layer}.yaml"
        text = path.read_text("utf-8")
        assert old in text, f"{layer} has no {old!r}"
        count = -1 if broken.rule == "SPEC-045" else 1
        path.write_text(text.replace(old, new, count), "utf-8")
    return root


def test_the_example_breaks_no_rule():
    assert validate_spec(EXAMPLE, seeds=7) == []


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: f"{b.rule}-{b.line[:20]}")
def test_a_broken_spec_trips_exactly_its_rule(broken: Broken, tmp_path: Path):
    root = patched(tmp_path, broken)
    found = validate_spec(root, seeds=3)
    assert {one.id for one in found} == {broken.rule}, "\n".join(map(str, found))
    lines = []
    for one in found:
        file, _, number = one.where.rpartition(":")
        lines.append(Path(file).read_text("utf-8").splitlines()[int(number) - 1])
    assert any(broken.line in line for line in lines), "\n".join([*map(str, found), *lines])


def test_every_rule_has_a_fixture():
    assert set(RULES) - {broken.rule for broken in BROKEN} == set()
