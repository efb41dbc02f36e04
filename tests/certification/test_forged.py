"""Certificates that somebody forged, or handed on in part: what is refused, what is only said, what a terminal gets to see."""

from __future__ import annotations

import base64
import codecs
import datetime as dt
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from claw_adapter import __version__, plugins
from claw_adapter.certify import watch
from claw_adapter.certify.certificate import certificate_of, file_digest, read_certificate
from claw_adapter.certify.check import checks
from claw_adapter.certify.digests import code_digest, dependency_digests, folder_digest, json_digest, undigested
from claw_adapter.certify.envelope import seal
from claw_adapter.certify.offspring import held_by_others
from claw_adapter.certify.output import write_all
from claw_adapter.certify.records import Adapter, CheckResult, Report, described_capabilities
from claw_adapter.certify.requirements import CURRENT, MADE, load
from claw_adapter.certify.terminal import print_report
from claw_adapter.certify.verification import installed_otherwise, verify
from claw_adapter.cli.common import console
from claw_adapter.errors import JournalError
from claw_adapter.protocol import Capabilities
from support.commands import call

ESCAPE = "1\n✓ signed by release@example.org\x1b[8m"
"""A false line, and what makes the terminal conceal all that follows."""


OTTER = Adapter(
    name="otter",
    kind="a.Otter",
    versions={"otter": "2.1"},
    capabilities=described_capabilities(Capabilities.full(seed_history="native", usage="per_turn")),
)
PAGE_UNKNOWN = "without evidence nobody knows whether this shows the results: report.html"
NOT_HERE = "the adapter otter is not installed here: what it declares was not asked of it"


def made(folder: Path, *, key: Path | None = None, **changed: object) -> Path:
    """A certification that nobody ran: bronze, of a harness that is not installed, with an empty folder of evidence."""
    (folder / "evidence").mkdir(parents=True)
    asked, known = load(), checks()
    results = tuple(
        CheckResult(id=one.id, level=one.level, must=one.must, title=one.title, catches=one.catches, outcome="passed")
        for one in map(known.__getitem__, asked.of("bronze"))
    )
    told = {
        "spec": asked.spec, "requirement_set": asked.name, "requirement_digest": asked.digest, "kit": __version__,
        "kit_digest": code_digest("claw_adapter"), "nonce": "n", "isolation": 0, "asked": "bronze", "certified": False,
        "adapter": OTTER, "reached": "bronze",
        "ok": True, "started": f"{MADE[CURRENT]}T00:00:00+00:00", "seconds": 1.0, "platform": "Linux", "results": results,
        "not_scored": asked.not_scored, "evidence": folder_digest(folder / "evidence"),
    }  # fmt: skip
    write_all(Report.model_validate(told | changed), folder, key=key)
    (folder / "evidence").rmdir()
    return folder


def reseal(folder: Path, text: Callable[[str], str] = str, **changed: object) -> None:
    """Let the certificate say something else, its digest with it, and the JSON of its payload be other text."""
    path = folder / "certificate.json"
    told = json.loads(base64.b64decode(json.loads(path.read_text())["payload"]))["predicate"] | changed
    told["digest"] = json_digest({name: value for name, value in told.items() if name != "digest"})
    envelope = seal(told, None).model_dump(mode="json", by_alias=True)
    payload = text(base64.b64decode(envelope["payload"]).decode())
    path.write_text(json.dumps(envelope | {"payload": base64.b64encode(payload.encode()).decode()}))


def test_what_was_handed_on_in_part_holds_as_far_as_it_goes(tmp_path):
    folder = made(tmp_path / "c")
    assert verify(folder)[1:] == ([], "", (), (PAGE_UNKNOWN, NOT_HERE))
    for name in ("report.html", "junit.xml", "badge.json"):
        (folder / name).unlink()
    assert verify(folder)[1:] == ([], "", (), ("not here, not checked: badge.json, junit.xml, report.html", NOT_HERE))
    told = call("certify", "--verify", folder).out
    assert "certificate, results belong together and are unchanged" in told
    assert "  not here, not checked: badge.json, junit.xml, report.html" in told
    (folder / "report.json").unlink()
    assert verify(folder).problems == []


