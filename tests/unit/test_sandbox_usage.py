"""What counts as used by some processes."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from claw_adapter.drivers import reaper
from claw_adapter.sandbox.usage import SharedFiles, memory, size


def test_shared_files_are_those_that_the_processes_were_seen_with_and_no_others():
    since = time.time() - 1
    with (
        tempfile.NamedTemporaryFile(dir="/dev/shm") as ours,
        tempfile.NamedTemporaryFile(dir="/dev/shm", delete=False) as theirs,
    ):
        for file, size in ((ours, 100_000), (theirs, 4_000_000)):
            file.write(b"x" * size)
            file.flush()
        theirs.close()  # nobody holds it: it may be anybody's
        try:
            shared = SharedFiles(since)
            assert shared.look([f"/proc/{os.getpid()}"]) == Path(ours.name).stat().st_blocks * 512
            assert SharedFiles(since).look([]) == 0
        finally:
            Path(theirs.name).unlink()


def test_a_file_with_holes_counts_with_the_length_that_keeping_it_takes(tmp_path):
    (tmp_path / "full").write_bytes(b"x" * 10_000)
    os.truncate(os.open(tmp_path / "holes", os.O_CREAT | os.O_WRONLY), 900_000_000)
    assert 900_000_000 < size(tmp_path) < 901_000_000
    os.link(tmp_path / "holes", tmp_path / "again")
    assert 1_800_000_000 < size(tmp_path) < 1_801_000_000


def test_what_has_a_name_counts_however_little_is_in_it(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "link").symlink_to("folder")
    assert size(tmp_path) == 3 * 4096


def test_what_lies_deeper_than_a_path_reaches_counts(tmp_path):
    place = os.open(tmp_path, os.O_RDONLY)
    for _ in range(20):
        os.mkdir("n" * 250, dir_fd=place)
        inner = os.open("n" * 250, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    file = os.open("big", os.O_CREAT | os.O_WRONLY, dir_fd=place)
    os.truncate(file, 10_000_000)
    os.close(file)
    os.close(place)
    opened = len([*Path("/proc/self/fd").iterdir()])
    assert size(tmp_path) >= 10_000_000
    assert len([*Path("/proc/self/fd").iterdir()]) == opened


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="the system does not say what is shared")
def test_what_forked_processes_have_in_common_counts_once():
    code = """
import os, sys, time
held = bytearray(b"x" * 100_000_000)
if all(os.fork() for _ in range(3)):
    print("made", flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        forked = [one.pid for one in reaper.table().values() if one.ppid == child.pid]
        processes = [f"/proc/{pid}" for pid in (child.pid, *forked)]
        try:
            assert len(processes) == 4
            assert memory(processes, within=10**9) > 350_000_000
            assert 90_000_000 < memory(processes, within=150_000_000) < 250_000_000
        finally:
            for pid in (*forked, child.pid):
                os.kill(pid, signal.SIGKILL)
