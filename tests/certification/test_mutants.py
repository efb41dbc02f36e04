"""Every planted defect is caught, by exactly the checks that name it; and every check catches one."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from mutants import run

from claw_adapter.certify.check import AREAS
from claw_adapter.sandbox import detect

SERVED = {"ENV"}
"""What is planted in test_served.py."""
QUICK = [mutant for mutant in run.MUTANTS if mutant.quick]


@pytest.mark.slow
@pytest.mark.parametrize("mutant", QUICK, ids=lambda mutant: mutant.name)
async def test_a_mutant_trips_exactly_its_checks(mutant):
    if any(check.startswith("SEC") for check in mutant.trips) and detect().level < 2:
        pytest.skip("needs isolation 2")
    row = await run.row(mutant)
    assert row.right, str(row)


def test_every_check_has_a_mutant_or_a_reason():
    assert run.problems() == []


def test_there_are_enough_mutants_of_every_kind():
    assert len({mutant.name for mutant in run.MUTANTS}) == len(run.MUTANTS) >= 30
    areas = Counter(area for mutant in run.MUTANTS for area in {check.partition("-")[0] for check in mutant.trips})
    assert {area: areas[area] for area in {*AREAS} - SERVED if areas[area] < 3} == {}
    assert sum(mutant.child for mutant in run.MUTANTS) >= 10


def test_the_quick_part_touches_every_area_that_takes_a_program():
    """What SEED, TOK, PLAN and RUN ask is planted in test_planted_bugs.py and test_ordinary.py."""
    touched = {check.partition("-")[0] for mutant in QUICK for check in mutant.trips}
    assert touched >= {*AREAS} - SERVED - {"SEED", "TOK", "PLAN", "RUN"}
    assert len(QUICK) <= 15
