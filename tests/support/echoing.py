"""A provider that says its key back, in every way that one could think of, and a search for what is left of it."""

import asyncio
import base64
import html
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import quote

from aiohttp import web

from claw_adapter.api.results import open_run, write_page
from claw_adapter.protocol import RoundRecord
from claw_adapter.report import summarise
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.transcript import read_transcript
from support.running import experiment, run_experiment
from support.scenarios import write_scenario

TWO = [{"id": "r1"}, {"id": "r2"}]
"""The rounds of `run_with`."""
MODES = ("success", "error", "echo", "encoded")
LONG_KEYS = (
    "sk-proj-9fT2_wLmQ7xYb4Vd-ZkA", "sk-ant-api03-Q1w2E3r4T5y6U7i8O9p0", "twelve-chars", "0123456789ab",
    "a/b+c=d&e?f#g%h i", 'quo"te\\back\\slash-key', "schlüssel-für-alle", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    "AKIAIOSFODNN7EXAMPLE", "<b>key&amp;more</b>", "f" * 24, "gsk_" + "Zz9" * 16,
)  # fmt: skip
SHORT_KEYS = ("x", "k", "user", "role", "text", "key", "A", "sk-1", "assistant", "multi_choi")


def spellings(key: str) -> list[str]:
    """The key as other programs write it."""
    data = key.encode()
    basic = base64.b64encode(b"me:" + data).decode()
    return [
        key, base64.b64encode(data).decode(), base64.urlsafe_b64encode(data).decode().rstrip("="), basic,
        data.hex(), data.hex().upper(), quote(key, safe=""), "".join(f"%{byte:02x}" for byte in data),
        json.dumps(key)[1:-1], html.escape(key), json.dumps(json.dumps(key)[1:-1])[1:-1],
        json.dumps(json.dumps(key, ensure_ascii=False)[1:-1], ensure_ascii=False)[1:-1],
    ]  # fmt: skip


def cut(key: str) -> list[str]:
    """Pieces of twelve characters and more."""
    return [key[:12], key[-12:], key[: max(12, len(key) - 3)], key[max(0, len(key) // 2 - 6) :][:12]]


def leaks(data: bytes, key: str) -> set[bytes]:
    """What of the key is in the bytes: a spelling without its ends, or twelve of its characters."""
    ends = [form.strip("=")[2:-2] if len(form) > 16 else form for form in spellings(key)]
    pieces = [key[at : at + 12] for at in range(len(key) - 11)]
    needles = {form.encode() for form in (*ends, *pieces)}
    return {needle for needle in needles if needle in data}


class EchoingProvider:
    """Listens on a port; the model's name is how it answers, its key is asked for as a bearer token."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.seen: set[bytes] = set()
        """What of the key was found in arguments and environments of processes while a request was under way."""
        self.keys_given: set[str] = set()

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.keys_given.add(request.headers["Authorization"].removeprefix("Bearer "))
        self.seen |= await asyncio.to_thread(_in_processes, self.key)
        body = await request.json()
        said = {"echo": [self.key, *cut(self.key)], "encoded": spellings(self.key)}.get(body["model"], [])
        if body["model"] == "error":
            error = {
                "message": f"bad request with key {' | '.join(spellings(self.key))}",
                "code": self.key,
                "type": self.key,
            }
            return web.json_response({"error": error}, status=400, headers={"Retry-After": quote(self.key)})
        text = " | ".join([*said, "\\bbox{A}"])
        if any(message["role"] == "tool" for message in body["messages"]) or not said or not body.get("tools"):
            message: dict = {"role": "assistant", "content": text, "reasoning_content": text}
        else:
            call = {"name": "exec", "arguments": json.dumps({"command": f"cat > said.txt <<'END'\n{text}\nEND"})}
            calls = [{"index": 0, "id": "c1", "type": "function", "function": call}]
            message = {"role": "assistant", "content": text, "tool_calls": calls}
        if not body.get("stream"):
            return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}]})
        return await _streamed(request, message)


async def _streamed(request: web.Request, message: dict) -> web.StreamResponse:
    """The reply in pieces of five characters."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for name in ("content", "reasoning_content"):
        text = message.get(name, "")
        for at in range(0, len(text), 5):
            await _event(response, {"delta": {name: text[at : at + 5]}})
    if calls := message.get("tool_calls"):
        await _event(response, {"delta": {"tool_calls": calls}})
    await _event(response, {"delta": {}, "finish_reason": "tool_calls" if calls else "stop"})
    await response.write(b"data: [DONE]\n\n")
    return response


async def _event(response: web.StreamResponse, choice: dict) -> None:
    await response.write(f"data: {json.dumps({'choices': [{'index': 0, **choice}]})}\n\n".encode())


def _in_processes(key: str) -> set[bytes]:
    """What any process shows of the key to its neighbours."""
    found: set[bytes] = set()
    for place in [*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ")]:
        try:
            found |= leaks(place.read_bytes(), key)
        except OSError:  # it has ended
            continue
    return found


def leaks_below(folder: Path, key: str) -> dict[str, set[bytes]]:
    """The files in which something of the key stands."""
    files = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {str(path.relative_to(folder)): found for path, data in files.items() if (found := leaks(data, key))}


def conversation(root: Path, trial: str) -> list[tuple]:
    """What was asked and answered, without times."""
    found = read_transcript(RunFolder(root).transcript(trial))
    return [(item.messages, item.reply, item.status, item.failure, item.params) for item in found]


async def run_with(
    root: Path, key: str, modes: Sequence[str] = MODES, level: int = 0, harness: object = "reference"
) -> tuple[dict[str, list[RoundRecord]], EchoingProvider]:
    """A run with one model for each mode of the provider; its records by trial, and the provider."""
    os.environ["THE_PROVIDERS_KEY"] = key
    try:
        async with EchoingProvider(key) as provider:
            models = [{"name": mode, "base_url": provider.url, "key_env": "THE_PROVIDERS_KEY"} for mode in modes]
            scenario = write_scenario(root / "scenario", TWO)
            settings = {"isolation": level, "deadline": 60, "attempts": 1}
            asked = experiment(scenario, harnesses=[harness], models=models, settings=settings)
            records = await run_experiment(root / "run", asked, jobs=4)
            assert os.environ["THE_PROVIDERS_KEY"] == key, "it is put back when the run is over"
    finally:
        del os.environ["THE_PROVIDERS_KEY"]
    finished = open_run(root / "run")
    write_page(finished, summarise(finished.data), root / "run" / "report.html")
    return records, provider
