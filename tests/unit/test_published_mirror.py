"""A copy that a check has had its hands on becomes what the workspace is, and nothing outside it changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from claw_adapter_clawarena.mirror import mirror


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "sub/inner").mkdir(parents=True)
    (folder / "empty").mkdir()
    for name, text in (("a.txt", "aaa"), ("b.txt", "bbb"), ("sub/run.sh", "#!/bin/sh\n"), ("sub/inner/c.txt", "ccc")):
        (folder / name).write_text(text)
    (folder / "sub/run.sh").chmod(0o755)
    (folder / "link").symlink_to("a.txt")
    os.utime(folder / "a.txt", ns=(1, 2_000_000_001))
    return folder


def state(folder: Path) -> dict[str, tuple[object, ...]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        seen = path.lstat()
        content = path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None
        attributes = () if path.is_symlink() else tuple(os.listxattr(path))
        found[str(path.relative_to(folder))] = (content, seen.st_mode, seen.st_mtime_ns, attributes)
    return found


def test_a_new_copy_is_what_the_source_is(source, tmp_path):
    mirror(source, tmp_path / "copy")
    assert state(tmp_path / "copy") == state(source)


def test_a_copy_is_brought_up_to_date_and_what_is_the_same_stays(source, tmp_path):
    copy = tmp_path / "copy"
    mirror(source, copy)
    same = (copy / "b.txt").stat().st_ino
    (source / "a.txt").write_text("xyz")
    (source / "sub/inner/c.txt").unlink()
    (source / "new/deep").mkdir(parents=True)
    (source / "new/deep/d.txt").write_text("ddd")
    mirror(source, copy)
    assert state(copy) == state(source)
    assert (copy / "b.txt").stat().st_ino == same


def plant_content(copy: Path, outside: Path) -> None:
    (copy / "a.txt").write_text("AAA")
    os.utime(copy / "a.txt", ns=(1, 2_000_000_001))
    (copy / "more.txt").write_text("left")
    (copy / "sub/more").mkdir()


def plant_rights(copy: Path, outside: Path) -> None:
    (copy / "a.txt").chmod(0o777)
    (copy / "sub/run.sh").chmod(0o600)
    (copy / "sub").chmod(0o500)
    (copy / "empty").chmod(0)


def plant_times(copy: Path, outside: Path) -> None:
    for path in (copy / "b.txt", copy / "sub", copy):
        os.utime(path, ns=(5, 7))


def plant_links(copy: Path, outside: Path) -> None:
    (copy / "a.txt").unlink()
    (copy / "a.txt").symlink_to(outside / "kept.txt")
    (copy / "sub").rename(copy / "moved")
    (copy / "sub").symlink_to(outside)
    (copy / "link").unlink()
    (copy / "link").symlink_to("b.txt")


def plant_second_names(copy: Path, outside: Path) -> None:
    os.link(copy / "b.txt", copy / "again.txt")
    (copy / "a.txt").unlink()
    os.link(outside / "kept.txt", copy / "a.txt")


def plant_other_kinds(copy: Path, outside: Path) -> None:
    (copy / "a.txt").unlink()
    (copy / "a.txt").mkdir()
    (copy / "b.txt").unlink()
    os.mkfifo(copy / "b.txt")
    (copy / "sub/inner/c.txt").unlink()
    (copy / "sub/inner").rmdir()
    (copy / "sub/inner").write_text("a file")


def plant_a_link_in_its_place(copy: Path, outside: Path) -> None:
    copy.rename(copy.with_name("moved"))
    copy.symlink_to(outside)


def plant_attributes(copy: Path, outside: Path) -> None:
    try:
        for name in ("a.txt", "sub"):
            os.setxattr(copy / name, "user.note", b"from an earlier check")
    except OSError:
        pytest.skip("no extended attributes here")


@pytest.mark.parametrize(
    "plant",
    [
        plant_content,
        plant_rights,
        plant_times,
        plant_links,
        plant_second_names,
        plant_other_kinds,
        plant_a_link_in_its_place,
        plant_attributes,
    ],
)
def test_nothing_that_a_check_has_done_to_a_copy_survives(source, tmp_path, plant):
    copy, outside = tmp_path / "copy", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("aaa")
    mirror(source, copy)
    plant(copy, outside)
    mirror(source, copy)
    assert state(copy) == state(source)
    assert [path.name for path in outside.iterdir()] == ["kept.txt"]
    assert (outside / "kept.txt").read_text() == "aaa"
    assert (outside / "kept.txt").stat().st_nlink == 1


def test_what_is_no_file_is_left_out(source, tmp_path):
    os.mkfifo(source / "pipe")
    mirror(source, tmp_path / "copy")
    assert not (tmp_path / "copy/pipe").exists()
