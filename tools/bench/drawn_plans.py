"""Drawn plans against sound harnesses, which must show nothing, and against broken ones, which must be found and named.

python tools/bench/drawn_plans.py sound 40        so many plans over the reference and odd but sound harnesses
python tools/bench/drawn_plans.py broken 5        each broken harness, over so many nonces
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS), str(TESTS / "certification")]

from claw_adapter.certify.demand import Level
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.judging import PlanOutcome
from claw_adapter.certify.plans.trial import PlanRunner
from claw_adapter.harness import Harness
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.sandbox import detect
from support.misbehaving import ODD
from support.outsiders import NAMED

SECONDS = 60.0


def _reference(mode: str) -> Callable[[], Harness]:
    return lambda: ReferenceHarness(mode=mode)


SOUND: dict[str, Callable[[], Harness]] = {
    **{f"reference {mode}": _reference(mode) for mode in ("in-process", "child", "acp")},
    **{kind.__name__: kind for kind in ODD},
}


async def outcome(make: Callable[[], Harness], nonce: str, level: Level) -> PlanOutcome:
    """One plan of a nonce through one harness."""
    harness = make()
    isolation = 0 if harness.runs_inside else int(detect().level)
    (found,) = await PlanRunner(harness, isolation=isolation, deadline=SECONDS).outcomes([draw(nonce, 0, level)])
    return found


async def sound(count: int) -> int:
    """So many plans, Silver and Gold by turns; returns how many false alarms there were."""
    alarms = 0
    for number in range(count):
        name = list(SOUND)[number % len(SOUND)]
        level: Level = "gold" if number // len(SOUND) % 2 else "silver"
        found = await outcome(SOUND[name], f"sound-{number}", level)
        alarms += bool(found.findings or found.unjudged)
        said = [f"{one.key}: {one.what}" for one in found.findings]
        print(f"{number:3} {name:24} {level:7} {found.rounds:3} turns {said} {found.unjudged}", flush=True)
    print(f"{count} plans, {alarms} false alarms")
    return alarms


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
