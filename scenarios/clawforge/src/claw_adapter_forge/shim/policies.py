"""Shim mode for agents that we bring: a policy typed into a real shell, or behind an endpoint with a real harness in front."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from claw_adapter import plugins
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.errors import ClawError, DeadlineExceeded, HarnessNotFound, Owner
from claw_adapter.harness import Failure, Harness, TurnResult
from claw_adapter.protocol import ModelSpec
from claw_adapter_forge.policies.offline import DONE, decide
from claw_adapter_forge.policies.upstream import PolicyServer
from claw_adapter_forge.runner.records import RunRecord
from claw_adapter_forge.shim.context import ShimContext
from claw_adapter_forge.shim.harnesses import FITS, Fit, bypasses
from claw_adapter_forge.shim.prompt import shim_prompt
from claw_adapter_forge.shim.world import ShimWorld
from claw_adapter_forge.tasks.spec import ForgeTask

__all__ = ["SHELL", "Job", "ShimSettings", "run_policies"]

SHELL = "shell"
"""Stands for no harness: commands are typed into a shell."""

Job = tuple[str, ForgeTask, int]
"""(policy or model, task, trial)."""
Work = Callable[[Job, Path], Awaitable[RunRecord]]


@dataclass(frozen=True, slots=True)
class ShimSettings:
    """How episodes are run.

    `through` is a harness's name or `SHELL`; `isolation` and `timeout` (seconds for an episode's one turn) concern
    harnesses only. With `base_url` agents are models behind it (their key in the variable `key_env`), else policies.
    """

    through: str = SHELL
    horizon: int = 25
    blank: bool = False
    isolation: int = 2
    timeout: float = 300.0
    jobs: int = 1
    base_url: str = ""
    key_env: str = ""


async def _type_in(world: ShimWorld, line: str) -> str:
    """Type a line into a shell; returns what it printed."""
    child = await asyncio.create_subprocess_exec(
        "/bin/sh",
        "-c",
        line,
        cwd=world.files,
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


def _in_a_shell(settings: ShimSettings) -> Work:
    async def work(job: Job, folder: Path) -> RunRecord:
        policy, task, trial = job
        async with ShimWorld(task, folder, settings.horizon, blank=settings.blank) as world:
            ended = await _typed(world, policy)
        return world.record(policy, ended, trial, harness=SHELL)

    return work


class _Harnessed:
    """Runs episodes through one harness; every episode gets a conversation and a state directory of its own."""

    def __init__(self, settings: ShimSettings, endpoint: ModelEndpoint, upstream: str) -> None:
        self.settings = settings
        self.endpoint = endpoint
        self.upstream = upstream
        self.fit = FITS.get(settings.through, Fit())

    def _harness(self, clients: Path) -> Harness:
        made: Harness = plugins.create("harness", self.settings.through, self.fit.options_for(clients))
        return made

    async def __call__(self, job: Job, folder: Path) -> RunRecord:
        """Run one episode."""
        agent, task, trial = job
        private = self._harness(folder).capabilities().memory_files
        settings = self.settings
        async with ShimWorld(task, folder, settings.horizon, blank=settings.blank, private=private) as world:
            turn = await self._turn(self._harness(world.bin), agent, world)
        failure = turn.error
        return world.record(
            agent,
            _ended(failure),
            trial,
            harness=settings.through,
            failure=f"{failure.owner}: {failure.kind}: {failure.what}" if failure else "",
            provider_failure=_ended(failure) == "provider",
            bypasses=bypasses(turn.events),
        )

    async def _turn(self, harness: Harness, agent: str, world: ShimWorld) -> TurnResult:
        settings, name = self.settings, world.folder.name
        model = ModelSpec(name=agent, base_url=self.upstream, key_env=settings.key_env)
        context = ShimContext(
            world,
            self.endpoint,
            on_path=not self.fit.path_option,
            key=await self.endpoint.open_trial(name, model, world.folder / "transcript.jsonl"),
            model=agent,
            isolation=settings.isolation,
            deadline=settings.timeout,
        )
        try:
            async with await harness.open(context) as conversation:
                await self.endpoint.begin_round(name, "task")
                turn = await conversation.send(shim_prompt(world.episode), self.settings.timeout)
                meter = await self.endpoint.end_round(name)
            return turn if meter.failure is None or turn.error is None else TurnResult(error=meter.failure)
        except ClawError as error:
            return TurnResult(error=Failure.of(error))
        finally:
            await self.endpoint.close_trial(name)


def _ended(failure: Failure | None) -> str:
    if failure is None:
        return "stopped"
    if failure.kind == DeadlineExceeded.__name__:
        return "budget"
    return "provider" if failure.owner is Owner.ENDPOINT else "harness"


@asynccontextmanager
async def _through(settings: ShimSettings) -> AsyncIterator[Work]:
    """What runs an episode, with the servers it needs."""
    if settings.through == SHELL:
        yield _in_a_shell(settings)
        return
    probe = plugins.create("harness", settings.through).probe()
    if not probe.ready:
        raise HarnessNotFound(probe.reason, where=f"harness {settings.through}", remedy=probe.remedy)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forge-endpoint-")))
        upstream = settings.base_url or (await stack.enter_async_context(PolicyServer())).url
        keys = [settings.key_env] if settings.key_env else []
        endpoint = await stack.enter_async_context(await ModelEndpoint.start(folder, key_envs=keys))
        yield _Harnessed(settings, endpoint, upstream)


async def run_policies(plan: Sequence[Job], settings: ShimSettings, done: Callable[[RunRecord], None]) -> None:
    """Run episodes, each in a world of its own, `jobs` at a time; `done` is told of each as it ends.

    Raises:
        PluginError: there is no such harness.
        HarnessNotFound: it is not installed here.
    """
    slots = asyncio.Semaphore(settings.jobs)

    async def one(work: Work, job: Job) -> None:
        async with slots:
            with tempfile.TemporaryDirectory(prefix="forge-run-") as name:
                done(await work(job, Path(name)))

    async with _through(settings) as work, asyncio.TaskGroup() as group:
        for job in plan:
            group.create_task(one(work, job))
