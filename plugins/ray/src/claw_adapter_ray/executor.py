"""The executor: one task of Ray per trial. A trial whose node dies starts again, or goes on in a folder that nodes share."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import socket
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final

from claw_adapter.api.work import raise_again
from claw_adapter.errors import ArgumentError, ClawError, HarnessNotFound
from claw_adapter.executor import Executor, Results, TrialJob
from claw_adapter_ray import tasks

__all__ = ["RayExecutor"]

CONNECT_SECONDS: Final = 10.0
SOFT: Final = False
"""A check belongs to its node and goes to no other."""


class RayExecutor(Executor):
    """Has trials done on a cluster.

    Args:
        address: of the cluster, as ``ray.init`` takes it; empty: the one that RAY_ADDRESS names, else one of this machine.
        folder: on a disk that all nodes share: a trial whose node dies goes on from its journal there. Empty: starts again.
        retries: how often a trial whose node died is started again.
        cpus: how many of a node's a trial takes.
    """

    name: ClassVar[str] = "ray"

    def __init__(self, *, address: str = "", folder: str = "", retries: int = 3, cpus: float = 1) -> None:
        if retries < 0 or cpus <= 0:
            raise ArgumentError("ray: retries is 0 or more, and cpus more than 0")
        self.address, self.folder, self.retries, self.cpus = address, folder, retries, cpus

    async def run(self, jobs: Sequence[TrialJob], results: Results, width: int) -> None:
        """Check every node, then have every job done, at most `width` at a time."""
        ray = _ray()
        with self._cluster(ray):
            scenarios = {job.trial.scenario: job for job in jobs}
            sent = {name: ray.put(results.pack_scenario(job)) for name, job in scenarios.items()}
            await self._check(ray, jobs, results)
            await self._do(ray, jobs, results, sent, width)

    @contextlib.contextmanager
    def _cluster(self, ray: Any) -> Iterator[None]:
        """Connected to the cluster; what this process had started there is ended with the connection."""
        try:
            _heard(self.address)
            ray.init(address=self.address or None, log_to_driver=False, logging_level="error", namespace="claw")
        except (OSError, RuntimeError, ValueError) as error:
            remedy = "Start one with `ray start --head`, or name it: --executor ray:address=HOST:PORT."
            raise ClawError(f"no cluster of Ray is reached: {error}", where=self.address, remedy=remedy) from None
        try:
            yield
        finally:
            ray.shutdown()

    async def _check(self, ray: Any, jobs: Sequence[TrialJob], results: Results) -> None:
        """One job of each harness and scenario is looked at on every node, before anything is spent."""
        some = list({(job.trial.harness.label, job.trial.scenario): job for job in jobs}.values())
        nodes = [node for node in ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        if not nodes:
            raise ClawError(
                "the cluster has no node with a processor", remedy="Add one: ray start --address HOST:PORT."
            )
        strategy = importlib.import_module("ray.util.scheduling_strategies").NodeAffinitySchedulingStrategy
        texts, packed = [job.model_dump_json() for job in some], [results.pack_scenario(job) for job in some]
        refs = [
            ray.remote(tasks.check)
            .options(num_cpus=0, scheduling_strategy=strategy(node["NodeID"], soft=SOFT))
            .remote(texts, packed)
            for node in nodes
        ]
        for node, ref in zip(nodes, refs, strict=True):
            if missing := await _result(ray, ref, f"node {node['NodeManagerAddress']}"):
                raise HarnessNotFound("\n".join(missing), where=f"node {node['NodeManagerAddress']}")

    async def _do(self, ray: Any, jobs: Sequence[TrialJob], results: Results, sent: dict[str, Any], width: int) -> None:
        free, under_way = asyncio.Semaphore(width), set[Any]()
        do = ray.remote(tasks.do).options(num_cpus=self.cpus, max_retries=self.retries)

        async def one(job: TrialJob) -> None:
            async with free:
                results.started(job)
                begun = results.pack_trial(job)
                ref = do.remote(job.model_dump_json(), sent[job.trial.scenario], begun, self.folder)
                under_way.add(ref)
                worked = await _result(ray, ref, job.trial.id)
                under_way.discard(ref)
                if worked.packed is not None:
                    results.take(job, worked.packed)
                if worked.stopped is not None:
                    raise_again(worked.stopped)

        try:
            async with asyncio.TaskGroup() as group:
                for job in jobs:
                    group.create_task(one(job))
        finally:
            for ref in under_way:
                ray.cancel(ref, force=True)


def _heard(address: str) -> None:
    """Ask whether anything listens at HOST:PORT; Ray itself would try for a quarter of an hour.

    Raises:
        OSError: nothing does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()


async def _result(ray: Any, ref: Any, where: str) -> Any:
    """What a task gives.

    Raises:
        ClawError: its node died too often, or the task could not run there.
    """
    try:
        return await asyncio.wrap_future(ref.future())
    except ray.exceptions.RayError as error:
        said = str(error).strip().splitlines()
        remedy = "Look whether all nodes have the same Python, claw-adapter and plugins; then run the same command."
        raise ClawError(f"Ray could not do it: {said[-1] if said else error!r}", where=where, remedy=remedy) from None


def _ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ClawError(f"ray cannot be imported: {error}", remedy="Install it: pip install claw-adapter-ray") from None
