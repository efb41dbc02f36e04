"""Offline policies in shim mode: typed into a real shell, or behind an endpoint with the reference harness in front."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from claw_adapter_forge.policies.offline import DONE, decide
from claw_adapter_forge.policies.upstream import PolicyServer
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.shim.world import ShimWorld
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["run_policies"]

Work = Callable[[ShimWorld, str], Any]


async def _type_in(world: ShimWorld, line: str) -> str:
    """Type a line into a shell; returns what it printed."""
    child = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        line,
        cwd=world.folder / "files",
        env=world.environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await child.communicate()
    return printed.decode("utf-8", "replace")


async def _typed(world: ShimWorld, policy: str) -> str:
    history: list[tuple[str, str]] = []
    while not world.episode.exhausted:
        line = decide(policy, world.episode.observation, history)
        if line == DONE:
            return "stopped"
        history.append((line, await _type_in(world, line)))
    return "budget"


def _reference(url: str) -> Work:
    """The reference harness with its own tools; its model is the policy at `url`."""
    from claw_adapter.reference.agent import Agent

    async def work(world: ShimWorld, policy: str) -> str:
        loop = asyncio.get_running_loop()

        def execute(command: str) -> tuple[int, str]:
            return 0, asyncio.run_coroutine_threadsafe(_type_in(world, command), loop).result(60)

        agent = Agent(world.folder / "files", url, "key", policy, execute, 60.0)
        agent.sessions = [{"id": "main", "messages": []}]
        await asyncio.to_thread(agent.turn, world.episode.observation, lambda _event: None)
        return "stopped"

    return work


async def run_policies(
    plan: Sequence[tuple[str, ForgeTask, int]],
    through: str,
    horizon: int,
    progress: Callable[[int, int], None],
    *,
    blank: bool = False,
) -> list[RunRecord]:
    """Run (policy, task, trial) one after the other, each in a world of its own."""
    records: list[RunRecord] = []
    async with PolicyServer() as server:
        work: Work = _reference(server.url) if through == "reference" else _typed
        for policy, task, trial in plan:
            with tempfile.TemporaryDirectory(prefix="forge-run-") as name:
                async with ShimWorld(task, Path(name), horizon, blank=blank) as world:
                    ended = await work(world, policy)
                records.append(world.record(policy, ended, trial))
            progress(len(records), len(plan))
    return records
