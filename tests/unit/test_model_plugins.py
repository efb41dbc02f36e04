"""A plugin's model answers in the endpoint's process: in every dialect, checked beforehand, and no measure of ability."""

import re
from functools import partial
from pathlib import Path

import aiohttp
import pytest
from pydantic import ValidationError

from claw_adapter import plugins
from claw_adapter.api import experiment as asked_for
from claw_adapter.endpoint.replay import replay_model
from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import AdapterError
from claw_adapter.protocol import ModelSpec
from claw_adapter.report.summary import summarise
from claw_adapter.runner.preparing import prepare
from claw_adapter.runs.load import load_run
from claw_adapter.runs.plan import Experiment, expand, served_model
from claw_adapter.runs.servers import read_servers
from claw_adapter.scenario.named import find_scenarios
from support.commands import call
from support.packages import make_up
from support.running import experiment, outcome, run_sync
from support.scenarios import write_scenario

PARROT = """
from claw_adapter.errors import AdapterError, EndpointError
from claw_adapter.hooks import hookimpl
from claw_adapter.model import CallDelta, Delta, Model, TurnId
class Parrot(Model):
    def __init__(self, name="polly", loud=False):
        if name == "dodo":
            raise AdapterError("there is no parrot 'dodo'", remedy="There is: polly.")
        self.name, self.turn = name, TurnId("")
    def begin(self, turn, brief):
        self.turn = turn
    async def answer(self, request):
        if self.name == "mute":
            raise EndpointError("it does not speak")
        if self.name == "bug":
            raise KeyError("x")
        if request.tools and self.name == "pirate" and request.lines[-1].role == "user":
            yield Delta(calls=(CallDelta(0, self.turn.name("call", 1), request.tools[0].name, "{}"),))
            yield Delta(finish="tool_calls")
            return
        yield Delta(text="it is ")
        yield Delta(text=r"\\\\bbox{A}")
        yield Delta(finish="stop")
@hookimpl
def claw_model():
    return Parrot
"""
DIALECTS = {
    "chat/completions": {"messages": [{"role": "user", "content": "hello"}]},
    "responses": {"input": "hello"},
    "messages": {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 100},
}


@pytest.fixture(autouse=True)
def parrot(tmp_path_factory, monkeypatch):
    """A distribution with the plugin, and one that is broken."""
    site = tmp_path_factory.mktemp("site")
    monkeypatch.syspath_prepend(site)
    monkeypatch.setenv("PYTHONPATH", str(site))
    partial(make_up, site)(parrot=PARROT, brokenparrot="raise RuntimeError('no luck')")


def model_of(value) -> ModelSpec:
    (found,) = Experiment.model_validate({"scenarios": ["demo"], "harnesses": ["reference"], "models": [value]}).models
    return found


@pytest.mark.parametrize(
    "written",
    ["parrot:polly", "parrot:name=polly", {"name": "parrot-polly", "kind": "parrot", "options": {"name": "polly"}}],
)
def test_it_is_named_by_a_word_an_option_or_a_record(written):
    spec = model_of(written)
    assert (spec.name, spec.kind, spec.options, spec.embedded) == ("parrot-polly", "parrot", {"name": "polly"}, True)
    assert not spec.measures_ability
    assert model_of(spec) == spec
    (same,) = asked_for.make_experiment("demo", {"models": written}).models
    assert same == spec


def test_without_a_word_it_is_made_as_it_is_by_default():
    assert model_of("parrot").options == {}
    assert model_of("parrot:loud=true").options == {"loud": True}


def test_words_behind_other_names_mean_what_they_meant():
    assert served_model("vllm:some-id") is None
    assert served_model("brokenparrot:polly") is None
    assert served_model("nobody:polly") is None
    assert not model_of({"name": "m", "base_url": "http://127.0.0.1:1/v1", "embedded": True}).embedded
    with pytest.raises(ValidationError):
        model_of("reference:polly")
    (served,) = asked_for.make_experiment("demo", {"model": "vllm:some-id"}).models
    assert (served.kind, served.model, served.embedded) == ("openai", "some-id", False)


