"""Declared capabilities are verified in both directions, and a fault of the kit counts against nobody."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.check import ConformanceCheck
from claw_adapter.certify.demand import Unverified
from claw_adapter.certify.judge import judge, level_reached, plan, report
from claw_adapter.certify.requirements import load
from claw_adapter.harness import Support

sys.path.insert(0, str(Path(__file__).parent))
import planted


def declaring(kind=planted.Planted, **changed):
    """A harness that declares something else than it does."""

    class Declaring(kind):
        def capabilities(self):
            return super().capabilities().model_copy(update=changed)

    return Declaring()


async def judged(harness, tmp_path, check: str | ConformanceCheck = "SEED-008"):
    (asked,) = plan("gold", only=[check]).checks if isinstance(check, str) else [check]
    async with Bench(harness, out=tmp_path, isolation=1) as bench:
        return await judge(bench, asked)


FORGETFUL = planted.with_conversation(planted.ForgetsSpeakersTools)


@pytest.mark.parametrize(
    ("kind", "turns", "outcome", "warned"),
    [
        (planted.Planted, Support.full(), "passed", False),
        (FORGETFUL, Support.full(), "failed", False),
        (planted.Planted, Support.unsupported("no memory"), "unsupported", True),
        (FORGETFUL, Support.unsupported("no memory"), "unsupported", False),
        (FORGETFUL, Support.not_implemented("later"), "unsupported", False),
        (planted.Planted, Support(), "failed", False),
        (planted.Planted, Support(state="since", version="0.0.1"), "passed", False),
        (FORGETFUL, Support(state="since", version="0.0.1"), "failed", False),
        (FORGETFUL, Support(state="since", version="99.1"), "unsupported", False),
    ],
)
async def test_what_is_declared_is_compared_with_what_works(tmp_path, kind, turns, outcome, warned):
    result = await judged(declaring(kind, turns=turns), tmp_path)
    assert result.outcome == outcome, result
    assert any("under-declared" in warning for warning in result.warnings) == warned


class Raising(planted.PlantedConversation):
    """Breaks where sessions change."""

    async def sync(self, changes):
        raise TypeError("unhashable type: 'dict'")


class Refusing(planted.PlantedConversation):
    """Says that it cannot."""

    async def sync(self, changes):
        raise NotImplementedError


@pytest.mark.parametrize(("kind", "outcome"), [(Raising, "failed"), (Refusing, "unsupported")])
async def test_an_exception_is_a_failure_even_where_nothing_is_claimed(tmp_path, kind, outcome):
    """ "Unsupported" means that the adapter does not do it, never that it breaks."""
    harness = declaring(planted.with_conversation(kind), update_session=Support.unsupported("not yet"))
    result = await judged(harness, tmp_path, "PLAN-002")
    assert result.outcome == outcome, result
    assert ("unhashable" in result.what) == (kind is Raising)


async def test_an_undeclared_capability_fails_without_being_tried(tmp_path):
    result = await judged(declaring(turns=Support()), tmp_path)
    assert "not declared" in result.what
    assert result.trials == ()
    assert "capabilities()" in result.remedy


async def broken(kit) -> None:
    """A check with a fault of its own."""
    await kit.shared()
    raise ZeroDivisionError


async def undecided(kit) -> None:
    """A check that cannot be decided here."""
    kit.isolated()


def made(function) -> ConformanceCheck:
    return ConformanceCheck("TURN-999", "gold", "M14", "nothing", "nothing", (), function)


async def test_a_fault_of_the_kit_is_the_kits(tmp_path):
    result = await judged(planted.Planted(), tmp_path, made(broken))
    assert (result.outcome, result.owner) == ("kit", "kit")
    assert "please report" in result.remedy


async def test_what_needs_isolation_2_is_unverified_below_it(tmp_path):
    result = await judged(planted.Planted(), tmp_path, made(undecided))
    assert result.outcome == "unverified"
    assert Unverified.__doc__


async def test_certified_mode_leaves_nothing_out(tmp_path):
    harness = declaring(turns=Support.unsupported("no memory"))
    for certified in (False, True):
        asked = plan("bronze", only=["TURN-003"], certified=certified)
        async with Bench(harness, out=tmp_path, isolation=1) as bench:
            results = [await judge(bench, check) for check in asked.checks]
            whole = report(bench, asked, results, started=0.0)
        assert whole.ok != certified
        assert whole.reached is None


def test_a_level_needs_all_of_its_checks_and_those_below():
    requirements = load()
    everything = dict.fromkeys(requirements.of("gold"), "passed")
    assert level_reached(requirements, everything) == "gold"
    for outcome in ("failed", "expected", "unsupported", "unverified", "kit"):
        assert level_reached(requirements, {**everything, requirements.gold[0]: outcome}) == "silver"
        assert level_reached(requirements, {**everything, requirements.silver[0]: outcome}) == "bronze"
        assert level_reached(requirements, {**everything, requirements.bronze[0]: outcome}) is None
