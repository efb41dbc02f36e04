"""`claw new-adapter` writes a package that is in good form and passes Bronze as it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from claw_adapter.certify.requirements import load
from claw_adapter.cli import new_adapter
from claw_adapter.cli.new_adapter import skeleton
from support.running import claw

sys.path.insert(0, str(Path(__file__).parent))
import adapters

TOOLS = Path(sys.executable).parent


@pytest.mark.slow(15)
def test_a_new_adapter_for_a_terminal_passes_at_once_all_of_bronze_but_its_drawn_session(tmp_path):
    """That of a process passes the whole of it in test_tutorial.py; a terminal's prompts are in tests/faults/test_pty_*.py."""
    env = adapters.environment(tmp_path)
    adapters.call("claw", "new-adapter", "my-agent", "--terminal", cwd=tmp_path, env=env)
    adapters.call("pip", "install", "-e", "claw-adapter-my-agent[test]", cwd=tmp_path, env=env)
    asked = [check for check in load().bronze if not check.startswith("PLAN")]
    only = [word for check in asked for word in ("--only", check)]
    done = adapters.call("claw", "certify", "my-agent", *only, "--json", cwd=tmp_path, env=env)
    results = json.loads(done.stdout)["results"]
    assert {result["id"]: result["outcome"] for result in results} == dict.fromkeys(asked, "passed")


@pytest.mark.slow
def test_its_code_is_in_good_form_and_typed(tmp_path):
    """Both kinds at once: most of the time goes to the types of what they import."""
    made = {"tiny": (), "screen": ("--terminal",)}
    for name, options in made.items():
        claw("new-adapter", name, "--out", tmp_path / name, *options)
    sources = [tmp_path / name / "src" for name in made]
    for argv in (
        [TOOLS / "ruff", "check", "--no-cache", "--isolated", "--line-length", "120", *sources],
        [TOOLS / "ruff", "format", "--no-cache", "--isolated", "--line-length", "120", "--check", tmp_path],
        [
            TOOLS / "mypy",
            "--strict",
            "--config-file=",
            f"--cache-dir={tmp_path}/mypy",
            *(tmp_path / name / "src" / f"claw_adapter_{name}" for name in made),
        ],
    ):
        env = {**os.environ, "MYPYPATH": os.pathsep.join(map(str, sources))}
        done = subprocess.run(argv, capture_output=True, text=True, check=False, env=env, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_name_is_in_every_place_and_in_its_spelling():
    files = skeleton("my-agent")
    text = "\n".join([*files, *files.values()])
    assert "tiny" not in text.lower()
    for spelling in ("claw_adapter_my_agent", "claw-adapter-my-agent", "MyAgent", "MY_AGENT_KEY"):
        assert spelling in text


@pytest.mark.parametrize("name", ["My", "a--b", "-a", "a_b", "1a", "a-", "../a", ""])
def test_what_is_no_name_is_refused(tmp_path, name):
    done = claw("new-adapter", "--", name, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert "is not a valid name" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "instead"), [("reference", ""), ("nanobot", " Or first: pip uninstall claw-adapter-nanobot")]
)
def test_the_name_of_an_installed_plugin_is_refused_with_the_way_out(tmp_path, name, instead):
    done = claw("new-adapter", name, check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert f"{name!r} is the name of a plugin that is installed, from claw-adapter" in done.stderr
    assert done.stderr.endswith(f"Choose another name.{instead}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    (tmp_path / "claw-adapter-x").mkdir()
    (tmp_path / "claw-adapter-x" / "thesis.tex").write_text("years of work")
    done = claw("new-adapter", "x", check=False, cwd=tmp_path)
    assert done.returncode == 2
    assert [path.name for path in (tmp_path / "claw-adapter-x").iterdir()] == ["thesis.tex"]


REPOSITORY = "claw-adapter @ git+https://example.org/o/claw-adapter"


@pytest.mark.parametrize(
    ("told", "remote", "source"),
    [
        (None, "", "claw-adapter"),
        ({"url": "https://example.org/claw_adapter-0.1.0-py3-none-any.whl", "archive_info": {}}, "", "claw-adapter"),
        (
            {"url": "https://me:secret@example.org/o/claw-adapter", "vcs_info": {"commit_id": "a1"}},
            "",
            f"{REPOSITORY}@a1#subdirectory=core",
        ),
        (
            {"url": "file:///src/core", "dir_info": {}},
            "git@example.org:o/claw-adapter",
            f"{REPOSITORY}#subdirectory=core",
        ),
        ({"url": "file:///src/core", "dir_info": {}}, "/somewhere/else", "claw-adapter"),
    ],
    ids=["registry", "wheel", "repository", "checkout", "checkout of a folder"],
)
def test_its_workflow_installs_claw_adapter_from_where_it_is(monkeypatch, told, remote, source):
    found = SimpleNamespace(read_text=lambda _name: json.dumps(told) if told else None)
    monkeypatch.setattr(new_adapter, "distribution", lambda _name: found)
    monkeypatch.setattr(new_adapter, "_remote", lambda _folder: remote)
    assert new_adapter.origin() == source
    text = skeleton("tiny", source=source)[".github/workflows/certify.yml"]
    made = yaml.safe_load(text)
    scenarios = source.replace("claw-adapter", "claw-adapter-scenarios", 1).replace("=core", "=scenarios/clawarena")
    assert made["env"] == {"CLAW_ADAPTER": source, "CLAW_SCENARIOS": scenarios}
    installs = 'pip install "$CLAW_ADAPTER" "$CLAW_SCENARIOS" -e'
    assert any(step.get("run", "").startswith(installs) for step in made["jobs"]["certify"]["steps"])
