"""What a certification leaves behind: a report with a schema, JUnit, an inert page, a badge, a certificate that binds."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from claw_adapter.certify.bench import Bench
from claw_adapter.certify.certificate import Certificate
from claw_adapter.certify.check import checks
from claw_adapter.certify.checks import plan as plan_check
from claw_adapter.certify.digests import code_digest, file_digest, folder_digest, json_digest
from claw_adapter.certify.judge import certify, plan, report
from claw_adapter.certify.output import prepare_folder, read_report, write_all
from claw_adapter.certify.plans import evidence
from claw_adapter.certify.plans.draw import draw
from claw_adapter.certify.plans.replies import replay
from claw_adapter.certify.records import Report, described_capabilities
from claw_adapter.certify.requirements import load
from claw_adapter.certify.verification import installed_otherwise, verify
from claw_adapter.errors import JournalError
from claw_adapter.protocol import Capabilities
from claw_adapter.runs.load import load_run
from claw_adapter.runs.transcript import read_transcript
from support.commands import call
from support.plans import beginning
from support.running import claw

sys.path.insert(0, str(Path(__file__).parent))
import planted

pytestmark = [pytest.mark.slow(150), pytest.mark.timeout(900)]
"""All of them share a certificate, and so a worker: it begins early, or the others wait for it; it may take minutes."""
BRIEF: Final = 20
"""Turns of a plan that is drawn briefly."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A certification with one failure."""
    import asyncio

    async def run(out: Path) -> None:
        asked = plan("gold", only=["TOK", "TURN-003"])
        async with Bench(planted.with_conversation(planted.NoUsage)(), out=out, isolation=1) as bench:
            results = await certify(bench, asked)
        write_all(report(bench, asked, results, started=0.0), out)

    out = tmp_path_factory.mktemp("certification")
    asyncio.run(run(out))
    return out


