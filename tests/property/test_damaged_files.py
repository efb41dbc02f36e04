"""Whatever stands in a file that is read, it is data or one clear error with the file and the way out; never anything else.

`CLAW_MUTANTS` damaged files per parser (default 120), always the same; 10000 take some minutes each.
"""

from __future__ import annotations

import hashlib
import os
import random
import re
import runpy
import shutil
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from claw_adapter.api.blocking import system_errors
from claw_adapter.api.experiment import make_experiment
from claw_adapter.certify.baseline import load_baseline
from claw_adapter.certify.output import read_report
from claw_adapter.certify.verification import verify
from claw_adapter.datasets.checking import check_data
from claw_adapter.errors import ClawError
from claw_adapter.frameworks.description import Framework
from claw_adapter.report.summary import summarise
from claw_adapter.runs.load import load_run
from claw_adapter.runs.providers import PROVIDERS, load_providers
from claw_adapter.runs.transcript import Exchange, Transcript, read_transcript
from claw_adapter_claude_code.store import ClaudeSessions
from claw_adapter_clawarena.layouts import LAYOUTS
from claw_adapter_clawarena.results import read_results
from claw_adapter_forge.exports.published import load_published
from claw_adapter_forge.exports.specs import export_specs
from claw_adapter_forge.generator.task_sets import generate
from claw_adapter_nanobot.store import NanoBotSessions
from claw_adapter_openclaw.store import OpenClawSessions
from claw_adapter_picoclaw.store import PicoClawSessions
from claw_adapter_scenarios.spec.load import load_spec
from support.mutants import damage_bytes, damage_json, damage_lines, damage_yaml
from support.scenarios import write_scenario

ROOT = Path(__file__).parents[2]
CASES = int(os.environ.get("CLAW_MUTANTS", "120"))
LINE = re.compile(r":\d+$")
"""A place that names the line needs no remedy beside what is wrong there."""
DAMAGES = {".json": damage_json, ".jsonl": damage_lines, ".md": damage_bytes}
SECONDS = 30
"""No file of these sizes takes a hundredth of it."""
make = SimpleNamespace(**runpy.run_path(str(ROOT / "tests/unit/published_data.py")))

BASELINE = '[[expected]]\ncheck = "TOK-001"\nreason = "as it is"\nuntil = 2026-12-31\n'
CALL = {"id": "c", "function": {"name": "x", "arguments": "{}"}}
UPDATE = '{"role":"user","text":"more"}\n{"role":"assistant","text":"so"}\n'
ODD_TOML = (
    *(b"[" * 100_000, b"1e999", b"nan", b"{}", b"[[]]", b"-1", b"''", b'"\\u0000"'),
    *(b"1979-05-27", b"9" * 5000, b"[1,'x']", b"true"),
)
Damage = Callable[[bytes, random.Random], bytes]


@dataclass
class Parser:
    """What is copied, which files of it are damaged and how, and what reads them; `theirs`: no remedy, a harness wrote it."""

    files: dict[str, Damage]
    read: Callable[[Path], object]
    lay: Callable[[Path], object]
    theirs: bool = False


def sealed(lines: list[bytes]) -> bytes:
    """A journal of these lines, its checksums as they should be."""
    found, last = b"", ""
    for line in lines:
        body = line[24 + len(b'","record":') : -1] if line.startswith(b'{"sum":"') else line
        if line.startswith(b'{"sum": '):  # written anew by the damage: {"sum": "…", "record": …}
            body = line[line.find(b'"record": ') + 10 : -1]
        last = hashlib.sha256(last.encode() + body).hexdigest()[:16]
        found += b'{"sum":"' + last.encode() + b'","record":' + body + b"}\n"
    return found


def damage_journal(data: bytes, rng: random.Random) -> bytes:
    return damage_lines(data, rng, sealed)


def damage_toml(data: bytes, rng: random.Random) -> bytes:
    """Bytes, or one line's value."""
    if rng.random() < 0.5:
        return damage_bytes(data, rng)
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    odd = rng.choice(ODD_TOML)
    lines[at] = lines[at].partition(b"=")[0] + b"= " + odd
    return b"\n".join(lines)


def small(folder: Path) -> Path:
    update = {"actions": [{"session": "chat", "action": "append", "source": "more.jsonl"}]}
    return write_scenario(
        folder,
        [{"id": "r1"}, {"id": "r2", "updates": ["u1"]}, {"id": "r3", "type": "exec_check", "options": {}}],
        updates={"u1": (update, {"more.jsonl": UPDATE})},
        answers={
            "r3": {
                "check": {"command": "python ${checks}/check.py ${workspace}", "timeout": 3},
                "feedback": {"correct": "x", "incorrect": "y"},
            }
        },
        histories=("chat",),
    )


