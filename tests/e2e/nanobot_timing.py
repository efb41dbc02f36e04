"""How long a turn of the real NanoBot takes in each of its modes: ``python tests/e2e/nanobot_timing.py [TURNS]``.

The model is a script that answers at once, so what is left is the harness and the adapter. The modes take turns, so that a
busy machine is busy for all of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from pathlib import Path
from statistics import median

from claw_adapter_nanobot.adapter import NanoBot

sys.path.insert(0, str(Path(__file__).parent))
from nanobot_context import SmallContext
from nanobot_endpoint import TalkingEndpoint, say

from support.real import absent

MODES = ("bridge", "serve", "pty", "cli")


async def turn_seconds(modes: tuple[str, ...] = MODES, turns: int = 20, warm_up: int = 1) -> dict[str, list[float]]:
    """Seconds of each turn by mode, after `warm_up` turns that do not count; the first turn pays for imports.

    Raises:
        RuntimeError: NanoBot is not installed, or a turn failed.
    """
    if reason := absent("nanobot"):
        raise RuntimeError(reason)
    found: dict[str, list[float]] = {mode: [] for mode in modes}
    async with contextlib.AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(TalkingEndpoint(say("fine")))
        open_ = {}
        for mode in modes:
            conversation = await NanoBot(mode=mode).open(SmallContext(folder / mode, server.url))
            open_[mode] = await stack.enter_async_context(conversation)
        for number in range(warm_up + turns):
            for mode, conversation in open_.items():
                turn = await conversation.send(f"question {number}", 300)
                if turn.error is not None:
                    raise RuntimeError(f"{mode}: {turn.error}")
                if number >= warm_up:
                    found[mode].append(turn.timing.total)
    return found


def main(turns: int) -> None:
    """Print medians, and how many times faster than one process per turn each is."""
    found = asyncio.run(turn_seconds(turns=turns))
    slowest = median(found["cli"])
    for mode, seconds in found.items():
        print(f"{mode:7} median {1000 * median(seconds):8.1f} ms   cli / {mode} = {slowest / median(seconds):5.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 20)
