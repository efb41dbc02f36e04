"""Certification against sound harnesses, which must show nothing, and against broken ones, which must be found and named.

python tools/bench/drawn_plans.py sound 40        so many whole Silver certifications, two at a time, each with a nonce of its
                                                  own, over the reference and harnesses that are odd but sound
python tools/bench/drawn_plans.py broken 5        every broken harness of the tests, two at a time: at which level it is found,
                                                  by what finding, how many nonces that took, of so many at most, and how
                                                  many steps the shortest plan found has
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "certification")]

from certification.planted import together
from claw_adapter.certify.bench import Bench
from claw_adapter.certify.demand import LEVELS
from claw_adapter.certify.judge import certify, plan
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.shrink import ShrunkPlan, shrink
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.harness import Harness
from claw_adapter.reference.adapter import ReferenceHarness
from support.meddling import MEDDLING
from support.misbehaving import BROKEN, ODD, LongInstructions, kind
from support.outsiders import FIRST, NAMED

SECONDS = 60.0
AT_ONCE = 2
RUNS, SHRINKING = 12, 40.0
"""How often, and for how many seconds, a shorter plan is looked for."""


def _reference(mode: str) -> Callable[[], Harness]:
    return lambda: ReferenceHarness(mode=mode)


SOUND: dict[str, Callable[[], Harness]] = {
    **{f"reference {mode}": _reference(mode) for mode in ("in-process", "child", "acp")},
    **{made.__name__: made for made in (*ODD, kind(LongInstructions))},
}


async def sound(count: int) -> int:
    """So many certifications, two at a time; returns how many had anything but checks that passed."""
    alarms = 0
    with ProcessPoolExecutor(AT_ONCE) as pool:
        for number, (name, said) in enumerate(pool.map(certified, range(count))):
            alarms += bool(said)
            print(f"{number:3} {name:24} {said}", flush=True)
    print(f"{count} certifications, {alarms} with an alarm")
    return alarms


def certified(number: int) -> tuple[str, list[str]]:
    """Every check of Silver for one of the sound harnesses: its name, and what did not pass."""

    async def results() -> list[str]:
        async with Bench(SOUND[name](), nonce=f"sound-{number}", shrinking=0) as bench:
            done = await certify(bench, plan("silver"))
        return [f"{one.id} {one.outcome}: {one.what}" for one in done if one.outcome != "passed"]

    name = list(SOUND)[number % len(SOUND)]
    return name, asyncio.run(results())


@dataclass(frozen=True, slots=True)
class Found:
    """What plans have shown of a broken harness: the level of the first that did, its findings, the last nonce tried."""

    name: str
    wanted: frozenset[str]
    level: str = "none"
    keys: tuple[str, ...] = ()
    nonces: int = 0
    steps: int = 0
    """Of the shortest plan that was found to show it."""

    @property
    def named(self) -> bool:
        """Whether what is wrong with it is among the findings."""
        return bool(self.wanted & {*self.keys})


def broken_harnesses() -> list[tuple[str, type[Harness], frozenset[str]]]:
    """Every broken harness of the tests by its name there, each with the findings of which one names it."""
    made = [(one.__name__, one, frozenset({key})) for one, key in BROKEN]
    planted = [(one, {key}) for _, _, one, key in FIRST]
    planted += [(one, {key}) for _, _, several in NAMED for one, key in several.items()]
    return made + [(one.__name__, together(one), frozenset(keys)) for one, keys in (*planted, *MEDDLING.items())]


def looked_for(number: int, count: int) -> Found:
    """Plans of one broken harness, level by level, nonce by nonce, until one names what is wrong."""
    name, make, wanted = broken_harnesses()[number]
    found = Found(name, wanted)
    for nonce in range(count):
        found = replace(found, nonces=nonce + 1)
        for level in LEVELS:
            runner = PlanRunner(make(), isolation=0, deadline=SECONDS)
            (outcome,) = asyncio.run(runner.outcomes([draw(f"broken-{nonce}", 0, level)]))
            if outcome.keys:
                short = ShrunkPlan(outcome.plan)
                first = next((one for one in outcome.findings if one.key in wanted), outcome.findings[0])
                asyncio.run(shrink(runner, short, first, most=RUNS, seconds=SHRINKING))
                keys = tuple(one.key for one in outcome.findings)
                found = replace(found, level=level, keys=keys, steps=len(short.plan.steps))
                break
        if found.named:
            break
    return found


async def broken(count: int) -> int:
    """Each broken harness; returns how many nothing was found of."""
    every, escaped, named = len(broken_harnesses()), 0, 0
    with ProcessPoolExecutor(AT_ONCE) as pool:
        for one in pool.map(looked_for, range(every), [count] * every):
            escaped, named = escaped + (not one.keys), named + one.named
            print(f"{one.name:28} {one.level:7} {one.nonces} {one.steps:3} {'named' if one.named else 'not named'} "
                  f"{', '.join(one.keys[:4])}", flush=True)  # fmt: skip
    print(f"{every} broken harnesses, {escaped} escaped, {named} named")
    return escaped


def main() -> int:
    """Entry point."""
    what, count = sys.argv[1], int(sys.argv[2])
    return 1 if asyncio.run({"sound": sound, "broken": broken}[what](count)) else 0


if __name__ == "__main__":
    sys.exit(main())
