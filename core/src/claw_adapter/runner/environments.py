"""The environment of one trial, as the runner holds it: what fails in it is charged to the scenario that names it."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Awaitable, Iterator
from dataclasses import replace
from typing import TypeVar

from claw_adapter import plugins
from claw_adapter.drivers.waiting import timeout, to_thread
from claw_adapter.environment import Attached, Environment, EnvironmentContext, Printed, Surroundings
from claw_adapter.errors import AdapterError, ClawError, DeadlineExceeded, Owner, ScenarioError
from claw_adapter.harness import Harness
from claw_adapter.machine import machine_error
from claw_adapter.protocol import EnvironmentSpec, Round
from claw_adapter.runs.store import Store

__all__ = ["TrialEnvironment", "refuse_mcp"]

T = TypeVar("T")


class TrialEnvironment:
    """An open environment; `surroundings` is what the adapter gets.

    Args:
        spec: what the scenario names.
        store: for snapshots.
        seconds: most that one call may take.

    Raises:
        PluginError: there is none of that name, or it cannot be made with the options.
    """

    def __init__(self, spec: EnvironmentSpec, store: Store, seconds: float) -> None:
        self._inner: Environment = plugins.create("environment", spec.name, dict(spec.options))
        self._where = f"environment {spec.name}"
        self._store = store
        self._seconds = seconds
        self.surroundings = Surroundings(Attached(), self._execute, self._inner.command_names)

    async def open(self, ctx: EnvironmentContext, *, attach: bool) -> None:
        """Bring it into its first state; with `attach` programs can work in it.

        Raises:
            ScenarioError: it fails.
        """
        ctx.folder.mkdir(parents=True)
        await self._own("open()", self._inner.open(ctx))
        if attach:
            self.surroundings = replace(self.surroundings, attached=await self._own("attach()", self._inner.attach()))

    def prompt(self, item: Round) -> str:
        """What it says below a round's question.

        Raises:
            ScenarioError: it fails.
        """
        with self._charged("prompt()"):
            return self._inner.prompt(item)

    async def snapshot(self) -> str:
        """Put its state into the store; returns the digest.

        Raises:
            ScenarioError: it fails.
        """
        state = await self._own("snapshot()", self._inner.snapshot())
        return await to_thread(self._store.put, state)

    async def restore(self, digest: str) -> None:
        """Go back to a state in the store.

        Raises:
            ScenarioError: it fails.
            JournalError: the state is missing or damaged.
        """
        await self._own("restore()", self._inner.restore(self._store.get(digest)))

    async def close(self) -> None:
        """End it; what fails then is only logged."""
        try:
            await self._own("close()", self._inner.close())
        except ClawError:
            logging.getLogger(__name__).exception("closing %s", self._where)

    async def _execute(self, line: str) -> Printed:
        return await self._own("execute()", self._inner.execute(line))

    async def _own(self, what: str, call: Awaitable[T]) -> T:
        """Await a call of the environment."""
        seconds, where = self._seconds, self._where
        late = DeadlineExceeded(f"{what} did not come back within {seconds:g} s", where=where, owner=Owner.SCENARIO)
        with self._charged(what):
            async with timeout(seconds, lambda: late):
                return await call

    @contextlib.contextmanager
    def _charged(self, what: str) -> Iterator[None]:
        """Whatever is raised inside is the environment's, unless it says whose it is, or the machine was short of something."""
        try:
            yield
        except ClawError:
            raise
        except Exception as error:
            if (short := machine_error(error)) is not None:
                raise short from error
            raise ScenarioError(f"{what} failed: {type(error).__name__}: {error}", where=self._where) from error


def refuse_mcp(attached: Attached, harness: Harness) -> None:
    """Refuse MCP servers for a harness that cannot be given any.

    Raises:
        AdapterError: it cannot.
    """
    support = harness.capabilities().mcp
    if not attached.mcp or support:
        return
    servers = ", ".join(server.name for server in attached.mcp)
    raise AdapterError(
        f"the scenario's environment brings MCP servers ({servers}), and harness {harness.name!r} cannot be given any: "
        f"{support.reason or 'its adapter does not say that it can'}",
        remedy="Choose a harness that can, such as `acp`; the documents of each say it.",
    )
