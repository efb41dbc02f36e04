"""A family that another distribution brings: the one that the documents show."""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint
from pathlib import Path

from claw_adapter_forge import plugged
from claw_adapter_forge.families import every_family, family
from claw_adapter_forge.generator.compiler import instruction_of
from claw_adapter_forge.generator.task_sets import blueprints
from claw_adapter_forge.proof.gate import prove

DOCUMENT = Path(__file__).parents[2] / "docs" / "write-a-family.md"
EXAMPLE = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)


def test_the_family_that_the_documents_show_is_found_and_proven(tmp_path, monkeypatch) -> None:
    assert EXAMPLE
    (tmp_path / "fire_drills.py").write_text(EXAMPLE[1], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("fire-drill", "fire_drills:FIRE_DRILL", plugged.GROUP)
    monkeypatch.setattr(plugged, "entry_points", lambda group: [point] if group == plugged.GROUP else [])
    plugged.plugged.cache_clear()
    try:
        assert family("fire_drill").ability == "gap_completion"
        for blueprint in blueprints("scale", 0, 1, {"fire_drill": 4}):
            found = prove(blueprint)
            assert found.faults == ()
            assert all(s.equivalent for s in found.tally.survivors)
    finally:
        plugged.plugged.cache_clear()


def test_a_request_is_known_by_the_words_of_one_family_alone() -> None:
    known = every_family()
    assert len(known) >= 18
    for task_set, count in (("paper362", 362), ("scale", 200), ("hard", 8)):
        for blueprint in blueprints(task_set, 0, count):
            request = instruction_of(known[blueprint.family], blueprint.slots)
            assert [slug for slug, one in known.items() if re.search(one.asks, request)] == [blueprint.family]
