"""Harnesses with a planted bug, to see that a test finds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from claw_adapter.harness import Checkpoint, Conversation, Harness, SessionChange, TrialContext, TurnResult

__all__ = ["PlantedConversation", "planted"]

AnyHarness = TypeVar("AnyHarness", bound=Harness)


class PlantedConversation(Conversation):
    """Passes everything on to the conversation `inner`; a subclass overrides what it spoils."""

    def __init__(self, inner: Conversation, ctx: TrialContext) -> None:
        self.inner, self.ctx = inner, ctx

    @property
    def versions(self) -> Mapping[str, str]:
        """See `Conversation.versions`."""
        return self.inner.versions

    async def send(self, prompt: str, deadline: float) -> TurnResult:
        """See `Conversation.send`."""
        return self.spoil(await self.inner.send(prompt, deadline))

    def spoil(self, turn: TurnResult) -> TurnResult:
        """What `send` returns in place of `turn`."""
        return turn

    async def sync(self, changes: Sequence[SessionChange]) -> None:
        """See `Conversation.sync`."""
        await self.inner.sync(changes)

    async def checkpoint(self) -> Checkpoint:
        """See `Conversation.checkpoint`."""
        return await self.inner.checkpoint()

    async def cancel(self) -> None:
        """See `Conversation.cancel`."""
        await self.inner.cancel()

    async def close(self) -> None:
        """See `Conversation.close`."""
        await self.inner.close()


def planted(base: type[AnyHarness], conversation: type[PlantedConversation]) -> type[AnyHarness]:
    """The harness `base`, whose conversations are wrapped in `conversation`; it takes the options that `base` takes."""

    async def opened(self: AnyHarness, ctx: TrialContext, checkpoint: Checkpoint | None = None) -> Conversation:
        return conversation(await base.open(self, ctx, checkpoint), ctx)

    kind = type(conversation.__name__, (base,), {"open": opened, "__module__": conversation.__module__})
    return cast("type[AnyHarness]", kind)
