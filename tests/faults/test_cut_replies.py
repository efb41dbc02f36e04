"""A provider that closes its connection at any instant of a reply costs no attempt, whatever the harness makes of it."""

import http.client
import json

import pytest

from claw_adapter.endpoint import outages
from claw_adapter.endpoint.failures import ProviderError
from claw_adapter.endpoint.models.upstream import UpstreamModel
from claw_adapter.model import ModelRequest
from claw_adapter.protocol import ModelSpec, StopRules
from claw_adapter.reference.adapter import ReferenceHarness
from claw_adapter.reference.agent import ModelFailure
from support.cutting import INSTANTS, CuttingProvider
from support.outages import RecordedControl, request
from support.provider import ANSWER
from support.running import experiment, run_experiment
from support.scenarios import write_scenario

ROUNDS = ["r1", "r2", "r3"]


class AsksOnce(ReferenceHarness):
    """Asks the model once; what breaks off is its failure, or its answer if it `believes` that."""

    def __init__(self, *, stream: bool, believes: bool = False) -> None:
        super().__init__(mode="in-process")
        self.stream, self.believes, self.broken = stream, believes, 0

    async def open(self, ctx, checkpoint=None):
        conversation = await super().open(ctx, checkpoint)
        conversation._agent._ask = lambda said: self._ask(conversation._agent)
        return conversation

    def _ask(self, agent) -> dict:
        connection = http.client.HTTPConnection(agent.url.hostname, agent.url.port, timeout=30)
        messages = [{"role": message["role"], "content": message["text"]} for message in agent.main["messages"]]
        body = json.dumps({"model": agent.model, "messages": messages, "stream": self.stream})
        try:
            connection.request(
                "POST", f"{agent.url.path}/chat/completions", body, {"Authorization": f"Bearer {agent.key}"}
            )
            response = connection.getresponse()
            got = response.read().decode()
        finally:
            connection.close()
        if response.status != 200:
            self.broken += 1
            raise ModelFailure(response.status, got)
        if not self.stream:
            return json.loads(got)["choices"][0]["message"]
        events = [json.loads(line[6:]) for line in got.splitlines() if line.startswith("data: {")]
        broken = [event for event in events if event.get("error")]
        self.broken += bool(broken)
        if broken and not self.believes:
            raise ModelFailure(502, str(broken))
        pieces = (choice["delta"].get("content") for event in events for choice in event.get("choices", ()))
        return {"content": "".join(filter(None, pieces))}


async def rounds(tmp_path, provider, harness, rules=None, **settings) -> list:
    folder = write_scenario(tmp_path / "small", [{"id": name} for name in ROUNDS])
    settings = {"isolation": 0, "deadline": 60, "attempts": 1, **settings}
    asked = experiment(folder, models=[provider.model], settings=settings)
    found = await run_experiment(tmp_path / "run", asked, harnesses={"reference": harness}, rules=rules)
    return [record for records in found.values() for record in records]


def assert_whole(found: list) -> None:
    assert [r.round for r in found] == ROUNDS
    assert {(r.score.value, r.attempts, r.error, r.earlier_failures) for r in found} == {(1.0, 1, None, ())}


@pytest.mark.parametrize(("framing", "reset"), [("length", False), ("chunked", True), ("close", False)])
@pytest.mark.parametrize("upstream", ["json", "events"])
@pytest.mark.parametrize("instant", INSTANTS)
async def test_what_nobody_was_given_is_asked_for_again(instant, upstream, framing, reset):
    assert await answered(instant, framing, reset, upstream=upstream == "events", stream=False) == [ANSWER]


@pytest.mark.parametrize(("framing", "reset"), [("chunked", False), ("chunked", True), ("close", False)])
@pytest.mark.parametrize("instant", INSTANTS[: INSTANTS.index("begun") + 1])
async def test_a_stream_that_has_said_nothing_is_asked_for_again(instant, framing, reset):
    assert await answered(instant, framing, reset, upstream=True, stream=True) == [ANSWER]


@pytest.mark.parametrize(("framing", "reset"), [("chunked", False), ("chunked", True), ("close", False)])
async def test_a_stream_that_broke_off_is_the_providers_failure(framing, reset):
    said = await answered("half", framing, reset, upstream=True, stream=True)
    assert said[0]
    assert ANSWER.startswith(said[0])
    assert said[1:] == ["EndpointTransientError"]


async def answered(instant, framing, reset, *, upstream, stream) -> list[str]:
    """What a harness is given by a provider that cuts its second reply: the text, and the kind of the error if there is one."""
    async with CuttingProvider(framing, reset=reset, stream=upstream) as provider:
        provider.cut = lambda number: instant if number == 2 else ""
        model, run = UpstreamModel(ModelSpec.model_validate(provider.model)), RecordedControl()
        away = outages.Outages("m", run, clock=lambda: run.now)
        asked = ModelRequest((), (), (), (), {}, "m", stream=stream, usage_chunk=False, dialect="openai-chat")
        text, ends, pending = "", [], request()
        try:
            for _ in range(2):
                text = ""
                async for delta in away.answer(pending, model.answer, asked):
                    text += delta.text
        except ProviderError as error:
            ends = [type(error.error).__name__]
        finally:
            await model.close()
        assert bool(ends) == (pending.refused is not None)
        whole = instant == "ending" and upstream and framing != "chunked"  # all but the mark after the last event
        assert provider.requests == (2 if ends or whole else 3)
        return [text, *ends]


def cuts(*instants):
    """Each of them once, every other request."""
    return lambda number: instants[number // 2 - 1] if number % 2 == 0 and number // 2 <= len(instants) else ""


async def test_a_harness_that_asks_for_no_stream_never_knows(tmp_path):
    harness = AsksOnce(stream=False)
    async with CuttingProvider() as provider:
        provider.cut = cuts("half", "ending")
        assert_whole(await rounds(tmp_path, provider, harness))
    assert harness.broken == 0
    assert provider.requests == provider.answered + 2


@pytest.mark.parametrize("believes", [False, True])
async def test_a_turn_whose_stream_broke_off_is_begun_anew(tmp_path, believes):
    harness = AsksOnce(stream=True, believes=believes)
    async with CuttingProvider() as provider:
        provider.cut = cuts("begun", "half")
        assert_whole(await rounds(tmp_path, provider, harness))
    assert harness.broken == 1


async def test_a_round_that_is_always_broken_off_is_the_providers_failure_in_the_end(tmp_path):
    async with CuttingProvider() as provider:
        provider.cut = lambda number: "half" if number > 1 else ""
        found = await rounds(tmp_path, provider, AsksOnce(stream=True), rules=StopRules(patience=0.3))
    assert found[0].error is None
    assert {(r.error.owner, r.error.kind, r.attempts) for r in found[1:]} == {("endpoint", "EndpointTransientError", 1)}
