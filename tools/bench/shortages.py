"""What the machine or the provider does not give, by hand: each run stops or waits, and the same command ends it.

A disk of 600 kB, 64 descriptors for eight trials (and the same without our own check of that), 300 MB of address space, a
read-only place, a provider that is gone for 30 s, one that refuses the key from its fifth request on, and one that answers 500
for a minute. Each with the scenario `demo` and each harness named (default: reference and nanobot), then the same command with
what was missing. The exit status is 1 if a round is missing or there twice, has no score, or is charged to anybody.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from support.machines import on_a_disk, with_limits
from support.provider import FakeProvider
from support.running import claw

UNCHECKED: Final = (
    "from claw_adapter.runner import headroom\nheadroom.BASE_DESCRIPTORS = headroom.TRIAL_DESCRIPTORS = 0"
)
BEFORE: Final = 4
"""Requests that a provider answers before it is gone or refuses."""

Done = CompletedProcess[str]


def of_disk(options: str, *more: str) -> Callable[[str, Path], list[Done]]:
    """First on a small disk, and then where there is space."""

    def both(harness: str, folder: Path) -> list[Done]:
        argv = ["run", "demo", "-H", harness, "-q", *more]
        kept = folder / "kept"
        first = on_a_disk(options, *argv, "--out", "run", kept=kept)
        return [first, claw(*argv, "--out", kept / "run", check=False)]

    return both


def of_limits(limits: str, *more: str, code: str = "") -> Callable[[str, Path], list[Done]]:
    """First below a shell's limits."""

    def both(harness: str, folder: Path) -> list[Done]:
        argv = ["run", "demo", "-H", harness, "-q", *more, "--out", folder / "kept" / "run"]
        return [with_limits(limits, *argv, code=code), claw(*argv, check=False)]

    return both


def of_provider(
    refuse: Callable[[int, float], int], away: float = 0.0, code: str = ""
) -> Callable[[str, Path], list[Done]]:
    """First with a provider that refuses some requests, by number and seconds since the first refusal, or is gone."""

    async def first(harness: str, folder: Path) -> list[Done]:
        async with FakeProvider() as provider:
            refused: list[float] = []

            def status(number: int) -> int:
                if number <= BEFORE:
                    return 0
                refused.append(time.monotonic())
                return refuse(number, refused[-1] - refused[0])

            provider.refuse, provider.code = status if not away else provider.refuse, code
            asked = provider.model
            argv = ["run", "demo", "-H", harness, "-q", "--model", asked["model"], "--base-url", asked["base_url"]]
            argv += ["--out", folder / "kept" / "run"]
            if away:
                async with provider.away_after(BEFORE, away):
                    done = [await asyncio.to_thread(claw, *argv, check=False)]
            else:
                done = [await asyncio.to_thread(claw, *argv, check=False)]
            provider.refuse = lambda _number: 0
            return [*done, await asyncio.to_thread(claw, *argv, check=False)]

    return lambda harness, folder: asyncio.run(first(harness, folder))


CASES: Final = {
    "600 kB of disk": of_disk("size=600k", "--min-free", "0"),
    "600 kB, 100 MB kept free": of_disk("size=600k"),
    "64 descriptors": of_limits("-n 64", "-j", "8", "--repeats", "8"),
    "64, without our check": of_limits("-n 64", "-j", "8", "--repeats", "8", code=UNCHECKED),
    "300 MB address space": of_limits("-v 300000"),
    "read-only": of_disk("ro"),
    "gone for 30 s": of_provider(lambda _number, _seconds: 0, away=30),
    "401": of_provider(lambda _number, _seconds: 401, code="invalid_api_key"),
    "500 for a minute": of_provider(lambda _number, seconds: 500 if seconds < 60 else 0),
}


def found(run: Path) -> str:
    """What the journals say, in short, with what is wrong in capitals."""
    rounds = scored = charged = twice = trials = 0
    for path in sorted(run.glob("trials/*/journal.jsonl")):
        trials += 1
        records = [json.loads(line)["record"] for line in path.read_text().splitlines()]
        of_trial = [record for record in records if record["kind"] == "round"]
        rounds += len(of_trial)
        twice += len(of_trial) - len({record["round"] for record in of_trial})
        scored += sum(record["score"]["value"] is not None for record in of_trial)
        charged += sum(bool(record.get("error") or record["score"].get("cause")) for record in of_trial)
    wrong = [name for name, bad in (("TWICE", twice), ("UNSCORED", rounds - scored), ("CHARGED", charged)) if bad]
    return f"{rounds} rounds in {trials} trials{', ' if wrong else ''}{' '.join(wrong)}"


def main(harnesses: list[str], cases: list[str]) -> int:
    """Print a line per case and harness."""
    bad = 0
    for name in cases:
        for harness in harnesses:
            with tempfile.TemporaryDirectory() as root:
                began = time.monotonic()
                folder = Path(root) / "x"
                folder.mkdir()
                first, second = CASES[name](harness, folder)
                told = found(folder / "kept" / "run")
                trials = 8 if "descriptors" in name or "check" in name else 1
                ok = second.returncode == 0 and told == f"{11 * trials} rounds in {trials} trials"
                bad += not ok
                words = " ".join(first.stderr.split())[:150] if first.returncode else ""
                print(
                    f"{'ok' if ok else 'BAD'} | {name} | {harness} | exit {first.returncode}, then {second.returncode} | "
                    f"{told} | {time.monotonic() - began:.0f} s | {words}",
                    flush=True,
                )
                if not ok:
                    print(second.stderr[-2000:], flush=True)
    return int(bool(bad))


if __name__ == "__main__":
    named = [word for word in sys.argv[1:] if word in CASES]
    sys.exit(
        main([word for word in sys.argv[1:] if word not in CASES] or ["reference", "nanobot"], named or list(CASES))
    )
