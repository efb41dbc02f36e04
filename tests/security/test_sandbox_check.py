"""Promise: a check's verdict comes from the check: not from files the agent planted, not from our secrets, in bounded time."""

from __future__ import annotations

import errno
import json
import os
import secrets
import socket
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.sandbox import IsolationLevel, detect, run_check
from claw_adapter.sandbox.host import ETC

LEVELS = [
    IsolationLevel.PROCESS,
    pytest.param(
        IsolationLevel.NAMESPACE,
        marks=pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces: {detect().reason}"),
    ),
]
pytestmark = pytest.mark.parametrize("level", LEVELS)

HIJACK = "print('hijacked', flush=True)\nimport os\nos._exit(0)\n"


@pytest.fixture
def planted(tmp_path):
    """A workspace in which the agent left a trap under every name that Python would import by itself."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    for name in ("json", "sitecustomize", "usercustomize", "conftest", "re", "os", "encodings", "unittest", "helper2"):
        (workspace / f"{name}.py").write_text(HIJACK)
    (workspace / "pyvenv.cfg").write_text("home = .\n")
    (workspace / ".pth").write_text("import json\n")
    return workspace


@pytest.mark.parametrize(
    "command",
    [
        "python -c \"import json; print(json.dumps('honest'))\"",
        "python3 -c \"import json; print(json.dumps('honest'))\"",
        "python -uBW error -X utf8 -Bc \"import json; print(json.dumps('honest'))\"",
        "echo '\"honest\"' | python -m json.tool",
        "python - <<'X'\nimport json\nprint(json.dumps('honest'))\nX",
        "cd /tmp && python -c \"import json; print(json.dumps('honest'))\"",
    ],
)
async def test_e1_planted_modules_do_not_hijack_a_check(level, planted, command):
    done = await run_check(command, workspace=planted, level=level, deadline=20)
    assert done.stdout.text == '"honest"\n', done.stderr.text
    assert done.exit.ok


@pytest.mark.parametrize("options", ["", "-u ", "-W error -Xutf8 -X dev ", "-uBW default "])
async def test_a_script_finds_its_own_folder_and_not_the_working_folder(level, planted, tmp_path, options):
    beside = tmp_path / "checks"
    beside.mkdir()
    (beside / "helper.py").write_text("WORD = 'from the neighbour'\n")
    (beside / "check.py").write_text("import helper, json\nprint(helper.WORD, json.dumps('honest'))\n")
    command = f"python {options}{beside}/check.py"
    done = await run_check(command, workspace=planted, level=level, deadline=20, readable=(beside,))
    assert done.stdout.text == 'from the neighbour "honest"\n', done.stderr.text
    (planted / "src").mkdir()
    (planted / "src/agents.py").write_text((beside / "check.py").read_text())
    (planted / "src/helper.py").write_text("WORD = 'from beside it'\n")
    done = await run_check(f"python3 {options}src/agents.py", workspace=planted, level=level, deadline=20)
    assert done.stdout.text == 'from beside it "honest"\n', done.stderr.text


async def test_it_is_told_which_modules_are_not_here(level, tmp_path):
    checks, workspace = tmp_path / "checks", tmp_path / "workspace"
    checks.mkdir()
    workspace.mkdir()
    (checks / "check.py").write_text("try:\n  import nothere, also.this\nexcept ImportError: pass\nimport json, yaml\n")
    (workspace / "own.py").write_text("try: import promised\nexcept ImportError: pass\nimport invented\n")
    missing: list[str] = []
    command = f"python {checks}/check.py && python own.py"
    done = await run_check(
        command, workspace=workspace, level=level, deadline=20, readable=(checks,), missing=missing,
        modules=("promised", "json", "yaml"),
    )  # fmt: skip
    assert "No module named 'invented'" in done.stderr.text
    assert missing == ["nothere", "promised"], "what an agent's program invents is its own affair"


async def test_python_is_this_interpreter_with_its_packages(level, tmp_path):
    done = await run_check(
        "python -c 'import yaml; print(yaml.__name__)'", workspace=tmp_path, level=level, deadline=20
    )
    assert done.stdout.text == "yaml\n", done.stderr.text


async def test_e1_no_secret_reaches_a_check(level, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", "sk-canary")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path))
    done = await run_check("env", workspace=tmp_path, level=level, deadline=20, env={"ASKED": "1"})
    assert "sk-canary" not in done.stdout.text
    assert str(tmp_path) not in next(line for line in done.stdout.text.splitlines() if line.startswith("PYTHONPATH="))
    assert "PYTHONSTARTUP" not in done.stdout.text
    assert "ASKED=1" in done.stdout.text
    home = next(line for line in done.stdout.text.splitlines() if line.startswith("HOME="))
    assert home != f"HOME={os.environ.get('HOME')}"


async def test_exit_status_output_and_working_folder(level, tmp_path):
    (tmp_path / "data.txt").write_text("42")
    done = await run_check("cat data.txt; echo err >&2; exit 5", workspace=tmp_path, level=level, deadline=20)
    assert (done.stdout.text, done.stderr.text, done.exit.code) == ("42", "err\n", 5)


async def test_readable_folders_can_be_read_and_at_level_2_not_written(level, tmp_path):
    checks, workspace = tmp_path / "checks", tmp_path / "workspace"
    checks.mkdir()
    workspace.mkdir()
    (checks / "check_1.py").write_text("print('checked')\n")
    command = f"python {checks}/check_1.py; touch {checks}/new"
    done = await run_check(command, workspace=workspace, level=level, deadline=20, readable=(checks,))
    assert done.stdout.text == "checked\n"
    assert (checks / "new").exists() is (level == IsolationLevel.PROCESS)


async def test_what_is_not_bound_is_not_there_at_level_2(level, tmp_path):
    (tmp_path / "workspace").mkdir()
    (tmp_path / "gold.yaml").write_text("answer")
    done = await run_check(f"cat {tmp_path}/gold.yaml", workspace=tmp_path / "workspace", level=level, deadline=20)
    assert done.exit.ok is (level == IsolationLevel.PROCESS)


async def test_of_etc_the_harmless_part_shows_as_it_is_and_cannot_be_written_at_level_2(level, tmp_path):
    if level < IsolationLevel.NAMESPACE:
        pytest.skip("below level 2 everything of the user is visible")
    shown = [Path("/etc", name) for name in ETC if Path("/etc", name).exists()]
    code = f"""
