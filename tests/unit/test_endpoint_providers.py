"""The models of the paper's Table 6: all there, each marked as untried, and asked in the form their providers document."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.errors import ScenarioError
from claw_adapter.runs.providers import load_providers, provider_model
from support.wires import ask, post, whole

TABLE_6 = {
    "codex": {"GPT-5.5", "GPT-5.4", "GPT-5.2"},
    "azure": {"GPT-5.1", "Kimi-K2.5"},
    "anthropic": {"Claude Opus-4.7", "Claude Sonnet-4.6", "Claude Haiku-4.5"},
    "openrouter": {
        "GLM-5.1", "GLM-4.7-Flash", "Qwen3.6-Plus", "DeepSeek-V4-Pro", "Gemini-3.1-Pro", "Mimo-V2.5-Pro", "Ling-2.6",
    },
    "vllm": {"Qwen3.6-35B-A3B", "Qwen3.6-27B", "Gemma-4-31B-it"},
}  # fmt: skip
DIRECTORY = load_providers()
CLAIMS = {"https://api.openai.com/auth": {"chatgpt_account_id": "account-7"}}
TOKEN = f"e30.{base64.urlsafe_b64encode(json.dumps(CLAIMS).encode()).rstrip(b'=').decode()}.sig"
HEADERS = {
    "codex": {"Authorization": f"Bearer {TOKEN}", "chatgpt-account-id": "account-7", "OpenAI-Beta": "responses=experimental"},
    "azure": {"api-key": TOKEN},
    "anthropic": {"Authorization": f"Bearer {TOKEN}", "anthropic-beta": "oauth-2025-04-20", "anthropic-version": "2023-06-01"},
    "openrouter": {"Authorization": f"Bearer {TOKEN}"},
    "vllm": {},
}  # fmt: skip
SECRET = {"Authorization", "api-key", "x-api-key"}
PATHS = {
    "codex": "/responses",
    "azure": "/openai/deployments/{model}/chat/completions?api-version=2025-04-01-preview",
    "anthropic": "/v1/messages",
    "openrouter": "/chat/completions",
    "vllm": "/chat/completions",
}


class Vendor:
    """Answers in the form of the path it is asked under, and remembers what it was asked."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict, dict]] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append((request.path_qs, dict(request.headers), body))
        if request.path.endswith("/messages"):
            content = [{"type": "text", "text": "ok"}]
            return web.json_response({"type": "message", "content": content, "stop_reason": "end_turn"})
        if request.path.endswith("/completions"):
            return web.json_response({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})
        text = {"type": "response.output_text.delta", "output_index": 0, "delta": "ok"}
        end = {"type": "response.completed", "response": {"status": "completed", "output": []}}
        data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in (text, end))
        return web.Response(text=data, content_type="text/event-stream")


@pytest.fixture
async def vendor() -> AsyncIterator[tuple[Vendor, str]]:
    made = Vendor()
    app = web.Application()
    app.router.add_post("/{path:.*}", made.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield made, f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


def test_all_eighteen_models_are_there_and_none_claims_to_be_verified():
    found: dict[str, set[str]] = {}
    for model in DIRECTORY.models.values():
        found.setdefault(model.provider, set()).add(model.title)
    assert found == TABLE_6
    assert len(DIRECTORY.models) == 18
    text = Path(__file__).parents[2].joinpath("core/src/claw_adapter/runs/providers.toml").read_text()
    assert text.count("\nverified = false") == 18 + len(DIRECTORY.providers)
    assert not any(entry.verified for entry in (*DIRECTORY.models.values(), *DIRECTORY.providers.values()))


@pytest.mark.parametrize("name", DIRECTORY.models)
async def test_a_request_has_the_shape_and_the_headers_of_its_provider(vendor, tmp_path: Path, monkeypatch, name: str):
    made, url = vendor
    monkeypatch.setenv("THE_KEY", TOKEN)
    entry = DIRECTORY.models[name]
    spec = provider_model(name, base_url=url, key_env="" if entry.provider == "vllm" else "THE_KEY")
    async with EndpointServer(tmp_path, key_envs=["THE_KEY"]) as endpoint:
        key = await endpoint.open_trial("t", spec, tmp_path / "t.jsonl")
        body = ask("openai-chat", "hi", tool="read_file", temperature=0.9, max_tokens=77)
        body["messages"].insert(0, {"role": "system", "content": "Be brief."})
        status, text, _ = await post(endpoint.url, key, "openai-chat", body)
    assert (status, whole("openai-chat", text).text) == (200, "ok"), text
    ((path, headers, sent),) = made.requests
    assert path == PATHS[entry.provider].replace("{model}", entry.id)
    assert {k: v for k, v in headers.items() if k in HEADERS[entry.provider] or k in SECRET} == HEADERS[entry.provider]
    assert sent["model"] == entry.id
    assert sent.get("temperature") == spec.params.get("temperature"), "the run's, never the harness's"
    check_shape(entry.provider, sent)
    assert TOKEN not in (tmp_path / "t.jsonl").read_text()


def check_shape(provider: str, sent: dict) -> None:
    if provider == "codex":
        assert (sent["instructions"], sent["store"], sent["stream"]) == ("Be brief.", False, True)
        assert sent["input"] == [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}]
        assert sent["tools"][0]["name"] == "read_file"
        assert "temperature" not in sent
    elif provider == "anthropic":
        assert (sent["system"], sent["max_tokens"]) == ("Be brief.", 77)
        assert sent["messages"] == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
        assert sent["tools"][0]["input_schema"]["required"] == ["path"]
    else:
        assert [m["role"] for m in sent["messages"]] == ["system", "user"]
        assert sent["tools"][0]["function"]["name"] == "read_file"
        limit = "max_completion_tokens" if sent["model"] == "gpt-5.1" else "max_tokens"
        assert [name for name in sent if name.startswith("max_")] == [limit]


def test_models_that_take_no_temperature_get_none():
    for name in ("gpt-5.5", "gpt-5.1", "claude-opus-4.7"):
        assert provider_model(name, base_url="http://x").params == {}


def test_a_model_can_be_named_by_provider_and_id_and_a_customers_url_comes_from_the_environment():
    spec = provider_model("openrouter:some/model")
    assert (spec.name, spec.model, spec.key_env) == ("openrouter:some/model", "some/model", "OPENROUTER_API_KEY")
    spec = provider_model("gpt-5.1", environment={"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com/"})
    assert spec.base_url == "https://me.openai.azure.com/openai/deployments/gpt-5.1"
    with pytest.raises(ScenarioError, match="AZURE_OPENAI_ENDPOINT"):
        provider_model("gpt-5.1", environment={"OTHER": ""})
    for name in ("gpt-7", "nobody:x", "openrouter:"):
        with pytest.raises(ScenarioError, match="no model"):
            provider_model(name)


@pytest.mark.parametrize(
    "text", ["not toml [", "[providers]\n[models.x]\ntitle='x'\nprovider='y'\nid='x'\n", "[models]\n", "x = 1\n"]
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, text: str):
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(ScenarioError, match=r"p\.toml"):
        load_providers(tmp_path / "p.toml")