@contextmanager
def drawn_briefly() -> Iterator[None]:
    """Plans are the beginnings of what they are: to verify a whole one takes seconds, and there is much to be verified."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (plan_check, evidence):
            patch.setattr(module, "draw", lambda *told: beginning(draw(*told), BRIEF))
        yield


@pytest.fixture(autouse=True)
def drawn(request) -> Iterator[None]:
    """So they are in all tests but those of a whole certificate."""
    if "whole" in request.fixturenames:
        yield
    else:
        with drawn_briefly():
            yield


def made(out: Path) -> tuple[str, ...]:
    """What a certification is asked for."""
    asked = ("--level", "bronze", "--out", str(out), "--json", "--nonce", "f3a")
    return ("certify", "reference:mode=in-process", *asked)


@pytest.fixture
def whole(tmp_path) -> Path:
    """A real certificate, made by the command."""
    done = claw(*made(tmp_path / "c"), cwd=tmp_path)
    told = json.loads(done.stdout)
    assert (told["reached"], told["ok"], told["adapter"]["options"]) == ("bronze", True, {"mode": "in-process"})
    assert told["isolation"] == 0, "what works inside the runner has none"
    assert "LIFE-001" in done.stderr, "progress goes to standard error"
    return tmp_path / "c"


@pytest.fixture(scope="module")
def bronze(tmp_path_factory) -> Path:
    """The same with a brief plan."""
    out = tmp_path_factory.mktemp("bronze") / "c"
    with drawn_briefly():
        assert json.loads(call(*made(out)).out)["reached"] == "bronze"
    return out


@pytest.fixture
def certified(bronze, tmp_path) -> Path:
    """A copy of it."""
    return shutil.copytree(bronze, tmp_path / "c")


def trial_of(plans: Path) -> Path:
    """A conversation of another check."""
    return next(path for path in sorted(plans.parent.iterdir()) if path != plans)


def say_more(plans: Path) -> None:
    """Let run.json say something that nobody asked it."""
    run = plans / "bronze" / "1" / "run.json"
    run.write_text(run.read_text().replace("{", '{"comment": "it failed", ', 1))


NOT_SAID = "--reproduce starts what the certificate names, and nobody whose word you take has signed it"


@pytest.mark.parametrize("named", [(), ("reference",), ("reference:mode=child",)])
def test_what_a_certificate_names_is_not_started_because_it_names_it(certified, named):
    done = call("certify", *named, "--verify", certified, "--reproduce")
    assert (done.code, NOT_SAID in done.err) == (2, True)
    assert "say so: claw certify reference:mode=in-process --verify" in done.err


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({}, ""),
        (
            {"adapter": {"versions": {"reference": "9"}}},
            "certified again, versions is not what",
        ),
        ({"adapter": {"capabilities": {}}}, "what it declares is not what the report says: "),
        ({"adapter": {"programs": {"sh": "0" * 64}}}, "certified again, programs is not what"),
        ({"failed": "TURN-003"}, "certified again, TURN-003 is failed: seen otherwise"),
    ],
    ids=["the same", "version", "declared", "program", "verdict"],
)
def test_certified_again_whatever_is_not_the_same_is_said(certified, monkeypatch, changed, said):
    """What the second certification finds is made up: the first report, with a change."""
    made, failed = read_report(certified), changed.pop("failed", "")
    about = made.adapter.model_copy(update=changed.pop("adapter", {}))
    results = tuple(
        one.model_copy(update={"outcome": "failed", "what": "seen otherwise"} if one.id == failed else {})
        for one in made.results
    )

    async def again(*_):
        return made.model_copy(update={"adapter": about, "results": results, **changed})

    monkeypatch.setattr("claw_adapter.cli.certify._run", again)
    done = call("certify", "reference:mode=in-process", "--verify", certified, "--reproduce")
    assert done.code == 1  # nobody has signed it
    assert said in done.out.replace("\n", " ")
    assert ("✓ certified again: " in done.out) == (not said)


@pytest.mark.parametrize(
    ("forged", "said"),
    [
        (
            lambda plans: shutil.copytree(plans / "bronze/1", plans / "bronze/2"),
            "it has plans/bronze/2, and nothing was found",
        ),
        (lambda plans: (plans / "bronze-0.json").write_text("{}"), "it has plans/bronze-0.json, and nothing was found"),
        (lambda plans: (plans / "bronze/1/notes.md").write_text("x"), "there is a file that no run has: notes.md"),
        (
            lambda plans: (plans / "bronze/1/more.json").write_text("[]," * 2**24),
            "larger than any evidence is: plans/bronze/1/more",
        ),
        (
            lambda plans: (plans.parent / "gold.html").write_text("x"),
            "evidence: it has gold.html, which no check has left",
        ),
        (
            lambda plans: shutil.copytree(plans / "bronze", plans / "earlier"),
            "it has plans/earlier, which no check has",
        ),
        (lambda plans: (trial_of(plans) / "notes.md").write_text("x"), "/notes.md, which no check has left"),
        (say_more, "run.json says comment, which no run does"),
    ],
    ids=[
        "another run",
        "a plan that was cut",
        "a file in a run",
        "a large one",
        "beside",
        "other plans",
        "in a talk",
        "run.json",
    ],
)
def test_evidence_has_what_a_certification_leaves_and_nothing_else(certified, forged, said):
    forged(certified / "evidence" / "plans")
    forge(certified)
    assert any(said in problem for problem in verify(certified).problems)


def test_what_only_isolation_can_show_is_not_believed_without():
    known = checks()
    assert {name for name, one in known.items() if one.isolated} == {"SEC-002", "SEC-003"}


def test_where_names_of_files_cannot_be_written_it_says_so(certified):
    done = claw(
        "certify",
        "--verify",
        certified,
        cwd=certified,
        check=False,
        env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    )
    assert (done.returncode, "run it with PYTHONUTF8=1" in done.stderr) == (5, True)


def test_the_report_is_what_its_schema_says(folder):
    data = json.loads((folder / "report.json").read_text())
    schema = Report.model_json_schema()
    assert set(data) == set(schema["properties"])
    made = Report.model_validate(data)
    assert made.format == "certification/1"
    assert not made.ok
    assert made.reached is None
    (failed,) = [result for result in made.results if result.outcome == "failed"]
    assert (failed.id, failed.owner, failed.must) == ("TOK-001", "adapter", "M18")
    assert "no usage" in failed.what
    assert failed.turns, "the turns behind the verdict can be found in the evidence"
    assert (folder / "evidence" / failed.turns[0].trial / "transcript.jsonl").is_file()
    assert not (folder / "certificate.json").exists(), "no level, no certificate"


def test_junit_tells_the_same(folder):
    root = ET.parse(folder / "junit.xml").getroot()
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    made = read_report(folder)
    assert int(suite.get("tests")) == len(cases) == len(made.results)
    assert [case.get("name").split()[0] for case in cases if case.find("failure") is not None] == ["TOK-001"]
    assert int(suite.get("failures")) == 1
    assert int(suite.get("errors")) == 0
    assert float(suite.get("time")) >= 0
    for case in cases:
        assert case.get("classname").startswith("reference.")
        assert float(case.get("time")) >= 0


def test_the_page_shows_matrix_and_transcript_and_stays_inert(folder):
    text = (folder / "report.html").read_text("utf-8")
    assert "<script" not in text
    assert not re.search(r'(?:src|href)="(?!#)', text)
    for anchor in re.findall(r'href="#([^"]+)"', text):
        assert f'id="{anchor}"' in text
    assert "reports no usage" in text
    assert "Thank you, " in text, "the prompt of a turn is there"


def test_hostile_text_is_escaped_on_the_page(folder, tmp_path):
    made = read_report(folder)
    bad = "<script>alert(1)</script>\x1b]0;title\x07"
    results = tuple(result.model_copy(update={"what": bad, "remedy": bad, "notes": (bad,)}) for result in made.results)
    (tmp_path / "evidence").mkdir()
    write_all(made.model_copy(update={"results": results}), tmp_path)
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "<script" not in text
    assert "\x1b" not in text
    ET.parse(tmp_path / "junit.xml")


def test_the_badge_says_what_was_reached(folder, certified):
    assert "not reached" in (folder / "badge.svg").read_text()
    assert "bronze" in (certified / "badge.svg").read_text()
    assert json.loads((certified / "badge.json").read_text())["message"] == "bronze"
    ET.parse(certified / "badge.svg")


def test_a_certificate_is_good_as_long_as_nothing_is_changed(whole):
    certificate, problems, _, derived, notes = verify(whole / "certificate.json")
    assert problems == []
    assert (derived, notes) == (("PLAN-001",), ())
    assert certificate.level == "bronze"
    assert certificate.versions == read_report(whole).adapter.versions
    told = claw("certify", "reference:mode=in-process", "--verify", whole, check=False)
    assert (told.returncode, "consistent, not attested" in told.stdout) == (1, True)


def statement(folder: Path) -> dict:
    return json.loads(base64.b64decode(json.loads((folder / "certificate.json").read_text())["payload"]))


def rewrite(folder: Path, **changed) -> None:
    """Change what a certificate says, its digest with it, and leave its signatures as they are."""
    path = folder / "certificate.json"
    told = statement(folder)
    made = Certificate.model_validate(told["predicate"] | changed)
    told["predicate"] |= {**changed, "digest": changed.get("digest", made.computed())}
    payload = base64.b64encode(json.dumps(told, ensure_ascii=False).encode()).decode()
    path.write_text(json.dumps({**json.loads(path.read_text()), "payload": payload}))


def forge(folder: Path, adapter: dict | None = None, **changed) -> None:
    """Write everything anew, as the kit would, of a report that says something else."""
    made = read_report(folder)
    told = {**changed, "adapter": made.adapter.model_copy(update=adapter or {})}
    write_all(made.model_copy(update={**told, "evidence": folder_digest(folder / "evidence")}), folder)


def touch_up(names: Iterable[str], folder: Path) -> None:
    """Let files show another level, and the certificate their digests."""
    for name in names:
        path = folder / name
        path.write_text(path.read_text().replace("bronze", "gold"))
        rewrite(folder, files=statement(folder)["predicate"]["files"] | {name: file_digest(path)})


def leave_out_of_certificate(folder: Path) -> None:
    touch_up(["badge.svg"], folder)
    rewrite(folder, files={})


def claim_gold(folder: Path) -> None:
    made = read_report(folder)
    have = {result.id: result for result in made.results}
    claimed = [have.get(check, made.results[-1].model_copy(update={"id": check})) for check in load().of("gold")]
    forge(folder, results=tuple(claimed), reached="gold")


def change_report(folder: Path) -> None:
    path = folder / "report.json"
    path.write_text(path.read_text().replace('"isolation": 0', '"isolation": 2', 1))


def remove(name: str, folder: Path) -> None:
    next((folder / "evidence").glob(f"turn-009*/{name}")).unlink()
    forge(folder)


def damage(name: str, folder: Path) -> None:
    next(path for path in sorted((folder / "evidence").rglob(name)) if path.stat().st_size).write_text("")


def remove_plans(folder: Path) -> None:
    shutil.rmtree(folder / "evidence" / "plans")
    forge(folder)


def of_plan(folder: Path) -> Path:
    """Where the one trial of PLAN-001 is."""
    (trial,) = (folder / "evidence" / "plans" / "bronze" / "1" / "trials").iterdir()
    return trial


def change_journal(change: Callable[[dict], object], folder: Path) -> None:
    """Change records of the drawn session, and chain them anew."""
    path, before, lines = of_plan(folder) / "journal.jsonl", "", []
    for line in path.read_bytes().splitlines():
        record = json.loads(line)["record"]
        change(record)
        body = json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode()
        before = hashlib.sha256(before.encode() + body).hexdigest()[:16]
        lines.append(b'{"sum":"%s","record":%s}\n' % (before.encode(), body))
    path.write_bytes(b"".join(lines))
    forge(folder)


def say_otherwise(field: str, folder: Path) -> None:
    """Let prompt or reply of a turn be another one everywhere: script, journal and transcript, with its digests."""
    trial = of_plan(folder)
    records = [json.loads(line)["record"] for line in (trial / "journal.jsonl").read_bytes().splitlines()]
    rounds = [one for one in records if one["kind"] == "round" and not one.get("updates")]
    said = next(one[field] for one in rounds if len(one[field].split("\n")[0]) > 40).split("\n")[0]
    old, new = (json.dumps(text, ensure_ascii=False)[1:-1] for text in (said, "Nobody drew this sentence, not at all."))
    run = trial.parents[1] / "run.json"
    run.write_text(run.read_text().replace(old, new))
    shas, lines = dict[str, str](), []
    for line in (trial / "transcript.jsonl").read_text().split("\n")[:-1]:
        item = json.loads(line.replace(old, new))
        if item["kind"] == "part" and old in line:
            shas[item["sha"]] = item["sha"] = json_digest(item["value"])
        lines.append(json.dumps(item, ensure_ascii=False))
    text = "\n".join(lines)
    for before, after in shas.items():
        text = text.replace(before, after)
    (trial / "transcript.jsonl").write_text(f"{text}\n")
    change_journal(
        lambda record: record.update(json.loads(json.dumps(record, ensure_ascii=False).replace(old, new))), folder
    )


def in_start(folder: Path, **changed: object) -> None:
    change_journal(lambda record: record.update(changed if record["kind"] == "start" else {}), folder)


def in_end(folder: Path, **changed: object) -> None:
    change_journal(lambda record: record.update(changed if record["kind"] == "end" else {}), folder)


def in_first_round(folder: Path, **changed: object) -> None:
    change_journal(lambda record: record.update(changed if record.get("index") == 0 else {}), folder)


def in_every_round(change: Callable[[dict], object], folder: Path) -> None:
    change_journal(lambda record: change(record) if record["kind"] == "round" else None, folder)


def change_exchanges(change: Callable[[list[dict]], object], folder: Path) -> None:
    """Change the requests of the drawn session, which come between the parts that they refer to."""
    path = of_plan(folder) / "transcript.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    asked = [line for line in lines if line["kind"] == "exchange"]
    parts = [line for line in lines if line["kind"] == "part"]
    change(asked)
    written = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in (*parts, *asked))
    path.write_bytes(written.encode("utf-8", "backslashreplace"))
    forge(folder)


def doubled(counts: dict | None) -> None:
    for name in ("input", "output", "cached"):
        if counts:
            counts[name] = 2 * (counts[name] or 0)


def double_tokens(folder: Path) -> None:
    """In transcript and journal alike: what the harness reports, and what it had from the model."""
    change_exchanges(lambda asked: [doubled(one["usage"]) for one in asked], folder)
    in_every_round(lambda record: [doubled(record["usage"][name]) for name in ("reported", "metered")], folder)


def fail_once_more(asked: list[dict]) -> None:
    """A request that the endpoint is said to have failed, before the third."""
    failure = {"owner": "endpoint", "kind": "EndpointServerError", "what": "HTTP 500", "where": "", "remedy": ""}
    told = {"status": 500, "reply": None, "finish": "", "usage": {"input": 0, "output": 0}, "failure": failure}
    asked.insert(2, asked[2] | told)
    asked[3] = asked[3] | {"keep": asked[2]["keep"] + len(asked[2]["more"]), "more": []}
    for number, one in enumerate(asked, start=1):
        one["number"] = number


def in_parts(change: Callable[[list[dict], list[dict]], object], folder: Path) -> None:
    """Change the parts of the drawn session's requests, with the requests."""
    path = of_plan(folder) / "transcript.jsonl"
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    parts, asked = ([line for line in lines if line["kind"] == kind] for kind in ("part", "exchange"))
    change(parts, asked)
    written = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in (*parts, *asked))
    path.write_bytes(written.encode("utf-8", "backslashreplace"))
    forge(folder)


