"""Overlays: something put between a harness and its endpoint, such as a skill proxy.

The way of a request::

    harness → our proxy route (any dialect, streaming) → overlay (OpenAI chat, whole replies) → endpoint (metered) → model

The proxy route is an entry of the endpoint itself: `OverlayContext.route` opens it, and the address that it returns is all that
the harness gets to know. What the overlay sends on must keep the field ``claw_request`` that the route puts into a request's
body: requests with it are the harness's, requests without it are the overlay's own and counted apart.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from claw_adapter.harness import Endpoint, TrialContext
from claw_adapter.protocol import Probe
from claw_adapter.protocol.base import Record

__all__ = ["MARK", "Front", "Overlay", "OverlayContext"]

MARK = "claw_request"
"""The field of a request's body by which the endpoint knows the harness's requests behind an overlay."""


class Front(Record):
    """Where a proxy route leads to."""

    overlay: str
    """The overlay's label."""
    port: int
    """The port on 127.0.0.1 where the overlay serves ``/v1/chat/completions``."""
    socket: Path | None = None
    """Leads to that port from outside its isolation."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Sent with every request."""


class OverlayContext(TrialContext):
    """What an overlay may use during one trial.

    Its children live in an isolation of their own: `state_dir` is theirs alone, and neither the harness's state nor the
    agent's workspace can be seen from there (`workspace` is `state_dir`). `main` and `histories` are empty.
    """

    label: str
    """The overlay's name in this experiment."""
    saved: Mapping[str, bytes]
    """What `Overlay.checkpoint` returned after the last finished round; empty at the beginning of a trial."""

    @abstractmethod
    async def route(self, port: int, *, headers: Mapping[str, str] | None = None) -> Endpoint:
        """Open the proxy route to an overlay that serves OpenAI chat on `port` (spawned with ``listens=port``).

        The result takes the place of the endpoint for whatever is in front. The route speaks every dialect to the harness, asks
        the overlay for whole replies, streams them where the harness wants a stream, and sends `headers` along.
        """

    @abstractmethod
    async def settled(self, seconds: float) -> None:
        """Wait, at most so long, until none of the overlay's own requests is being answered."""

    @abstractmethod
    async def keep(self, name: str, folder: Path) -> None:
        """Keep a copy of a folder as an artefact of the trial, in place of an earlier one of that name."""


class Overlay(ABC):
    """Harness → overlay → endpoint. The constructor takes the experiment's options as keyword arguments and does no work."""

    name: ClassVar[str]
    api: ClassVar[str] = "claw/1"

    def probe(self) -> Probe:
        """What is installed here, found without side effects."""
        return Probe(ready=True)

    @abstractmethod
    async def wrap(self, ctx: OverlayContext, endpoint: Endpoint) -> Endpoint:
        """Start the overlay in front of `endpoint` and return the address that the harness is given instead.

        Called once at the beginning of a trial, and again after `close` when the trial is resumed from a checkpoint.

        Raises:
            OverlayError: it does not come up.
        """

    async def checkpoint(self) -> Mapping[str, bytes]:
        """After a finished round: the state files by name that `OverlayContext.saved` brings back; none by default."""
        return {}

    @abstractmethod
    async def close(self) -> None:
        """End what `wrap` started; also called where `wrap` has failed."""