import json, pathlib
seen = [sorted(p.name for p in map(pathlib.Path, path.iterdir())) if path.is_dir() else path.read_text("latin-1")
        for path in map(pathlib.Path, {[*map(str, shown)]!r})]
try:
    pathlib.Path("/etc/hosts").write_text("")
except OSError as error:
    seen.append(error.errno)
print(json.dumps([seen, sorted(path.name for path in pathlib.Path("/etc").iterdir())]))
"""
    (tmp_path / "look.py").write_text(code)
    done = await run_check("python look.py", workspace=tmp_path, level=level, deadline=20)
    seen, names = json.loads(done.stdout.text)
    assert seen.pop() == errno.EROFS
    assert seen == [
        sorted(one.name for one in path.iterdir()) if path.is_dir() else path.read_text("latin-1") for path in shown
    ]
    assert names == sorted({Path(name).parts[0] for name in ETC if Path("/etc", name).exists()})


async def test_no_network_at_level_2(level, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        code = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2)"
        done = await run_check(f'python -c "{code}"', workspace=tmp_path, level=level, deadline=20)
    assert done.exit.ok is (level == IsolationLevel.PROCESS)


async def test_e1_the_whole_tree_is_dead_after_the_deadline(level, tmp_path):
    name = f"sleeper-{secrets.token_hex(4)}"
    (tmp_path / name).write_text("#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.2; done\n")
    (tmp_path / name).chmod(0o755)
    began = time.monotonic()
    command = f"setsid ./{name} & ./{name} & ./{name}"
    done = await run_check(command, workspace=tmp_path, level=level, deadline=2)
    assert time.monotonic() - began < 30
    assert done.timed_out
    assert done.survivors == 0
    assert name not in json.dumps([entry.name for entry in reaper.table().values()])


async def test_output_and_memory_are_bounded(level, tmp_path):
    flood = "python -c \"print('x' * 20_000_000)\"; python -c 'bytearray(6 << 30)'"
    done = await run_check(flood, workspace=tmp_path, level=level, deadline=30)
    assert done.stdout.total == 20_000_001
    assert len(done.stdout.data) <= 2 << 20
    assert "MemoryError" in done.stderr.text


async def test_nothing_is_left_of_a_check(level, tmp_path):
    done = await run_check("touch $HOME/x $TMPDIR/y; echo $HOME", workspace=tmp_path, level=level, deadline=20)
    home = done.stdout.text.strip()
    assert home.endswith("/home")
    assert not Path(home).exists()
    assert list(tmp_path.iterdir()) == []


async def test_a_file_of_the_check_is_only_ours(level, tmp_path):
    await run_check("echo x > made", workspace=tmp_path, level=level, deadline=20)
    assert (tmp_path / "made").stat().st_uid == os.getuid()


async def test_libraries_without_bytecode_get_it_and_nothing_else_does(level, tmp_path, monkeypatch):
    site, workspace = tmp_path / "site-packages", tmp_path / "workspace"
    for folder in (site, workspace / "site-packages"):
        folder.mkdir(parents=True)
    source = "import os\nprint('read' if os.path.exists(__cached__) else 'compiled here')\n"
    (site / "lib.py").write_text(source)
    (site / "unused.py").write_text("")
    (workspace / "site-packages" / "own.py").write_text("")
    command = f"import sys; sys.path[:0] = [{str(site)!r}, {str(workspace / 'site-packages')!r}]; import lib, own"
    monkeypatch.setattr("claw_adapter.sandbox.imports.sysconfig.get_path", lambda _name: str(site))
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    said = [
        await run_check(f'python -c "{command}"', workspace=workspace, level=level, deadline=20, readable=(site,))
        for _ in range(2)
    ]
    assert [done.stdout.text for done in said] == ["compiled here\n", "read\n"], said[0].stderr.text
    assert [path.name.partition(".")[0] for path in tmp_path.rglob("*.pyc")] == ["lib"]


async def test_notes_that_a_program_made_into_something_else_hold_nobody_up(level, tmp_path):
    command = "cd; rm -f .unfound-modules; mkfifo .unfound-modules .compiled-modules"
    missing: list[str] = []
    done = await run_check(command, workspace=tmp_path, level=level, deadline=20, missing=missing)
    assert done.exit.ok, done.stderr.text
    assert missing == []
