"""Rates: in no minute more than the limits say, in the order of coming, and nothing waits without need."""

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claw_adapter.endpoint.rates import MINUTE, LeaseRequest, LeaseUse, Rates
from claw_adapter.protocol.stopping import RateLimits


class Clock(asyncio.SelectorEventLoop):
    """A loop whose time passes only when nothing else can happen."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and (due := [timer.when() for timer in self._scheduled if not timer.cancelled()]):
            self.now = max(self.now, min(due))  # a cancelled timer in front would be waited behind, by the real clock
        super()._run_once()


def played(limits: RateLimits, requests: list[tuple[float, float, int, int]]) -> list[tuple[float, float, int]]:
    """Requests (when they come, how long they take, tokens asked and used): when each went out, came back, and its tokens."""

    async def all_of_them() -> list[tuple[float, float, int]]:
        loop = asyncio.get_running_loop()
        rates, out = Rates(limits, clock=loop.time), []

        async def one(comes: float, takes: float, asked: int, used: int) -> None:
            await asyncio.sleep(comes)
            async with rates.lease(LeaseRequest(provider="p", tokens=asked)) as lease:
                went = loop.time()
                await asyncio.sleep(takes)
                lease.used = LeaseUse(tokens=used)
            out.append((went, loop.time(), used))

        await asyncio.gather(*(one(*request) for request in requests))
        return sorted(out)

    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(all_of_them())


REQUEST = st.tuples(st.floats(0, 200), st.floats(0, 100), st.integers(0, 60), st.integers(0, 90))


@settings(max_examples=20, deadline=None)
@given(st.lists(REQUEST, min_size=1, max_size=12), st.integers(1, 6), st.integers(1, 4), st.integers(90, 200))
def test_in_no_minute_there_is_more_than_the_limits_say(requests, per_minute, concurrent, tokens):
    limits = RateLimits(requests_per_minute=per_minute, concurrent=concurrent, tokens_per_minute=tokens)
    out = played(limits, requests)
    assert len(out) == len(requests)
    for went, _, _ in out:
        assert sum(went <= other < went + MINUTE - 1e-6 for other, _, _ in out) <= per_minute
        assert sum(a <= went < b for a, b, _ in out) <= concurrent
        known = sum(used for a, b, used in out if a < went and b <= went and b > went - MINUTE + 1e-6)
        assert known <= tokens, "what was known to be spent within the minute before it went"


def test_nothing_waits_without_need():
    limits = RateLimits(requests_per_minute=2)
    out = played(limits, [(0, 1, 0, 0), (0, 1, 0, 0), (0, 1, 0, 0), (100, 1, 0, 0)])
    assert [went for went, _, _ in out] == [0, 0, 60, 100]
    assert [went for went, _, _ in played(RateLimits(concurrent=1), [(0, 7, 0, 0)] * 3)] == [0, 7, 14]
    assert [went for went, _, _ in played(RateLimits(), [(0, 7, 10**9, 0)] * 3)] == [0, 0, 0]


def test_tokens_are_those_used_in_the_end():
    limits = RateLimits(tokens_per_minute=100)
    assert [went for went, _, _ in played(limits, [(0, 5, 60, 100), (6, 5, 1, 1)])] == [0, 65], "more than asked for"
    assert [went for went, _, _ in played(limits, [(0, 5, 60, 10), (1, 5, 60, 10)])] == [0, 5], "fewer"
    assert [went for went, _, _ in played(limits, [(0, 5, 900, 900), (1, 5, 900, 900)])] == [0, 65], "each alone"


def test_who_gives_up_waiting_makes_room_and_keeps_nobody():
    async def scene() -> float:
        loop = asyncio.get_running_loop()
        rates = Rates(RateLimits(concurrent=1), clock=loop.time)

        async def hold(seconds: float) -> float:
            async with rates.lease(LeaseRequest(provider="p", tokens=0)):
                went = loop.time()
                await asyncio.sleep(seconds)
            return went

        first, second, third = (asyncio.create_task(hold(seconds)) for seconds in (10, 10, 1))
        await asyncio.sleep(3)
        second.cancel()
        await first
        return await third

    with asyncio.Runner(loop_factory=Clock) as runner:
        assert runner.run(scene()) == 10


@pytest.mark.parametrize("field", ["requests_per_minute", "tokens_per_minute", "concurrent"])
def test_a_limit_is_a_positive_number(field):
    for wrong in (0, -1):
        with pytest.raises(ValueError, match="greater than 0"):
            RateLimits(**{field: wrong})
    assert RateLimits(**{field: 1}).limited