def part(text: str) -> dict:
    value = {"role": "user", "content": text}
    return {"kind": "part", "sha": json_digest(value), "value": value}


def double_ranges(_parts: list[dict], asked: list[dict]) -> None:
    for number, one in enumerate(asked[20:50]):
        one.update(keep=40 * 2**number, more=[[0, 40 * 2**number]])


def name_often(parts: list[dict], asked: list[dict]) -> None:
    parts.append(part("word " * 200_000))
    asked[1]["more"] = [*asked[1]["more"], *[parts[-1]["sha"]] * 200]


def blob(folder: Path, digest: str) -> Path:
    return of_plan(folder).parents[1] / "store" / digest[:2] / digest[2:]


def checkpoints(folder: Path) -> list[str]:
    lines = (of_plan(folder) / "journal.jsonl").read_bytes().splitlines()
    return [json.loads(line)["record"]["checkpoint"] for line in lines[1:-1]]


def swap_checkpoints(folder: Path) -> None:
    fifth = checkpoints(folder)[4]
    in_every_round(lambda record: record.update(checkpoint=fifth) if record["index"] == 9 else None, folder)


def lose_checkpoint(folder: Path) -> None:
    path = blob(folder, checkpoints(folder)[-1])
    path.unlink()
    if not any(path.parent.iterdir()):
        path.parent.rmdir()
    forge(folder)


