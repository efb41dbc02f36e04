"""Promise: what cannot be read, written or shown is said in one message; what can be shown all the same is."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from claw_adapter.certify.certificate import Certificate
from claw_adapter.plugins import Plugin, PluginStatus
from support.commands import FAST, call, finished_run
from support.running import CLAW
from support.scenarios import write_scenario

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """What a call writes by default lies below the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A scenario of two rounds, and a finished run of it."""
    return finished_run(tmp_path_factory.mktemp("outputs"))


@pytest.fixture
def copy(finished, tmp_path):
    """A run that a test may damage."""
    return Path(shutil.copytree(finished[1], tmp_path / "copy"))


# what cannot be written


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_a_report_is_shown_when_its_page_cannot_be_written(copy, flags):
    (copy / "report.html").unlink()
    (copy / "report.html").mkdir()
    done = call("report", copy, *flags)
    assert done.code == 0, done.err
    assert "no page was written" in done.err
    assert "report.html" in done.err
    assert "small" in done.out
    assert "Round by round" not in done.out


@pytest.mark.parametrize(
    "argv",
    [
        ("new-adapter", "tiny", "--out", "{file}/x"),
        ("schema", "--out", "{file}/x"),
        ("compare", "{run}", "{run2}", "--html", "{file}/page.html"),
        ("tokens", "{scenario}", "--csv", "{file}/t.csv"),
        ("certify", "reference", "--out", "{file}/x"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_with_a_way_out(finished, copy, tmp_path, argv):
    (tmp_path / "file").write_text("")
    places = {"file": tmp_path / "file", "run": finished[1], "run2": copy, "scenario": finished[0]}
    done = call(*(part.format(**places) for part in argv))
    assert done.code == 2, done.err
    assert done.err.startswith("error: ")
    assert f"{tmp_path}/file" in done.err
    assert "/." not in done.err, "no temporary file, whose name says nothing"
    assert "Name a place below a folder." in done.err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output_is_no_success(finished):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([CLAW, "schema"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr == "stopped: No space left on device\n  Free some space on that disk, or write elsewhere.\n"


@pytest.mark.parametrize("argv", [("report", "{run}"), ("schema", "experiment"), ("report", "{run}", "--json")])
def test_a_closed_pipe_is_not_taken_for_unscored_rounds(finished, argv):
    read, write = os.pipe()
    os.close(read)
    command = [CLAW, *(part.format(run=finished[1]) for part in argv)]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_every_terminal_gets_its_output(finished, encoding):
    for argv in (("report", finished[1]), ("run", finished[0], *FAST, "--out", finished[1]), ("scenarios", "list")):
        done = call(*argv, encoding=encoding)
        assert done.code == 0, done.err
        assert done.out
    document = call("report", finished[1], "--json", encoding=encoding).out
    assert document.isascii()
    assert json.loads(document) == json.loads(call("report", finished[1], "--json").out)


def test_no_colour_where_none_is_wanted(monkeypatch):
    import click

    monkeypatch.setattr(click.utils, "should_strip_ansi", lambda *_: False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31m" in call("report", ".").err
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            assert "\x1b" not in call("report", ".").err


# what cannot be read


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": "run/1"}', '{"format": "run/1", "plan": {"trials": 3}}'])
@pytest.mark.parametrize("argv", [("report",), ("score",), ("compare",), ("run", "{scenario}", *FAST, "--out")])
def test_a_damaged_run_json_is_refused_by_every_command(finished, copy, text, argv):
    (copy / "run.json").write_text(text)
    done = call(*(part.format(scenario=finished[0]) for part in argv), copy)
    assert done.code == 3, done.err
    assert "run.json" in done.err
    assert len(done.err.splitlines()) == 2, "what, where, and the way out"
    assert "pydantic" not in done.err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_damaged_journal_stops_a_run_with_its_place(finished, copy, jobs):
    journal = next(copy.glob("trials/*/journal.jsonl"))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], b"x" + lines[1], *lines[2:]]))
    done = call("run", finished[0], *FAST, "--out", copy, "-j", jobs)
    assert done.code == 3, done.err
    assert f"{journal}:2" in done.err
    assert "--fresh" in done.err


def test_a_full_disk_during_a_run_names_the_file_once(finished, tmp_path, monkeypatch):
    from claw_adapter.runs.journal import Journal

    def full(_journal, _record):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "_append", full)
    done = call("run", finished[0], *FAST, "--out", tmp_path / "run")
    assert done.code == 5
    assert "journal.jsonl: No space left on device" in done.err
    assert "Free some space" in done.err
    assert "Traceback" not in done.err


# what is shown


def test_unscored_rounds_say_how_they_are_run_again(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}])
    model = {"name": "broken", "kind": "scripted", "script": [{"fault": "401"}]}
    harness = {"name": "reference", "options": {"mode": "in-process"}}
    asked = {"scenarios": [str(scenario)], "harnesses": [harness], "models": [model], "settings": {"isolation": 0}}
    (tmp_path / "e.yaml").write_text(json.dumps(asked))
    done = call("run", tmp_path / "e.yaml", "--out", tmp_path / "run", "-q")
    assert done.code == 1, done.err
    assert "--fresh" in done.out


def test_score_prints_the_metrics_as_json_too(finished):
    found = json.loads(call("score", finished[1], "--json").out)
    assert found["summary"]["rows"][0]["strict"]["tcr"] == 1


def test_check_says_what_it_leaves_out_and_how_to_mend_what_it_shows(tmp_path):
    for name in ("one", "two"):
        folder = write_scenario(tmp_path / name, [{"id": "r1"}])
        (folder / "rounds.yaml").write_text('{"rounds": [], "colour": 1}')
    done = call("check", tmp_path)
    assert done.code == 1
    assert "--verbose" in done.out
    assert "(add an item)" in done.out
    assert "--verbose" not in call("check", tmp_path, "-v").out


def test_a_plugin_that_is_ready_gets_no_advice(monkeypatch):
    state = PluginStatus(Plugin("tiny", "tiny", "1", "tiny"), ok=True, ready=True, remedy="pip install tiny")
    monkeypatch.setattr("claw_adapter.plugins.probe_all", lambda *_: [state])
    assert "pip install" not in call("plugins").out


def test_a_vendors_program_that_is_not_there_is_said_in_a_sentence(monkeypatch):
    monkeypatch.setenv("CLAW_PICOCLAW", "/no/such/program")
    done = call("frameworks", "doctor", "picoclaw")
    assert done.code == 1
    assert "is there – no: searched CLAW_PICOCLAW=/no/such/program" in done.out
    assert "claw frameworks install picoclaw" not in call("frameworks", "list").out


# certificates


@pytest.fixture(scope="module")
def certificate():
    """One of the first format, without an envelope, as it was published."""
    return ROOT / "tests/golden/certificates/format-1.json"


def test_a_certificate_is_held_against_what_was_asked_for(certificate, tmp_path):
    own = call("certify", "nanobot", "--verify", certificate, "--level", "gold")
    assert own.code == 1
    wrong = [line for line in own.out.splitlines() if line.startswith("✗")]
    assert wrong == ["✗ consistent, not attested: nobody has signed it"]
    other = call("certify", "openclaw", "--verify", certificate)
    assert other.code == 1
    assert "not of openclaw" in other.out
    assert json.loads(call("certify", "openclaw", "--verify", certificate, "--json").out)["problems"]
    lower = json.loads(certificate.read_text()) | {"level": "bronze"}
    (tmp_path / "certificate.json").write_text(json.dumps(lower))
    assert "gold was asked for" in call("certify", "nanobot", "--verify", tmp_path, "--level", "gold").out
    assert "was asked for" not in call("certify", "nanobot", "--verify", tmp_path, "--level", "bronze").out
    wrong = call("certify", "--verify", certificate, "--deadline", "3", "--isolation", "1")
    assert wrong.code == 2
    assert "--deadline, --isolation" in wrong.err


def test_a_certificate_says_with_which_options_it_was_earned(certificate, tmp_path):
    made = Certificate.model_validate_json(certificate.read_text())
    assert made.digest == made.computed(), "one of before, without options, goes on holding"
    (tmp_path / "certificate.json").write_text(made.model_copy(update={"options": {"mode": "pty"}}).model_dump_json())
    for asked, said in (("nanobot", ""), ("nanobot:mode=pty", ""), ("nanobot:mode=serve", "not of nanobot:mode=serve")):
        unlike = [line for line in call("certify", asked, "--verify", tmp_path).out.splitlines() if "not of" in line]
        assert unlike == ([f"✗ it is a certificate of nanobot:mode=pty, {said}"] if said else [])


@pytest.mark.parametrize("what", ["folder", "text", "bytes"])
def test_what_is_no_certificate_is_said_in_one_line(tmp_path, what):
    path = tmp_path / "c.json"
    path.write_bytes({"text": b"host\n", "bytes": b"\xff\xfe", "folder": b""}[what])
    done = call("certify", "--verify", tmp_path if what == "folder" else path)
    assert done.code == 3
    assert len(done.err.splitlines()) == 2
    assert "certificate.json" in done.err
    assert "pydantic" not in done.err
    assert "Errno" not in done.err


def test_a_wrong_baseline_is_said_without_pydantic(tmp_path):
    (tmp_path / "b.toml").write_text('[[expected]]\ncheck = "SEED-008"\n')
    done = call("certify", "reference", "--baseline", tmp_path / "b.toml", "--out", tmp_path / "out")
    assert done.code == 2
    assert "expected.0.reason: it is missing" in done.err
    assert "pydantic" not in done.err


def test_what_the_page_is_to_show_beside_is_read_before_the_checks(tmp_path):
    (tmp_path / "empty").mkdir()
    done = call("certify", "reference", "--matrix-with", tmp_path / "empty", "--out", tmp_path / "out")
    assert done.code == 3
    assert not (tmp_path / "out").exists()


# comparing models


def test_models_under_one_harness_are_compared_when_that_is_asked_for(finished, tmp_path):
    two = ("-m", "reader", "-m", "reader:hasty")
    assert call("run", finished[0], *FAST, *two, "--out", tmp_path / "run").code == 0
    refused = call("compare", tmp_path / "run")
    assert refused.code == 3
    assert "--between model" in refused.err
    done = call("compare", tmp_path / "run", "--between", "model")
    assert done.code == 0, done.err
    assert done.out.startswith("Comparison between models of 2 rows in 1 pair")
    assert "do not quote" not in done.out
    found = json.loads(call("compare", tmp_path / "run", "--between", "model", "--json").out)
    assert (found["between"], found["pairs"][0]["mixed"], len(found["pairs"])) == ("model", [], 1)


def test_models_are_not_compared_across_harnesses_or_conditions(finished, tmp_path):
    other = ("-H", "reference:mode=in-process", "--isolation", "0", "-q", "-m", "reader:hasty", "--deadline", "9")
    assert call("run", finished[0], *other, "--out", tmp_path / "other").code == 0
    refused = call("compare", finished[1], tmp_path / "other", "--between", "model")
    assert refused.code == 3
    assert "deadline" in refused.err
    assert "model.policy" not in refused.err
