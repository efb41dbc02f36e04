"""Installing a framework: all or nothing, hash-checked, in one folder of its own; with a made-up package, offline."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path

import pytest

from claw_adapter.frameworks import (
    Framework,
    FrameworkUnknown,
    InstallFailed,
    Phase,
    claw_home,
    commands,
    describe,
    doctor,
    environments,
    fault,
    frameworks,
    install,
    installer,
    locate,
    remove,
)
from claw_adapter.frameworks.home import environment_path, frameworks_home
from claw_adapter.frameworks.record import MARKER, Installed

CHECK = ["{python}", "-I", "-c", "import tiny_agent; print(tiny_agent.VERSION)"]
WITH_UV = pytest.param("uv", marks=pytest.mark.skipif(commands.uv() is None, reason="there is no uv here"))


def wheel(folder: Path, version: str = "1.0") -> Path:
    """A package of one module."""
    info = f"tiny_agent-{version}.dist-info"
    path = folder / f"tiny_agent-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_agent.py", f"VERSION = {version!r}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-agent\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def description(folder: Path, *, digest: str = "", **changes) -> Framework:
    """A framework whose only requirement is that wheel."""
    folder.mkdir(parents=True, exist_ok=True)
    package = wheel(folder)
    digest = digest or hashlib.sha256(package.read_bytes()).hexdigest()
    (folder / "requirements.txt").write_text(f"tiny-agent @ {package.as_uri()} --hash=sha256:{digest}\n")
    fields = {
        "name": "tiny", "title": "Tiny", "version": "1.0", "kind": "pypi", "requirement": "tiny-agent==1.0", "check": CHECK,
        "megabytes": 1, "licence": "MIT", "homepage": "https://example.org", **changes,
    }  # fmt: skip
    (folder / "framework.toml").write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in fields.items()))
    return Framework.load(folder / "framework.toml")


@pytest.fixture
def spec(tmp_path) -> Framework:
    return description(tmp_path / "spec")


@pytest.fixture(params=[WITH_UV, pytest.param("pip", marks=pytest.mark.slow)])
def program(request, monkeypatch) -> str:
    """Each program that can install."""
    if request.param == "pip":
        monkeypatch.setattr(installer, "uv", lambda: None)
    return request.param


def test_an_installation_is_located_checked_repeated_for_free_and_removed(tmp_path, spec, program):
    phases: list[Phase] = []
    home = tmp_path / "home"
    assert locate(spec, home) is None
    there = install(spec, home=home, on_progress=phases.append)
    assert phases == [Phase.ENVIRONMENT, Phase.PACKAGES, Phase.CHECK, Phase.DONE]
    assert there.installer.startswith(program)
    assert there.path == home / "frameworks" / "tiny-1.0"
    assert locate(spec, home) == there
    said = subprocess.run(
        [there.python, "-I", "-c", "import tiny_agent as t; print(t.VERSION)"], capture_output=True, check=True
    )
    assert said.stdout == b"1.0\n"
    assert all(finding.ok for finding in doctor(spec, home)), doctor(spec, home)
    assert fault(spec, home) == ""
    assert "its Node.js is gone" in fault(spec.model_copy(update={"kind": "npm"}), home)
    phases.clear()
    assert install(spec, home=home, on_progress=phases.append) == there
    assert phases == []
    assert {path.name for path in home.rglob("*") if path.parent == home} == {"frameworks"}
    assert remove(spec, home) == ("1.0",)
    assert locate(spec, home) is None
    assert fault(spec, home).endswith("1.0 is not installed")
    assert not remove(spec, home)


def test_a_package_with_another_hash_is_refused_and_nothing_looks_installed(tmp_path):
    spec = description(tmp_path / "spec", digest="0" * 64)
    with pytest.raises(InstallFailed, match="not the one that was pinned") as caught:
        install(spec, home=tmp_path)
    assert "Do not use it" in caught.value.remedy
    assert locate(spec, tmp_path) is None
    assert not environment_path("tiny", "1.0", tmp_path).exists(), "what cannot be used is not kept"


def test_an_environment_that_does_not_work_is_not_installed(tmp_path, spec):
    broken = spec.model_copy(update={"check": ("{python}", "-c", "import sys; sys.exit('it is broken')")})
    with pytest.raises(InstallFailed, match="it is broken"):
        install(broken, home=tmp_path)
    assert locate(spec, tmp_path) is None


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_what_an_interrupted_installation_left_is_cleaned_up_by_the_next(tmp_path, spec):
    path = environment_path("tiny", "1.0", tmp_path)
    (path / "bin").mkdir(parents=True)
    (path / "bin" / "python").write_text("half")
    (path / "installed.json.partial").touch()
    assert locate(spec, tmp_path) is None
    phases: list[Phase] = []
    install(spec, home=tmp_path, on_progress=phases.append)
    assert phases[0] is Phase.CLEAN
    assert locate(spec, tmp_path) is not None
    assert not (path / "installed.json.partial").exists()


def kill_me_at(folder: str, home: str, phase: str) -> None:
    def die(now: Phase) -> None:
        if now is Phase(phase):
            os.kill(os.getpid(), signal.SIGKILL)

    install(Framework.load(Path(folder) / "framework.toml"), home=Path(home), on_progress=die)


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
@pytest.mark.parametrize("phase", [Phase.ENVIRONMENT, Phase.PACKAGES, Phase.CHECK])
def test_killed_at_any_phase_nothing_looks_installed_and_the_lock_is_free(tmp_path, spec, phase):
    context = multiprocessing.get_context("spawn")
    child = context.Process(target=kill_me_at, args=(str(spec.folder), str(tmp_path), phase.value))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    assert locate(spec, tmp_path) is None
    assert install(spec, home=tmp_path) == locate(spec, tmp_path)


INSTALL = """
    import signal, sys
    from pathlib import Path
    from claw_adapter.frameworks import Framework, install
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    say = lambda phase: print(phase.name, flush=True)
    print(install(Framework.load(Path(sys.argv[1])), home=Path(sys.argv[2]), verbose="v" in sys.argv[3:], on_progress=say).date)