def damage_checkpoint(folder: Path) -> None:
    path = blob(folder, checkpoints(folder)[-1])
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1])
    forge(folder)


def tear(name: str, end: bytes, folder: Path) -> None:
    """A line behind the last that is not whole."""
    with (of_plan(folder) / name).open("ab") as file:
        file.write(b'{"sum":"0' + end)
    forge(folder)


def cut_end(folder: Path) -> None:
    for path in (folder / "evidence").rglob("journal.jsonl"):
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    forge(folder)


def add_blob(folder: Path) -> None:
    path = blob(folder, hashlib.sha256(b"nobody").hexdigest())
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"nobody")
    forge(folder)


def add_plans(folder: Path) -> None:
    plans = folder / "evidence" / "plans"
    shutil.copytree(plans / "bronze", plans / "silver")
    forge(folder)


def declare(folder: Path, **changed: object) -> None:
    """Let the adapter have declared something else, wherever that is told."""
    (start,) = (trial.start for trial in load_run(of_plan(folder).parents[1]).trials)
    declared = Capabilities.model_validate({**start.capabilities.model_dump(), **changed})
    told = {"capabilities": declared.model_dump(mode="json"), "notes": list(declared.described)}
    in_start(folder, **told, memory_files=list(declared.memory_files))
    forge(folder, adapter={"capabilities": described_capabilities(declared)})


