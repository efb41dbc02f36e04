"""vLLM behind the endpoint: started, waited for, measured, explained, ended; against a stand-in for its command.

A real one is tried with ``CLAW_VLLM='model=/models/x,program=/opt/vllm/bin/vllm,tool_parser=hermes'`` (options as on the
command line; tools need a parser); what is said of the model counts for one test only, the other makes a model of its own,
with `tiny_model.py` and the Python of that vLLM.
"""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.errors import EndpointError, RunStopped
from claw_adapter.notation import parse_named
from claw_adapter.protocol import ModelSpec, StopRules
from claw_adapter.report.summary import summarise
from claw_adapter.runs.load import load_run
from claw_adapter.runs.servers import read_servers
from claw_adapter.runs.transcript import read_transcript
from claw_adapter.upstream import UpstreamContext
from claw_adapter_vllm.options import MODULE, Options, profiles
from claw_adapter_vllm.upstream import Vllm
from support.running import IN_PROCESS, experiment, run_experiment
from support.scenarios import write_scenario

sys.path.insert(0, str(Path(__file__).parent))
from vllm_standin import FAULTS

PROGRAM = shlex.join([sys.executable, str(Path(__file__).with_name("vllm_standin.py"))])
TINY = Path(__file__).with_name("tiny_model.py")
MODEL = ModelSpec(name="m", kind="vllm")
SAYS = {
    "oom": ("the GPU is out of memory", "tensor_parallel"),
    "kv": ("does not fit into what is left", "Lower max_model_len"),
    "blocks": ("leave no memory for the KV cache", "memory_utilization"),
    "shared": ("another process holds", "nvidia-smi"),
    "nogpu": ("finds no GPU", "llamacpp"),
    "parser": ("does not know that parser", "tool_parser"),
    "kind": ("does not know that kind of model", "Update vLLM"),
    "weights": ("not where the option model says", "folder of weights"),
    "arguments": ("does not take these arguments", "extra"),
    "cpu": ("under another name", "vllm.entrypoints.openai.api_server"),
    "vision": ("built for another torch", "torchvision"),
    "broken": ("installation of vLLM is broken", "environment of its own"),
    "unknown": ("Something nobody has seen before", "output"),
}


def made(model: str = "ok", **options) -> Vllm:
    return Vllm(model=model, program=PROGRAM, **options)


def context(tmp_path: Path) -> UpstreamContext:
    return UpstreamContext(tmp_path / "server", f"test-{os.getpid()}-{tmp_path.name}")


async def test_it_is_started_measured_and_ended_with_all_its_processes(tmp_path):
    vllm, ctx = made(tensor_parallel=1), context(tmp_path)
    try:
        model = await vllm.start(MODEL, ctx)
        assert (model.kind, model.model, model.options) == ("openai", "m", {})
        assert model.base_url.startswith("http://127.0.0.1:")
        assert await vllm.health()
        assert await vllm.metrics() == {
            'vllm:prompt_tokens_total{engine="0",model_name="m"}': 1000.0,
            'vllm:request_success_total{finished_reason="stop",model_name="m"}': 100.0,
            'vllm:e2e_request_latency_seconds_sum{model_name="m"}': 100.5,
            'vllm:e2e_request_latency_seconds_count{model_name="m"}': 100.0,
        }
        about = vllm.about()
        assert about["vllm"] == "0.0-standin"
        assert "--tensor-parallel-size 1" in about["arguments"]
        assert "--port" not in about["arguments"]
        assert len(reaper.find(ctx.marker)) == 2
    finally:
        await vllm.stop()
    assert reaper.find(ctx.marker) == []
    assert not await vllm.health()
    assert vllm.fault() == ""


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_start_that_fails_is_explained(tmp_path, fault):
    vllm, ctx = made(fault), context(tmp_path)
    with pytest.raises(EndpointError) as caught:
        await vllm.start(MODEL, ctx)
    what, remedy = SAYS[fault]
    assert what in caught.value.what
    assert remedy in caught.value.remedy
    assert FAULTS[fault][:40] in caught.value.what, "the vendor's own words are there too"
    assert reaper.find(ctx.marker) == []


async def test_one_that_is_never_ready_is_given_up_and_ended(tmp_path):
    vllm, ctx = made("slow", start_seconds=1.5), context(tmp_path)
    with pytest.raises(EndpointError, match=r"not ready within 1\.5 s"):
        await vllm.start(MODEL, ctx)
    assert reaper.find(ctx.marker) == []


async def test_a_missing_program_names_the_remedy(tmp_path):
    with pytest.raises(EndpointError) as caught:
        await Vllm(model="x", program="no-such-vllm").start(MODEL, context(tmp_path))
    assert "pip install vllm" in caught.value.remedy


async def test_a_server_that_is_attached_to_is_left_alone(tmp_path):
    ours, ctx = made(), context(tmp_path)
    try:
        url = (await ours.start(MODEL, ctx)).base_url
        other = Vllm(base_url=url)
        model = await other.start(ModelSpec(name="run-name", kind="vllm"), ctx)
        assert (model.name, model.model, model.base_url) == ("run-name", "m", url)
        assert other.about()["attached to"] == url.removesuffix("/v1")
        await other.stop()
        assert await ours.health()
        with pytest.raises(EndpointError, match="does not serve 'x'"):
            await Vllm(base_url=url, model="x").start(MODEL, ctx)
    finally:
        await ours.stop()


