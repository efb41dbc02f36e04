"""No key is ever written, and a reader that has the answer key opens no file of the scenario."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

import claw_adapter
from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.protocol import ModelSpec

SOURCE = str(Path(claw_adapter.__file__).parents[1])
PROVIDER = "sk-provider-secret-93fe1"


def disguises(secret: str) -> list[bytes]:
    plain = secret.encode()
    return [
        plain,
        base64.b64encode(plain).rstrip(b"="),
        base64.urlsafe_b64encode(plain).rstrip(b"="),
        plain.hex().encode(),
    ]


async def test_no_key_is_in_any_file_nor_in_the_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("MY_PROVIDER_KEY", PROVIDER)
    monkeypatch.setenv("UNRELATED_SECRET", "must-not-be-inherited")
    async with await ModelEndpoint.start(tmp_path / "e", key_envs=["MY_PROVIDER_KEY"]) as endpoint:
        pid = endpoint._process.pid
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"must-not-be-inherited" not in environment
        assert PROVIDER.encode() not in environment
        spec = ModelSpec(name="m", base_url="http://127.0.0.1:9/v1", key_env="MY_PROVIDER_KEY", timeout=2)
        keys = [await endpoint.open_trial("t", spec, tmp_path / "t.jsonl")]
        keys.append(
            await endpoint.open_trial("u", ModelSpec(name="s", kind="scripted", script=("ok",)), tmp_path / "u.jsonl")
        )
        async with aiohttp.ClientSession() as session:
            for trial, key in zip("tu", keys, strict=True):
                await endpoint.begin_round(trial, "q")
                leak = f"OPENAI_API_KEY={key} and {PROVIDER}"
                body = {"messages": [{"role": "user", "content": leak}], "user": key}
                headers = {"Authorization": f"Bearer {key}", "x-api-key": key}
                async with session.post(f"{endpoint.url}/v1/chat/completions", json=body, headers=headers) as answer:
                    await answer.read()
                async with session.post(f"{endpoint.url}/v1/chat/completions", data=b"{", headers=headers) as answer:
                    assert answer.status == 400
                meter = await endpoint.end_round(trial)
                assert not any(secret in meter.model_dump_json() for secret in (key, PROVIDER))
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    secrets = [PROVIDER, *keys]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 3
    for content in [*(path.read_bytes() for path in files), arguments]:
        for secret in secrets:
            assert not any(form in content for form in disguises(secret))
    assert b"key removed" in (tmp_path / "u.jsonl").read_bytes()


WATCHED = """
import asyncio, json, sys
from pathlib import Path

folder, given = Path(sys.argv[1]), sys.stdin.readline()
opened = []
watching = False

def hook(event, arguments):
    if watching and event == "open" and isinstance(arguments[0], (str, bytes)):
        opened.append(arguments[0] if isinstance(arguments[0], str) else arguments[0].decode())

sys.addaudithook(hook)

from claw_adapter.endpoint.server import EndpointServer
from claw_adapter.protocol import ModelSpec
from claw_adapter.protocol.answer_key import AnswerKey
import aiohttp

async def main():
    global watching
    watching = True
    async with EndpointServer(folder) as server:
        key = await server.open_trial("t", ModelSpec(name="r", kind="reader"), folder / "t.jsonl")
        headers = {"Authorization": f"Bearer {key}"}
        tools = [{"type": "function", "function": {"name": "read", "parameters": {
            "type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}}]
        async with aiohttp.ClientSession(headers=headers) as session:
            answer_key = AnswerKey.model_validate_json(given)
            await server.begin_round("t", answer_key.round, answer_key)
            messages = [{"role": "user", "content": "Which?"}]
            for _ in range(10):
                body = {"messages": messages, "tools": tools}
                async with session.post(server.url + "/v1/chat/completions", json=body) as answer:
                    reply = (await answer.json())["choices"][0]["message"]
                messages.append(reply)
                if not reply.get("tool_calls"):
                    break
                for call in reply["tool_calls"]:
                    messages.append({"role": "tool", "tool_call_id": call["id"], "content": "a line of the fragment text"})
            meter = await server.end_round("t")
    watching = False
    print(json.dumps({"opened": opened, "reply": reply["content"], "seen": meter.seen.seen}))

asyncio.run(main())
"""


def test_the_reader_opens_no_file_but_its_transcript(tmp_path: Path):
    scenario = tmp_path / "scenario"
    (scenario / "gold").mkdir(parents=True)
    (scenario / "gold/answers.yaml").write_text("secret")
    (scenario / "workspace").mkdir()
    (scenario / "workspace/a.md").write_text("a line of the fragment text")
    folder = tmp_path / "endpoint"
    folder.mkdir()
    answer_key = {
        "round": "q1", "type": "multi_choice", "letters": ["A"], "workspace": str(scenario / "workspace"),
        "evidence": {"options": {"A": {"supports": [["f"]], "hasty": False}}},
        "fragments": [{"id": "f", "text": "line of the fragment", "path": "a.md"}],
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(folder)], input=json.dumps(answer_key) + "\n", text=True, cwd=folder,
        capture_output=True, check=False, timeout=60, env={"PYTHONPATH": SOURCE, "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["seen"] == ["f"]
    assert result["reply"].endswith(r"\bbox{A}")
    known = (str(folder), sys.prefix, sys.base_prefix, SOURCE, "/usr/lib", "/lib", "/etc", "/proc", "/dev")
    strangers = [path for path in result["opened"] if path.startswith("/") and not path.startswith(known)]
    assert strangers == []
    assert str(folder / "t.jsonl") in result["opened"], "the hook does see what is opened"
    assert not any("scenario" in path or "gold" in path for path in result["opened"])


async def test_a_trials_key_does_not_open_another_trial(tmp_path: Path):
    from claw_adapter.endpoint.server import EndpointServer

    async with EndpointServer(tmp_path) as server:
        spec = ModelSpec(name="m", kind="scripted", script=("x",))
        keys = await asyncio.gather(*(server.open_trial(f"t{i}", spec, tmp_path / f"{i}.jsonl") for i in range(5)))
        assert len(set(keys)) == 5
        assert all(key.startswith("claw-") and len(key) >= 32 for key in keys)