@pytest.mark.parametrize("name", ["badge.svg", "badge.json", "report.html", "junit.xml"])
def test_what_is_there_is_held_against_its_digest_without_the_report_too(tmp_path, name):
    folder = made(tmp_path / "c")
    (folder / "report.json").unlink()
    (folder / name).write_text((folder / name).read_text().replace("bronze", "gold"))
    assert f"{name} was changed after the certificate was issued" in verify(folder).problems
    (folder / name).unlink()
    (folder / name).mkdir()
    assert f"{name} is no file" in verify(folder).problems


@pytest.mark.parametrize("name", ["report.html", "report.json", "certificate.json", "evidence"])
def test_what_lies_beside_a_certificate_is_no_link(tmp_path, name):
    folder = made(tmp_path / "c")
    (folder / "evidence").mkdir(exist_ok=True)
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    assert f"{name} is a link" in verify(folder).problems


@pytest.mark.parametrize("name", ["report.json", "certificate.json"])
def test_no_kit_writes_a_byte_order_mark(tmp_path, name):
    folder = made(tmp_path / "c")
    (folder / name).write_bytes(codecs.BOM_UTF8 + (folder / name).read_bytes())
    assert f"{name} begins with a byte order mark" in verify(folder).problems


def test_evidence_without_the_report_is_held_against_its_digest(tmp_path):
    folder = made(tmp_path / "c")
    (folder / "report.json").unlink()
    (folder / "evidence").mkdir()
    assert verify(folder).problems == []
    (folder / "evidence" / "more").write_text("")
    assert verify(folder).problems == ["the evidence was changed, or is not all there"]


@pytest.mark.parametrize("other", [{"kit_digest": "0" * 64}, {"kit": "9.9.9"}], ids=["code", "version"])
def test_another_kit_is_said_in_words_and_its_files_are_held_against_their_digests(tmp_path, other):
    folder = made(tmp_path / "c", **other)
    (folder / "evidence").mkdir()
    _, problems, _, derived, notes = verify(folder)
    assert (problems, derived) == ([], ())
    assert notes[0].startswith(f"made by another kit: claw-adapter {other.get('kit', __version__)}, code ")
    assert "its sessions are not drawn again: install that kit to draw them again" in notes[0]
    (folder / "report.html").write_text("gold")
    assert verify(folder).problems == ["report.html was changed after the certificate was issued"]


def test_a_badge_says_the_level_of_its_certificate_whoever_made_it(tmp_path):
    folder = made(tmp_path / "c", kit="9.9.9")
    text = (folder / "badge.svg").read_text().replace("bronze", "gold")
    (folder / "badge.svg").write_text(text)
    reseal(folder, files={})
    _, problems, *_, notes = verify(folder)
    assert problems == ["badge.svg does not show the level bronze"]
    assert notes[0] == "no part of the certificate: badge.json, badge.svg, junit.xml, report.html"


LATER = (dt.datetime.now(dt.UTC) + dt.timedelta(days=3)).isoformat()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"spec": "claw/2"}, "it is of the specification claw/2, this kit is of claw/1"),
        ({"issued": LATER}, f"it was issued at {LATER}, which is still to come"),
        ({"issued": "2031-01-01"}, "it was issued at 2031-01-01, which is still to come"),
        (
            {"issued": "1999-01-01T00:00:00+00:00"},
            f"it was issued at 1999-01-01T00:00:00+00:00, before there was the set {CURRENT} ({MADE[CURRENT]})",
        ),
        ({"issued": "soon"}, "it was issued at 'soon', which is no time"),
    ],
    ids=["specification", "day", "date", "before its set", "no time"],
)
def test_another_specification_and_a_day_to_come_are_refused(tmp_path, changed, said):
    folder = made(tmp_path / "c")
    reseal(folder, **changed)
    assert said in verify(folder).problems


