"""The run's models; those of upstream plugins are served while the run goes on, and what served them is recorded.

Every time a run is started or continued, one line per model server is added to ``servers.jsonl``.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from claw_adapter import plugins
from claw_adapter.errors import ClawError
from claw_adapter.protocol import ModelSpec, ServerRecord, TrialEnd
from claw_adapter.protocol.model import BUILT_IN
from claw_adapter.runs.folder import SERVERS, RunFolder
from claw_adapter.runs.journal import read_journal
from claw_adapter.runs.plan import Plan
from claw_adapter.upstream import Upstream, UpstreamContext

__all__ = ["Served", "serving"]

log = logging.getLogger(__name__)
GONE = "it did not answer any more when the run ended"
"""All that is known of a server that was only attached to."""
END_SECONDS: Final = 5.0
"""Most that a server which answers no more may take to end and be asked why."""


@dataclass(frozen=True, slots=True)
class Served:
    """The run's models by name, and the servers that were started for them."""

    models: Mapping[str, ModelSpec]
    servers: Sequence[Upstream] = ()

    def fault(self) -> str:
        """Why one of the servers has ended by itself; empty while none has."""
        return next(filter(None, (server.fault() for server in self.servers)), "")


@contextlib.asynccontextmanager
async def serving(plan: Plan, folder: RunFolder, marker: str) -> AsyncIterator[Served]:
    """The run's models, started now and stopped at the end.

    Raises:
        PluginError: a model's kind is no plugin, or refuses the options.
        EndpointError: a server does not come up.
    """
    async with contextlib.AsyncExitStack() as stack:
        models: dict[str, ModelSpec] = {}
        servers: list[Upstream] = []
        for number, model in enumerate({trial.model.name: trial.model for trial in plan.trials}.values()):
            if model.kind in BUILT_IN or model.embedded or not _is_needed(plan, folder, model.name):
                models[model.name] = model
                continue
            ctx = UpstreamContext(folder.live / f"server-{number}", marker)
            upstream: Upstream = plugins.create("upstream", model.kind, model.plugin_options)
            path = folder.root / SERVERS
            models[model.name] = await stack.enter_async_context(_served(upstream, model, ctx, path))
            servers.append(upstream)
        yield Served(models, servers)


def _is_needed(plan: Plan, folder: RunFolder, model: str) -> bool:
    """Whether a trial under this model is still to be run: loading one for nothing may take long."""
    trials = [trial for trial in plan.trials if trial.model.name == model]
    ends = (read_journal(folder.journal(trial.id))[-1:] for trial in trials)
    return any(not end or not isinstance(end[0], TrialEnd) or end[0].error is not None for end in ends)


@contextlib.asynccontextmanager
async def _served(upstream: Upstream, model: ModelSpec, ctx: UpstreamContext, path: Path) -> AsyncIterator[ModelSpec]:
    """One model server from its start to its end."""
    try:
        started = await upstream.start(model, ctx)
        began, before = _now(), await upstream.metrics()
        try:
            yield started
        finally:
            fault = upstream.fault() or await _silence(upstream)
            after = {} if fault else await upstream.metrics()
            grown = {key: value - before.get(key, 0.0) for key, value in after.items() if value != before.get(key, 0.0)}
            record = ServerRecord(
                model=model.name, kind=model.kind, about=dict(upstream.about()), metrics=grown, began=began,
                ended=_now(), fault=fault,
            )  # fmt: skip
            with path.open("a", encoding="utf-8") as file:
                file.write(record.model_dump_json() + "\n")
    finally:
        try:
            await upstream.stop()
        except ClawError:
            log.exception("stopping the server of model %s", model.name)


async def _silence(upstream: Upstream) -> str:
    """Why it does not answer now, given a moment to end and say it; empty if it does."""
    if await upstream.health():
        return ""
    await upstream.ended(END_SECONDS)
    return upstream.fault() or GONE


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
