"""``claw forge run``: what fails is told apart from what is wrong, and options out of range are refused."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from claw_adapter_forge.cli import forge
from claw_adapter_forge.runner.recordfile import read_file


def call(*words: str) -> Result:
    return CliRunner().invoke(forge, list(words))


class _Provider(ThreadingHTTPServer):
    """Answers with `status` and `text`, and counts."""

    status, text, asked = 401, '{"error": {"message": "bad key"}}', 0


class _Handler(BaseHTTPRequestHandler):
    server: _Provider

    def do_POST(self) -> None:
        """The base class's name for it."""
        self.server.asked += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(self.server.text)))
        self.end_headers()
        self.wfile.write(self.server.text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def provider() -> Iterator[_Provider]:
    server = _Provider(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def model(server: _Provider, out: Path, *more: str) -> tuple[str, ...]:
    url = f"http://127.0.0.1:{server.server_port}/v1"
    return ("run", "--model", "m1", "--base-url", url, "--profile", "scale", "-n", "4", "-o", str(out), *more)


@pytest.mark.parametrize(("status", "kind"), [(401, "EndpointAuthError"), (402, "EndpointQuotaError")])
def test_a_wrong_key_stops_the_run_with_the_reason_and_the_way_out(
    provider: _Provider, tmp_path: Path, status: int, kind: str
) -> None:
    out = tmp_path / "r.jsonl"
    provider.status = status
    done = call(*model(provider, out))
    assert done.exit_code == 1
    assert provider.asked == 1
    assert f"{kind}: HTTP {status}" in done.stderr
    assert "bad key" in done.stderr
    assert "--resume" in done.stderr
    assert "m1: strict 0 of 4, provider failures 1" in done.stdout
    assert [r.failure.split(": ")[1] for r in read_file(out).records] == [kind]


def test_resume_runs_provider_failures_again(provider: _Provider, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert call(*model(provider, out)).exit_code == 1
    provider.status, provider.text = 200, json.dumps({"choices": [{"message": {"content": "done"}}]})
    done = call(*model(provider, out, "--resume", "--json"))
    assert done.exit_code == 0
    told = json.loads(done.stdout)
    assert (told["records"], told["failures"], told["provider_failures"]) == (4, [], {"m1": 0})


def test_a_provider_that_is_not_there_is_no_wrong_answer(tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    words = ("run", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--profile", "scale", "-n", "1")
    done = call(*words, "-o", str(out), "--json")
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert told["provider_failures"] == {"m": 1}
    assert "EndpointTransientError" in told["failures"][0]
    assert json.loads(call("report", str(out), "--json").stdout)["table_1"]["m"]["adjusted_accuracy"] is None


@pytest.mark.slow
def test_a_wrong_key_stops_a_run_through_a_harness(provider: _Provider, tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    done = call(*model(provider, out, "--mode", "shim", "--through", "reference", "--isolation", "0", "--jobs", "1"))
    assert done.exit_code == 1
    assert "EndpointAuthError" in done.stderr
    assert len(read_file(out).records) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--jobs", "0"),
        ("--sample", "0"),
        ("--sample", "-3"),
        ("--trials", "0"),
        ("--horizon", "0"),
        ("--isolation", "7"),
        ("--timeout", "-1"),
        ("--timeout", "nan"),
        ("--model", "m", "--base-url", "notaurl"),
        ("--model", "m", "--base-url", "http://127.0.0.1:1/v1", "--key-env", "NO_SUCH_VARIABLE"),
    ],
)
def test_options_out_of_range_are_refused_before_a_file_is_made(words: tuple[str, ...], tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    done = call("run", "-o", str(out), *words)
    assert done.exit_code == 2
    assert words[-2] in done.stderr
    assert not out.exists()


def test_a_missing_harness_is_exit_4_as_in_the_core(tmp_path: Path) -> None:
    out = ("-o", str(tmp_path / "r.jsonl"))
    assert call("run", "--mode", "shim", "--through", "no-such-harness", *out).exit_code == 4


def test_a_missing_real_program_is_exit_4_before_a_file_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claw_adapter_forge.real.program.locate", lambda _name: None)
    assert call("run", "--mode", "real", "-o", str(tmp_path / "r.jsonl")).exit_code == 4
    assert not (tmp_path / "r.jsonl").exists()


def test_a_small_sample_has_every_ability(tmp_path: Path) -> None:
    out = tmp_path / "r.jsonl"
    assert call("run", "--policy", "careful", "--sample", "6", "-o", str(out)).exit_code == 0
    assert len({r.ability for r in read_file(out).records}) == 6


@pytest.mark.parametrize(
    "words",
    [
        ("run", "--policy", "careful", "--profile", "scale", "-n", "1", "-o", "{folder}"),
        ("generate", "-o", "{folder}"),
        ("report", "{records}", "--html", "{folder}"),
        ("export", "{file}/x", "--profile", "scale", "-n", "1"),
        ("verify", "--profile", "scale", "-n", "1", "--jobs", "1", "--card", "{file}"),
    ],
)
def test_a_path_that_cannot_be_used_is_exit_2_with_its_name(words: tuple[str, ...], tmp_path: Path) -> None:
    file, records = tmp_path / "file", tmp_path / "records"
    file.write_text("x")
    assert call("run", "--policy", "careful", "--profile", "scale", "-n", "1", "-o", str(records)).exit_code == 0
    done = call(*(w.format(folder=tmp_path, file=file, records=records) for w in words))
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith("Error: ") or "\nError: " in done.stderr
    assert str(tmp_path) in done.stderr