def result(check: str, folder: Path, **changed: object) -> None:
    """Let the result of a check say something else."""
    made = read_report(folder)
    results = [one.model_copy(update=changed) if one.id == check else one for one in made.results]
    forge(folder, results=tuple(results))


def empty_transcript(folder: Path) -> None:
    next((folder / "evidence").glob("turn-009*/transcript.jsonl")).write_text("")
    forge(folder)


UNDRAWN = "PLAN-001: what was run is not what the nonce"
SAYS_ELSE = [f"{field} is not what the report says" for field in ("certified", "losses", "options")]
SHOWN = ("badge.svg", "badge.json", "report.html")
CAPABILITIES = {"losses": "files that are read: cut at 5 characters"}


@pytest.mark.parametrize(
    ("tamper", "said"),
    [
        pytest.param(partial(rewrite, level="gold", digest="0" * 64), "changed after it was issued", id="level"),
        pytest.param(partial(rewrite, level="gold"), "do not give the level gold", id="level and digest"),
        pytest.param(partial(rewrite, certified=True, losses="", options={}), SAYS_ELSE, id="what the report says"),
        pytest.param(change_report, "report.json was changed", id="report"),
        pytest.param(partial(damage, "transcript.jsonl"), "evidence was changed", id="evidence"),
        pytest.param(partial(remove, "events.jsonl"), "TURN-009: its evidence cannot be read", id="a turn"),
        pytest.param(partial(remove, "transcript.jsonl"), "is not in the evidence", id="a conversation"),
        pytest.param(remove_plans, "PLAN-001: its evidence cannot be read", id="plans"),
        pytest.param(partial(touch_up, SHOWN), [f"{name} does not show" for name in SHOWN], id="what is shown"),
        pytest.param(leave_out_of_certificate, "badge.svg does not show", id="badge left out"),
        pytest.param(partial(forge, adapter={"name": "invented"}), "what was run is reference:mode", id="harness"),
        pytest.param(partial(forge, adapter={"options": {}}), "not the reference of the report", id="other options"),
        pytest.param(partial(forge, adapter={"versions": {"reference": "9"}}), "PLAN-001: what was run", id="version"),
        pytest.param(partial(forge, adapter={"capabilities": CAPABILITIES}), "declares something else", id="declared"),
        pytest.param(partial(forge, nonce="another"), "not what the nonce another draws", id="nonce"),
        pytest.param(partial(say_otherwise, "prompt"), UNDRAWN, id="another prompt"),
        pytest.param(partial(say_otherwise, "text"), UNDRAWN, id="another reply"),
        pytest.param(partial(in_start, scenario_digest="8" * 64), UNDRAWN, id="another scenario"),
        pytest.param(partial(in_start, memory_files=["**"]), UNDRAWN, id="files of its own"),
        pytest.param(partial(in_start, snapshot="0" * 64), "PLAN-001: its evidence cannot be read", id="no tree"),
        pytest.param(partial(in_first_round, updates=["U999"]), UNDRAWN, id="an update that is not there"),
        pytest.param(cut_end, UNDRAWN, id="no end"),
        pytest.param(partial(in_end, overlay={"requests": 3}), UNDRAWN, id="an overlay at its end"),
        pytest.param(partial(in_first_round, round="r999"), UNDRAWN, id="another name of a round"),
        pytest.param(partial(in_first_round, type="nonsense"), UNDRAWN, id="another type of round"),
        pytest.param(partial(in_first_round, feedback="x"), UNDRAWN, id="another feedback"),
        pytest.param(
            partial(forge, isolation=2), "what was run had isolation 0, not the 2 of the report", id="isolation"
        ),
        pytest.param(
            partial(forge, adapter={"versions": {"reference": "9"}}), "(reference 9) of the report", id="which"
        ),
        pytest.param(partial(result, "TURN-009", turns=()), "TURN-009: it has passed without turns", id="no turns"),
        pytest.param(partial(result, "LIFE-008", trials=()), "it has passed without conversations", id="no talks"),
        pytest.param(partial(result, "TURN-009", trials=("x",)), "TURN-009: its conversation x is not", id="alien"),
        pytest.param(partial(result, "PLAN-001", notes=("9 turns",)), "which is not its note", id="how much"),
        pytest.param(empty_transcript, "TURN-009: its turn TURN-009.1 is not in the evidence with all", id="empty"),
        pytest.param(double_tokens, "of request 1, usage is not what was drawn", id="tokens everywhere"),
        pytest.param(
            partial(in_every_round, lambda r: r["usage"]["metered"].update(requests=101, failed=100)),
            "of its round 1, usage.metered.requests, usage.metered.failed is not",
            id="requests that nobody made",
        ),
        pytest.param(
            partial(in_every_round, lambda r: (r["usage"].update(rendered=1), r["first"].update(tools=1))),
            "of its round 1, usage.rendered, first.tools is not",
            id="the size of requests",
        ),
        pytest.param(partial(in_first_round, attempts=7), "of its round 1, attempts", id="attempts"),
        pytest.param(partial(in_first_round, tool_calls=9), "of its round 1, tool_calls is not", id="calls"),
        pytest.param(
            partial(in_every_round, lambda r: r["score"].update(cause=None, value=1.0)),
            "score.value",
            id="a score of what is not scored",
        ),
        pytest.param(swap_checkpoints, "checkpoint of r10 does not go on from the one before", id="checkpoints"),
        pytest.param(lose_checkpoint, "PLAN-001: its evidence cannot be read", id="no checkpoint"),
        pytest.param(damage_checkpoint, "PLAN-001: its evidence cannot be read", id="other bytes of a checkpoint"),
        pytest.param(
            partial(change_exchanges, lambda asked: asked[4].update(native=asked[0]["more"][0])),
            "of request 5, native is not what was drawn",
            id="another body",
        ),
        pytest.param(
            partial(
                change_exchanges, lambda asked: [(one["reply"] or {}).pop("reasoning_content", 0) for one in asked]
            ),
            "reply is not what was drawn",
            id="thoughts",
        ),
        pytest.param(partial(change_exchanges, fail_once_more), "of request 3, status, reply", id="a failed request"),
        pytest.param(partial(tear, "journal.jsonl", b""), "PLAN-001: its journal breaks off", id="torn journal"),
        pytest.param(partial(tear, "journal.jsonl", b"\n"), "journal has records that do not count", id="a line more"),
        pytest.param(partial(tear, "transcript.jsonl", b""), "its transcript breaks off", id="torn transcript"),
        pytest.param(partial(in_parts, double_ranges), "damaged transcript: a request of more", id="ranges double"),
        pytest.param(partial(in_parts, name_often), "a request of more than 134217728 bytes", id="one part often"),
        pytest.param(
            partial(in_parts, lambda parts, _: parts.append(part("x"))), "a part that no request has", id="unused part"
        ),
        pytest.param(
            partial(in_parts, lambda _, asked: asked[3].update(stream=int(asked[3]["stream"]))),
            "is not written as a run writes it",
            id="another type",
        ),
        pytest.param(add_blob, "its store has a blob that nothing names", id="unnamed blob"),
        pytest.param(add_plans, "evidence: it has plans of silver", id="plans of another level"),
        pytest.param(partial(forge, asked="gold"), "says of left_out does not follow", id="asked for gold"),
        pytest.param(
            partial(result, "PLAN-001", what="M13 prompt-cut", owner="adapter", remedy="mend it"),
            "PLAN-001 is said to have passed, and has what a finding has",
            id="a finding that has passed",
        ),
        pytest.param(
            partial(declare, memory_files=["**"]), "code declares another memory_files than", id="declared everywhere"
        ),
        pytest.param(
            partial(declare, losses=[{"kind": "window", "tokens": 10, "then": "oldest"}]),
            "code declares another losses than",
            id="a loss declared everywhere",
        ),
        pytest.param(partial(forge, adapter={"kind": "acme.Harness"}), "not the acme.Harness of the", id="class"),
        pytest.param(claim_gold, "SEC-001 is not described as in the kit", id="results"),
    ],
)
def test_a_certificate_that_was_tampered_with_is_found_out(certified, tamper, said):
    tamper(certified)
    _, problems, *_ = verify(certified / "certificate.json")
    for one in [said] if isinstance(said, str) else said:
        assert any(one in problem for problem in problems), problems


