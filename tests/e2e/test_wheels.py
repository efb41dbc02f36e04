"""Built wheels work in a bare environment outside the workspace, a third-party plugin among them."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from claw_adapter.certify.requirements import load

sys.path.insert(0, str(Path(__file__).parent))
from picoclaw_context import standin

pytestmark = pytest.mark.slow(40)
ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
MEMBERS = [
    "core",
    "scenarios/clawarena",
    "plugins/claude-code",
    "plugins/llamacpp",
    "plugins/metaclaw",
    "plugins/nanobot",
    "plugins/openclaw",
    "plugins/picoclaw",
    "plugins/vllm",
    "scenarios/clawforge",
    "scenarios/published",
]


def run(*argv: str | Path, **more) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*map(str, argv)], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{argv}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A virtual environment with our wheels and what they ask for, nothing else."""
    folder = tmp_path_factory.mktemp("bare")
    run(Path(sys.executable).with_name("claw"), "new-adapter", "tiny", "--out", folder / "claw-adapter-tiny")
    for member in [*(ROOT / name for name in MEMBERS), folder / "claw-adapter-tiny"]:
        run(
            UV,
            "build",
            "--quiet",
            "--wheel",
            "--no-build-isolation",
            "--python",
            sys.executable,
            "--out-dir",
            folder / "dist",
            member,
        )
    run(UV, "venv", "--quiet", "--python", sys.executable, folder / "venv")
    pins = ROOT / "requirements" / "dev.txt"
    wheels = sorted((folder / "dist").glob("*.whl"))
    run(UV, "pip", "install", "--quiet", "--python", folder / "venv", "--constraints", pins, *wheels)
    return folder


def call(bare: Path, *argv: str, path: str = "") -> subprocess.CompletedProcess[str]:
    """`claw` with an environment that knows nothing of this checkout."""
    kept = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
    env = {"PATH": f"{path}{bare}/venv/bin:/usr/bin:/bin", "HOME": str(bare), **kept}
    return subprocess.run(
        [f"{bare}/venv/bin/claw", *argv], capture_output=True, text=True, check=False, env=env, cwd=bare
    )


def test_plugins_are_found(bare):
    done = call(bare, "plugins", "--json")
    states = {state["name"]: state for state in json.loads(done.stdout)}
    harnesses = {
        "acp",
        "bare",
        "claude-code",
        "nanobot",
        "openclaw",
        "opencode",
        "picoclaw",
        "qwen-code",
        "reference",
        "tiny",
    }
    others = {"clawarena", "clinic-fridge", "demo", "forge", "lite", "llamacpp", "metaclaw", "policy", "ray", "vllm"}
    assert set(states) == harnesses | others
    # Ray's is known, and not among these wheels: it would bring Ray
    assert [name for name, state in states.items() if not (state["ok"] and state["installed"])] == ["ray"]
    assert states["tiny"]["ready"]
    assert not states["nanobot"]["ready"]
    assert "claw frameworks install nanobot" in states["nanobot"]["remedy"]


def test_the_seven_lines_certify_a_third_party_s_package(bare, tmp_path):
    """Its first checks: that it passes all of Bronze is in tests/certification/test_tutorial.py."""
    adapter = bare / "claw-adapter-tiny/src/claw_adapter_tiny/adapter.py"
    assert len(adapter.read_text().splitlines()) <= 60, "one sitting is what we promise"
    pins, venv = ROOT / "requirements" / "dev.txt", bare / "venv"
    run(UV, "pip", "install", "--quiet", "--python", venv, "--constraints", pins, "pytest")
    shutil.copy(bare / "claw-adapter-tiny/tests/test_certify.py", tmp_path)
    env = {"PATH": f"{venv}/bin:/usr/bin:/bin", "HOME": str(tmp_path)}
    pytest_of_theirs = [venv / "bin" / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = run(*pytest_of_theirs, "-k", "LIFE or baseline", cwd=tmp_path, env=env)
    asked = sum(check.startswith("LIFE") for check in load().of("bronze"))
    assert re.search(rf"\b({asked}|{asked + 1}) passed", done.stdout), done.stdout
    assert "failed" not in done.stdout


def test_a_harness_that_is_not_installed_is_refused_with_the_way_out(bare):
    done = call(bare, "run", "demo", "-H", "nanobot", "--out", "other")
    assert done.returncode == 4
    assert "claw frameworks install nanobot" in done.stderr + done.stdout


def test_the_framework_description_is_in_the_wheel(bare):
    rows = json.loads(call(bare, "frameworks", "list", "--json").stdout)
    names = ["claude-code", "llamacpp", "metaclaw", "nanobot", "openclaw", "opencode", "picoclaw", "qwen-code"]
    assert [row["name"] for row in rows] == names


def test_one_adapter_alone_leads_to_a_result_in_three_commands(bare, tmp_path):
    """``pip install`` of one adapter, its program from a file, a run: no second package is asked for."""
    run(UV, "venv", "--quiet", "--python", sys.executable, tmp_path / "venv")
    pins, dist = ROOT / "requirements" / "dev.txt", bare / "dist"
    options = ["--quiet", "--python", tmp_path / "venv", "--constraints", pins, "--find-links", dist]
    run(UV, "pip", "install", *options, "claw-adapter-picoclaw")
    with tarfile.open(tmp_path / "picoclaw_Linux_x86_64.tar.gz", "w:gz") as archive:
        archive.add(standin(tmp_path / "programs"), "picoclaw")
    refused = call(tmp_path, "run", "demo", "-H", "picoclaw", "--out", "run")
    assert refused.returncode == 4
    assert "claw frameworks install picoclaw" in refused.stderr
    installed = call(tmp_path, "frameworks", "install", "picoclaw", "--from", "picoclaw_Linux_x86_64.tar.gz")
    assert installed.returncode == 0, installed.stderr
    assert "not a file that the adapter lists: its SHA-256 is" in installed.stderr
    done = call(tmp_path, "run", "demo", "-H", "picoclaw", "--out", "run", "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["rows"][0]["strict"]["tcr"] == 1
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000