"""


def installing(spec: Framework, home: Path, *more: str) -> subprocess.Popen[str]:
    """An installation in a process of its own that says its phases."""
    argv = [sys.executable, "-c", textwrap.dedent(INSTALL), str(spec.folder / "framework.toml"), str(home), *more]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    return subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path})


def at_work(home: Path) -> None:
    """Wait until the last command of a slow installation runs."""
    for _ in range(6000):
        if any(environment_path("tiny", "1.0", home).glob("at-work-*")):
            return
        time.sleep(0.01)
    pytest.fail("it did not get there within a minute")


def slow(folder: Path, file: Path) -> Framework:
    """A framework whose last command writes into the environment until `file` is there."""
    code = (
        "import pathlib, sys, time\n"
        f"while not pathlib.Path({str(file)!r}).exists():\n"
        " pathlib.Path(sys.prefix, 'at-work-' + str(time.time_ns())).touch(); time.sleep(0.01)"
    )
    return description(folder, check=["{python}", "-I", "-c", code])


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
@pytest.mark.parametrize(("number", "more"), [(signal.SIGTERM, ()), (signal.SIGINT, ("v",))], ids=["quiet", "verbose"])
def test_an_interrupted_installation_ends_its_installer_and_removes_what_it_made(tmp_path, number, more):
    spec = slow(tmp_path / "spec", tmp_path / "never")
    with installing(spec, tmp_path, *more) as child:
        at_work(tmp_path)
        child.send_signal(number)
        assert child.wait(60) != 0
    assert not environment_path("tiny", "1.0", tmp_path).exists()
    time.sleep(0.1)  # an installer that was left would make the folder again, or fail on it
    assert not environment_path("tiny", "1.0", tmp_path).exists()


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_an_installer_whose_claw_was_killed_is_waited_for(tmp_path):
    done = tmp_path / "done"
    spec = slow(tmp_path / "spec", done)
    with installing(spec, tmp_path) as child:
        at_work(tmp_path)
        child.kill()
    with installing(spec, tmp_path) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == "WAIT"
        done.touch()
        assert child.stdout.readline().strip() == "CLEAN"
        assert child.wait(60) == 0
    assert locate(spec, tmp_path) is not None


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_versions_of_earlier_releases_are_shown_and_removed(tmp_path, spec):
    old = description(tmp_path / "old", version="0.9")
    other = description(tmp_path / "other", name="tiny-other")
    for one in (old, other, spec):
        install(one, home=tmp_path)
    assert [one.version for one in environments(spec, tmp_path)] == ["0.9", "1.0"]
    assert remove(spec, tmp_path, version="0.8") == ()
    assert remove(spec, tmp_path, version="0.9") == ("0.9",)
    install(old, home=tmp_path)
    assert remove(spec, tmp_path) == ("0.9", "1.0")
    assert locate(other, tmp_path) is not None


def test_a_version_may_be_insisted_on():
    pinned = describe("nanobot")
    assert describe(f"nanobot@{pinned.version}") == pinned
    with pytest.raises(FrameworkUnknown, match=f"installs {pinned.version}, not 0.0.1"):
        describe("nanobot@0.0.1")


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_two_installations_at_once_wait_for_each_other(tmp_path, spec):
    both = [installing(spec, tmp_path) for _ in "ab"]
    said = [child.communicate(timeout=120)[0].split() for child in both]
    assert [child.returncode for child in both] == [0, 0]
    assert said[0][-1] == said[1][-1], "both have the same installation"
    assert sum("PACKAGES" in words for words in said) == 1, "and it was made once"


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_other_pins_for_the_same_version_are_installed_anew(tmp_path, spec):
    first = install(spec, home=tmp_path)
    (spec.folder / "requirements.txt").write_text("# other\n" + (spec.folder / "requirements.txt").read_text())
    assert [finding.ok for finding in doctor(spec, tmp_path)] == [True, False, True]
    assert install(spec, home=tmp_path).digest != first.digest


@pytest.mark.skipif(commands.uv() is None, reason="there is no uv here")
def test_verbose_shows_the_installer_at_work(tmp_path, spec, capfd):
    install(spec, home=tmp_path, verbose=True)
    shown = capfd.readouterr()
    assert "tiny-agent" in shown.out + shown.err


def test_a_disk_without_space_is_refused_before_anything_is_made(tmp_path):
    spec = description(tmp_path / "spec", megabytes=10**9)
    with pytest.raises(InstallFailed, match="MB are free") as caught:
        install(spec, home=tmp_path)
    assert "CLAW_HOME" in caught.value.remedy
    assert not environment_path("tiny", "1.0", tmp_path).exists()


def test_a_python_out_of_range_and_a_kind_we_cannot_install_are_refused(tmp_path):
    with pytest.raises(InstallFailed, match=r"needs Python >=3.99"):
        install(description(tmp_path / "a", python=">=3.99"), home=tmp_path)
    with pytest.raises(InstallFailed, match="there is none here") as caught:
        install(description(tmp_path / "b", kind="binary"), home=tmp_path)
    assert "https://example.org" in caught.value.remedy


@pytest.mark.parametrize(("text", "cause"), [
    ("error: Failed to fetch: `https://host/simple/`", "cannot be reached"),
    ("Temporary failure in name resolution", "cannot be reached"),
    ("OSError: [Errno 28] No space left on device", "disk is full"),
    ("THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE", "not the one that was pinned"),
    ("something else", "status 3"),
])  # fmt: skip
def test_a_failed_command_is_explained_with_its_last_lines(tmp_path, text, cause):
    argv = [sys.executable, "-c", f"import sys; print('x\\n' * 100, {text!r}); sys.exit(3)"]
    with pytest.raises(InstallFailed, match=cause) as caught:
        commands.execute(argv, "installing", verbose=False, cwd=tmp_path)
    assert text in caught.value.what
    assert len(caught.value.what.splitlines()) < 40
    assert caught.value.remedy


def test_a_folder_that_cannot_be_written_is_named(tmp_path, spec):
    (tmp_path / "file").write_text("")
    with pytest.raises(InstallFailed, match="cannot write") as caught:
        install(spec, home=tmp_path / "file")
    assert "CLAW_HOME" in caught.value.remedy


@pytest.mark.parametrize("content", ["", "{", "[]", '{"name": "tiny"}', '{"python": "/x", "base": "/y", "more": 1}'])
def test_a_damaged_marker_is_no_installation(tmp_path, content):
    (tmp_path / MARKER).write_text(content)
    assert Installed.load(tmp_path) is None


def test_the_home_is_where_claw_home_says_else_in_the_users_data(monkeypatch, tmp_path):
    monkeypatch.setenv("CLAW_HOME", str(tmp_path))
    assert claw_home() == tmp_path
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setenv("CLAW_HOME", str(tmp_path / "link"))
    assert claw_home() == tmp_path, "installed programs name their place without links"
    (tmp_path / "disk/tiny-1.0-here").mkdir(parents=True)
    (tmp_path / "disk/tiny-1.0").symlink_to("tiny-1.0-here")
    (tmp_path / "frameworks").symlink_to("disk")
    assert frameworks_home() == tmp_path / "disk"
    assert environment_path("tiny", "1.0") == tmp_path / "disk/tiny-1.0-here"
    monkeypatch.delenv("CLAW_HOME")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert claw_home().name == "claw-adapter"


@pytest.mark.parametrize("line", ["name = 'Bad Name'", "kind = 'egg'", "check = []", "colour = 'red'", "not toml"])
def test_a_wrong_description_is_refused_with_its_place(tmp_path, spec, line):
    path = spec.folder / "framework.toml"
    key = line.split(" ")[0]
    kept = [text for text in path.read_text().splitlines() if not text.startswith(f"{key} =")]
    path.write_text("\n".join([*kept, line]))
    with pytest.raises(FrameworkUnknown) as caught:
        Framework.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("bounds", "fits"), [(">=3.11", True), (">=3.11,<3.13", True), ("<3.12", False), (">=3.13", False)]
)
def test_the_range_of_pythons_is_understood(spec, bounds, fits):
    assert spec.model_copy(update={"python": bounds}).fits((3, 12)) is fits


def test_plugins_bring_their_descriptions_and_are_not_imported_for_it(tmp_path, monkeypatch):
    package = tmp_path / "site" / "tiny_plugin"
    description(package / "framework")
    (package / "__init__.py").write_text("raise SystemExit('imported')\n")
    (package / "plugin.py").write_text("")
    info = tmp_path / "site" / "tiny_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tiny-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[claw_adapter]\ntiny = tiny_plugin.plugin\nplain = json.tool\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert describe("tiny").title == "Tiny"
    assert "tiny" in [framework.name for framework in frameworks()]
    with pytest.raises(FrameworkUnknown, match=r"its adapter has no framework\.toml"):
        describe("plain")
    with pytest.raises(FrameworkUnknown, match="is known here") as caught:
        describe("nowhere")
    assert "pip" not in caught.value.remedy, "no package of a stranger is suggested"
    assert locate("nowhere", tmp_path) is None
