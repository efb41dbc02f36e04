"""The store keeps each content once, complete or not at all, and never hands out damaged content."""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from claw_adapter.errors import JournalError
from claw_adapter.runs.store import CHUNK, Store, canonical


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("size", [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7])
def test_what_is_put_is_got_whatever_its_size(tmp_path, size):
    store, data = Store(tmp_path / "s"), os.urandom(size)
    (tmp_path / "f").write_bytes(data)
    assert store.put_file(tmp_path / "f") == store.put(data) == store.put_stream(io.BytesIO(data)) == sha(data)
    assert store.get(sha(data)) == data
    store.copy_to(sha(data), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == data


def test_a_file_that_gives_less_than_was_asked_for_is_read_to_its_end(tmp_path):
    class Slow(io.BytesIO):
        def read(self, size):
            return super().read(min(size, 1000))

    store, data = Store(tmp_path), os.urandom(2500)
    assert store.get(store.put_stream(Slow(data))) == data


def test_same_content_is_kept_once_and_leaves_no_temporary_file(tmp_path):
    store = Store(tmp_path)
    for _ in range(3):
        store.put(b"x" * 10)
        store.put_stream(io.BytesIO(b"y" * (CHUNK + 5)))
    assert sum(path.is_file() for path in tmp_path.rglob("*")) == 2
    assert store.path(sha(b"x" * 10)) == tmp_path / sha(b"x" * 10)[:2] / sha(b"x" * 10)[2:]


def test_a_copy_is_not_the_blob(tmp_path):
    store = Store(tmp_path / "s")
    digest = store.put(b"original")
    store.copy_to(digest, tmp_path / "copy")
    (tmp_path / "copy").write_bytes(b"scribbled")
    assert store.get(digest) == b"original"


@pytest.mark.parametrize("damage", [b"originaX", b"", b"original and more"])
def test_a_damaged_blob_is_named_and_never_handed_out(tmp_path, damage):
    store = Store(tmp_path / "s")
    digest = store.put(b"original")
    store.path(digest).chmod(0o600)
    store.path(digest).write_bytes(damage)
    (tmp_path / "target").write_bytes(b"as it was")
    for read in (lambda: store.get(digest), lambda: store.copy_to(digest, tmp_path / "target")):
        with pytest.raises(JournalError, match=digest):
            read()
    assert (tmp_path / "target").read_bytes() == b"as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s", "target"]


def test_putting_again_repairs_a_blob_of_another_size(tmp_path):
    store = Store(tmp_path)
    digest = store.put(b"original")
    store.path(digest).chmod(0o600)
    store.path(digest).write_bytes(b"")
    assert store.put(b"original") == digest
    assert store.get(digest) == b"original"


@pytest.mark.parametrize("digest", ["", "..", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n"])
def test_what_is_no_digest_is_refused(tmp_path, digest):
    with pytest.raises(JournalError, match="not a digest"):
        Store(tmp_path).get(digest)


def test_a_missing_blob_is_named(tmp_path):
    with pytest.raises(JournalError, match="a" * 64):
        Store(tmp_path).get("a" * 64)
    assert not Store(tmp_path).has("a" * 64)


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    store = Store(tmp_path)

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            store.put(b"content")
    assert not store.has(sha(b"content"))
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


def test_opening_removes_old_left_overs_and_leaves_young_ones(tmp_path):
    Store(tmp_path)
    for name, age in (("old", 4000), ("young", 60)):
        (tmp_path / "tmp" / name).write_bytes(b"torn")
        os.utime(tmp_path / "tmp" / name, (time.time() - age,) * 2)
    Store(tmp_path)
    assert [path.name for path in (tmp_path / "tmp").iterdir()] == ["young"]


def put_many(root):
    store = Store(root)
    return [store.put(b"%d" % (number % 50) * 1000) for number in range(200)]


def test_processes_share_a_store(tmp_path):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        first, second = pool.map(put_many, [tmp_path, tmp_path])
    assert first == second
    store = Store(tmp_path)
    assert all(sha(store.get(digest)) == digest for digest in first)
    assert not list((tmp_path / "tmp").iterdir())


def test_json_has_one_spelling(tmp_path):
    store = Store(tmp_path)
    assert store.put_json({"b": [1, 2.5, None], "a": "ü"}) == store.put_json({"a": "ü", "b": [1, 2.5, None]})
    assert canonical({"b": 1, "a": "ü"}) == '{"a":"ü","b":1}'.encode()
    assert store.get_json(store.put_json({"a": "ü"})) == {"a": "ü"}


def test_undecodable_names_survive_json_as_valid_utf8():
    value = {os.fsdecode(b"caf\xe9\\udce9.txt"): os.fsdecode(b"\xff\\")}
    data = canonical(value)
    assert json.loads(data.decode("utf-8")) == value


def test_what_is_not_json_is_refused(tmp_path):
    store = Store(tmp_path)
    with pytest.raises(JournalError, match="not JSON"):
        store.get_json(store.put(b"{"))
    with pytest.raises(ValueError, match="JSON compliant"):
        store.put_json(float("nan"))
