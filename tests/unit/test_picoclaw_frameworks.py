"""A vendor's program as a framework: found through its variable or PATH, and checked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from claw_adapter.errors import HarnessNotFound
from claw_adapter.frameworks import Framework, doctor, find_binary, install, locate, remove, reported_version

TEXT = """
name = "tiny-tool"
title = "Tiny"
version = "2.1"
kind = "binary"
requirement = "release 2.1"
check = ["{program}", "version"]
version_pattern = "tiny (\\\\S+)"
licence = "MIT"
homepage = "https://example.org"
"""


@pytest.fixture
def spec(tmp_path, monkeypatch) -> Framework:
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    monkeypatch.delenv("CLAW_TINY_TOOL", raising=False)
    (tmp_path / "framework.toml").write_text(TEXT)
    return Framework.load(tmp_path / "framework.toml")


def program(path: Path, body: str = "echo '\x1b[1mtiny 2.1\x1b[0m'") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_a_missing_program_is_one_clear_instruction(spec, tmp_path):
    assert locate(spec) is None
    with pytest.raises(HarnessNotFound) as caught:
        install(spec, home=tmp_path / "home")
    assert caught.value.remedy == (
        "Put the vendor's program 'tiny-tool' (release 2.1, https://example.org) on PATH, "
        "or set CLAW_TINY_TOOL to where it is."
    )
    (finding,) = doctor(spec)
    assert not finding.ok
    assert finding.remedy == caught.value.remedy
    assert not (tmp_path / "home").exists()


def test_a_program_on_path_is_there_and_nothing_is_written(spec, tmp_path):
    real = program(tmp_path / "opt" / "tiny-tool")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "tiny-tool").symlink_to(real)
    there = install(spec, home=tmp_path / "home")
    assert there == locate(spec) == find_binary(spec)
    assert there.path == real, "links are not shown inside the isolation"
    assert there.readable == (real, real)
    assert all(finding.ok for finding in doctor(spec)), doctor(spec)
    assert not remove(spec, home=tmp_path / "home")
    assert real.exists()
    assert not (tmp_path / "home").exists()


def test_the_variable_comes_first_and_a_wrong_one_is_not_passed_over(spec, tmp_path, monkeypatch):
    program(tmp_path / "bin" / "tiny-tool")
    other = program(tmp_path / "other")
    monkeypatch.setenv("CLAW_TINY_TOOL", str(other))
    assert find_binary(spec).path == other
    monkeypatch.setenv("CLAW_TINY_TOOL", str(tmp_path / "nothing"))
    assert find_binary(spec) is None
    assert "CLAW_TINY_TOOL=" in doctor(spec)[0].detail


@pytest.mark.parametrize(
    ("body", "ok", "detail"),
    [
        ("echo tiny 2.1", True, "2.1"),
        ("echo tiny 3.0", True, "tested with 2.1"),
        ("echo something else", False, "it does not"),
        ("echo broken >&2; exit 3", False, "broken"),
    ],
)
def test_the_doctor_runs_the_check_and_says_which_version_it_is(spec, tmp_path, body, ok, detail):
    program(tmp_path / "bin" / "tiny-tool", body)
    *_, last = doctor(spec)
    assert last.ok is ok
    assert detail in last.detail
    assert bool(last.remedy) is not ok


def test_the_version_is_asked_without_our_environment(spec, tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    path = program(tmp_path / "bin" / "tiny-tool", 'test -z "$SECRET" && touch "$HOME/x" && echo tiny ok')
    assert reported_version(spec, path) == "ok"
    assert reported_version(spec, tmp_path / "nothing") == ""


def test_the_command_line_ends_with_4_and_the_instruction(tmp_path, monkeypatch):
    from claw_adapter.frameworks import frameworks

    if not any(framework.name == "picoclaw" for framework in frameworks()):
        pytest.skip("claw-adapter-picoclaw is not installed")
    monkeypatch.setenv("CLAW_PICOCLAW", str(tmp_path / "nothing"))
    argv = [sys.executable, "-c", "from claw_adapter.cli import main; main()", "frameworks", "install", "picoclaw"]
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert done.returncode == 4
    assert "names no working PicoClaw: correct or unset it" in done.stderr