TWICE = "'level' stands there twice"
BROKEN = "it has a line break or a control character in it"


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        (partial(reseal, text=lambda text: text.replace('"level"', '"level": "gold", "level"', 1)), TWICE),
        (partial(reseal, nonce=ESCAPE), f"nonce: {BROKEN}"),
        (partial(reseal, versions={"otter": ESCAPE}), f"versions: {BROKEN}"),
        (partial(reseal, versions={ESCAPE: "1"}), f"versions: {BROKEN}"),
        (partial(reseal, options={"a": [{"b": ESCAPE}]}), f"options: {BROKEN}"),
        (partial(reseal, files={"a\u2028b": ""}), f"files: {BROKEN}"),
        (partial(reseal, files={"../../proc/kmsg": ""}), "files: it names what does not lie beside it"),
        (partial(reseal, files={"x" * 256: ""}), "files: it names what does not lie beside it"),
        (partial(reseal, issued="2026-01-01\t"), f"issued: {BROKEN}"),
        (partial(reseal, adapter="a\u202eb"), f"adapter: {BROKEN}"),
        (partial(reseal, **{ESCAPE: 1}), "there is no such field"),
        (partial(reseal, text=lambda text: text.replace('"code"', '"cod"', 1)), "does not say what a certificate says"),
        (
            partial(reseal, text=lambda text: text.replace('"programs": {}', '"programs": []')),
            "not say what a certificate",
        ),
    ],
)
def test_a_certificate_that_no_kit_writes_is_malformed_and_prints_nothing_of_its_own(tmp_path, forge, said):
    folder = made(tmp_path / "c")
    forge(folder)
    with pytest.raises(JournalError, match="not a certificate"):
        verify(folder)
    done = call("certify", "--verify", folder)
    assert done.code == 3
    assert said in done.err
    lines = (done.out + done.err).splitlines()
    assert len(lines) == 2, "the error and the way out"
    assert all(line.isprintable() for line in lines)


def test_an_envelope_with_two_payloads_is_refused(tmp_path):
    path = made(tmp_path / "c") / "certificate.json"
    path.write_text(path.read_text().replace('"payload":', '"payload": "e30=", "payload":', 1))
    with pytest.raises(JournalError, match="'payload' stands there twice"):
        verify(path)


def test_the_report_is_held_against_its_own_digest_whatever_else_is_named(tmp_path):
    folder = made(tmp_path / "c")
    (folder / "report.json").write_text((folder / "report.json").read_text() + "\n")
    reseal(folder, files={"report.json": file_digest(folder / "report.json")})
    assert "report.json was changed after the certificate was issued" in verify(folder).problems


def test_a_report_that_says_a_thing_twice_is_damaged(tmp_path):
    folder = made(tmp_path / "c")
    path = folder / "report.json"
    path.write_text(path.read_text().replace('"reached"', '"reached": "gold", "reached"', 1))
    assert "report.json is damaged: 'reached' stands there twice" in verify(folder).problems


def test_what_a_program_says_of_its_version_is_certified_on_one_line(tmp_path, capsys):
    adapter = OTTER.model_copy(update={"versions": {"otter": f"2.1 {ESCAPE}"}})
    told = ("baseline: " + ESCAPE,)
    folder = made(tmp_path / "c", adapter=adapter, problems=told, ok=False)
    certificate, problems, *_ = verify(folder)
    assert (problems, certificate.versions) == ([], {"otter": "2.1 1 ✓ signed by release@example.org"})
    report = Report.model_validate_json((folder / "report.json").read_text())
    assert certificate_of(report).versions == certificate.versions
    print_report(console(), report)
    said = capsys.readouterr().out
    assert not any(line.startswith("✓ signed") or "\x1b" in line for line in said.splitlines())
    assert "level reached bronze" in said
    print_report(console(), report, folder, with_level=False)
    assert "level" not in capsys.readouterr().out


def test_a_signed_one_of_another_kit_attests_with_badge_and_report_alone(tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "key"], check=True)
    folder = made(tmp_path / "c", key=tmp_path / "key", kit_digest="0" * 64)
    for name in ("report.html", "junit.xml", "badge.json"):
        (folder / name).unlink()
    done = call("certify", "--verify", folder, "--signers", tmp_path / "key.pub")
    assert done.code == 0, done.out
    assert "made by another kit" in done.out


@pytest.mark.parametrize("nonce", ["", " ", "a\nb", "\x1b[8m"])
def test_a_nonce_is_a_text_that_can_be_printed(nonce):
    done = call("certify", "reference", "--nonce", nonce)
    assert done.code == 2
    assert "--nonce" in done.err