def experiment(folder: Path) -> None:
    (folder / "e.yaml").write_text(
        "schema: experiment/1\nscenarios: [demo]\n"
        "harnesses: [reference, {name: nanobot, label: nb, options: {mode: sdk}}, 'acp:command=[\"x\"]']\n"
        "models: [reader, {name: m, kind: openai, base_url: 'http://127.0.0.1:9/v1', key_env: KEY, params: {n: 0.5}}]\n"
        "overlays: [none, [metaclaw]]\nseeds: [0, 1]\nrepeats: 2\nsettings: {isolation: 1, deadline: 60, attempts: 2}\n"
    )


def copied(source: Path) -> Callable[[Path], object]:
    return lambda folder: shutil.copytree(source, folder, dirs_exist_ok=True)


def spec(folder: Path) -> None:
    import claw_adapter_scenarios

    found = sorted(Path(claw_adapter_scenarios.__file__).parent.glob("data/**/0-truth.yaml"))
    shutil.copytree(found[0].parent, folder, dirs_exist_ok=True)


def published(folder: Path) -> None:
    make.make(folder, "openclaw")


def results(folder: Path) -> None:
    call = {
        "role": "assistant",
        "content": [{"type": "toolCall", "id": "c", "name": "exec", "arguments": {"command": "ls"}}],
    }
    result = {
        "role": "toolResult",
        "toolCallId": "c",
        "content": [{"type": "text", "text": "a"}],
        "details": {"status": "error"},
    }
    answer = {
        "meta": {"test_id": "s1", "round_id": "q1", "framework": "openclaw"},
        "answer": {"text": "x", "status": "success"},
        "inline_score": {"passed": True, "selected": ["A"]},
        "llm_log": {"workspaceDir": "/w", "messages": [call, result]},
    }
    make.dump(folder / "s1/q1/infer_result.json", answer)


def forge_specs(folder: Path) -> None:
    export_specs([next(iter(generate("paper362", 0)))], folder)


def transcript(folder: Path) -> None:
    with Transcript(folder / "transcript.jsonl") as out:
        for number in (1, 2, 3):
            messages = tuple({"role": "user", "content": f"question {n}"} for n in range(number))
            reply = {
                "role": "assistant",
                "content": None,
                "tool_calls": [CALL],
            }
            out.append(
                Exchange(
                    number=number,
                    round="r1",
                    attempt=1,
                    at="2026-01-01T00:00:00+00:00",
                    seconds=0.1,
                    dialect="openai-chat",
                    stream=False,
                    asked="m",
                    messages=messages,
                    tools=({"type": "function"},),
                    params={"n": 1},
                    status=200,
                    reply=reply,
                    usage={"input": 3},
                )
            )


def read_run(folder: Path) -> object:
    return summarise(load_run(folder))


