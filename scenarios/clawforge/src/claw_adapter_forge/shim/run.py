"""Running a program in a shim world: anything that can be given a prompt on its command line or in its environment."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from claw_adapter.errors import HarnessNotFound
from claw_adapter_forge.runner.episode import HORIZON
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.shim.prompt import shim_prompt
from claw_adapter_forge.shim.world import ShimWorld
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["run_command"]


async def run_command(
    task: ForgeTask, command: Sequence[str], *, horizon: int = HORIZON, timeout: float = 600.0, blank: bool = False
) -> RunRecord:
    """Run `command` with the world's programs first on PATH and the world's files as its directory.

    ``{prompt}`` in a word, and ``FORGE_PROMPT``, hold the first observation and what the shell is like. A command that
    outlives `timeout` (seconds) is ended with its children, and the record says ``budget``.

    Raises:
        HarnessNotFound: the command is not there.
    """
    with tempfile.TemporaryDirectory(prefix="forge-run-") as name:
        async with ShimWorld(task, Path(name), horizon, blank=blank) as world:
            prompt = shim_prompt(world.episode)
            words = [w.replace("{prompt}", prompt) for w in command]
            environment = world.environment() | {"FORGE_PROMPT": prompt}
            try:
                child = await asyncio.create_subprocess_exec(
                    *words,
                    cwd=world.folder / "files",
                    env=environment,
                    stdin=asyncio.subprocess.DEVNULL,
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                raise HarnessNotFound(f"no program {command[0]!r}", remedy="give its path") from error
            ended = await _waited(child, timeout)
        return world.record(Path(command[0]).name, ended)


async def _waited(child: asyncio.subprocess.Process, timeout: float) -> str:
    try:
        await asyncio.wait_for(child.wait(), timeout)
    except TimeoutError:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()
        return "budget"
    return "stopped"