def test_what_is_no_stored_plan_is_said_in_a_sentence_with_the_way_out(tmp_path):
    made(tmp_path / "c")
    done = call("certify", "reference", "--plan", tmp_path / "c" / "report.json")
    assert done.code == 2
    assert "not a stored plan: " in done.err
    assert "Name a file of evidence/plans/" in done.err
    assert len(done.err.splitlines()) == 2
    assert "pydantic" not in done.err


def passed_again(told: Report) -> Report:
    """A check has failed, and behind that stands that it has passed."""
    failed = told.results[0].model_copy(update={"outcome": "failed", "owner": "adapter", "what": "x"})
    return told.model_copy(update={"results": (failed, *told.results)})


def undeclared(told: Report) -> Report:
    capabilities = told.adapter.capabilities | {"turns": "unsupported: it cannot"}
    return told.model_copy(update={"adapter": told.adapter.model_copy(update={"capabilities": capabilities})})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (passed_again, "LIFE-001 stands twice among the results"),
        (passed_again, "what the report says of ok does not follow"),
        (lambda told: told.model_copy(update={"ok": False}), "what the report says of ok does not follow"),
        (lambda told: told.model_copy(update={"problems": ("rot",)}), "what the report says of problems does not"),
        (lambda told: told.model_copy(update={"not_scored": {}}), "what the report says of not_scored does not"),
        (undeclared, "TURN-003 is said to have passed, and by what is declared it does not apply: turns: unsupported"),
        (
            lambda told: told.model_copy(
                update={"adapter": told.adapter.model_copy(update={"capabilities": {"turns": "since"}})}
            ),
            "what the report says of capabilities cannot be read",
        ),
        (lambda told: told.model_copy(update={"seconds": float("inf")}), "report.json is damaged"),
        (lambda told: told.model_copy(update={"seconds": float("nan")}), "report.json is damaged"),
    ],
    ids=["twice", "twice and ok", "ok", "problems", "not scored", "undeclared", "unreadable", "infinite", "no number"],
)
def test_a_report_is_held_against_its_own_results_and_declarations(tmp_path, change, said):
    folder = made(tmp_path / "c")
    report = change(Report.model_validate_json((folder / "report.json").read_text()))
    (folder / "evidence").mkdir()
    write_all(report, folder)
    (folder / "report.json").write_text(json.dumps(report.model_dump()))  # with what no kit writes
    reseal(folder, report=file_digest(folder / "report.json"))
    assert any(problem.startswith(said) for problem in verify(folder).problems), verify(folder).problems


@pytest.mark.parametrize(
    "put",
    [
        lambda path: path.symlink_to("/etc"),
        lambda path: path.symlink_to("."),
        lambda path: path.symlink_to("/nowhere"),
        lambda path: path.symlink_to("one"),
        os.mkfifo,
        Path.mkdir,
        lambda path: (path.parent / "__pycache__").mkdir(),
    ],
    ids=["folder", "loop", "nowhere", "file", "pipe", "empty folder", "byte code"],
)
def test_evidence_is_files_and_nothing_else(tmp_path, put):
    folder = tmp_path / "c"
    (folder / "evidence").mkdir(parents=True)
    (folder / "evidence" / "one").write_text("1")
    put(folder / "evidence" / "two")
    digest = folder_digest(folder / "evidence")
    shutil.copytree(folder / "evidence", tmp_path / "kept", symlinks=True, ignore=lambda *_: ["two", "__pycache__"])
    shutil.rmtree(folder)
    made(folder)
    shutil.copytree(tmp_path / "kept", folder / "evidence")
    reseal(folder, evidence=digest)
    put(folder / "evidence" / "two")
    assert any(one.startswith("evidence is files and nothing else, and") for one in verify(folder).problems)


