"""The way through overlays: a proxy route passes a harness's request on to an overlay, which asks our endpoint in its turn.

A trial with overlays has several entries, each with a key: that of the outermost route for the harness, those of inner routes
and the model's for overlays. A route marks each request that it sends with a number of its own (`MARK`); what comes through the
next entry with that number is the same request on its way, what comes without is the overlay's own.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from claw_adapter.endpoint.failures import CLIENT_CLOSED, ProviderError
from claw_adapter.endpoint.models.upstream import CONNECT_SECONDS, UpstreamModel
from claw_adapter.errors import ClawError, OverlayError
from claw_adapter.model import Delta, ModelRequest
from claw_adapter.overlay import MARK, Front
from claw_adapter.protocol.model import ModelSpec

if TYPE_CHECKING:
    from aiohttp import ClientSession

__all__ = ["ProxyRoute", "RoutedRequest", "RoutedRequests", "stays_with"]

PATIENCE: Final = 30.0
"""Seconds that a route waits longer for an overlay than the endpoint waits for the model."""


@dataclass(slots=True)
class RoutedRequest:
    """A request on its way through one overlay, and what became of it behind."""

    own: bool
    """Whether it is an overlay's own and not the harness's."""
    under_way: bool = False
    """The overlay has passed it on, and it is being answered."""
    reached: bool = False
    """The overlay has passed it on at least once."""
    refusal: ProviderError | None = None
    """How it failed behind the overlay, the last time it was passed on."""


class RoutedRequests:
    """The passages of a trial by the number that marks them."""

    def __init__(self) -> None:
        self._known: dict[str, RoutedRequest] = {}

    def begin(self, routed: RoutedRequest) -> str:
        """A number for a passage."""
        number = secrets.token_hex(8)
        self._known[number] = routed
        return number

    def find(self, request: ModelRequest) -> tuple[RoutedRequest | None, ModelRequest]:
        """The passage whose number a request carries, and the request without the number."""
        if MARK not in request.params:
            return None, request
        params = {name: value for name, value in request.params.items() if name != MARK}
        routed = self._known.get(str(request.params[MARK]))
        return routed, replace(request, params=params)


def stays_with(routed: RoutedRequest, label: str) -> OverlayError:
    """The error of an overlay that did not answer although nothing behind it was slow or failed."""
    what = "had the model's answer and gave none" if routed.reached else "did not pass the request on"
    return OverlayError(f"the overlay {what} before the harness hung up", where=f"overlay {label}")


class ProxyRoute(UpstreamModel):
    """A proxy route: the way from one entry of a trial to an overlay."""

    def __init__(self, front: Front, spec: ModelSpec, routed: RoutedRequests) -> None:
        self.label = front.overlay
        self.key = f"claw-{secrets.token_urlsafe(24)}"
        self._front = front
        self._marks = routed
        headers = {str(name): value for name, value in front.headers.items()}
        super().__init__(
            ModelSpec(
                name=spec.name,
                base_url=f"http://127.0.0.1:{front.port}/v1",
                sampling="pass",
                params={},
                timeout=spec.timeout + PATIENCE,
                options={"headers": dict(headers)},
            )
        )

    async def carry(self, request: ModelRequest, routed: RoutedRequest) -> AsyncGenerator[Delta, None]:
        """Ask the overlay for a whole reply.

        Raises:
            ProviderError: with what failed behind the overlay, else as the overlay's own failure.
        """
        params = {**request.params, MARK: self._marks.begin(routed)}
        try:
            async with aclosing(self.answer(replace(request, stream=False, params=params))) as deltas:
                async for delta in deltas:
                    yield delta
        except ProviderError as error:
            raise self._attributed(error, routed) from error

    def _attributed(self, error: ProviderError, routed: RoutedRequest) -> ProviderError:
        """An error behind the overlay comes through as it was, whatever the overlay has made of it."""
        if routed.refusal is not None:
            return routed.refusal
        what = error.error.what.replace("the provider", "the overlay")
        remedy = "look at what the overlay wrote in the trial's artefacts"
        return ProviderError(error.status, OverlayError(what, where=f"overlay {self.label}", remedy=remedy))

    def _client(self) -> ClientSession:
        import aiohttp

        from claw_adapter.drivers.loopback import connector

        if self._session is None:
            limits = aiohttp.ClientTimeout(total=self._spec.timeout, sock_connect=CONNECT_SECONDS)
            way = connector(self._front.socket)
            self._session = aiohttp.ClientSession(timeout=limits, connector=way, trust_env=False)
        return self._session


def refusal(status: int, error: ClawError, code: str = "", retry_after: str = "") -> ProviderError:
    """An error as it goes on to the harness: a status that says failure, whatever was on the wire."""
    said = status if status >= 400 and status != CLIENT_CLOSED else 502
    return ProviderError(said, error, code=code, retry_after=retry_after)
