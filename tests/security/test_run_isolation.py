"""A whole run at isolation 2: an agent that goes looking finds no answers, no other trial, no secret and no network."""

import base64
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from claw_adapter.runs.store import Store
from claw_adapter.sandbox import detect
from support.running import experiment, run_sync
from support.scenarios import write_scenario

pytestmark = pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces here: {detect().reason}")
CANARY = "sk-canary-7f3a91c0d5"


def run_commands(tmp_path, commands, **model):
    """The outputs of shell commands that the reference harness runs for its model, one after the other."""
    calls = [{"text": "", "tools": [{"name": "exec", "arguments": {"command": c}}]} for c in commands]
    scenario = write_scenario(tmp_path / "secret-scenario", [{"id": "r1"}, {"id": "r2"}])
    spec = {"name": "script", "kind": "scripted", "script": [*calls, "\\bbox{A}"]}
    asked = experiment(scenario, harnesses=["reference"], models=[spec], settings={"isolation": 2, "deadline": 60})
    records = next(iter(run_sync(tmp_path / "run", asked).values()))
    assert [r.score.value for r in records] == [1, 1]
    events = Store(tmp_path / "run" / "store").get_json(records[0].events)
    return [event["text"] for event in events if event["kind"] == "tool_result"]


def test_gold_other_trials_secrets_and_network_are_out_of_reach(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", CANARY)
    home_key = Path.home() / ".bashrc"
    found = run_commands(
        tmp_path,
        [
            f"cat {tmp_path}/secret-scenario/gold/answers.yaml",
            "find / -name answers.yaml -not -path '/proc/*' 2>/dev/null | head",
            f"ls {tmp_path}/run/trials {tmp_path}/run/store",
            "env; cat /proc/*/environ | tr '\\0' '\\n'",
            "python3 -c \"import socket; socket.create_connection(('1.1.1.1', 53), 3)\"",
            f"cat {home_key}",
        ],
    )
    gold, search, others, environment, network, home = found
    assert "No such file" in gold
    assert search.startswith("(exit status")
    assert "cannot access" in others
    assert CANARY not in environment
    assert "Error" in network
    assert "No such file" in home


def test_every_trial_has_the_same_folders_and_they_are_its_own(tmp_path):
    """Both names lead to one folder, so an adapter that knows only the real one still works."""
    found = run_commands(
        tmp_path,
        [
            "pwd; echo $HOME; echo $PWD",
            f"echo one > mine.txt; cat {tmp_path}/run/live/*/workspace/mine.txt /agent/workspace/mine.txt",
            "ls /agent; touch /agent/x",
        ],
    )
    assert found[0].splitlines()[:3] == ["/agent/workspace", "/agent/state", "/agent/workspace"]
    assert found[1].splitlines()[:2] == ["one", "one"]
    assert found[2].startswith("state\nworkspace\n")
    assert "Read-only" in found[2]


SEEN: list = []
MESSAGE = {"role": "assistant", "content": "\\bbox{A}"}
ANSWER = {
    "choices": [{"message": MESSAGE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
}


class Upstream(BaseHTTPRequestHandler):
    """An OpenAI-compatible provider that insists on its key."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        SEEN.append(self.headers.get("Authorization"))
        answer = json.dumps(ANSWER).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def test_a_provider_key_reaches_the_provider_and_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", CANARY)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        base = f"http://127.0.0.1:{server.server_address[1]}/v1"
        model = {"name": "mine", "base_url": base, "key_env": "FAKE_API_KEY"}
        scenario = write_scenario(tmp_path / "small", [{"id": "r1"}])
        asked = experiment(scenario, harnesses=["reference"], models=[model], settings={"isolation": 2, "deadline": 60})
        records = next(iter(run_sync(tmp_path / "run", asked).values()))
    finally:
        server.shutdown()
        server.server_close()
    assert records[0].score.value == 1
    assert records[0].usage.metered.upstream_input == 5
    assert set(SEEN) == {f"Bearer {CANARY}"}
    forms = [CANARY.encode(), base64.b64encode(CANARY.encode())[:-4], quote(CANARY).encode()]
    for path in tmp_path.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not any(form in data for form in forms), path
