"""`claw frameworks outdated`: the registry's own client is asked, and what it says is compared with what is pinned."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from claw_adapter.cli.frameworks import command
from claw_adapter.frameworks import describe, newest
from claw_adapter.frameworks.errors import InstallFailed

SAID = {"nanobot": "nanobot-ai==9.9.9\n", "claude-code": "9.9.9\n"}


@pytest.fixture
def asked(monkeypatch):
    """Clients that say one version of everything; the command lines that they were started with."""
    lines: list[list[str]] = []

    def execute(argv, what, *, verbose, cwd):
        lines.append([*argv, *(path.read_text() for path in cwd.glob("*.in"))])
        return SAID["nanobot" if "compile" in argv else "claude-code"]

    monkeypatch.setattr(newest, "execute", execute)
    monkeypatch.setattr(newest, "uv", lambda: "uv")
    monkeypatch.setattr(newest, "locate", lambda framework: None)
    monkeypatch.setattr(newest.shutil, "which", lambda name: name)
    return lines


@pytest.mark.parametrize(
    ("name", "package"), [("nanobot", "nanobot-ai\n"), ("claude-code", "@anthropic-ai/claude-code")]
)
def test_the_package_is_asked_for_without_its_version(asked, name, package):
    assert newest.newest_version(describe(name)) == "9.9.9"
    assert package in asked[0]


def test_what_is_behind_is_said(asked, monkeypatch):
    pinned = describe("nanobot").version
    monkeypatch.setitem(SAID, "nanobot", f"nanobot-ai=={pinned}\n")
    shown = CliRunner().invoke(command, ["outdated", "nanobot", "claude-code", "--json"], standalone_mode=False)
    rows = {row["name"]: row for row in json.loads(shown.stdout)}
    assert (rows["nanobot"]["outdated"], rows["claude-code"]["outdated"]) == (False, True)
    assert rows["claude-code"]["newest"] == "9.9.9"


def test_a_vendor_s_program_is_in_no_registry_and_no_answer_is_no_version(asked, monkeypatch):
    assert newest.newest_version(SimpleNamespace(kind="binary")) == ""
    monkeypatch.setattr(newest, "execute", lambda *argv, **more: "nothing")
    with pytest.raises(InstallFailed, match="names no version"):
        newest.newest_version(describe("nanobot"))
