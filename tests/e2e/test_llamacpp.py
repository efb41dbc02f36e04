"""SmolLM2 on a real llama.cpp server: a real model with no key, from its start to the figures in the result."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.errors import EndpointError
from claw_adapter.frameworks import locate
from claw_adapter.protocol import ModelSpec
from claw_adapter.report.summary import summarise
from claw_adapter.runs.load import load_run
from claw_adapter.runs.servers import read_servers
from claw_adapter.upstream import UpstreamContext
from claw_adapter_llamacpp.upstream import LlamaCpp, framework, weights_of
from support.running import IN_PROCESS, experiment, run_experiment
from support.scenarios import write_scenario
from support.wires import DIALECTS, ask, post, streamed, whole

MODEL = ModelSpec(name="smol", kind="llamacpp", params={"temperature": 0, "max_tokens": 12})
pytestmark = pytest.mark.real("llamacpp")


def context(tmp_path: Path) -> UpstreamContext:
    return UpstreamContext(tmp_path / "server", f"test-{os.getpid()}-{tmp_path.name}")


async def test_a_real_model_answers_in_every_dialect_through_the_endpoint_and_is_counted(tmp_path):
    upstream, ctx = LlamaCpp(threads=1, context=2048), context(tmp_path)
    try:
        model = await upstream.start(MODEL, ctx)
        assert await upstream.health()
        async with await ModelEndpoint.start(tmp_path / "endpoint") as endpoint:
            key = await endpoint.open_trial("t", model, tmp_path / "transcript.jsonl")
            await endpoint.begin_round("t", "r1")
            for dialect in DIALECTS:
                for stream in (False, True):
                    wanted = {"stream_options": {"include_usage": True}} if stream and dialect == "openai-chat" else {}
                    body = ask(dialect, "Say hello.", stream=stream, **wanted)
                    status, text, _ = await post(endpoint.url, key, dialect, body)
                    assert status == 200, text
                    said = (streamed if stream else whole)(dialect, text)
                    assert said.text.strip()
                    assert said.usage["input"] > 10
            meter = (await endpoint.end_round("t")).metered
        assert (meter.requests, meter.upstream_output) == (6, 72)
        figures = await upstream.metrics()
        assert figures["llamacpp:tokens_predicted_total"] >= 6 * 11
        there = locate(framework())
        digest = hashlib.sha256(weights_of(there).read_bytes()).hexdigest()
        assert upstream.about()["weights"].endswith(f"sha256:{digest}")
    finally:
        await upstream.stop()
    assert reaper.find(ctx.marker) == []


async def test_a_run_with_it_names_weights_and_figures_in_its_result(tmp_path):
    scenario = write_scenario(tmp_path / "scenario", [{"id": "r1"}])
    spec = {
        "name": "smol",
        "kind": "llamacpp",
        "options": {"threads": 1},
        "params": {"temperature": 0, "max_tokens": 20},
    }
    (rounds,) = (
        await run_experiment(tmp_path / "run", experiment(scenario, models=[spec], harnesses=[IN_PROCESS]))
    ).values()
    assert rounds[0].error is None
    assert rounds[0].usage.metered.upstream_output > 0
    (server,) = read_servers(tmp_path / "run")
    assert server.metrics["llamacpp:prompt_tokens_total"] > 0
    summary = summarise(load_run(tmp_path / "run"))
    assert "sha256:b179c952" in summary.models[0].meaning
    assert summary.models[0].measures_ability


async def test_a_prompt_that_does_not_fit_is_an_error_of_the_endpoint_and_never_cut(tmp_path):
    long = [{"id": "r1", "question": "word " * 4000}]
    spec = {"name": "smol", "kind": "llamacpp", "options": {"threads": 1, "context": 1024}}
    asked = experiment(write_scenario(tmp_path / "scenario", long), models=[spec], harnesses=[IN_PROCESS])
    (rounds,) = (await run_experiment(tmp_path / "run", asked)).values()
    assert rounds[0].error.owner == "endpoint"
    assert "context" in rounds[0].error.what


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"<html>", "no GGUF file"),
        (b"GGUF" + b"\1" * 200, "cannot load|cut or damaged|does not know"),
    ],
)
async def test_weights_that_are_none_are_explained(tmp_path, content, said):
    path = tmp_path / "x.gguf"
    if content is not None:
        path.write_bytes(content)
    upstream, ctx = LlamaCpp(model=str(path)), context(tmp_path)
    with pytest.raises(EndpointError, match=said) as caught:
        await upstream.start(MODEL, ctx)
    assert caught.value.where
    assert reaper.find(ctx.marker) == []


STARTER = """
import asyncio, sys
from pathlib import Path
from claw_adapter.protocol import ModelSpec
from claw_adapter.upstream import UpstreamContext
from claw_adapter_llamacpp.upstream import LlamaCpp

async def main():
    ctx = UpstreamContext(Path(sys.argv[1]), sys.argv[2])
    await LlamaCpp(threads=1, context=512).start(ModelSpec(name="m", kind="llamacpp"), ctx)
    print("up", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


def test_it_does_not_outlive_a_runner_that_is_killed(tmp_path):
    marker = f"test-{os.getpid()}-{tmp_path.name}"
    argv = [sys.executable, "-c", STARTER, str(tmp_path / "s"), marker]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout.readline() == "up\n"
        assert len(reaper.find(marker)) == 1
        starter.send_signal(signal.SIGKILL)

    end = time.monotonic() + 20
    while reaper.find(marker) and time.monotonic() < end:
        time.sleep(0.1)
    assert reaper.find(marker) == []
