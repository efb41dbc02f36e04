"""vLLM is started with exactly the settings that the paper published, and with what an experiment asks for."""

from __future__ import annotations

import pytest

from claw_adapter.errors import PluginError
from claw_adapter_vllm.options import Options, profiles
from claw_adapter_vllm.upstream import environment, fingerprint

QWEN = """vllm serve /models/w --host 127.0.0.1 --port 8001 --served-model-name m --tensor-parallel-size 4
  --max-model-len 204800 --gpu-memory-utilization 0.92 --tool-call-parser qwen3_coder --reasoning-parser qwen3
  --kv-cache-dtype bfloat16 --enable-auto-tool-choice"""
GEMMA = """vllm serve /models/w --host 127.0.0.1 --port 8001 --served-model-name m --tensor-parallel-size 4
  --max-model-len 204800 --gpu-memory-utilization 0.92 --tool-call-parser gemma4 --reasoning-parser gemma4
  --kv-cache-dtype fp8 --enable-auto-tool-choice"""


@pytest.mark.parametrize(("profile", "argv"), [("qwen3.6-35b-a3b", QWEN), ("gemma-4-31b-it", GEMMA)])
def test_the_published_profiles_are_started_as_published(profile, argv):
    """ClawArena v2, Table 7, and the text above it."""
    options = Options.parse({"profile": profile, "model": "/models/w"})
    assert options.argv(8001, "m") == argv.split()


def test_the_third_model_says_that_its_settings_are_not_published():
    assert set(profiles()) == {"qwen3.6-35b-a3b", "gemma-4-31b-it", "qwen3.6-27b"}
    with pytest.raises(PluginError, match=r"does not publish how it served Qwen3\.6-27B"):
        Options.parse({"profile": "qwen3.6-27b", "model": "/models/w"})


def test_what_is_given_beside_a_profile_wins_and_text_is_read_as_numbers():
    given = {"profile": "gemma-4-31b-it", "model": "w", "tensor_parallel": "2", "memory_utilization": "0.8"}
    argv = Options.parse({**given, "extra": "--enforce-eager --seed '1'", "program": "/opt/v/bin/python -m v"}).argv(
        1, "m"
    )
    assert argv[:5] == ["/opt/v/bin/python", "-m", "v", "serve", "w"]
    assert argv[argv.index("--tensor-parallel-size") + 1] == "2"
    assert argv[argv.index("--gpu-memory-utilization") + 1] == "0.8"
    assert argv[argv.index("--kv-cache-dtype") + 1] == "fp8"
    assert argv[-3:] == ["--enforce-eager", "--seed", "1"]


@pytest.mark.parametrize(
    "given", [{"profile": "gemma-4-31b-it"}, {"tensor_parallel": 4}, {"extra": "--x"}, {"program": "v"}]
)
def test_beside_an_address_nothing_is_silently_ignored(given):
    with pytest.raises(PluginError, match=f"option '{next(iter(given))}': has no effect beside base_url") as caught:
        Options.parse({"base_url": "http://127.0.0.1:8000", "model": "m", **given})
    assert "Leave it out" in caught.value.remedy


def test_the_module_of_the_server_is_told_the_weights_by_name():
    program = "/opt/v/bin/python -m vllm.entrypoints.openai.api_server"
    argv = Options.parse({"model": "w", "program": program}).argv(1, "m")
    assert argv[:5] == [*program.split(), "--model", "w"]


def test_flags_nobody_asked_for_are_left_to_vllm():
    argv = Options.parse({"model": "w"}).argv(1, "m")
    assert argv == ["vllm", "serve", "w", "--host", "127.0.0.1", "--port", "1", "--served-model-name", "m"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "nothing to serve"),
        ({"model": "w", "colour": "red"}, "no option 'colour'"),
        ({"model": "w", "profile": "x"}, "no profile 'x'"),
        ({"model": "w", "memory_utilization": "92"}, "is a share"),
        ({"model": "w", "tensor_parallel": "four"}, "'four' is not a number"),
        ({"model": "w", "max_model_len": 0}, "must be positive"),
        ({"model": "w", "program": " "}, "names no program"),
    ],
)
def test_what_cannot_be_is_refused(given, said):
    with pytest.raises(PluginError, match=said):
        Options.parse(given)


def test_tuning_reaches_vllm_and_secrets_do_not(monkeypatch):
    for name in ("CUDA_VISIBLE_DEVICES", "VLLM_CPU_KVCACHE_SPACE", "HF_TOKEN", "VLLM_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "1")
    env = environment()
    assert {"CUDA_VISIBLE_DEVICES", "VLLM_CPU_KVCACHE_SPACE", "HF_HOME"} <= set(env)
    assert not {"HF_TOKEN", "VLLM_API_KEY", "OPENAI_API_KEY"} & set(env)
    assert (env["HF_HUB_OFFLINE"], env["VLLM_NO_USAGE_STATS"]) == ("1", "1")


def test_the_fingerprint_follows_configuration_and_sizes(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "w.safetensors").write_bytes(b"1234")
    one = fingerprint(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    two = fingerprint(tmp_path)
    (tmp_path / "w.safetensors").write_bytes(b"12345")
    assert len({one, two, fingerprint(tmp_path)}) == 3
