"""What is left of a provider's key, by hand: twelve keys at three isolation levels, and ten short ones that change nothing.

A provider on loopback answers, refuses, says the key back and says it back encoded. For each key of 12 characters and more and
each level: the files below the run's folder, the program's home and what it has printed in which something of the key stands,
and the processes that showed it. For each short one, such as local servers are given: the records that differ from those of a
run with a key that nobody says, and whether every round is there and scored. The exit status is 1 if anything is found.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from support.echoing import LONG_KEYS, MODES, SHORT_KEYS, TWO, conversation, leaks, leaks_below, run_with
from support.running import IN_PROCESS, outcome

NOBODYS: Final = "a-key-that-nobody-says"
LEVELS: Final = (0, 1, 2)


async def long_key(number: int, key: str) -> int:
    """Print what is left of a key at each level."""
    found = 0
    for level in LEVELS:
        with tempfile.TemporaryDirectory() as place:
            printed, kept = io.StringIO(), {name: os.environ.get(name) for name in ("HOME", "CLAW_HOME")}
            os.environ |= dict.fromkeys(kept, f"{place}/home")
            logging.basicConfig(stream=printed, level=logging.DEBUG, force=True)
            try:
                with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
                    records, provider = await run_with(Path(place), key, level=level)
            finally:
                for name, value in kept.items():
                    os.environ.pop(name) if value is None else os.environ.update({name: value})
            hits = leaks_below(Path(place), key)
            said = leaks(printed.getvalue().encode(), key)
            files = sum(path.is_file() for path in Path(place).rglob("*"))
        rounds = sum(map(len, records.values()))
        bad = len(hits) + len(said) + len(provider.seen) + (rounds != len(TWO) * len(MODES))
        found += bool(bad)
        print(
            f"key {number:2}, {len(key)} characters | level {level} | {rounds} rounds of {', '.join(MODES)} | {files} files | "
            f"{len(hits)} with hits, {len(said)} printed, {len(provider.seen)} in processes{' | BAD' if bad else ''}",
            flush=True,
        )
        for path, what in sorted(hits.items()):
            print(f"   {path}: {len(what)} forms", flush=True)
    return found


async def answers(key: str) -> tuple[list[str], list[str]]:
    """Outcomes of the rounds of a run that succeeds, and its requests with their replies."""
    with tempfile.TemporaryDirectory() as place:
        records, _ = await run_with(Path(place), key, ["success"], harness=IN_PROCESS)
        ((trial, rounds),) = records.items()
        asked = conversation(Path(place) / "run", trial)
    return [repr(outcome(record)) for record in rounds], [repr(one) for one in asked]


async def short_key(key: str, wanted: tuple[list[str], list[str]]) -> int:
    """Print what a short key changes."""
    rounds, asked = await answers(key)
    changed = sum(one not in wanted[0] for one in rounds) + sum(one not in wanted[1] for one in asked)
    bad = changed or len(rounds) != len(TWO) or len(asked) != len(wanted[1])
    told = f"{len(rounds)} of {len(TWO)} rounds, {len(asked)} requests | {changed} changed records"
    print(f"{key!r} | {told}{' | BAD' if bad else ''}", flush=True)
    return int(bool(bad))


async def main() -> int:
    """Print a line per key and level, then one per short key."""
    found = 0
    for number, key in enumerate(LONG_KEYS, 1):
        found += await long_key(number, key)
    wanted = await answers(NOBODYS)
    for key in SHORT_KEYS:
        found += await short_key(key, wanted)
    print(f"{len(LONG_KEYS)} keys at {len(LEVELS)} levels, {len(SHORT_KEYS)} short ones: {found} bad")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