def test_what_only_the_installed_code_can_tell_is_told(certified):
    forge(certified, adapter={"digest": "0" * 64, "dependencies": {"click": "0" * 64}})
    certificate, problems, *_ = verify(certified)
    assert problems == []
    notes = [note.split(" that is")[0] for note in installed_otherwise(certificate) if "does not name" not in note]
    assert notes == [
        "the adapter",
        "the dependency click",
    ]


def test_a_signature_says_whose_word_it_is_and_holds_for_what_was_signed(certified, tmp_path):
    for name in ("key", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", tmp_path / name], check=True)
    signers = tmp_path / "signers"
    signers.write_text("".join(f"{name} {(tmp_path / f'{name}.pub').read_text()}" for name in ("key", "other")))
    write_all(read_report(certified), certified, key=tmp_path / "key")
    assert verify(certified, signers, "key")[1:3] == ([], "key")
    told = call("certify", "--verify", certified)
    key = subprocess.run(
        ["ssh-keygen", "-lf", tmp_path / "key.pub"], capture_output=True, text=True, check=True
    ).stdout.split()[1]
    assert (told.code, f"not attested: signed by the key {key}" in told.out) == (1, True)
    (tmp_path / "alone").mkdir()
    alone = Path(shutil.copy(certified / "certificate.json", tmp_path / "alone"))
    assert "signed by SHA256:" in call("certify", "--verify", alone, "--signers", tmp_path / "key.pub").out
    assert "no key of other.pub" in verify(alone, tmp_path / "other.pub").problems[0]
    assert "does not count" in verify(alone, signers, "other").problems[0]
    rewrite(alone.parent, issued="2030-01-01")
    assert verify(alone).signer == ""
    assert "has not signed" in verify(alone, signers, "key").problems[0]


def test_a_certificate_names_the_code_it_was_issued_for(certified, tmp_path, monkeypatch):
    certificate, *_ = verify(certified)
    assert certificate.code == code_digest("claw_adapter.reference") != ""
    assert certificate.kit_code == code_digest("claw_adapter") == code_digest("claw_adapter.certify.judge")
    stranger = certificate.model_copy(update={"adapter": "nowhere-installed"})
    assert installed_otherwise(stranger) == []
    (note,) = installed_otherwise(stranger.model_copy(update={"kit_code": "0" * 64}))
    assert note.startswith("the kit that is installed here is other code")
    package = tmp_path / "some_adapter"
    package.mkdir()
    (package / "__init__.py").write_text("A = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    first = code_digest("some_adapter.inner:Thing")
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_bytes(b"0")
    assert code_digest("some_adapter") == first
    (package / "__init__.py").write_text("A = 2\n")
    assert code_digest("some_adapter") != first


def test_what_is_no_certificate_is_refused(tmp_path):
    (tmp_path / "certificate.json").write_text('{"payloadType": "application/vnd.in-toto+json", "payload": "e30="}')
    with pytest.raises(JournalError, match="not a certificate"):
        verify(tmp_path)
    (tmp_path / "certificate.json").write_text("{}")
    with pytest.raises(JournalError, match="not a certificate"):
        verify(tmp_path / "certificate.json")


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(JournalError, match=r"thesis\.tex"):
        prepare_folder(tmp_path)
    assert (tmp_path / "thesis.tex").exists()


def test_the_trials_key_is_nowhere_in_the_evidence(folder, bronze):
    for path in (*folder.rglob("*"), *bronze.rglob("*")):
        if path.is_file():
            assert not re.search(rb"claw-[A-Za-z0-9_-]{32}", path.read_bytes()), path


def test_an_honest_session_is_answered_by_its_script_and_any_other_reply_is_seen(bronze):
    (trial,) = load_run(of_plan(bronze).parents[1]).trials
    exchanges = list(read_transcript(of_plan(bronze) / "transcript.jsonl"))
    again = replay(trial.spec, exchanges)
    assert again.unlike == ""
    assert {(one.round, 1) for one in trial.rounds} <= again.meters.keys()
    for number in range(0, len(exchanges), 60):
        reply = dict(exchanges[number].reply or {}) | {"content": "Nobody drew this."}
        changed = [*exchanges]
        changed[number] = exchanges[number].model_copy(update={"reply": reply})
        said = f"of request {exchanges[number].number}, reply is not what was drawn"
        assert replay(trial.spec, changed).unlike == said
        changed[number] = exchanges[number].model_copy(update={"fault": "500", "reply": None})
        assert f"of request {exchanges[number].number}, fault, reply" in replay(trial.spec, changed).unlike