def test_runs_with_other_models_have_the_configuration_that_they_had():
    scenarios = find_scenarios(["demo"])
    plain, own = (expand(experiment("demo", models=[m]), scenarios).configuration for m in ("reader", "parrot:polly"))
    assert "embedded" not in plain["trials"][0]["model"]
    assert own["trials"][0]["model"]["embedded"] is True


@pytest.mark.parametrize(("options", "said"), [("parrot:dodo", "dodo"), ("parrot:colour=red", "no option 'colour'")])
def test_what_it_cannot_be_made_with_is_said_before_anything_is_spent(tmp_path, options, said):
    scenarios = find_scenarios(["demo"])
    with pytest.raises(AdapterError, match=said):
        prepare(expand(experiment("demo", models=[options]), scenarios), scenarios)
    done = call("run", "demo", "-m", options, "--out", tmp_path / "run")
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "run").exists()


def test_plugins_says_what_it_brings():
    (state,) = plugins.probe_all(["parrot"], seconds=60)
    assert (state.ok, state.provides) == (True, ("model",))


async def test_the_example_of_the_page_is_a_model(tmp_path):
    page = Path(__file__).parents[2] / "docs" / "write-a-model.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    found = {"__name__": "example"}
    exec(code, found)
    async with EndpointServer(tmp_path, make=lambda _spec, _trial: found["claw_model"]()(name="loud")) as server:
        key = await server.open_trial("t", ModelSpec(name="echo", kind="echo"), tmp_path / "t.jsonl")
        url, body, headers = f"{server.url}/v1/chat/completions", DIALECTS["chat/completions"], {"x-api-key": key}
        async with aiohttp.ClientSession() as client, client.post(url, json=body, headers=headers) as answer:
            assert (await answer.json())["choices"][0]["message"]["content"] == "HELLO"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", DIALECTS)
async def test_it_answers_in_every_dialect(tmp_path, path, stream):
    async with EndpointServer(tmp_path) as server, aiohttp.ClientSession() as client:
        spec = model_of("parrot:polly").model_copy(
            update={"options": {"name": "polly", "faults": [{"at": [2], "kind": "500"}]}}
        )
        key = await server.open_trial("t", spec, tmp_path / "t.jsonl")
        await server.begin_round("t", "r")
        found = []
        for _ in range(3):
            body = {**DIALECTS[path], "model": "m", "stream": stream}
            async with client.post(f"{server.url}/v1/{path}", json=body, headers={"x-api-key": key}) as answer:
                found.append((answer.status, "bbox{A}" in await answer.text()))
        assert found == [(200, True), (500, False), (200, True)]
        meter = await server.end_round("t")
        assert (meter.metered.requests, meter.metered.failed) == (3, 1)


@pytest.mark.parametrize(("name", "owner", "failed"), [("mute", "endpoint", 1), ("bug", "adapter", 0)])
async def test_one_that_fails_says_whose_failure_it_is(tmp_path, name, owner, failed):
    async with EndpointServer(tmp_path) as server, aiohttp.ClientSession() as client:
        key = await server.open_trial("t", model_of(f"parrot:{name}"), tmp_path / "t.jsonl")
        await server.begin_round("t", "r")
        body = DIALECTS["chat/completions"]
        async with client.post(f"{server.url}/v1/chat/completions", json=body, headers={"api-key": key}) as answer:
            assert answer.status == 500
        meter = await server.end_round("t")
        assert (meter.failure.owner, meter.metered.failed) == (owner, failed)


def test_a_run_is_recorded_replayed_and_says_what_its_scores_mean(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    recorded = run_sync(tmp_path / "one", experiment(scenario, models=["parrot:pirate"]))
    (records,) = recorded.values()
    assert [(r.score.value, r.tool_calls) for r in records] == [(1, 1), (1, 1)]
    again = replay_model(model_of("parrot:pirate"), tmp_path / "one").model_dump(mode="json")
    replayed = run_sync(tmp_path / "two", experiment(scenario, models=[again]))
    assert [outcome(r) for r in replayed[next(iter(recorded))]] == [outcome(r) for r in records]
    assert read_servers(tmp_path / "one") == ()
    for name in ("one", "two"):
        (model,) = summarise(load_run(tmp_path / name)).models
        assert not model.measures_ability
        assert "not a language model" in model.meaning
