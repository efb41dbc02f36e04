"""What the machine does not give is charged to nothing that was at work: the run stops, and the same command resumes it."""

import asyncio
import errno
import json
import resource
import sys

import pytest
from tests.faults.test_runner_failures import RIGHT, Failing, only, scripted

from claw_adapter.endpoint import ModelEndpoint
from claw_adapter.errors import AdapterError, HarnessCrash, JournalError, MachineError, Owner
from claw_adapter.machine import amount, machine_error, machine_said
from claw_adapter.protocol import Failure
from claw_adapter.protocol.model import ModelSpec
from claw_adapter.runner import headroom
from claw_adapter.runner.headroom import Headroom, raise_descriptors
from claw_adapter.runs.folder import RunFolder
from claw_adapter.runs.journal import read_journal
from support.machines import on_a_disk, with_limits
from support.running import claw, experiment, run_sync
from support.scenarios import write_scenario

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc, and lowers limits of other processes")
SHORT = ("ENOSPC", "EDQUOT", "EMFILE", "ENFILE", "ENOMEM", "EROFS", "EFBIG")


def refusal(name: str) -> OSError:
    number = getattr(errno, name)
    return OSError(number, "the system's words", "/some/file")


def journals(root):
    return [read_journal(path) for path in sorted(root.glob("trials/*/journal.jsonl"))]


def owners(root):
    lines = [
        json.loads(line)["record"]
        for path in root.glob("trials/*/journal.jsonl")
        for line in path.read_text().splitlines()
    ]
    return {part["owner"] for line in lines for part in (line.get("error"), line.get("score", {}).get("cause")) if part}


def assert_resumes(root, rounds, *argv):
    """The same command, without the limit: every round once, all scored, nothing charged to anyone."""
    done = claw("run", *argv, "--out", root)
    assert done.returncode == 0, done.stderr
    for records in journals(root):
        names = [record.round for record in records if record.kind == "round"]
        assert names == [f"r{number}" for number in range(1, rounds + 1)]
        assert all(record.score.value is not None for record in records if record.kind == "round")
    assert owners(root) == set()


# which errors they are


@pytest.mark.parametrize("name", SHORT)
def test_what_the_machine_does_not_give_is_its_own_whoever_meets_it(name):
    assert Failure.of(refusal(name)).owner is Owner.MACHINE
    wrapped = HarnessCrash("the server broke off")
    wrapped.__cause__ = refusal(name)
    failure = Failure.of(wrapped)
    assert failure.owner is Owner.MACHINE
    assert failure.where == "/some/file"
    assert failure.remedy
    assert not failure.passing


@pytest.mark.parametrize("name", ["ENOENT", "EACCES", "EIO", "EAGAIN", "ECONNRESET"])
def test_every_other_refusal_stays_with_whom_it_belongs_to(name):
    assert Failure.of(refusal(name)).owner is Owner.ADAPTER
    assert machine_error(refusal(name)) is None


def test_no_memory_no_threads_and_no_processes_are_the_machines():
    assert Failure.of(MemoryError()).owner is Owner.MACHINE
    assert Failure.of(RuntimeError("can't start new thread")).owner is Owner.MACHINE
    assert Failure.of(RuntimeError("a bug")).owner is Owner.ADAPTER
    assert "processes" in machine_error(BlockingIOError(errno.EAGAIN, "again"), starting=True).what
    assert (
        machine_error(ExceptionGroup("", [ValueError(), ExceptionGroup("", [refusal("ENOSPC")])])).where == "/some/file"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Traceback\nOSError: [Errno 28] No space left on device",
        "x\nMemoryError",
        "memory allocation of 7 bytes failed",
        "RuntimeError: can't start new thread",
    ],
)
def test_the_last_words_of_a_process_of_ours_tell_too(text):
    assert machine_said(text).owner is Owner.MACHINE
    assert (
        machine_said(text.lower().replace("errno 28", "errno 2").replace("memory", "paper").replace("thread", ""))
        is None
    )


def test_amounts_are_written_as_people_do():
    assert [amount(size) for size in (0, 999, 1500, 600_000, 2.5e9, 4e15)] == [
        "0 bytes", "999 bytes", "1.5 kB", "600 kB", "2.5 GB", "4000 TB",
    ]  # fmt: skip


