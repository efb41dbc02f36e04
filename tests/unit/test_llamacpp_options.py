"""What a llama.cpp model is asked for, how it is named, and what is read of a server's figures; without llama.cpp."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claw_adapter.errors import EndpointError, PluginError
from claw_adapter.model_server import counters, served
from claw_adapter.protocol import ModelSpec
from claw_adapter.runs.plan import Experiment, served_model
from claw_adapter.upstream import UpstreamContext
from claw_adapter_llamacpp import serve
from claw_adapter_llamacpp.options import Options
from claw_adapter_llamacpp.upstream import LlamaCpp, framework

TEXT = """# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 34
# TYPE llamacpp:n_tokens_max counter
llamacpp:n_tokens_max 53
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 1
# TYPE seconds histogram
seconds_bucket{le="+Inf"} 2
seconds_sum{a="x y"} 0.5 1795310962
seconds_count{a="x y"} 2
# TYPE odd counter
odd NaN
"""


def test_what_grows_is_read_of_a_prometheus_text_and_nothing_else():
    assert counters(TEXT) == {
        "llamacpp:prompt_tokens_total": 34.0,
        'seconds_sum{a="x y"}': 0.5,
        'seconds_count{a="x y"}': 2.0,
    }


@given(st.text())
def test_any_text_can_be_read_for_figures(text):
    assert isinstance(counters(text), dict)


def test_a_model_that_a_plugin_serves_is_named_like_a_harness_with_options():
    assert served_model("llamacpp") == {"name": "llamacpp", "kind": "llamacpp", "options": {}}
    found = served_model("llamacpp:model=/m/Qwen 3.Q4.gguf,context=4096")
    assert found["options"] == {"model": "/m/Qwen 3.Q4.gguf", "context": 4096}
    assert found["name"] == "llamacpp-Qwen-3.Q4-context-4096"
    assert served_model("openrouter:z-ai/glm-5.1") is None
    assert served_model("vllm:some-id") is None, "that is a model of the provider vllm"
    experiment = Experiment.model_validate({"scenarios": ["demo"], "harnesses": ["reference"], "models": ["llamacpp"]})
    assert experiment.models[0].kind == "llamacpp"
    assert experiment.models[0].measures_ability


def test_the_endpoint_is_given_an_openai_model_that_keeps_its_faults():
    model = ModelSpec(name="m", kind="llamacpp", options={"context": 1, "faults": []}, params={"seed": 1})
    reached = served(model, "http://127.0.0.1:1", "id")
    assert (reached.kind, reached.base_url, reached.model) == ("openai", "http://127.0.0.1:1/v1", "id")
    assert reached.options == {"faults": []}
    assert reached.params == {"seed": 1}


@pytest.mark.parametrize(
    ("options", "params", "limit"),
    [
        ({}, {}, {"max_tokens": 1024}),
        ({"model": "other.gguf"}, {}, {}),
        ({"model": "other.gguf", "max_tokens": "64"}, {}, {"max_tokens": 64}),
        ({}, {"max_tokens": 9}, {"max_tokens": 9}),
        ({}, {"max_completion_tokens": 9}, {"max_completion_tokens": 9}),
    ],
)
def test_a_model_that_does_not_end_by_itself_has_a_limit_that_the_experiment_may_change(options, params, limit):
    assert Options.parse(options).limited({"seed": 1, **params}) == {"seed": 1, **limit}


def test_options_may_be_text_and_wrong_ones_are_refused():
    options = Options.parse({"context": "4096", "threads": "3"})
    assert (options.context, options.cores) == (4096, 3)
    assert Options().cores >= 1
    for given_, said in (
        ({"colour": 1}, "no option"),
        ({"context": "big"}, "no whole number"),
        ({"threads": -1}, "positive"),
    ):
        with pytest.raises(PluginError, match=said):
            Options.parse(given_)


async def test_without_an_installation_it_says_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "empty"))
    upstream = LlamaCpp()
    with pytest.raises(EndpointError) as caught:
        await upstream.start(ModelSpec(name="m", kind="llamacpp"), UpstreamContext(tmp_path, "test"))
    assert caught.value.remedy == "Run: claw frameworks install llamacpp"
    assert not await upstream.health()
    await upstream.stop()


def test_the_description_pins_the_server_and_the_weights_and_nothing_they_ask_for():
    spec = framework()
    lines = spec.requirements_file.read_text().splitlines()
    pinned = [line.removesuffix(" \\") for line in lines if line and not line.startswith((" ", "#"))]
    assert sorted(pinned) == sorted([spec.requirement, *spec.extra])
    assert sum("--hash=sha256:" in line for line in lines) >= len(pinned)


def test_the_server_script_needs_the_standard_library_only_until_it_serves():
    told = json.dumps({"model": "x"})
    argv = [sys.executable, "-I", "-c", "import runpy, sys; runpy.run_path(sys.argv[1])", serve.__file__, told]
    assert subprocess.run(argv, check=False, timeout=30).returncode == 0
    assert "CACHE_MEGABYTES" in Path(serve.__file__).read_text()