EARLIER = ROOT / "tests/data/earlier_run/run"
TRIAL = f"trials/{next(p.name for p in sorted((EARLIER / 'trials').iterdir()))}"
CERTIFICATE = ROOT / "frameworks/nanobot/certificates/0.3.5"
PARSERS = {
    "run.json": Parser({"run.json": damage_json}, read_run, copied(EARLIER)),
    "journal": Parser({f"{TRIAL}/journal.jsonl": damage_journal}, read_run, copied(EARLIER)),
    "transcript": Parser(
        {"transcript.jsonl": damage_lines}, lambda f: list(read_transcript(f / "transcript.jsonl")), transcript
    ),
    "scenario": Parser(
        {
            "scenario.yaml": damage_yaml,
            "rounds.yaml": damage_yaml,
            "gold/answers.yaml": damage_yaml,
            "updates/u1/update.yaml": damage_yaml,
            "sessions/main.jsonl": damage_lines,
            "sessions/chat.jsonl": damage_lines,
            "updates/u1/more.jsonl": damage_lines,
        },
        check_data,
        small,
    ),
    "experiment": Parser({"e.yaml": damage_yaml}, lambda f: make_experiment(f / "e.yaml", {}), experiment),
    "certificate": Parser({"certificate.json": damage_json}, verify, copied(CERTIFICATE)),
    "certification report": Parser(
        {"report.json": damage_json}, lambda f: (read_report(f), verify(f)), copied(CERTIFICATE)
    ),
    "framework": Parser(
        {"framework.toml": damage_toml},
        lambda f: Framework.load(f / "framework.toml").fits(),
        copied(ROOT / "frameworks/nanobot"),
    ),
    "providers": Parser(
        {"providers.toml": damage_toml},
        lambda f: load_providers(f / "providers.toml"),
        lambda f: shutil.copy(PROVIDERS, f / "providers.toml"),
    ),
    "baseline": Parser(
        {"b.toml": damage_toml}, lambda f: load_baseline(f / "b.toml"), lambda f: (f / "b.toml").write_text(BASELINE)
    ),
    "spec": Parser(
        {
            f"{n}.yaml": damage_yaml
            for n in ("0-truth", "1-workspace", "2-sessions", "3-rounds", "4-updates", "5-controls")
        },
        load_spec,
        spec,
    ),
    "published data": Parser(
        {"tests.json": damage_json, "openclaw/manifest.json": damage_json, "eval/s1/questions.json": damage_json},
        lambda f: check_data(f).as_json(),
        published,
    ),
    "Forge's specifications": Parser({}, lambda f: list(load_published(f)), forge_specs),
    "published results": Parser({"s1/q1/infer_result.json": damage_json}, read_results, results),
    "sessions of OpenClaw": Parser(
        {"session.jsonl": damage_lines},
        OpenClawSessions().read,
        copied(ROOT / "frameworks/openclaw/golden"),
        theirs=True,
    ),
    "sessions of Claude Code": Parser(
        {"44924d89-ecf7-5bb5-adea-5f9e1b67abd7.jsonl": damage_lines},
        ClaudeSessions().read,
        copied(ROOT / "frameworks/claude-code/golden"),
        theirs=True,
    ),
    "sessions of NanoBot": Parser(
        {"session.jsonl": damage_lines},
        lambda f: NanoBotSessions().read(f / "session.jsonl"),
        copied(ROOT / "frameworks/nanobot/golden"),
        theirs=True,
    ),
    "sessions of PicoClaw": Parser(
        {
            "agent_main_golden.jsonl": damage_lines,
            "agent_main_golden.claw": damage_json,
            "agent_main_golden.meta.json": damage_json,
        },
        PicoClawSessions().read,
        copied(ROOT / "frameworks/picoclaw/golden"),
        theirs=True,
    ),
    **{
        f"published sessions, {name}": Parser(
            {}, lambda f: check_data(f, "all").as_json(), lambda f, name=name: make.make(f, name)
        )
        for name in LAYOUTS
    },
}


def late(*_: object) -> None:
    raise AssertionError(f"it took longer than {SECONDS} s")


@pytest.mark.timeout(0 if CASES > 1000 else 300)
@pytest.mark.parametrize("name", PARSERS)
def test_a_damaged_file_is_read_or_refused_with_its_place_and_a_way_out(tmp_path, name, monkeypatch):
    parser = PARSERS[name]
    parser.lay(tmp_path)
    files = parser.files or {
        str(p.relative_to(tmp_path)): DAMAGES[p.suffix]
        for p in sorted(tmp_path.rglob("*"))
        if p.suffix in (".json", ".jsonl", ".md") and "eval" not in p.parts
    }
    whole = {file: (tmp_path / file).read_bytes() for file in files}
    assert parser.read(tmp_path) is not None
    before = signal.signal(signal.SIGALRM, late)
    try:
        for case in range(CASES):
            rng = random.Random(f"{name}-{case}")
            file = rng.choice(sorted(files))
            (tmp_path / file).write_bytes(files[file](whole[file], rng))
            signal.alarm(SECONDS)
            refused(parser, tmp_path, f"{file} as of case {case}")
            signal.alarm(0)
            (tmp_path / file).write_bytes(whole[file])
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def refused(parser: Parser, folder: Path, case: str) -> None:
    try:
        with system_errors():
            parser.read(folder)
    except ClawError as error:
        wrong = {
            "no place": not error.where,
            "no way out": not (error.remedy or LINE.search(error.where) or parser.theirs),
            "too long": len(str(error)) > 20_000,
        }
        if any(wrong.values()):
            raise AssertionError(f"{case}: {[name for name in wrong if wrong[name]]}: {error}"[:2000]) from None
    except Exception as error:
        raise AssertionError(f"{case}: {type(error).__name__}: {error}"[:2000]) from error