def asked(tmp_path: Path, model: str, **options: str):
    scenario = write_scenario(tmp_path / "scenario", [{"id": "r1"}, {"id": "r2"}])
    spec = {"name": "vllm-standin", "kind": "vllm", "options": {"model": model, **(options or {"program": PROGRAM})}}
    return experiment(scenario, models=[spec], harnesses=[IN_PROCESS])


async def test_a_run_records_what_served_its_model_and_how_much_its_counters_grew(tmp_path):
    (rounds,) = (await run_experiment(tmp_path / "run", asked(tmp_path, "ok"))).values()
    assert [record.score.value for record in rounds] == [1.0, 1.0]
    (server,) = read_servers(tmp_path / "run")
    assert server.metrics['vllm:prompt_tokens_total{engine="0",model_name="m"}'] >= 20
    assert server.fault == ""
    summary = summarise(load_run(tmp_path / "run"))
    assert summary.models[0].servers == (server,)
    assert "Served by vllm 0.0-standin; arguments" in summary.models[0].meaning
    await run_experiment(tmp_path / "run", asked(tmp_path, "ok"))
    assert len(read_servers(tmp_path / "run")) == 1, "a finished run starts no server"


async def test_a_server_that_runs_out_of_memory_in_mid_run_stops_it_and_is_explained(tmp_path):
    with pytest.raises(RunStopped, match="the GPU is out of memory") as stop:
        await run_experiment(tmp_path / "run", asked(tmp_path, "dies"))
    assert "starts it again" in stop.value.remedy
    (server,) = read_servers(tmp_path / "run")
    assert "the GPU is out of memory" in server.fault
    assert any("ended by itself" in warning for warning in summarise(load_run(tmp_path / "run")).warnings)


async def test_a_server_attached_to_that_goes_away_in_mid_run_is_told(tmp_path):
    ours, ctx = made("dies"), context(tmp_path)
    try:
        url = (await ours.start(MODEL, ctx)).base_url
        run = asked(tmp_path, "m", base_url=url.removesuffix("/v1"))
        with pytest.raises(RunStopped, match=r"no answer for 0\.5 s"):
            await run_experiment(tmp_path / "run", run, rules=StopRules(patience=0.5))
    finally:
        await ours.stop()
    (server,) = read_servers(tmp_path / "run")
    assert server.fault == "it did not answer any more when the run ended"


@pytest.mark.real("vllm")
@pytest.mark.timeout(1800)
async def test_a_real_vllm_answers_and_counts(tmp_path):
    options = parse_named(f"vllm:{os.environ['CLAW_VLLM']}").options
    scenario = write_scenario(tmp_path / "scenario", [{"id": "r1"}])
    spec = {"name": "real", "kind": "vllm", "options": options, "params": {"max_tokens": 64}}
    (rounds,) = (await run_experiment(tmp_path / "run", experiment(scenario, models=[spec]))).values()
    assert rounds[0].error is None
    assert rounds[0].usage.metered.upstream_input > 0
    (server,) = read_servers(tmp_path / "run")
    assert any(name.startswith("vllm:prompt_tokens_total") for name in server.metrics)


@pytest.mark.real("vllm")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("profile", ["", *(name for name, one in profiles().items() if one["published"])])
async def test_a_whole_conversation_with_a_real_vllm_has_its_tool_calls(tmp_path, profile):
    options = {**parse_named(f"vllm:{os.environ['CLAW_VLLM']}").options, "model": str(tmp_path / "tiny")}
    if profile:
        options |= {"profile": profile, "tensor_parallel": "1"}
        options.pop("tool_parser", None)
    parser = Options.parse(options).tool_parser
    program = shlex.split(str(options.get("program", "vllm")))
    python = program[0] if program[-1] == MODULE else str(Path(program[0]).with_name("python"))
    made = await asyncio.create_subprocess_exec(python, str(TINY), str(tmp_path / "tiny"), "--parser", parser)
    assert await made.wait() == 0
    scenario = write_scenario(tmp_path / "scenario", [{"id": "r1"}, {"id": "r2"}])
    spec = {"name": "tiny", "kind": "vllm", "options": options}
    ((trial, rounds),) = (await run_experiment(tmp_path / "run", experiment(scenario, models=[spec]))).items()
    assert [(one.error, one.text) for one in rounds] == [(None, "I have read it.")] * 2
    asked = list(read_transcript(tmp_path / "run" / "trials" / trial / "transcript.jsonl"))
    assert [one.finish for one in asked] == ["tool_calls", "stop"] * 3  # two rounds, and the feedback
    calls = [call["function"] for one in asked[::2] for call in one.reply["tool_calls"]]
    said = [(call["name"], json.loads(call["arguments"])) for call in calls]
    assert said == [("read_file", {"path": "notes.txt"})] * 3
    assert all("the first line of the notes" in one.messages[-1]["content"] for one in asked[1::2])
    (server,) = read_servers(tmp_path / "run")
    grown = {name.partition("{")[0]: 0.0 for name in server.metrics}
    for name, value in server.metrics.items():
        grown[name.partition("{")[0]] += value
    assert grown["vllm:request_success_total"] == len(asked)
    assert grown["vllm:prompt_tokens_total"] == sum(one.usage["upstream_input"] for one in asked)
    assert grown["vllm:generation_tokens_total"] == sum(one.usage["upstream_output"] for one in asked)
