"""When a provider that is away is asked again, on a clock of its own: nothing here waits."""

import asyncio
import time
from types import SimpleNamespace

import pytest

from claw_adapter.endpoint.failures import ProviderError, classify
from claw_adapter.endpoint.outages import LONGEST_PAUSE, Outages, is_final, is_outage, retry_after
from claw_adapter.model import Delta
from claw_adapter.protocol.stopping import describe_seconds, parse_seconds
from support.outages import RecordedControl, request


def refusal(status, code="", wait=""):
    return ProviderError(status, classify(status, "no", code), code=code, retry_after=wait)


ASKED = SimpleNamespace(stream=False)


class Scene:
    def __init__(self, *outcomes, patience=600.0):
        self.run = RecordedControl(patience)
        self.provider = Outages("m", self.run, "THE_KEY", clock=lambda: self.run.now)
        self.outcomes = list(outcomes)
        self.asked = 0

    async def source(self, _request):
        self.asked += 1
        outcome = self.outcomes.pop(0) if self.outcomes else "answer"
        await asyncio.sleep(0)
        self.run.now += 0.01
        if isinstance(outcome, ProviderError):
            raise outcome
        yield Delta(text=outcome, finish="stop")

    async def ask(self, pending=None):
        return [delta.text async for delta in self.provider.answer(pending or request(), self.source, ASKED)]


async def test_pauses_grow_and_a_success_ends_them():
    scene = Scene(*[refusal(503)] * 8)
    assert await scene.ask() == ["answer"]
    pauses = scene.run.pauses[1:]
    for number, pause in enumerate(pauses):
        most = min(2.0**number, LONGEST_PAUSE)
        assert most / 2 - 0.01 <= pause <= most
    assert scene.run.said[-1] == ""
    scene.run.pauses.clear()
    assert await scene.ask() == ["answer"]
    assert scene.run.pauses == []


async def test_retry_after_is_honoured():
    scene = Scene(refusal(429, wait="42"))
    assert await scene.ask() == ["answer"]
    assert scene.run.pauses[-1] == pytest.approx(42, abs=0.1)


async def test_the_time_that_a_request_was_held_is_known():
    scene, pending = Scene(refusal(429, wait="42")), request()
    await scene.ask(pending)
    assert pending.held == pytest.approx(42, abs=0.1)
    assert pending.refused is None


async def test_while_it_is_away_one_request_at_a_time_goes_out():
    scene = Scene("answer", *[refusal(500)] * 3)
    await scene.ask()
    assert await asyncio.gather(*(scene.ask() for _ in range(20))) == [["answer"]] * 20
    assert scene.asked == 1 + 3 + 20, "the first ones met the outage, and then one at a time tried"


async def test_patience_is_over_after_so_many_seconds():
    scene = Scene(*[refusal(500)] * 100, patience=60.0)
    with pytest.raises(ProviderError):
        await scene.ask()
    assert scene.run.now - 1000 == pytest.approx(60, abs=1)
    assert scene.run.why == "no answer for 1 min: the provider answered 500: no"
    with pytest.raises(ProviderError):
        await scene.ask()


async def test_no_patience_is_the_end_at_the_first_failure():
    scene = Scene(refusal(500), patience=0.0)
    with pytest.raises(ProviderError):
        await scene.ask()
    assert scene.asked == 1
    assert scene.run.stopped


async def test_one_request_that_never_succeeds_does_not_stop_the_others():
    scene = Scene("answer", patience=60.0)
    await scene.ask()
    bad, good, bad_one = 0, 0, SimpleNamespace(stream=False)

    async def source(request):
        nonlocal bad, good
        await asyncio.sleep(0)
        scene.run.now += 0.5
        if request is bad_one:
            bad += 1
            raise refusal(500)
        good += 1
        yield Delta(text="fine")

    async def ask(what):
        return [d.text async for d in scene.provider.answer(request(), source, what)]

    async def others():
        for _ in range(400):
            assert await ask(ASKED) == ["fine"]

    found = await asyncio.gather(ask(bad_one), others(), return_exceptions=True)
    assert isinstance(found[0], ProviderError), "the harness is told, after as long as a provider may be away"
    assert found[1] is None
    assert scene.run.stopped is None


def test_requests_that_hang_until_their_harnesses_give_up_are_an_outage_too():
    scene = Scene(patience=60.0)
    for _ in range(10):
        began = scene.run.now
        scene.run.now += 15
        scene.provider.hung(refusal(504), began)
        if scene.run.stopped:
            break
    assert scene.run.now - 1000 == 75, "the patience begins with the first that has failed"
    assert "no answer for 1 min" in scene.run.why


async def test_an_answer_to_another_request_speaks_against_an_outage():
    scene = Scene()
    began = scene.run.now
    await scene.ask()
    scene.provider.hung(refusal(504), began)
    assert scene.run.said == []


@pytest.mark.parametrize(
    ("status", "code", "final", "remedy"),
    [
        (401, "", True, "Set THE_KEY"), (403, "", True, "Set THE_KEY"), (404, "", True, "model's name"),
        (400, "model_not_found", True, "model's name"), (402, "", True, "topped up"),
        (429, "insufficient_quota", True, "topped up"), (429, "", False, ""), (500, "", False, ""), (529, "", False, ""),
        (400, "", None, ""), (403, "content_filter", None, ""), (413, "", None, ""),
    ],
)  # fmt: skip
async def test_what_ends_a_run_what_is_waited_for_and_what_is_the_harness_s_to_hear(status, code, final, remedy):
    error = refusal(status, code)
    assert (is_final(error), is_outage(error)) == (bool(final), final is False)
    scene = Scene(error)
    if final is False:
        assert await scene.ask() == ["answer"]
        return
    with pytest.raises(ProviderError):
        await scene.ask()
    assert bool(scene.run.stopped) is bool(final)
    assert remedy in scene.run.remedy


async def test_a_key_is_tried_by_one_request_however_many_come():
    scene = Scene(refusal(401))
    found = await asyncio.gather(*(scene.ask() for _ in range(20)), return_exceptions=True)
    assert {error.status for error in found} == {401}
    assert scene.asked == 1


def test_retry_after_is_seconds_or_a_date():
    assert retry_after("7") == 7
    assert retry_after("") == retry_after("soon") == retry_after("-1") == retry_after("inf") == 0
    later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
    assert 90 < retry_after(later) <= 100


def test_times_are_read_as_people_write_them():
    assert [parse_seconds(text) for text in ("90", "90s", "10m", "1.5h", 3)] == [90, 90, 600, 5400, 3]
    for wrong in ("", "ten", "-1", "1d", True, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not a time"):
            parse_seconds(wrong)
    assert [describe_seconds(n) for n in (0.5, 42.4, 60, 600, 3600, 5400)] == [
        "0.5 s", "42 s", "1 min", "10 min", "1 h", "90 min",
    ]  # fmt: skip