def test_results_are_in_the_order_of_the_checks_and_name_no_turn_twice(tmp_path):
    report = json.loads((made(tmp_path / "c") / "report.json").read_text())
    turn = {"round": "TURN-001.1", "trial": "one"}
    for results, what in (
        (report["results"][::-1], "its results are in another order than the kit makes the checks"),
        (
            [{**one, "turns": [turn, turn]} for one in report["results"]],
            f"{report['results'][0]['id']} names a turn twice",
        ),
    ):
        shutil.rmtree(tmp_path / "c")
        assert what in verify(made(tmp_path / "c", results=results)).problems


def test_a_certificate_names_no_file_that_no_certification_has(tmp_path):
    folder = made(tmp_path / "c")
    (folder / "evil.txt").write_text("evil")
    files = {**read_certificate(folder / "certificate.json")[0].files, "evil.txt": file_digest(folder / "evil.txt")}
    reseal(folder, files=files)
    assert "it names a file that no certification has: evil.txt" in verify(folder).problems


def test_whatever_else_lies_beside_a_certificate_is_named(tmp_path):
    folder = made(tmp_path / "c")
    (folder / "badge-gold.svg").write_text("gold")
    assert verify(folder).notes == (PAGE_UNKNOWN, "no part of the certificate: badge-gold.svg", NOT_HERE)
    for number in range(12):
        (folder / f"x{number:02}").write_text("")
    assert verify(folder).notes[1].endswith("x08 and 3 more")


def test_a_dependency_that_is_left_out_is_named(tmp_path):
    points = plugins.entry_points("reference")
    (name, digest), *others = dependency_digests(points[0].distribution).items()
    adapter = OTTER.model_copy(update={"name": "reference", "dependencies": dict(others)})
    certificate = verify(made(tmp_path / "c", adapter=adapter)).certificate
    notes = installed_otherwise(certificate)
    assert f"the adapter that is installed here requires {name}, which the certificate does not name" in notes
    whole = certificate.model_copy(update={"dependencies": {name: digest, **certificate.dependencies}})
    assert not any("requires" in note for note in installed_otherwise(whole))


def test_what_another_process_holds_is_not_left_by_a_harness(tmp_path, monkeypatch):
    """A verification beside a certification lays out the same drawn session, in a folder of its own that it holds open."""
    monkeypatch.setattr(watch, "SHARED", ())
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code = (
        "from claw_adapter.folders import scratch\n"
        f"with scratch('other-', __import__('pathlib').Path({str(tmp_path)!r})) as folder:\n"
        "    (folder / 'a').write_text('words of the session'); print(folder, flush=True); input()"
    )
    # a shell in between that ends at once, so that it does not descend from us
    pipe = tmp_path / "end"
    os.mkfifo(pipe)
    told = tmp_path / "told.log"
    subprocess.run(["setsid", "sh", "-c", f'"$0" -c "$1" <{pipe} >{told} &', sys.executable, code], check=True)
    with pipe.open("w") as end:
        while not (told.exists() and told.read_text().strip()):
            time.sleep(0.05)
        folder = Path(told.read_text().strip())
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "a").write_text("words of the session")
        assert held_by_others(tmp_path) >= {folder}
        assert watch.traces_outside(["words of the session"], 0) == [mine]
        end.write("\n")
    while folder.exists():
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("older/a", "the first line that was said\n", True),
        ("a", "he said: the first line that was said", True),
        ("a", "a report: in turn 3 a line was missing, which is: the first line that was said", False),
        ("a", "the first line that was said, the second, and the third, among many other words " * 2, True),
        ("a", "nothing of that", False),
    ],
)
def test_what_holds_little_but_words_of_a_session_is_left_of_it_in_older_folders_too(
    tmp_path, monkeypatch, name, text, found
):
    folder = tmp_path / "place"
    (folder / "older").mkdir(parents=True)
    monkeypatch.chdir(folder)
    began = time.time() - 1
    (folder / name).write_text(text)
    os.utime(folder / "older", (1, 1))
    marks = ["the first line that was said", "the second", "the third"]
    assert [one for one in watch.traces_outside(marks, began, least=3) if folder in one.parents] == (
        [folder / name] if found else []
    )


def test_a_name_that_is_no_text_can_stand_in_no_digest_and_is_said(tmp_path):
    (tmp_path / "one").touch()
    (tmp_path / "\udcff").touch()
    assert undigested(tmp_path) == ["\\udcff"]
