"""The environment ``forge``: the world of one task, beside a harness's workspace.

A harness that executes nothing itself gives its commands to `execute`. One with programs of its own finds the world's programs
first on its PATH and the world's files in its working directory.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from claw_adapter.drivers import Command, environment, run
from claw_adapter.drivers.waiting import to_thread
from claw_adapter.environment import Attached, Environment, EnvironmentContext, Printed
from claw_adapter.options import FromZero, checked
from claw_adapter.programs import ProgramServer, Ran
from claw_adapter.protocol import Round
from claw_adapter.sandbox import Confinement, IsolationLevel, wrap
from claw_adapter_forge.episodes.episode import Episode
from claw_adapter_forge.episodes.snapshots import restore_episode, take_snapshot
from claw_adapter_forge.shim.files import FileMirror
from claw_adapter_forge.shim.prompt import shell_prompt
from claw_adapter_forge.surfaces.registry import programs
from claw_adapter_forge.surfaces.shell import Execution
from claw_adapter_forge.tasks.manifest import task_from_json

if TYPE_CHECKING:
    from claw_adapter_forge.real.backend import OnDemand

__all__ = ["NATIVE", "ForgeEnvironment", "Mode", "WorldOptions"]

NATIVE: Final = "[files edited outside the commands]"
"""Stands in the log for what was done to the world's files by other means than commands."""
TYPED_SECONDS: Final = 120.0
TIMED_OUT: Final = 124
Mode = Literal["multi", "mock", "shim", "real", "hybrid"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldOptions:
    """What a scenario may set.

    Attributes:
        mode: what executes a command; see docs/forge.md.
        horizon: most commands that are executed; 0 is the task's own number.
        hide_output: a control: nothing that commands print is shown.
    """

    mode: Mode = "multi"
    horizon: FromZero = 0
    hide_output: bool = False

    @property
    def real(self) -> bool:
        """Whether ``openclaw`` is the real program."""
        return self.mode in {"real", "hybrid"}


class ForgeEnvironment(Environment):
    """One task's world; options: see `WorldOptions`.

    Raises:
        AdapterError: an unknown option, or a value it cannot have.
        HarnessNotFound: the real OpenClaw is asked for and not installed.
    """

    name: ClassVar[str] = "forge"

    def __init__(self, **options: Any) -> None:
        self._options = checked(WorldOptions, options, "environment forge")
        self.command_names = programs()
        if self._options.real:
            from claw_adapter_forge.real.program import installed

            installed()
        self._lock = asyncio.Lock()
        self._real: OnDemand | None = None
        self._server: ProgramServer | None = None
        self._attached = Attached()
        self._mirror: FileMirror | None = None

    async def open(self, ctx: EnvironmentContext) -> None:
        """See `Environment.open`."""
        self._ctx = ctx
        task = task_from_json(json.loads((ctx.scenario / "gold" / "task.json").read_text("utf-8")))
        mode = "multi"
        if self._options.real:
            from claw_adapter_forge.real.backend import OnDemand

            hybrid = self._options.mode == "hybrid"
            self._real = OnDemand(ctx.folder, gateway=hybrid, isolation=ctx.isolation, marker=ctx.marker)
        elif self._options.mode == "mock":
            mode = "mock"
        self._episode = Episode(task, mode, self._options.horizon, self._real)
        if self._options.mode == "shim":
            await self._serve()

    async def attach(self) -> Attached:
        """See `Environment.attach`."""
        if self._server is None:
            await self._serve()
        return self._attached

    async def _serve(self) -> None:
        """Bring the clients and the world's files."""
        self._server = ProgramServer(programs(), self._asked)
        self._mirror = FileMirror(self._ctx.workspace, self._ctx.private)
        self._mirror.show(self._episode.world)
        self._attached = await self._server.start(self._ctx.folder / "clients")

    def prompt(self, item: Round) -> str:
        """See `Environment.prompt`: how the world looks from a shell, if there is one."""
        del item
        return shell_prompt(self._episode.horizon) if self._server else ""

    async def execute(self, line: str) -> Printed:
        """See `Environment.execute`; in mode ``shim`` the line is typed into a real shell."""
        if self._options.mode == "shim":
            return await self._typed(line)
        if self._server is None and self._real is None:  # nobody else acts in it
            done = self._episode.step(line)
        else:
            done = await self._step(lambda: self._episode.step(line))
        return Printed("" if self._options.hide_output else done.text, done.output.code, self._episode.exhausted)

    async def snapshot(self) -> bytes:
        """See `Environment.snapshot`."""
        if self._server and (fault := await self._server.settle()):
            raise fault
        async with self._lock:
            self._absorb()
            return take_snapshot(self._episode)

    async def restore(self, snapshot: bytes) -> None:
        """See `Environment.restore`; a real program is ended, and begins anew from what the world knows of it."""
        if self._server:
            await self._server.settle()
        async with self._lock:
            restore_episode(self._episode, snapshot)
            if self._real:
                await to_thread(self._real.close)
            if self._mirror:
                self._mirror.show(self._episode.world)

    async def close(self) -> None:
        """See `Environment.close`."""
        if self._server:
            await self._server.stop()
        if self._real:
            await to_thread(self._real.close)

    async def _asked(self, words: list[str]) -> Ran:
        """A client's command."""
        done = (await self._step(lambda: self._episode.step_words(words))).output
        return Ran("", "", done.code) if self._options.hide_output else Ran(done.stdout, done.stderr, done.code)

    async def _step(self, step: Callable[[], Execution]) -> Execution:
        """One command at a time, in the order they arrive; the real program is waited for in a thread."""
        async with self._lock:
            self._absorb()
            done = await to_thread(step) if self._real else step()
            if self._mirror:
                self._mirror.show(self._episode.world)
            return done

    def _absorb(self) -> None:
        """Take over edits of the files: they cost no step, and count like any change, until the budget is used up."""
        if self._mirror is None:
            return
        if self._episode.exhausted:
            self._mirror.show(self._episode.world)
        elif changes := self._mirror.absorb(self._episode.world):
            self._episode.note(NATIVE, changes)

    async def _typed(self, line: str) -> Printed:
        """Type a line into a shell that has the clients on its PATH."""
        ctx, home = self._ctx, self._ctx.folder / "home"
        home.mkdir(exist_ok=True)
        confinement = Confinement(
            level=IsolationLevel(ctx.isolation),
            home=home,
            writable=(ctx.workspace,),
            readable=(*self._attached.path, *self._attached.readable),
            cwd=ctx.workspace,
        )
        path = self._attached.search_path(after=os.environ.get("PATH", os.defpath))
        argv, env = wrap(("/bin/sh", "-c", line), environment(extra={"PATH": path, "HOME": str(home)}), confinement)
        done = await run(Command(argv, env=env, cwd=ctx.workspace, marker=ctx.marker), TYPED_SECONDS)
        status = TIMED_OUT if done.timed_out else done.exit.code if done.exit.code is not None else 1
        text = "\n".join(t for t in (done.stdout.text.rstrip("\n"), done.stderr.text.rstrip("\n")) if t)
        return Printed(text, status, self._episode.exhausted)
