"""What the endpoint knows of a model's provider: whether it answers, and when to ask again.

While it is away its requests are held: one at a time goes out, after a growing pause, and the others wait for what becomes
of it. So an outage is neither a storm of requests upstream nor an error that a harness would have to live with.
"""

from __future__ import annotations

import asyncio
import email.utils
import random
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import Final, Protocol

from claw_adapter.endpoint.failures import ProviderError
from claw_adapter.endpoint.pending import Pending, Source
from claw_adapter.errors import EndpointAuthError, EndpointQuotaError, EndpointTransientError
from claw_adapter.model import Delta, ModelRequest
from claw_adapter.protocol.stopping import describe_seconds

__all__ = ["FIRST_PAUSE", "LONGEST_PAUSE", "Departure", "Outages", "at_once", "is_final", "is_outage", "retry_after"]

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 30.0
"""Seconds between tries; each pause is twice the one before, and between half of that and all of it."""
FIRST_ANSWER: Final = 10.0
"""Seconds that the other requests of a run wait for what becomes of its first one: a wrong key is refused once."""
_UNKNOWN_MODEL: Final = frozenset({"model_not_found", "invalid_model"})
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_error", "billing_hard_limit_reached"})


class RunControl(Protocol):
    """The run that a model belongs to."""

    patience: float
    """Seconds that a provider may be away."""

    @property
    def stopped(self) -> ProviderError | None:
        """Why the run stops."""

    def stop(self, error: ProviderError, what: str, remedy: str) -> None:
        """End the run."""

    def say(self, model: str, text: str) -> None:
        """Why requests of a model wait; empty when they go on."""

    async def pause(self, seconds: float) -> None:
        """Wait, at most until the run stops."""


Departure = Callable[[Pending], AbstractAsyncContextManager[Callable[[Delta], None]]]
"""Waits until a request may go out; inside, it is out, and what is given hears of every piece of the reply."""


def is_outage(error: ProviderError) -> bool:
    """Whether the provider may answer the same request a while later."""
    return isinstance(error.error, EndpointTransientError) or (error.status == 429 and not is_final(error))


def is_final(error: ProviderError) -> bool:
    """Whether no request will be answered before somebody changes something: the key, the model's name, the account."""
    if isinstance(error.error, EndpointAuthError) or error.status in (402, 404):
        return True
    if error.code in _NO_CREDIT:
        return isinstance(error.error, EndpointQuotaError)
    return error.code in _UNKNOWN_MODEL


@asynccontextmanager
async def at_once(_pending: Pending) -> AsyncIterator[Callable[[Delta], None]]:
    """No request waits."""
    yield lambda _delta: None


async def _parts(deltas: AsyncGenerator[Delta, None], *, stream: bool) -> AsyncGenerator[list[Delta], None]:
    """A reply in the parts in which it is given away: whole, or, as a stream, from its first word on."""
    kept, said = list[Delta](), False
    async with aclosing(deltas):
        async for delta in deltas:
            kept.append(delta)
            said = said or bool(delta.text or delta.calls or delta.finish or delta.extra)
            if stream and said:
                yield kept
                kept = []
    if kept:
        yield kept


def retry_after(text: str) -> float:
    """Seconds that a ``Retry-After`` asks for, given as seconds or as a date; 0 where it cannot be read."""
    try:
        return max(float(text), 0.0) if float(text) < float("inf") else 0.0
    except ValueError:
        pass
    try:
        return max(email.utils.parsedate_to_datetime(text).timestamp() - time.time(), 0.0)
    except ValueError:
        return 0.0