# what becomes of a run


@pytest.mark.parametrize(
    "fault", [refusal("ENOSPC"), MemoryError(), Failure.of(refusal("EMFILE"))], ids=["disk", "memory", "told"]
)
def test_of_the_round_at_hand_nothing_is_recorded_and_the_same_run_resumes(tmp_path, fault):
    scenario = write_scenario(tmp_path / "small", [{"id": f"r{n}"} for n in range(1, 4)])
    asked = experiment(scenario, models=[scripted(RIGHT)])
    harness = Failing({2: fault})
    with pytest.raises(MachineError, match="1 of 3 rounds are recorded") as stopped:
        run_sync(tmp_path / "run", asked, harnesses={"reference": harness})
    assert "run the same command again" in stopped.value.remedy
    [records] = journals(tmp_path / "run")
    assert [record.kind for record in records] == ["start", "round"]
    found = only(run_sync(tmp_path / "run", asked, harnesses={"reference": harness}))
    assert [r.score.value for r in found] == [1, 1, 1]
    assert [r.attempts for r in found] == [1, 1, 1]


def test_a_harness_that_fails_while_the_machine_is_short_is_not_to_blame(tmp_path, monkeypatch):
    asked = experiment(write_scenario(tmp_path / "small", [{"id": "r1"}]), models=[scripted(RIGHT)])
    harness = Failing({1: HarnessCrash("it could not write its state")})
    looks = iter([None, None])
    monkeypatch.setattr(headroom, "LOOK_SECONDS", -1)
    monkeypatch.setattr(Headroom, "shortage", lambda _self: next(looks, MachineError("3 bytes are left")))
    with pytest.raises(MachineError, match="3 bytes are left"):
        run_sync(tmp_path / "run", asked, harnesses={"reference": harness})
    assert owners(tmp_path / "run") == set()


def test_a_harness_that_the_system_ended_for_want_of_memory_is_not_to_blame(tmp_path, monkeypatch):
    asked = experiment(write_scenario(tmp_path / "small", [{"id": "r1"}]), models=[scripted(RIGHT)])
    monkeypatch.setattr(headroom, "killed_for_memory", lambda: -1)
    with pytest.raises(MachineError, match="no memory left"):
        run_sync(tmp_path / "run", asked, harnesses={"reference": Failing({1: HarnessCrash("ended by signal 9")})})
    assert owners(tmp_path / "run") == set()


def test_an_adapters_own_missing_file_is_the_adapters(tmp_path):
    asked = experiment(write_scenario(tmp_path / "small", [{"id": "r1"}]), models=[scripted(RIGHT)])
    [record] = only(run_sync(tmp_path / "run", asked, harnesses={"reference": Failing({1: refusal("ENOENT")})}))
    assert record.score.cause.owner is Owner.ADAPTER


def test_a_folder_that_cannot_be_removed_says_why(tmp_path, monkeypatch):
    from claw_adapter import folders

    def full(_path):
        raise refusal("EMFILE")

    monkeypatch.setattr(folders, "_clear", full)
    monkeypatch.setattr(folders.time, "sleep", lambda _seconds: None)
    with pytest.raises(JournalError) as error:
        folders.remove_tree(tmp_path)
    assert machine_error(error.value) is not None
    assert machine_error(AdapterError("a bug")) is None


# before it is too late


def test_a_run_stops_before_the_disk_is_full(tmp_path):
    asked = experiment(write_scenario(tmp_path / "small", [{"id": "r1"}]), models=[scripted(RIGHT)])
    with pytest.raises(MachineError, match="a run leaves 1000 TB free"):
        asyncio.run(_with_floor(tmp_path / "run", asked, 10**15))


async def _with_floor(root, asked, floor):
    from claw_adapter.runner.preparing import prepare
    from claw_adapter.runner.run import run
    from claw_adapter.runs.plan import expand
    from claw_adapter.scenario.named import find_scenarios

    scenarios = find_scenarios(asked.scenarios)
    plan, made = prepare(expand(asked, scenarios), scenarios)
    with RunFolder(root) as folder:
        folder.begin(plan)
        await run(folder, plan, scenarios, made, min_free=floor)


