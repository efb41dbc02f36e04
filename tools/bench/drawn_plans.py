"""Certification against sound harnesses, which must show nothing, and against broken ones, which must be found and named.

python tools/bench/drawn_plans.py sound 40        so many whole Silver certifications, two at a time, each with a nonce of its
                                                  own, over the reference and harnesses that are odd but sound
python tools/bench/drawn_plans.py broken 5        a drawn plan with each broken harness, over so many nonces
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "certification")]

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.demand import Level
from claw_adapter.certify.judge import certify, plan
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.judging import PlanOutcome
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.harness import Harness
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.sandbox import detect
from support.misbehaving import ODD, LongInstructions
from support.outsiders import NAMED

SECONDS = 60.0
AT_ONCE = 2


def _reference(mode: str) -> Callable[[], Harness]:
    return lambda: ReferenceHarness(mode=mode)


SOUND: dict[str, Callable[[], Harness]] = {
    **{f"reference {mode}": _reference(mode) for mode in ("in-process", "child", "acp")},
    **{kind.__name__: kind for kind in (*ODD, LongInstructions)},
}


async def outcome(make: Callable[[], Harness], nonce: str, level: Level) -> PlanOutcome:
    """One plan of a nonce through one harness."""
    harness = make()
    isolation = 0 if harness.runs_inside else int(detect().level)
    (found,) = await PlanRunner(harness, isolation=isolation, deadline=SECONDS).outcomes([draw(nonce, 0, level)])
    return found


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


async def broken(count: int) -> int:
    """Each broken harness; returns how many nonces did not show the finding that names it."""
    missed = 0
    for make, key, level in NAMED:
        found = [await outcome(make, f"broken-{number}", level) for number in range(count)]
        right = sum(key in one.keys for one in found)
        missed += count - right
        others = sorted({other for one in found for other in one.keys} - {key})
        print(f"{make.__name__:28} {level:7} {key:28} {right} of {count}   {', '.join(others)}", flush=True)
    return missed


def main() -> int:
    """Entry point."""
    what, count = sys.argv[1], int(sys.argv[2])
    return 1 if asyncio.run({"sound": sound, "broken": broken}[what](count)) else 0


if __name__ == "__main__":
    sys.exit(main())
