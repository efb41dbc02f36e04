"""The runner's own trial context over a scripted endpoint, for driving the reference harness and ACP agents."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from claw_adapter.drivers import Process
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.harness import Message, Session
from claw_adapter.protocol import HarnessSpec, ModelSpec, RunSettings, TrialSpec
from claw_adapter.runner.context import Address, RunnerContext

TRIAL = "t"


class Context(RunnerContext):
    """Workspace and state under one folder; remembers what it started."""

    def __init__(self, folder: Path, endpoint: ModelEndpoint | None, key: str, *sessions: Session) -> None:
        folder.mkdir()
        for name in ("workspace", "state"):
            (folder / name).mkdir()
        self.children: list[Process] = []
        self.spec = TrialSpec(
            id=folder.name,
            scenario="s",
            harness=HarnessSpec(name="any", label="any"),
            model=ModelSpec(name="the-model", kind="scripted"),
            settings=RunSettings(isolation=1, deadline=30),
        )
        url, socket = (endpoint.url, endpoint.socket) if endpoint else ("http://127.0.0.1:9", Path("/nowhere"))
        super().__init__(
            self.spec,
            workspace=folder / "workspace",
            state_dir=folder / "state",
            main=sessions[0],
            histories=sessions[1:],
            address=Address(url, socket),
            key=key,
            marker=f"test-{secrets.token_hex(4)}",
        )

    async def spawn(self, argv: Sequence[str], **more: Any) -> Process:
        """See `TrialContext.spawn`."""
        self.children.append(await super().spawn(argv, **more))
        return self.children[-1]


def session(name: str, *texts: str) -> Session:
    """A session of alternating user and assistant messages."""
    roles = ("user", "assistant")
    messages = [Message(id=f"{name}-{i}", role=roles[i % 2], text=text) for i, text in enumerate(texts)]
    return Session(id=name, messages=tuple(messages))


@contextlib.asynccontextmanager
async def scripted(folder: Path, *script: Any, **options: Any) -> AsyncIterator[tuple[ModelEndpoint, str]]:
    """An endpoint with a scripted model, and the trial's key; faults by round in ``options["faults"]``."""
    async with await ModelEndpoint.start(folder / "endpoint") as endpoint:
        model = ModelSpec(name="the-model", kind="scripted", script=script, options=options)
        yield endpoint, await endpoint.open_trial(TRIAL, model, folder / "transcript.jsonl")
        await endpoint.close_trial(TRIAL)
