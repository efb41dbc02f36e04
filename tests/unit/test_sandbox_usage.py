"""What counts as used by some processes."""

import os
import tempfile
import time
from pathlib import Path

from claw_adapter.sandbox.usage import SharedFiles, size


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