class Outages:
    """When the provider of one model is away; shared by all trials of a run.

    Args:
        model: the model's name in the run.
        run: whose models these are; `claw_adapter.endpoint.gate.Gate`.
        key_env: the environment variable that its key stands in, for remedies.
        departure: lets requests go out, if not at once.
    """

    def __init__(
        self,
        model: str,
        run: RunControl,
        key_env: str = "",
        departure: Departure | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._run = run
        self._key_env = key_env
        self._departure: Departure = departure or at_once
        self._clock = clock
        self._turn = asyncio.Lock()
        self._known = False
        self._answered = float("-inf")
        self._since: float | None = None
        self._tries = 0
        self._next = 0.0
        self._last: ProviderError | None = None

    @property
    def retry_in(self) -> float:
        """Seconds until it is worth asking again; 0 while it answers."""
        return max(self._next - self._clock(), 0.0) if self._since is not None else 0.0

    async def answer(self, pending: Pending, source: Source, request: ModelRequest) -> AsyncGenerator[Delta, None]:
        """The model's reply, once there is one; what the harness has been given nothing of is asked again.

        A reply that nobody wants in pieces is therefore given when it is whole, any other from its first word on.

        Raises:
            ProviderError: there will be none: the run stops, the request itself is refused, or what others ask is answered
                and this was not for as long as the provider may be away. Or the reply broke off: then `pending.refused`
                says how.
        """
        came = self._clock()
        while True:
            probes = await self._wait(pending)
            sent, begun = float("inf"), False
            try:
                async with self._departure(pending) as hear:
                    if (stopped := self._run.stopped) is not None:
                        raise stopped
                    sent, pending.sent = self._clock(), True
                    async with aclosing(_parts(source(request), stream=request.stream)) as parts:
                        async for part in parts:
                            if not begun:
                                begun = True
                                self._answers(pending)
                            if probes:
                                probes = self._release()
                            for delta in part:
                                hear(delta)
                                yield delta
            except ProviderError as error:
                self._judge(error)
                patient = self._clock() - came < self._run.patience
                away = is_outage(error) and patient and self._run.stopped is None
                pending.refused = error if away else None
                if begun or not away:
                    raise
            else:
                return
            finally:
                if probes:
                    self._release()
                if not begun and pending.refused is not None:
                    pending.held += max(self._clock() - sent, 0.0)

    def hung(self, error: ProviderError, began: float) -> None:
        """A harness has hung up on a request that had waited for an answer since `began`."""
        if self._answered < began and self._run.stopped is None:
            self._failed(error)

    def _release(self) -> bool:
        self._turn.release()
        return False

    async def _wait(self, pending: Pending) -> bool:
        """Wait until a request may go out; True if it goes out alone, to find out whether the provider answers."""
        if self._known and self._since is None:
            return False
        came = self._clock()
        pending.refused = pending.refused or self._last
        try:
            try:
                async with asyncio.timeout(FIRST_ANSWER if self._since is None else None):
                    await self._turn.acquire()
            except TimeoutError:
                if self._since is None:  # nothing speaks against the provider, but that its first answer takes long
                    return False
                await self._turn.acquire()
            try:
                if self._known and self._since is None:
                    return self._release()
                await self._run.pause(self.retry_in)
            except BaseException:
                self._release()
                raise
            return True
        finally:
            pending.held += self._clock() - came

    def _answers(self, pending: Pending) -> None:
        pending.refused = self._last = None
        self._known, self._answered = True, self._clock()
        if self._since is not None:
            self._since, self._tries = None, 0
            self._run.say(self._model, "")

    def _judge(self, error: ProviderError) -> None:
        """Note how a request has failed."""
        if self._run.stopped is not None:
            return
        if is_final(error):
            self._run.stop(error, error.error.what, self._remedy(error))
        elif is_outage(error):
            self._failed(error)
        elif error.status < 500:
            self._known = True  # it has looked at the request

    def _failed(self, error: ProviderError) -> None:
        """It is away: say when to ask again, or that it has been away for too long."""
        now = self._clock()
        asked = retry_after(error.retry_after)
        if self._since is None:
            self._since, self._tries = now, 0
        elif now < self._next:  # sent before it was known to be away
            self._next = max(self._next, now + asked)
            return
        self._tries += 1
        self._last = error
        left = self._since + self._run.patience - now
        pause = max(min(FIRST_PAUSE * 2 ** (self._tries - 1), LONGEST_PAUSE) * random.uniform(0.5, 1.0), asked)
        if left <= 0 or asked > left:
            self._give_up(error, asked if left > 0 else 0.0)
            return
        self._next = now + min(pause, left)
        self._run.say(self._model, self._waiting(error, now))

    def _waiting(self, error: ProviderError, now: float) -> str:
        away, most = describe_seconds(now - (self._since or now)), describe_seconds(self._run.patience)
        return (
            f"{self._model}: {error.error.what}; next try in {describe_seconds(self._next - now)} "
            f"(away for {away}, the run waits {most})"
        )

    def _give_up(self, error: ProviderError, asked: float) -> None:
        patience = describe_seconds(self._run.patience)
        what = f"no answer for {patience}: {error.error.what}"
        if asked:
            what = (
                f"the provider asks to wait {describe_seconds(asked)}, and the run waits {patience}: {error.error.what}"
            )
        self._run.stop(error, what, "The same command goes on from the last finished round; --patience waits longer.")

    def _remedy(self, error: ProviderError) -> str:
        if isinstance(error.error, EndpointAuthError):
            key = f"{self._key_env} to a key" if self._key_env else "--key-env to the variable of a key"
            return f"Set {key} that the provider takes; the same command goes on."
        if isinstance(error.error, EndpointQuotaError):
            return "Have the account topped up; the same command goes on."
        return "Check the model's name and its base URL; the same command goes on if they were right."