def test_more_trials_than_descriptors_allow_are_refused_with_how_many_fit(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (64, 64))
    with pytest.raises(MachineError, match="8 trials at a time need about 112") as error:
        raise_descriptors(8)
    assert "-j 3" in error.value.remedy
    raise_descriptors(3)


def test_the_limit_of_descriptors_is_raised_as_far_as_it_may_be():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        raise_descriptors(1)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(hard, 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


# the endpoint's process


@linux
async def test_an_endpoint_without_descriptors_tells_the_runner_of_it(tmp_path):
    async with await ModelEndpoint.start(tmp_path) as endpoint:
        await endpoint.close_trial("none")  # answered, so the control channel stands
        resource.prlimit(endpoint._process.pid, resource.RLIMIT_NOFILE, (5, 5))
        with pytest.raises(MachineError, match="the limit is 5 open files"):
            await endpoint.open_trial("one", ModelSpec(name="reader", kind="reader"), tmp_path / "transcript.jsonl")
        reader, writer = await asyncio.open_connection("127.0.0.1", int(endpoint.url.rpartition(":")[2]))
        with pytest.raises(MachineError, match="the limit is 5 open files"):
            await asyncio.wait_for(endpoint.shortage(), 20)
        writer.close()
        del reader


@linux
async def test_an_endpoint_that_cannot_start_for_want_of_memory_is_the_machines(tmp_path, monkeypatch):
    program = tmp_path / "python"
    program.write_text("#!/bin/sh\necho 'memory allocation of 7 bytes failed' >&2\nexit 134\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    with pytest.raises(MachineError, match="Cannot allocate memory"):
        await ModelEndpoint.start(tmp_path / "endpoint")


# whole commands


@linux
@pytest.mark.parametrize("floor", ["0", "100M"])
def test_a_disk_that_is_too_small(tmp_path, floor):
    kept = tmp_path / "kept"
    done = on_a_disk("size=300k", "run", "demo", "--min-free", floor, "--out", "run", kept=kept)
    assert done.returncode == 5, done.stderr
    assert "run the same command again" in done.stderr
    assert "Traceback" not in done.stderr
    assert owners(kept / "run") == set()
    if floor == "0":
        assert_resumes(kept / "run", 11, "demo")


@linux
def test_64_descriptors_for_eight_trials_at_a_time(tmp_path):
    asked = (write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}]), "-j", "8", "--repeats", "8")
    argv = ("run", *asked, "--out", tmp_path / "run")
    done = with_limits("-n 64", *argv)
    assert done.returncode == 5, done.stderr
    assert "64 files may be open, and 8 trials at a time need about 112" in done.stderr
    code = "from claw_adapter.runner import headroom\nheadroom.BASE_DESCRIPTORS = headroom.TRIAL_DESCRIPTORS = 0"
    done = with_limits("-n 48", *argv, code=code)
    assert done.returncode == 5, done.stderr
    assert "oo many open files" in done.stderr or "possible files are open" in done.stderr
    assert owners(tmp_path / "run") == set()
    assert_resumes(tmp_path / "run", 2, *asked)


@linux
def test_less_address_space_than_trials_may_have(tmp_path):
    scenario = write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}])
    done = with_limits("-v 300000", "run", scenario, "--out", tmp_path / "run")
    assert done.returncode == 5, done.stderr
    assert "a process may have 307 MB of address space" in done.stderr
    assert journals(tmp_path / "run") == []
    assert_resumes(tmp_path / "run", 2, scenario)


@linux
def test_too_little_address_space_for_ourselves(tmp_path):
    argv = (write_scenario(tmp_path / "small", [{"id": "r1"}, {"id": "r2"}]), "--max-memory", "90M")
    done = with_limits("-v 90000", "run", *argv, "--out", tmp_path / "run")
    assert done.returncode in (0, 5), done.stderr
    assert "Traceback" not in done.stderr
    assert owners(tmp_path / "run") == set()
    assert_resumes(tmp_path / "run", 2, *argv)


@linux
def test_a_read_only_place(tmp_path):
    done = on_a_disk("ro", "run", "demo", "--out", "run", kept=tmp_path / "kept")
    assert done.returncode == 5, done.stderr
    assert "Read-only file system" in done.stderr
    assert "Name a place that can be written." in done.stderr
