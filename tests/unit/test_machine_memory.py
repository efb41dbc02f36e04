"""How much memory there is to have: the machine's, that of control groups, and a limit of address space from outside."""

import resource

import pytest

from claw_adapter import cgroups, machine
from claw_adapter.cgroups import GroupMemory, group_memory
from claw_adapter.errors import EmptyAnswer, HarnessCrash, HarnessOverLimits, HarnessStartError, MachineError, Owner
from claw_adapter.protocol import Failure, RunSettings
from claw_adapter.runner.headroom import Headroom, most_memory, raise_memory

GB = 1_000_000_000


def group(folder, names, limit, used, idle):
    folder.mkdir(parents=True, exist_ok=True)
    stat = "inactive_file" if names[0] == "memory.max" else "total_inactive_file"
    for name, value in zip(names, (limit, used), strict=True):
        (folder / name).write_text(f"{value}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{stat} {idle}\n")


TWO, ONE = ("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")


@pytest.mark.parametrize(
    ("line", "top", "names", "none"),
    [("0::/a/b", "", TWO, "max"), ("4:cpu,memory:/a/b", "memory", ONE, 9223372036854771712)],
    ids=["version 2", "version 1"],
)
def test_the_narrowest_and_the_fullest_group_count(tmp_path, line, top, names, none):
    own = tmp_path / "own"
    own.write_text(f"1:name=systemd:/x\n{line}\n")
    group(tmp_path / "cg" / top / "a/b", names, none, 1, 0)
    assert group_memory(tmp_path / "cg", own) is None
    group(tmp_path / "cg" / top / "a", names, 4 * GB, 3 * GB, GB)
    assert group_memory(tmp_path / "cg", own) == GroupMemory(4 * GB, 2 * GB)
    group(tmp_path / "cg" / top, names, 5 * GB, 5 * GB, 0)
    assert group_memory(tmp_path / "cg", own) == GroupMemory(4 * GB, 0)


def test_where_nothing_is_said_there_is_no_group(tmp_path):
    assert group_memory(tmp_path, tmp_path / "none") is None
    assert cgroups.group_memory(tmp_path) is None


def test_a_group_bounds_what_a_trial_may_have(monkeypatch):
    monkeypatch.setattr(machine, "group_memory", lambda: GroupMemory(2 * GB, GB // 2))
    assert machine.available_memory() <= GB // 2
    assert most_memory(RunSettings()) == 1.5 * GB
    assert most_memory(RunSettings(max_memory=GB)) == GB


UNLIMITED = resource.RLIM_INFINITY, resource.RLIM_INFINITY


def limited(monkeypatch, soft, hard, kind=resource.RLIMIT_AS):
    limits = [soft, hard]
    monkeypatch.setattr(resource, "getrlimit", lambda asked: tuple(limits) if asked == kind else UNLIMITED)
    monkeypatch.setattr(resource, "setrlimit", lambda _kind, new: limits.__setitem__(slice(None), new))
    return limits


def test_a_run_that_a_limit_from_outside_would_hinder_is_refused_with_the_way_out(monkeypatch):
    limited(monkeypatch, 300_000_000, 300_000_000)
    with pytest.raises(
        MachineError, match="a process may have 300 MB of address space, and a trial may have 1"
    ) as short:
        raise_memory([RunSettings(max_memory=GB)])
    assert "ulimit -v unlimited" in short.value.remedy
    assert "--max-memory 300M" in short.value.remedy
    raise_memory([RunSettings(max_memory=200_000_000)])


def test_a_limit_that_may_be_raised_is_raised(monkeypatch):
    limits = limited(monkeypatch, 300_000_000, resource.RLIM_INFINITY)
    raise_memory([RunSettings()])
    assert limits[0] == resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (resource.RLIMIT_AS, "2.0 GB of address space (`ulimit -v`)"),
        (resource.RLIMIT_DATA, "2.0 GB of data (`ulimit -d`)"),
        (resource.RLIMIT_FSIZE, "2.0 GB of one file (`ulimit -f`)"),
        (resource.RLIMIT_CPU, "2000000000 s of processor time (`ulimit -t`)"),
    ],
)
@pytest.mark.parametrize(
    "death", [HarnessCrash("FATAL ERROR: Reached heap limit"), HarnessStartError("exit status 134")]
)
def test_what_dies_below_a_limit_from_outside_is_not_to_blame_whatever_it_said(
    tmp_path, monkeypatch, death, kind, says
):
    room = Headroom(tmp_path, 0)
    assert room.blamed(Failure.of(death)).owner is Owner.HARNESS
    limited(monkeypatch, 2 * GB, 2 * GB, kind)
    found = room.blamed(Failure.of(death))
    assert found.owner is Owner.MACHINE
    assert says in found.what
    assert "ulimit -v unlimited" in found.remedy
    for other in (EmptyAnswer("nothing"), HarnessOverLimits("memory")):
        assert room.blamed(Failure.of(other)).owner is Owner.HARNESS
