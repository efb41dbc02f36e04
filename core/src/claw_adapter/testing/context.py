"""A trial context over a folder: the runner's own, without a run."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from pydantic import JsonValue

from claw_adapter.drivers import Process
from claw_adapter.environment import Surroundings
from claw_adapter.protocol import HarnessSpec, ModelSpec, RunSettings, Session, TrialSpec
from claw_adapter.runner.context import Address, RunnerContext

__all__ = ["FolderContext", "Listening"]

NOBODY: Final = Address("http://127.0.0.1:9", Path("/nowhere"))


class Listening(Protocol):
    """Where model requests go: a `ScriptedEndpoint`, or anything else with these two."""

    @property
    def url(self) -> str:
        """``http://127.0.0.1:PORT``."""

    @property
    def socket(self) -> Path:
        """The Unix socket by which it is reached out of a namespace (isolation 2)."""


class FolderContext(RunnerContext):
    """A `TrialContext` that starts real processes; `children` are those started by `spawn` and `lines`, in order.

    Args:
        folder: gets ``workspace`` and ``state``; the trial is called after it.
        endpoint: where model requests go; without one nobody answers there.
        main: the main session; an empty one without.
        histories: the history sessions.
        key: the key to send with model requests; that of a `ScriptedEndpoint` without.
        model: the model id.
        isolation: 0 (nothing), 1 (processes) or 2 (namespaces, where the machine has them).
        deadline: seconds that opening may take.
        seed: the trial's seed.
        options: the harness's options.
        scenario: id of the scenario; the folder's name without.
        workspace: the agent's folder, if it is another one.
        marker: the mark that every child carries; one of its own without.
        leave: told of every file that `register_cleanup` names.
        environment: what stands beside the workspace.
        named: whether the folders have names of their own at isolation 2, as in a run.
    """

    def __init__(
        self,
        folder: Path,
        endpoint: Listening | None = None,
        *,
        main: Session | None = None,
        histories: Sequence[Session] = (),
        key: str = "",
        model: str = "the-model",
        isolation: int = 1,
        deadline: float = 60.0,
        seed: int = 0,
        options: Mapping[str, JsonValue] | None = None,
        scenario: str = "",
        workspace: Path | None = None,
        marker: str = "",
        leave: Callable[[Path], Awaitable[None]] | None = None,
        environment: Surroundings | None = None,
        named: bool = True,
    ) -> None:
        spec = TrialSpec(
            id=folder.name,
            scenario=scenario or folder.name,
            harness=HarnessSpec(name="under-test", label="under-test", options=dict(options or {})),
            model=ModelSpec(name=model, kind="scripted"),
            seed=seed,
            settings=RunSettings(isolation=isolation, deadline=deadline),
        )
        super().__init__(
            spec,
            workspace=workspace or folder / "workspace",
            state_dir=folder / "state",
            main=main or Session(id="main"),
            histories=tuple(histories),
            address=Address(endpoint.url, endpoint.socket) if endpoint else NOBODY,
            key=key or getattr(endpoint, "key", "sk-test"),
            marker=marker or f"test-{secrets.token_hex(4)}",
            leave=leave,
            environment=environment,
            named=named,
        )
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.state_dir.mkdir(parents=True)
        self.children: list[Process] = []

    async def spawn(self, argv: Sequence[str], **more: Any) -> Process:
        """See `TrialContext.spawn`."""
        self.children.append(await super().spawn(argv, **more))
        return self.children[-1]
